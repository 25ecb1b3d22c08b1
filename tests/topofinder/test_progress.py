"""Lines of progress: who hears them, with which words before them, and how often."""

import pytest

from topofinder.progress import EACH, WorkProgress


def test_lines_are_heard_within_and_begin_with_the_parts() -> None:
    progress, heard = WorkProgress(), list[str]()
    progress.tell("nobody hears")
    with progress.heard_by(heard.append):
        progress.tell("first")
        with progress.part("a"):
            with pytest.raises(KeyError), progress.part("b"):
                raise KeyError
            progress.tell("within")
        with progress.heard_by(None):
            progress.tell("nobody hears")
        progress.tell("last")
    progress.tell("nobody hears")
    assert heard == ["first", "a: begun", "a: b: begun", "a: within", "last"]


def test_what_is_counted_is_told_now_and_then() -> None:
    now, heard = [0.0], list[str]()
    progress = WorkProgress(clock=lambda: now[0])
    with progress.heard_by(heard.append):
        for done in range(1000, 1010):
            progress.count("rows", done, 2000)
            now[0] += 0.3 * EACH
    assert heard == [f"rows, {done:,} of 2,000" for done in (1000, 1004, 1008)]
