"""Four parts explain what is printed of Themis on a mesh and of C-Cube."""

from fractions import Fraction

import pytest

from topofinder.api.reproduce.tacos_items import (
    baseline_share,
    coarse_ccube_row,
    coarse_themis_rows,
)
from topofinder.api.reproduce.tacos_systems import tacos_system


def test_themis_with_four_chunks_comes_down_to_the_printed_half_with_the_side() -> None:
    rows = coarse_themis_rows(["Mesh(4,4,4)"])
    shares = [Fraction(row.ours[0]) for row in rows]
    assert [row.subject for row in rows] == ["Mesh(4,4,4)", "Mesh(5,5,5)", "Mesh(6,6,6)"]
    assert {row.published for row in rows} == {0.4943}
    assert shares == sorted(shares, reverse=True)
    assert abs(float(shares[-1]) / 0.4943 - 1) < 0.01


def test_a_mesh_that_is_asked_for_is_not_listed_twice() -> None:
    assert len(coarse_themis_rows(["Mesh(5,5,5)"])) == 2


def test_ccube_with_four_parts_is_a_third_of_the_ideal() -> None:
    row = coarse_ccube_row([tacos_system("figure17b", "DGX1")])
    assert row.published == 0.3263
    assert abs(float(row.ours[0]) / 0.3263 - 1) < 0.03


@pytest.mark.parametrize(("baseline", "item", "subject"), [
    ("themis", "figure16", "Mesh(4,4,4)"), ("ccube", "figure17b", "DGX1"),
])  # fmt: skip
def test_more_parts_fill_the_links(baseline: str, item: str, subject: str) -> None:
    system = tacos_system(item, subject)
    four, many = (baseline_share(baseline, system, parts) for parts in (4, 64))
    assert four < Fraction(3, 5) * many
