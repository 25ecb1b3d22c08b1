"""Kernels that the workers of a test run compile once for all."""

from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace

import pytest

from tests.kernel_locks import guard_compiling, only_process
from topofinder.kernels import hop_table


def test_kernels_are_compiled_under_locks() -> None:
    assert hop_table.compiled.compile.__name__ == "compile_alone"


def test_whoever_comes_second_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    compiled = Event()
    kernel = SimpleNamespace(py_func=only_process, compile=lambda _: compiled.set())
    waiting = Thread(target=guard_compiling(kernel).compile, args=[()])
    with only_process("tests.kernel_locks.only_process"):
        waiting.start()
        assert not compiled.wait(0.05)
    waiting.join()
    assert compiled.is_set()
