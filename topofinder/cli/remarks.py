"""Remarks of the library, one line on stderr each: waits, and what the database is left with.

What is logged as an error came after the answer, which is printed all the same: the command then
ends with the exit code of bad input.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from reports.text import plain
from topofinder.cli.streams import remark
from topofinder.compilation import announcer

BAD_INPUT = 2
LOGGER = logging.getLogger("topofinder")


class Remarks(logging.Handler):
    """Prints what is logged; `code` is the exit code that it asks for."""

    code = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Print one line."""
        remark(f"topofinder: {plain(record.getMessage())}")
        if record.levelno >= logging.ERROR:
            self.code = BAD_INPUT


@contextmanager
def remarks_on_stderr() -> Iterator[Remarks]:
    """Print what is logged for the length of a command."""
    handler = Remarks()
    LOGGER.addHandler(handler)
    LOGGER.propagate = False
    try:
        yield handler
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.propagate = True
        LOGGER.setLevel(logging.NOTSET)


def hush(quiet: bool) -> bool:
    """With --quiet, leave out all but errors until the command ends."""
    if quiet:
        LOGGER.setLevel(logging.ERROR)
        announcer.tell = None
    return quiet
