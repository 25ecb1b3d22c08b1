"""Tables and figures of TACOS: which printed figures they show, and which they leave out."""

from pathlib import Path

from reports.reproduced import ComparisonRow
from topofinder.api.reproduce.register import reproduce_named


def printed(name: str, at: Path, *sizes: int) -> list[ComparisonRow]:
    found = reproduce_named(name, at / "t.db", sizes=sizes)
    return [row for row in found.rows if row.published is not None]


def test_averages_are_compared_only_where_all_systems_are_measured(tmp_path: Path) -> None:
    assert printed("tacos-figure15", tmp_path, 20) == []


def test_shapes_of_any_size_are_compared_with_what_is_printed(tmp_path: Path) -> None:
    found = printed("tacos-figure16", tmp_path, 27)
    assert {(row.subject, row.published) for row in found} == {
        ("Torus(3,3,3)", 0.959),
        ("Mesh(3,3,3)", 0.4943),
        ("Mesh(3,3,3)", 0.981),
        ("Torus(3,3,3), Mesh(3,3,3)", 2.01),
    }


def test_figure_2_is_printed_for_64_hosts_only(tmp_path: Path) -> None:
    assert printed("tacos-figure2", tmp_path, 6) == []


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
