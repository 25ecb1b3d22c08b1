"""The command line: one file a command, heavy imports only where a command needs them."""

import signal
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import typer
from typer.exceptions import TyperException
from typer.main import get_command

from generators.errors import TopofinderError
from generators.excerpts import MOST_SHOWN, bound_message, excerpt
from reports.text import plain
from topofinder.cli.fitted_output import fit_terminal
from topofinder.cli.lazy_commands import HELP_OPTIONS, group_of
from topofinder.cli.remarks import BAD_INPUT, is_quiet, remarks_on_stderr
from topofinder.cli.streams import (
    flush_or_forget,
    forget,
    open_closed_streams,
    reason,
    remark,
)
from topofinder.cli.version import print_version
from topofinder.compilation import announcer
from topofinder.interrupts import INTERRUPTED, WORDS, Terminated, interrupt_once

MOST_USAGE = 300
"""Characters of a line of the parser's complaints."""

NARROWED = "left out of tables for want of room, shown with --wide"
"""What is said of columns that a terminal has no room for."""

GROUPS = {
    "Find": ("search", "sweep", "discover", "query"),
    "Schedule": ("schedule", "verify", "export", "run"),
    "Evaluate": ("show", "build", "throughput", "train", "fit"),
    "Move": ("inventory", "plan", "replay", "check", "plan-jobs", "plan-phases"),
    "Report": ("report", "atlas", "draw", "reproduce", "serve"),
    "Data": ("merge", "export-db"),
    "Set up": ("warm", "doctor"),
}
"""Commands as the help lists them."""

COMMANDS = tuple(name for names in GROUPS.values() for name in names)

_SHARED = {"export-db": "merge"}
"""Modules that are not named like their command."""

HOMES = {name: f"topofinder.cli.{_SHARED.get(name, name.replace('-', '_'))}" for name in COMMANDS}
"""The module of each command."""

app = typer.Typer(
    cls=group_of(HOMES, GROUPS),
    name="topofinder",
    help="Find the best wiring of a direct-connect fabric: T_L against T_B for N hosts, d ports.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=True,
    context_settings=HELP_OPTIONS,
)
app.callback()(print_version)


@cache
def command_parser() -> Callable[..., Any]:
    """The parser of all commands, built once a process: that takes longer than most look-ups."""
    return get_command(app)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; a mistake of the user becomes one clear line and exit code 2."""
    open_closed_streams()
    announcer.tell = lambda words: remark(f"topofinder: {words}")
    try:
        code, words = _outcome(arguments)
    finally:
        announcer.tell = None
    if words:
        remark(words if words.startswith("Usage:") else f"topofinder: {words}")
    sys.exit(code)


def _outcome(arguments: list[str] | None) -> tuple[int, str]:
    """The exit code, and what is to be said beside the answer.

    A reader that closes its pipe has seen enough; any other failure to write is one of the command.
    """
    try:
        with interrupt_once(), remarks_on_stderr() as remarks:
            with fit_terminal() as fitted:
                code = _run_command(arguments) or remarks.code
            if fitted and fitted.left and not is_quiet():
                remark(f"topofinder: {NARROWED}: {', '.join(fitted.left)}")
    except (TopofinderError, TyperException) as error:
        return BAD_INPUT, _one_line(error)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except Terminated as ended:
        forget(sys.stdout)
        return ended.code, ended.words
    except BrokenPipeError:
        return 0, ""
    except OSError as error:
        return BAD_INPUT, reason(error)
    if code == INTERRUPTED:  # Typer makes it of a KeyboardInterrupt.
        forget(sys.stdout)
        exec("")  # else CPython may end by the signal: it noted an interrupt in code of a string
        return code, WORDS[signal.SIGINT]
    return code, ""


def _run_command(arguments: list[str] | None) -> int:
    """The exit code of a command whose answer is written, as far as it can be."""
    try:
        code = int(command_parser()(arguments, prog_name="topofinder", standalone_mode=False) or 0)
        if code != INTERRUPTED:
            sys.stdout.flush()
        return code
    except Exception:
        flush_or_forget(sys.stdout)
        raise
    except SystemExit as ended:  # Typer makes one of a broken pipe.
        if not isinstance(ended.__context__, BrokenPipeError):
            raise
        forget(sys.stdout)
        return 0


def _one_line(error: TopofinderError | TyperException) -> str:
    message = str(error)
    if isinstance(error, TyperException):  # it repeats what was offered, however long
        message = bound_message(error.format_message(), MOST_SHOWN, MOST_USAGE)
        message += _offered_value(error, message)
    message = message.replace(": Value error, ", ": ")  # words of the parser's own
    return "\n".join(map(plain, message.split("\n")))


def _offered_value(error: TyperException, message: str) -> str:
    """The words for a value that the parser refused without repeating it."""
    from pydantic import ValidationError

    if not isinstance(error.__cause__, ValidationError):
        return ""
    offered = excerpt(error.__cause__.errors(include_url=False)[0]["input"])
    return "" if offered in message else f", not {offered}"
