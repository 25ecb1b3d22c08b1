"""Ctrl-C while the program starts and when it ends: one line, as between.

Nothing but the standard library is imported here, before commands are.
"""

import os
import signal
from types import FrameType

INTERRUPTED = 130
WORDS = "interrupted; what was finished is stored"


def leave_when_interrupted() -> None:
    """Let Ctrl-C end the program at once.

    Importing the commands takes a good part of a second. An exception would be raised wherever
    Python is: within an import, which may tell it as another error, or at exit, where it is printed
    and ignored. While a command runs, it is told in its own way. A program that was started to
    ignore SIGINT goes on ignoring it.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def _leave(number: int, frame: FrameType | None) -> None:
    try:
        os.write(2, f"topofinder: {WORDS}\n".encode())
    finally:
        os._exit(INTERRUPTED)
