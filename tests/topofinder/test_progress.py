"""Lines of progress: who hears them, with which words before them, and how often."""

import pytest

from generators.errors import Unsupported
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


def test_work_that_tells_is_ended_when_its_time_is_over() -> None:
    now = [0.0]
    progress = WorkProgress(clock=lambda: now[0])
    with progress.time_limit("a: not done", 2, lambda: False), progress.part("b"):
        progress.count("rows", 1, 3)
        with progress.time_limit("inner: not done", 60, lambda: False):
            now[0] = 2.5
            with pytest.raises(Unsupported, match=r"^a: not done after 2 s: b: rows, 2 of 3$"):
                progress.count("rows", 2, 3)
    progress.count("rows", 2, 3)
    with progress.time_limit("c: not done", None, lambda: False):
        progress.tell("no time is set")
