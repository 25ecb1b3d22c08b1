"""Bases of grafts: about the right size, in order of what is expected of them."""

from fractions import Fraction

import pytest

from expansions.build import build
from expansions.cost import Cost
from expansions.parser import parse
from expansions.recipe import Base, Line
from expansions.searched_graphs import read_searched_graph
from expansions.size import size
from generators.cayley.catalogue import shipped_digraphs
from generators.searched_graphs import all_searched_lines
from topofinder.discovery.grafts.trials import expected_time, near_surpluses
from topofinder.discovery.lifts.search import FoundLift
from topofinder.finder.cayley_bases import quick_cayley_digraphs
from topofinder.finder.graft_bases import (
    base_time,
    known_bases,
    neighbour_surpluses,
    rank_bases,
)
from topofinder.model.candidate import LinkMode, cost_lower_bound
from topofinder.schedules.bfb.evaluation import evaluate

SIMPLEX, DUPLEX = LinkMode.SIMPLEX, LinkMode.DUPLEX


@pytest.mark.parametrize(
    ("n", "d", "links"),
    [(97, 4, SIMPLEX), (97, 4, DUPLEX), (98, 3, DUPLEX), (61, 2, SIMPLEX), (97, 5, SIMPLEX)],
)
def test_bases_are_ranked_by_what_their_graphs_cost(n: int, d: int, links: LinkMode) -> None:
    found = rank_bases(n, known_bases(n, d, links, ()))
    times = []
    for recipe, known in found.items():
        graph = build(recipe)
        assert graph.n - n in near_surpluses(d, duplex=links is DUPLEX)
        assert graph.is_bidirectional or links is SIMPLEX
        costs = evaluate(graph).cost, evaluate(graph.transpose()).cost
        bounded = isinstance(recipe, Line)  # theorem 10 says no more of a line graph than a bound
        for cost, told in zip(costs, known, strict=True):
            assert cost.weakly_beats(told) if bounded else cost == told
            assert cost.steps == told.steps
        times.append(expected_time(n, graph.n - n, *known))
    assert found
    assert times == sorted(times)


def test_lifts_have_their_places_among_them() -> None:
    recipe = parse("Lift(Z5;1.0,2.0|1.2,2.2|3.0,4.0|0.2,0.3|3.3,4.3)")
    assert isinstance(recipe, Base)
    ideal = Cost(1, Fraction(1, 2))
    lift = FoundLift(recipe=recipe, forth=ideal, back=ideal)
    found = rank_bases(25, known_bases(25, 2, SIMPLEX, (lift,)))
    assert next(iter(found)) == recipe
    assert all(size(one).d == 2 for one in found)
    assert base_time(24, lift) > base_time(25, lift)


@pytest.mark.parametrize("links", LinkMode)
def test_digraphs_are_found_where_none_ship(links: LinkMode) -> None:
    """Costs are those of the evaluator; the bound is at most a step away at these sizes."""
    assert not any(shipped_digraphs(110, 5))
    found = quick_cayley_digraphs(110, 5, links)
    assert found
    for one in found:
        graph = build(one.recipe)
        assert one.forth == evaluate(graph).cost
        assert one.back == evaluate(graph.transpose()).cost
        assert graph.is_bidirectional or links is SIMPLEX
        assert one.forth.steps <= cost_lower_bound(110, 5, links).steps + 1
    (prime, *_) = quick_cayley_digraphs(41, 7, SIMPLEX)
    assert str(prime.recipe).startswith("Cay(Z41;")
    assert prime.forth.steps == cost_lower_bound(41, 7, SIMPLEX).steps + 1
    assert quick_cayley_digraphs(6, 5, links) == ()


@pytest.mark.parametrize(("d", "links", "step"), [(3, DUPLEX, 2), (3, SIMPLEX, 1), (4, DUPLEX, 1)])
def test_neighbours_have_groups_of_a_good_order(d: int, links: LinkMode, step: int) -> None:
    for n in range(50, 300, 2):
        found = neighbour_surpluses(n, d, links)
        assert all(surplus % step == 0 and surplus for surplus in found)
        assert all(any((n + surplus) % order == 0 for order in range(15, 65)) for surplus in found)


def test_line_graphs_of_all_that_ships_are_bases() -> None:
    """Of Cayley digraphs, lifts and grafts; costs of grafts are those that their file tells."""
    lines = [line for line in all_searched_lines() if line.split(" ")[1] == "2"]
    shipped = [read_searched_graph(line) for line in lines[:8]]
    assert shipped
    for recipe, one in shipped:
        bases = {base.recipe: base for base in known_bases(2 * one.n + 1, 2, SIMPLEX, ())}
        base = bases[Line(inner=recipe)]
        loads = evaluate(build(recipe)).cost, evaluate(build(recipe).transpose()).cost
        more = Cost(1, Fraction(1, one.n))
        assert (base.forth, base.back) == (loads[0] + more, loads[1] + more)
