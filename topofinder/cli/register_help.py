"""Help that lists what is registered: registers are asked when help is printed, not before.

A plugin may enter more, and is imported with the first question. So an option says in its help
`{throughput methods}`, and these words are replaced as late as possible.
"""

from collections.abc import Callable, Iterable
from copy import copy
from typing import Any

from typer.core import TyperCommand

from topofinder.cli.examples import EXAMPLES


class RegisterHelp(TyperCommand):
    """A command whose options may name registers in braces."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, registers filled in: those of this moment, as they may grow."""
        stated, self.params = self.params, [*map(_with_registers, self.params)]
        try:
            super().format_help(ctx, formatter)
        finally:
            self.params = stated

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Print examples, each in a line that can be pasted."""
        if lines := EXAMPLES.get(ctx.info_name, ()):
            with formatter.section("Examples"):
                for line in lines:
                    formatter.write(f"{'':{formatter.current_indent}}{line}\n")


def _with_registers(parameter: Any) -> Any:
    """The parameter, or where it has a help a copy of it with registers filled in."""
    if not getattr(parameter, "help", None):
        return parameter
    filled = copy(parameter)
    filled.help = fill_in_registers(parameter.help)
    return filled


def fill_in_registers(text: str) -> str:
    """A text with what is registered in place of the words in braces.

    >>> fill_in_registers("A file: {route suffixes}.")
    'A file: .csv or .json.'
    """
    for words, listed in REGISTERS.items():
        if words in text:
            text = text.replace(words, listed())
    return text


def one_of(words: Iterable[str]) -> str:
    """A choice as a sentence has it.

    >>> one_of(["a", "b", "c"])
    'a, b or c'
    """
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def _schedule_methods() -> str:
    from topofinder.api.registers import schedule_methods

    return ", ".join(schedule_methods())


def _throughput_methods() -> str:
    from topofinder.api.registers import throughput_methods

    return ", ".join(throughput_methods())


def _demand_patterns() -> str:
    from topofinder.api.registers import demand_patterns

    return one_of(demand_patterns())


def _transfer_formats() -> str:
    from topofinder.api.registers import transfer_formats

    return one_of(transfer_formats())


def _route_suffixes() -> str:
    from topofinder.api.registers import route_suffixes

    return one_of(route_suffixes())


def _reproductions() -> str:
    from topofinder.api.registers import reproductions

    return one_of(reproductions())


REGISTERS: dict[str, Callable[[], str]] = {
    "{schedule methods}": _schedule_methods,
    "{throughput methods}": _throughput_methods,
    "{demand patterns}": _demand_patterns,
    "{route suffixes}": _route_suffixes,
    "{transfer formats}": _transfer_formats,
    "{reproductions}": _reproductions,
}
