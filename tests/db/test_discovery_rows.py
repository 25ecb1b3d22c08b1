"""Finds and finished legs: what is stored comes back, the first of two descriptions stays."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from db.discovery_rows import FindRow, WorkUnitRow
from db.store import Store
from expansions.cost import Cost
from generators.errors import InvalidInput

FIND = FindRow(
    recipe="Cay(Z8:Z2[3];1,2,4,6)",
    base="Cay(Z8:Z2[3];1,2,4,6)",
    links="simplex",
    n=16,
    d=4,
    steps=3,
    bandwidth=Fraction(15, 16),
    rs_bandwidth=Fraction(1),
    seed=3,
    trials=77,
)
LEG = WorkUnitRow(
    n=16, d=4, links="simplex", both=False, seed=3, place="0 Z8:Z2[3] 2,3", judged=2048
)


def test_finds_come_back_by_size_and_cost() -> None:
    slower = replace(FIND, recipe="Cay(Z16;1,2,4,6)", base="Cay(Z16;1,2,4,6)", steps=4)
    larger = replace(FIND, recipe=f"L({FIND.recipe})", n=64, steps=4)
    with Store(":memory:") as store:
        store.save_finds([larger, slower, FIND])
        assert store.finds() == [FIND, slower, larger]
        assert store.finds(n=64) == [larger]
        assert store.finds(links="duplex") == []
    assert FIND.reduce_scatter == Cost(3, Fraction(1))


def test_the_first_find_of_a_recipe_stays(tmp_path: Path) -> None:
    with Store(tmp_path / "a.db") as store:
        store.save_finds([FIND])
        store.save_finds([replace(FIND, seed=9)])
        assert [row.seed for row in store.finds()] == [3]


def test_legs_come_back_by_search() -> None:
    with Store(":memory:") as store:
        store.save_finds([], [LEG, replace(LEG, place="later", judged=5), replace(LEG, seed=4)])
        assert store.legs(16, 4, "simplex", False, 3) == {LEG.place: 2048, "later": 5}
        assert store.legs(16, 4, "simplex", True, 3) == {}


@pytest.mark.parametrize(
    ("field", "value"), [("links", "both"), ("steps", -1), ("bandwidth", 0.5), ("seed", "x")]
)
def test_a_find_that_cannot_be_stored_is_refused(field: str, value: object) -> None:
    with pytest.raises(InvalidInput, match=field):
        replace(FIND, **{field: value})


def test_a_damaged_row_is_refused() -> None:
    with Store(":memory:") as store:
        store.save_finds([FIND])
        store.connection.execute("UPDATE finds SET bandwidth_num = 'x'")
        with pytest.raises(InvalidInput, match="bandwidth_num"):
            store.finds()


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with Store(tmp_path / "a.db") as store:
        store.save_finds([FIND])
        store.connection.execute("PRAGMA query_only = 1")
        with pytest.raises(InvalidInput, match="cannot be written"):
            store.save_finds([FIND])
