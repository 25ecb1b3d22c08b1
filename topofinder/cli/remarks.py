"""Remarks of the library, one line on stderr each: waits, and what the database is left with.

What is logged as an error came after the answer, which is printed all the same: the command then
ends with the exit code of bad input.
"""

import logging
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager

from generators.memory import memory_text
from generators.version import __version__
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
    handler, begun = Remarks(), time.perf_counter()
    LOGGER.addHandler(handler)
    LOGGER.propagate = False
    try:
        yield handler
        if LOGGER.level == logging.INFO:
            remark(f"topofinder: {_usage_words(time.perf_counter() - begun)}")
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


def is_quiet() -> bool:
    """Whether --quiet is in force, before or behind the command."""
    return LOGGER.level == logging.ERROR


def speak(verbose: bool) -> bool:
    """With --verbose, say at the end what a command took."""
    if verbose:
        LOGGER.setLevel(logging.INFO)
    return verbose


def _usage_words(seconds: float) -> str:
    """Time, memory, and by what."""
    python = f"topofinder {__version__}, Python {platform.python_version()}"
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:  # not on Windows
        return f"{seconds:.2f} s; {python}"
    used = getrusage(RUSAGE_SELF)
    unit = 1 if platform.system() == "Darwin" else 1024
    memory = memory_text(used.ru_maxrss * unit)
    return f"{seconds:.2f} s, {used.ru_utime:.2f} s of CPU, {memory} of memory; {python}"
