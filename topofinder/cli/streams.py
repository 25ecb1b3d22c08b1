"""Standard output and error as they may be found: closed, full, or read by nobody any more."""

import errno
import os
import sys
from contextlib import suppress
from typing import TextIO

MODES = {"stdin": os.O_RDONLY, "stdout": os.O_RDONLY, "stderr": os.O_WRONLY}
"""How the null device takes the place of a closed stream.

Results must not get lost: writing them to what is open for reading fails as it does on the closed
stream. Remarks may.
"""


def open_closed_streams() -> None:
    """Put the null device where a standard stream is closed.

    Else the next file that is opened, a database perhaps, would get the number of the stream.
    """
    for name, mode in MODES.items():
        if getattr(sys, name) is None:
            number = os.open(os.devnull, mode)
            os.set_inheritable(number, True)
            kind = "r" if name == "stdin" else "w"
            setattr(sys, name, open(number, kind, encoding="utf-8", closefd=False))  # noqa: SIM115


def flush_or_forget(stream: TextIO) -> None:
    """Write what a stream holds back, if it can be written."""
    try:
        stream.flush()
    except OSError:
        forget(stream)


def forget(stream: TextIO) -> None:
    """Let what a stream holds back go nowhere, so that nothing fails when the program ends."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def remark(line: str) -> None:
    """Print a line on standard error, if it can be written."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        forget(sys.stderr)


def reason(error: OSError) -> str:
    """What a failed write or other call of the system says, with the file if it is known.

    >>> reason(OSError(errno.ENOSPC, "No space left on device"))
    'cannot write: no space left on device'
    >>> reason(FileNotFoundError(errno.ENOENT, "No such file or directory", "a.json"))
    'a.json: no such file or directory'
    """
    words = (error.strerror or str(error)).lower()
    if error.filename is not None:
        return f"{error.filename}: {words}"
    return f"cannot write: {words}" if error.errno in _WRITING else words


_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF, errno.EIO)
