"""What holds for all tests: no deadlines, caches of kernels and bytecode, little garbage.

Compiled kernels are kept from one run to the next, as they belong to their code. A property that
takes long on a loaded machine is no less true: hypothesis counts no milliseconds.
Bytecode, of the tests too, is kept apart from the source, whatever the environment says: every
program that a test starts would translate hundreds of files anew. Kernels are compiled in tests, as
their twins are to be compared with, and nothing is left to a process in the background. Searches
that name no effort make none: those that test one ask for it.
"""

import gc
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

KEPT = Path(tempfile.gettempdir())
os.environ.setdefault("NUMBA_CACHE_DIR", str(KEPT / "topofinder-kernels"))
os.environ.setdefault("TOPOFINDER_KERNELS", "compiled")
os.environ.setdefault("TOPOFINDER_BACKGROUND", "0")
os.environ["TOPOFINDER_EFFORT"] = "0"

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
sys.pycache_prefix = os.environ.setdefault("PYTHONPYCACHEPREFIX", str(KEPT / "topofinder-bytecode"))


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


@pytest.fixture
def unsearched_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """No finds of efforts ship, so that an effort of one looks at all sizes."""
    finder = "topofinder.finder"
    for module in (
        f"{finder}.effort_work",
        f"{finder}.deferrals",
        f"{finder}.base_scope",
        "topofinder.api.shared.frontiers",
    ):
        monkeypatch.setattr(f"{module}.are_finds_shipped", lambda n, d, links: False)
    monkeypatch.setattr(f"{finder}.shipped_finds.deferred_costs", lambda n, d, links: ())
    monkeypatch.setattr(f"{finder}.base_scope.searched_graphs", lambda n, d, links: ())
