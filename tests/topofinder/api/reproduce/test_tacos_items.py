"""Tables and figures of TACOS: what tests/topofinder/cli/test_reproduce.py does not look at."""

from pathlib import Path

from reports.reproduced import ComparisonRow
from topofinder.api.reproduce.register import reproduce_named


def printed(name: str, at: Path, *sizes: int) -> list[ComparisonRow]:
    found = reproduce_named(name, at / "t.db", sizes=sizes)
    return [row for row in found.rows if row.published is not None]


def test_tacos_is_near_the_ideal_on_a_dgx1(tmp_path: Path) -> None:
    found = printed("tacos-figure17", tmp_path, 9)
    shares = {row.quantity: row.ours for row in found if row.subject == "DGX1"}
    assert set(shares) == {
        "tacos, of the ideal",
        "ring, of the ideal",
        "ccube, of the ideal",
        "tacos over ccube, times as fast",
    }
    assert 0.98 < float(shares["tacos, of the ideal"][0]) < 1
