"""Habits that all tests share."""

import re
from pathlib import Path

import pytest
from hypothesis import settings

DEADLINE = re.compile(r"\bdeadline=(?!None\b)\w+")
PATCHED = re.compile(
    r"""monkeypatch\.setattr\([^)]*?["'](?:[\w.]*\.)?(?!ENGINE\b)[A-Z][A-Z_]+["']"""
    r"|^ +\w[\w.]*\.[A-Z_]{2,} = ",
    re.MULTILINE,
)
"""A constant of a module under another value; a newer engine has no argument to come by."""


def texts(pattern: str) -> dict[Path, str]:
    return {path: path.read_text("utf-8") for path in Path(__file__).parent.rglob(pattern)}


def test_no_hypothesis_test_has_a_deadline() -> None:
    assert settings().deadline is None
    tests = texts("test_*.py")
    assert len(tests) > 100
    assert [path.name for path, text in tests.items() if DEADLINE.search(text)] == []


def test_limits_are_set_by_arguments() -> None:
    patching = [path.name for path, text in texts("*.py").items() if PATCHED.search(text)]
    assert patching == [Path(__file__).name]


@pytest.mark.parametrize(
    "line",
    [
        'monkeypatch.setattr(header, "MAX_FILE_ROWS", 10)',
        'monkeypatch.setattr("db.waiting.BUSY_SECONDS", 0.3)',
        "    sweep.BLOCK = 7",
    ],
)
def test_patched_limits_are_recognised(line: str) -> None:
    assert PATCHED.search(line)
