"""The command line: one file a command, heavy imports only where a command needs them."""

import os
import sys

import typer
from typer.exceptions import TyperException

from generators.errors import TopofinderError
from generators.shown import MOST_SHOWN, bound_message
from reports.text import plain
from topofinder.cli.build import build
from topofinder.cli.discover import discover
from topofinder.cli.interrupt import told_once
from topofinder.cli.inventory import inventory
from topofinder.cli.merge import export_db, merge
from topofinder.cli.plan import plan
from topofinder.cli.plan_jobs import plan_jobs
from topofinder.cli.query import query
from topofinder.cli.remarks import BAD_INPUT, remarks_on_stderr
from topofinder.cli.replay import replay
from topofinder.cli.report import report
from topofinder.cli.reproduce import reproduce
from topofinder.cli.schedule import schedule
from topofinder.cli.search import search
from topofinder.cli.serve import serve
from topofinder.cli.show import show
from topofinder.cli.sweep import sweep
from topofinder.cli.throughput import throughput
from topofinder.cli.verify import verify
from topofinder.cli.version import print_version

MOST_USAGE = 300
"""Characters of a line of the parser's complaints."""
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
COMMANDS = (
    *(search, sweep, query, serve, export_db, merge, discover),
    *(show, build, schedule, throughput, verify),
    *(inventory, plan, replay, plan_jobs, report, reproduce),
)
for command in COMMANDS:
    app.command()(command)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; a mistake of the user becomes one clear line and exit code 2."""
    code = 0
    try:
        with told_once(), remarks_on_stderr() as remarks:
            code = app(arguments, prog_name="topofinder", standalone_mode=False) or remarks.code
        sys.stdout.flush()
    except (TopofinderError, TyperException) as error:
        message = str(error)
        if isinstance(error, TyperException):  # it repeats what was offered, however long
            message = bound_message(error.format_message(), MOST_SHOWN, MOST_USAGE)
        message = message.replace(": Value error, ", ": ")  # words of the parser's own
        message = "\n".join(map(plain, message.split("\n")))
        usage = message.startswith("Usage:")
        print(message if usage else f"topofinder: {message}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except BrokenPipeError:
        _forget_output()
    except SystemExit as ended:  # Typer makes one of a broken pipe.
        if not isinstance(ended.__context__, BrokenPipeError):
            raise
        _forget_output()
    if code == INTERRUPTED:  # Typer makes it of a KeyboardInterrupt.
        print("topofinder: interrupted; what was finished is stored", file=sys.stderr)
    sys.exit(code or 0)


def _forget_output() -> None:
    """Nobody reads on: let what is left to print go nowhere, without an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
