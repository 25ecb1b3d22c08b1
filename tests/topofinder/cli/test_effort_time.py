"""`search --effort N --time T`: what there was no time for is told, and may be asked for again."""

import json
from pathlib import Path

import pytest

from tests.command import ran

SIZE = ("search", "--n", 23, "--d", 2)


@pytest.mark.usefixtures("unsearched_sizes")
def test_a_stop_by_time_is_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (*SIZE, "--effort", 6, "--time", "0.001s", "--db", tmp_path / "a.db")
    told = ran(capsys, *words).out
    assert told.endswith(
        "Stopped by --time: what an effort of 1 finds, of the 6 that were asked for\n"
    )
    fields = json.loads(ran(capsys, *words, "--json").out)
    assert (fields["effort_asked"], fields["effort_reached"]) == (6, 1)
    less = json.loads(ran(capsys, *SIZE, "--effort", 1, "--json", "--db", tmp_path / "b.db").out)
    assert fields["frontier"] == less["frontier"]
    assert "effort_asked" not in less


@pytest.mark.usefixtures("unsearched_sizes")
def test_time_enough_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (*SIZE, "--effort", 1, "--db")
    plain = ran(capsys, *words, tmp_path / "a.db").out
    assert ran(capsys, *words, tmp_path / "b.db", "--time", "1h").out == plain
    assert "--time" not in plain


def test_a_time_without_a_unit_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = ran(capsys, *SIZE, "--time", "5", "--db", tmp_path / "a.db")
    assert ended.code == 2
    assert ended.err.startswith("topofinder: --time: ")
    assert ended.err.count("\n") == 1
    assert not (tmp_path / "a.db").exists()
