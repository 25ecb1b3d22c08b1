"""Tables and figures of TACOS: what tests/topofinder/cli/test_reproduce.py does not look at."""

from pathlib import Path

from reports.reproduced import ComparisonRow
from topofinder.api.reproduce.register import reproduce_named


def printed(name: str, at: Path, *sizes: int) -> list[ComparisonRow]:
    found = reproduce_named(name, at / "t.db", sizes=sizes)
    return [row for row in found.rows if row.published is not None]


def test_shares_on_a_dgx1_are_means_over_sizes_as_printed(tmp_path: Path) -> None:
    found = printed("tacos-figure17", tmp_path, 9)
    shares = {row.quantity: float(row.ours[0]) for row in found if row.subject == "DGX1"}
    assert set(shares) == {
        "tacos, of the ideal",
        "ring, of the ideal",
        "ccube, of the ideal",
        "tacos over ccube, times as fast",
    }
    assert shares["ccube, of the ideal"] < shares["ring, of the ideal"] < 1
    assert 0.9 < shares["tacos, of the ideal"] < 1
    whole = [row for row in found if row.published == 0.8525]
    assert [row.subject for row in whole] == ["Torus(3,3), Mesh(3,3), DGX1"]
