"""The rights of an ordinary user, also where the tests run as root, who may write everything."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Give up root's rights within; who has none keeps what there is.

    `os.access` asks for the real user, opening a file for the effective one: both change.
    """
    if not hasattr(os, "setresuid") or os.getuid() != 0:
        yield
        return
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter and read, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        path.chmod(0o755)
        yield path
