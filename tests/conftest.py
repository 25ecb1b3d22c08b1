"""What holds for all tests: no deadlines, caches of kernels and bytecode, little garbage.

numba notices a change in the file of a kernel, not in the kernels it calls from other files. The
tests therefore keep compiled code in a folder named after the content of all kernel files. A
property that takes long on a loaded machine is no less true: hypothesis counts no milliseconds.
Bytecode, of the tests too, is kept apart from the source, whatever the environment says: every
program that a test starts would translate hundreds of files anew. Kernels are compiled in tests, as
their twins are to be compared with, and nothing is left to a process in the background. Searches
that name no effort make none: those that test one ask for it.
"""

import gc
import hashlib
import os
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import find, settings
from hypothesis.strategies import none

settings.register_profile("topofinder", deadline=None)
settings.load_profile("topofinder")

SOURCES = sorted(
    path
    for floor in ("generators", "expansions", "topofinder")
    for path in (Path(__file__).parent.parent / floor).rglob("*.py")
    if any(word in path.read_text(encoding="utf-8") for word in ("kernels", "numba"))
)
DIGEST = hashlib.sha256(b"".join(path.read_bytes() for path in SOURCES)).hexdigest()[:16]
os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"topofinder-kernels-{DIGEST}")
)
os.environ.setdefault("TOPOFINDER_KERNELS", "compiled")
os.environ.setdefault("TOPOFINDER_BACKGROUND", "0")
os.environ["TOPOFINDER_EFFORT"] = "0"

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
sys.pycache_prefix = os.environ.setdefault(
    "PYTHONPYCACHEPREFIX", str(Path(tempfile.gettempdir()) / "topofinder-bytecode")
)


from tests.kernel_locks import share_compiling  # noqa: E402  (imports what reads the environment)

share_compiling()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leave the tests and all that is imported to themselves, which last to the end.

    They are half a million objects, which the garbage collector would walk again and again.
    Hypothesis registers its random numbers at its first example, and asks the collector who holds
    them: so it has one before these are out of the collector's sight.
    """
    gc.disable()
    find(none(), lambda _: True)
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
