"""Answers on a terminal: tables as wide as it is, unless --wide asks for all of their columns."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import Any, TextIO

from reports.fitted_tables import fit_tables


class FittedOutput:
    """A terminal on which tables are narrowed; `left` are the heads of what was left out."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.wide = False
        self.left: dict[str, None] = {}

    def write(self, text: str) -> int:
        """Write a text with its tables, each of them whole.

        Terminals that do not tell their width, as those of ranks of MPI, are wide.
        """
        columns = get_terminal_size(fallback=(0, 0)).columns
        if columns and not self.wide:
            text, left = fit_tables(text, columns)
            self.left |= dict.fromkeys(left)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def fit_terminal() -> Iterator[FittedOutput | None]:
    """Narrow tables where standard output is a terminal; what is piped or in a file stays whole."""
    whole = sys.stdout
    if not whole.isatty():
        yield None
        return
    fitted = FittedOutput(whole)
    sys.stdout = fitted
    try:
        yield fitted
    finally:
        sys.stdout = whole


def show_all_columns(wanted: bool) -> bool:
    """With --wide, leave tables as they are."""
    if wanted and isinstance(sys.stdout, FittedOutput):
        sys.stdout.wide = True
    return wanted
