"""Reports of many sizes that end early: by their time, and by Ctrl-C, with what is finished."""

import os
import signal
import sys
from functools import partial
from pathlib import Path

import pytest

from generators.errors import InvalidInput, Unsupported
from topofinder.api import report_range as module
from topofinder.api.report import report
from topofinder.api.report_range import range_report
from topofinder.api.sweep import fill_sizes
from topofinder.interrupts import interrupt_once

HOSTS = (8, 9, 10, 11)


@pytest.fixture(autouse=True)
def one_size_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "fill", partial(fill_sizes, block=1, jobs=1))


def test_a_report_is_of_the_sizes_in_time(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    first = range_report(HOSTS, [2], db=tmp_path / "a.db", time=1e-9)
    assert 8 in first.hosts
    assert set(first.hosts) < set(HOSTS)
    assert caplog.messages == [f"the report is of the {len(first.hosts)} of 4 sizes in time"]
    whole = range_report(HOSTS, [2], db=tmp_path / "a.db")
    assert whole == range_report(HOSTS, [2], db=tmp_path / "b.db")
    assert len(caplog.messages) == 1
    winners = {winner.row for winner in first.parts[0].winners[0]}
    assert winners == {one.row for one in whole.parts[0].winners[0] if one.row.n in first.hosts}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_ctrl_c_leaves_a_report_of_what_is_finished(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 2:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored here
    try:
        with interrupt_once():
            found = range_report(HOSTS, [2], db=tmp_path / "a.db", progress=stop)
    finally:
        signal.signal(signal.SIGINT, before)
    assert {8, 9} <= set(found.hosts) < set(HOSTS)


def test_nothing_in_time_is_no_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "fill", lambda *sizes, **options: None)
    with pytest.raises(Unsupported, match=r"^report: no size was finished in the time$"):
        range_report(HOSTS, [2], db=tmp_path / "a.db", time=1)
    with pytest.raises(InvalidInput, match=r"^--time: only the search for many sizes is limited"):
        report(8, 2, time=1)
