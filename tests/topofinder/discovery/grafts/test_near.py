"""Graphs near a wired one: their new links counted anew, tiny ones against all graphs there are."""

from collections import Counter
from itertools import pairwise, permutations

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.topology import Topology
from topofinder.discovery.grafts.near import NearGraph, find_near_graphs
from topofinder.model.candidate import Method
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.schedule import bfb_schedule
from topofinder.schedules.deferral.least_costs import least_costs
from topofinder.schedules.deferral.schedule import deferred_schedule

LOADS = 60_000


def links(graph: Topology, names: list[int], *, duplex: bool) -> Counter:
    """Each link by the names of its ends, those of a circuit in order."""
    found: Counter = Counter()
    for u, v in zip(graph.tail.tolist(), graph.head.tolist(), strict=True):
        if not duplex or u < v:
            ends = names[u], names[v]
            found[(min(ends), max(ends)) if duplex else ends] += 1
    return found


def require_schedules(one: NearGraph) -> None:
    """Each cost is that of the rows that the method makes, and no worse than that of BFB."""
    make = bfb_schedule if one.method is Method.BFB else deferred_schedule
    eager = []
    for graph, cost in ((one.graph, one.forth), (one.graph.transpose(), one.back)):
        assert make(graph).cost(graph) == cost
        eager.append(evaluate(graph).cost)
        assert cost.steps == eager[-1].steps
        assert deferred_schedule(graph).cost(graph).bandwidth == cost.bandwidth
    less = one.forth.bandwidth + one.back.bandwidth < sum(cost.bandwidth for cost in eager)
    assert less == (one.method is Method.DEFERRED)


def require_honest(found: list[NearGraph], base: Topology, *, duplex: bool, most: int) -> None:
    for one in found:
        assert one.graph.is_regular
        assert one.graph.degree == base.degree
        fresh = iter(range(-1, -99, -1))
        names = [v if v >= 0 else next(fresh) for v in one.origin.tolist()]
        assert len(set(names)) == one.graph.n
        lost = links(one.graph, names, duplex=duplex) - links(base, [*range(base.n)], duplex=duplex)
        assert one.new == lost.total()
        assert one.new <= most
        require_schedules(one)


@pytest.mark.parametrize(
    ("recipe", "duplex", "more", "least"),
    [
        ("C(12,{2,3})", True, 2, 8),
        ("C(12,{2,3})", True, -2, 4),
        ("Q(3)", True, 2, 6),
        ("Q(3)", True, -2, 2),
        ("Pi(3,12)", False, 1, 6),
        ("Kautz(2,2)", False, -1, 2),
    ],
)
def test_nodes_come_and_go(recipe: str, duplex: bool, more: int, least: int) -> None:
    base = build(parse(recipe))
    found = find_near_graphs(base, more, duplex=duplex, most=None, loads=LOADS)
    assert found
    assert {one.graph.n for one in found} == {base.n + more}
    assert found[0].new <= least
    require_honest(found, base, duplex=duplex, most=2 * least)
    again = find_near_graphs(base, more, duplex=duplex, most=None, loads=LOADS)
    assert [one.new for one in again] == [one.new for one in found]
    assert (again[-1].graph.tail == found[-1].graph.tail).all()


def test_what_cannot_be_edited_is_left() -> None:
    star = Topology.from_arcs(4, [(0, v) for v in (1, 2, 3)] + [(v, 0) for v in (1, 2, 3)])
    for base, more in ((star, 1), (build(parse("Q(3)")), 1), (build(parse("K(4)")), -1)):
        assert not find_near_graphs(base, more, duplex=True, most=None, loads=LOADS)


def all_seven() -> list[Topology]:
    """All 4-regular graphs on 7 labelled nodes: what two-way rings of 3 and 4, or of 7, lack."""
    rings = set()
    for order in permutations(range(7)):
        for cuts in ((0, 7), (0, 3, 7)):
            ends = [
                (order[i], order[i + 1 if i + 1 < stop else start])
                for start, stop in pairwise(cuts)
                for i in range(start, stop)
            ]
            rings.add(frozenset((min(pair), max(pair)) for pair in ends))
    every = [(u, v) for u in range(7) for v in range(u + 1, 7)]
    graphs = []
    for ring in rings:
        kept = [pair for pair in every if pair not in ring]
        graphs.append(Topology.from_arcs(7, [*kept, *((v, u) for u, v in kept)]))
    return graphs


def test_no_graph_of_seven_nodes_has_fewer_new_links_or_costs_less() -> None:
    base = build(parse("C(6,{1,2})"))
    there = links(base, [*range(6)], duplex=True)
    best: dict[int, tuple] = {}
    seven = all_seven()
    assert len(seven) == 465
    for graph in seven:
        new = (links(graph, [*range(6), -1], duplex=True) - there).total()
        if new <= 6:
            cost = least_costs(graph).forth
            best[new] = min(best.get(new, (9,)), (cost.steps, cost.bandwidth))
    assert min(best) == 4
    found = find_near_graphs(base, 1, duplex=True, most=6, loads=LOADS)
    require_honest(found, base, duplex=True, most=6)
    costs = [(one.forth.steps, one.forth.bandwidth) for one in found]
    assert all(cost >= min(best[m] for m in best if m <= 6) for cost in costs)
    assert min(one.new for one in found) == 4
    at_least = min(cost for cost, one in zip(costs, found, strict=True) if one.new == 4)
    assert at_least == best[4]
    assert min(costs) == min(best.values())


@pytest.mark.parametrize("most", [2, 5, 8])
def test_a_budget_of_exchanges_is_kept_and_never_makes_worse(most: int) -> None:
    base = build(parse("Torus(4,5)"))
    before = evaluate(base).cost
    found = find_near_graphs(base, 0, duplex=True, most=most, loads=LOADS)
    require_honest(found, base, duplex=True, most=most)
    costs = [(one.forth.steps, one.forth.bandwidth) for one in found]
    assert min(costs) <= (before.steps, before.bandwidth)
    assert np.isin([one.new for one in found], range(most + 1)).all()
