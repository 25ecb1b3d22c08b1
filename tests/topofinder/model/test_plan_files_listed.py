"""Plans of many stages: what is written can be read again."""

from pathlib import Path

import pytest

from generators.formats.document import MOST_TABLES, memory_of
from tests.command import ran
from topofinder.model.plan_document import LISTED_BYTES, WRITTEN_BYTES


def test_what_is_listed_at_most_can_be_read() -> None:
    circuit = b'["h00000:p00", "h00000:p00", "simplex"], '
    listed = b"[" + circuit * (WRITTEN_BYTES // len(circuit)) + b"1]"
    assert WRITTEN_BYTES < LISTED_BYTES
    assert memory_of(listed) < MOST_TABLES // 2


def test_a_plan_of_many_stages_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inventory, current = tmp_path / "i.json", tmp_path / "c.csv"
    made = ran(capsys, "inventory", "Pi(4,120)", "-o", inventory, "--current", current)
    assert made.code == 0
    words = ("--inventory", inventory, "--current", current, "--time", "0.1s")
    told = ran(capsys, "plan", *words, "--to", "UniRing(4,120)", "-o", tmp_path / "p.csv")
    assert told.code == 0
    assert (tmp_path / "p.json").stat().st_size < LISTED_BYTES
    replayed = ran(capsys, "replay", tmp_path / "p.csv", *words[:4])
    assert replayed.code == 0
