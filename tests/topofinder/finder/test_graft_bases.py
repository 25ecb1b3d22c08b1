"""Bases of grafts: about the right size, in order of what is expected of them."""

from fractions import Fraction

import pytest

from expansions.build import build
from expansions.cost import Cost
from expansions.parser import parse
from expansions.recipe import Base
from expansions.size import size
from topofinder.discovery.grafts.search import expected_time, near_surpluses
from topofinder.discovery.lifts.search import FoundLift
from topofinder.finder.graft_bases import neighbour_surpluses, ranked_bases
from topofinder.model.candidate import LinkMode
from topofinder.schedules.bfb.evaluation import evaluate

SIMPLEX, DUPLEX = LinkMode.SIMPLEX, LinkMode.DUPLEX


@pytest.mark.parametrize(
    ("n", "d", "links"), [(97, 4, SIMPLEX), (97, 4, DUPLEX), (98, 3, DUPLEX), (61, 2, SIMPLEX)]
)
def test_the_catalogue_is_ranked_by_what_its_graphs_cost(n: int, d: int, links: LinkMode) -> None:
    asked: list[int] = []
    found = ranked_bases(n, d, links, (), lambda near: asked.append(near) or [], 3)
    assert asked == [n + surplus for surplus in neighbour_surpluses(n, d, links)[:3]]
    times = []
    for recipe in found:
        graph = build(recipe)
        assert graph.n - n in near_surpluses(d, duplex=links is DUPLEX)
        assert graph.is_bidirectional or links is SIMPLEX
        costs = evaluate(graph).cost, evaluate(graph.transpose()).cost
        times.append(expected_time(n, graph.n - n, *costs))
    assert found
    assert times == sorted(times)


def test_lifts_have_their_places_among_them() -> None:
    recipe = parse("Lift(Z5;1.0,2.0|1.2,2.2|3.0,4.0|0.2,0.3|3.3,4.3)")
    assert isinstance(recipe, Base)
    ideal = Cost(1, Fraction(1, 2))
    lift = FoundLift(recipe=recipe, forth=ideal, back=ideal)
    assert ranked_bases(25, 2, SIMPLEX, (lift,), lambda near: (), 0)[0] == recipe
    near = ranked_bases(24, 2, SIMPLEX, (), lambda near: (lift,), 1)
    assert recipe in near
    assert all(size(one).d == 2 for one in near)


@pytest.mark.parametrize(("d", "links", "step"), [(3, DUPLEX, 2), (3, SIMPLEX, 1), (4, DUPLEX, 1)])
def test_neighbours_have_groups_of_a_good_order(d: int, links: LinkMode, step: int) -> None:
    for n in range(50, 300, 2):
        found = neighbour_surpluses(n, d, links)
        assert all(surplus % step == 0 and surplus for surplus in found)
        assert all(any((n + surplus) % order == 0 for order in range(15, 65)) for surplus in found)
