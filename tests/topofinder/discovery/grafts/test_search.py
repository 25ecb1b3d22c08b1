"""Grafts found from neighbour sizes: exact costs, the right size, the same bytes."""

from fractions import Fraction

import pytest

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput
from topofinder.discovery.grafts.found import FoundGraft
from topofinder.discovery.grafts.search import find_grafts
from topofinder.schedules.bfb.evaluation import evaluate

SIMPLEX = [f"Cay(Z{n};1,4,{n - 9},{n - 2})" for n in (45, 48, 50)]
DUPLEX = [f"C({n},{{1,7}})" for n in (45, 48, 50)]
CUBIC = [f"Cay(Z{n};1,{n // 2},{n - 1})" for n in (40, 44, 52)]


def found_at(n: int, d: int, links: str, bases: list[str]) -> list[FoundGraft]:
    return find_grafts(n, d, links, bases=map(parse, bases), budget=120, seed=5)


@pytest.mark.parametrize(
    ("n", "d", "links", "bases"),
    [
        (47, 4, "simplex", SIMPLEX),
        (50, 4, "simplex", SIMPLEX),
        (53, 4, "simplex", SIMPLEX),
        (47, 4, "duplex", DUPLEX),
        (52, 4, "duplex", DUPLEX),
        (42, 3, "duplex", CUBIC),
        (46, 3, "duplex", CUBIC),
    ],
)
def test_finds_are_what_their_recipes_say(n: int, d: int, links: str, bases: list[str]) -> None:
    found = found_at(n, d, links, bases)
    assert found
    assert found == found_at(n, d, links, bases)
    for one in found:
        assert parse(str(one.recipe)) == one.recipe
        graph = build(one.recipe)
        assert (graph.n, graph.degree, graph.is_regular) == (n, d, True)
        assert graph.is_bidirectional or links == "simplex"
        assert (one.forth, one.back) == (evaluate(graph).cost, evaluate(graph.transpose()).cost)


def test_annealing_betters_a_base_of_the_same_size() -> None:
    base = min(find_grafts(50, 4, bases=[parse("Cay(Z52;1,4,7,22)")], budget=3), key=time_of)
    found = find_grafts(50, 4, bases=[base.recipe], budget=400)
    assert min(map(time_of, found)) < base.time


def time_of(one: FoundGraft) -> Fraction:
    return one.time


def test_bases_that_do_not_fit_are_left_out() -> None:
    bases = [parse(text) for text in ("DBJ(4,3)", "Cay(Z90;1,2,3,4)", "Cay(Z50;1,2)", "Mesh(7,7)")]
    assert find_grafts(50, 4, bases=bases, budget=10) == []
    assert find_grafts(49, 4, "duplex", bases=[parse(SIMPLEX[1])], budget=10) == []
    assert find_grafts(45, 3, "duplex", bases=map(parse, CUBIC), budget=10) == []
    with pytest.raises(InvalidInput, match="at most 8 links"):
        find_grafts(50, 9, bases=bases, budget=10)
