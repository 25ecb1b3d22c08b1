"""Clocks that run ahead, so that a test need not wait as long as a user does."""

import time
from types import SimpleNamespace

import pytest

STEP = 40.0
"""Seconds between two looks at the clock."""


def hurry_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let whoever waits for a database see STEP seconds go by between two looks at the clock."""
    began, looks = time.monotonic(), iter(range(1 << 30))
    ahead = SimpleNamespace(
        monotonic=lambda: began + STEP * next(looks), sleep=lambda seconds: None
    )
    monkeypatch.setattr("db.waiting.time", ahead)
