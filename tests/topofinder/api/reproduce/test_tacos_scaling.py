"""Figure 19 of TACOS: rounds are at or above their bound, and no mesh is begun that cannot end."""

from pathlib import Path

import pytest

from generators.errors import InvalidInput
from topofinder.api.reproduce.register import reproduce_named
from topofinder.api.reproduce.tacos_scaling import MeshSize, count_mesh_rounds


@pytest.mark.parametrize(("side", "dimensions"), [(2, 2), (3, 3), (4, 2), (10, 2), (5, 3)])
def test_rounds_are_the_bound(side: int, dimensions: int) -> None:
    size = MeshSize(side=side, dimensions=dimensions)
    assert count_mesh_rounds(size) == size.least_rounds


def test_sizes_that_are_asked_for_are_measured(tmp_path: Path) -> None:
    found = reproduce_named("tacos-figure19", tmp_path / "t.db", sizes=(64,), time=60.0).rows
    told = [(row.subject, row.quantity, row.unit) for row in found]
    assert told == [
        (subject, *each)
        for subject in ("Mesh(8,8)", "Mesh(4,4,4)")
        for each in (("rounds of an allgather", "rounds"), ("synthesis", "s"))
    ]
    assert [row.ours[0] for row in found[::2]] == [32, 21]
    assert found[0].note == "64 hosts; which is the bound"
    assert found[1].published is None


def test_the_largest_meshes_of_the_paper_are_told_beside_its_times(tmp_path: Path) -> None:
    rows = reproduce_named(
        "tacos-figure19", tmp_path / "t.db", sizes=(9, 40_000, 42_875), time=1e-6
    ).rows
    told = {row.subject: (row.ours, row.published, row.difference) for row in rows}
    assert told["Mesh(200,200)"] == ("not in --time", 9072.0, None)
    assert told["Mesh(35,35,35)"] == ("not in --time", 11844.0, None)
    assert told["Mesh(3,3)"][1] is None


def test_refuses_sizes_that_are_no_square_and_no_cube(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="--n: tacos-figure19 takes squares and cubes"):
        reproduce_named("tacos-figure19", tmp_path / "t.db", sizes=(7,))
