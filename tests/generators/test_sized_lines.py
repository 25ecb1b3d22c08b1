"""Lines of one size in a file that is in order: found by halving, as by looking at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators import deferred_costs, searched_graphs
from generators.cayley import catalogue
from generators.sized_lines import Place, data_text, find_place, lines_at

PLACES: dict[str, Place] = {
    catalogue.FILE: catalogue.digraph_place,
    searched_graphs.FILE: searched_graphs.searched_place,
    deferred_costs.FILE: deferred_costs.deferred_place,
}


def place_of(line: str) -> tuple[int, ...]:
    return tuple(map(int, line.split(" ")[:2]))


@given(st.lists(st.tuples(*[st.integers(0, 9)] * 2, st.text("ab", max_size=3))), st.booleans())
def test_every_size_is_found(rows: list[tuple[int, int, str]], is_ended: bool) -> None:
    lines = [f"{first} {second} {rest}" for first, second, rest in sorted(rows)]
    text = "\n".join(lines) + ("\n" if lines and is_ended else "")
    for first in range(11):
        before = [line for line in lines if place_of(line) < (first,)]
        assert find_place(text, (first,), place_of) == min(
            sum(len(line) + 1 for line in before), len(text)
        )
        for second in range(11):
            found = list(lines_at(text, (first, second), place_of))
            assert found == [line for line in lines if place_of(line) == (first, second)]


@pytest.mark.parametrize("file", PLACES)
def test_the_files_that_ship_are_in_order(file: str) -> None:
    places = [PLACES[file](line) for line in data_text(file).splitlines()]
    assert len(places) > 10_000
    assert places == sorted(places)
