"""The command line: one file a command, heavy imports only where a command needs them."""

import os
import sys

import typer
from typer.exceptions import TyperException

from generators.errors import TopofinderError
from topofinder.cli.build import build
from topofinder.cli.search import search
from topofinder.cli.show import show
from topofinder.cli.sweep import sweep
from topofinder.cli.version import print_version

BAD_INPUT = 2
INTERRUPTED = 130

app = typer.Typer(
    name="topofinder",
    help="Find the best wiring of a direct-connect fabric: T_L against T_B for N hosts, d ports.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=True,
)
app.callback()(print_version)
for command in (search, sweep, show, build):
    app.command()(command)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; a mistake of the user becomes one clear line and exit code 2."""
    try:
        code = app(arguments, standalone_mode=False)
    except (TopofinderError, TyperException) as error:
        message = error.format_message() if isinstance(error, TyperException) else str(error)
        usage = message.startswith("Usage:")
        print(message if usage else f"topofinder: {message}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        print("topofinder: interrupted; what was finished is stored", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    sys.exit(code or 0)
