"""Habits that all tests share."""

import re
from pathlib import Path

from hypothesis import settings

DEADLINE = re.compile(r"\bdeadline=(?!None\b)\w+")


def test_no_hypothesis_test_has_a_deadline() -> None:
    assert settings().deadline is None
    texts = {path: path.read_text("utf-8") for path in Path(__file__).parent.rglob("test_*.py")}
    assert len(texts) > 100
    assert [path.name for path, text in texts.items() if DEADLINE.search(text)] == []
