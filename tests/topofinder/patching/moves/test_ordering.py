"""The order of moves keeps hosts connected wherever some order does."""

from collections import Counter
from itertools import product

import networkx as nx
import numpy as np

from generators.topology import Topology
from tests.fabrics import fabric_for, topology, wired
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.planner import PlanOptions, Target, make_plan

Arcs = list[tuple[int, int]]


def test_where_no_order_keeps_a_ring_connected_the_plan_says_so() -> None:
    fabric = fabric_for(hosts=6, ports=1)
    before = wired(fabric, topology("UniRing(1,6)"), duplex=False)
    graph = Topology.from_arcs(6, [(0, 2), (2, 1), (1, 3), (3, 5), (5, 4), (4, 0)])
    target = Target(subject="ring", recipe=None, topology=graph, duplex=False)
    placement = PlacementOptions(time=1, fixed=np.arange(6))
    plan = make_plan(fabric, before, target, PlanOptions(placement=placement, keep_connected=True))
    assert plan.moves == 6
    assert plan.dark_stages == tuple(range(1, len(plan.stages) + 1))


def some_order_keeps(old: Arcs, new: Arcs, n: int, ports: int) -> bool:
    """Whether any order of simplex moves does: all subsets of what is in place and what is made."""
    goes, makes = (Counter(old) - Counter(new)).elements(), (Counter(new) - Counter(old)).elements()
    gone, made = tuple(goes), tuple(makes)
    stays = list((Counter(old) & Counter(new)).elements())
    met, waiting = set(), [(frozenset(range(len(gone))), frozenset[int]())]
    while waiting:
        left, done = waiting.pop()
        if len(done) == len(made):
            return True
        for j in set(range(len(made))) - done:
            for taken in product([None, *left], repeat=2):
                there = left - set(taken)
                up = stays + [gone[i] for i in there] + [made[i] for i in done]
                state = (there, done | {j})
                fits = all(
                    [arc[side] for arc in up].count(made[j][side]) < ports for side in (0, 1)
                )
                graph = nx.DiGraph(up)
                whole = len(graph) == n and nx.is_strongly_connected(graph)
                if fits and state not in met and (whole or there == left):
                    met.add(state)
                    waiting.append(state)
    return False


def test_a_plan_is_dark_only_where_every_order_is() -> None:
    kinds = set()
    for seed in range(24):
        random = np.random.default_rng(seed)
        graphs = []
        while len(graphs) < 2:
            arcs = [(u, int(v)) for _ in range(2) for u, v in enumerate(random.permutation(4))]
            if all(u != v for u, v in arcs) and nx.is_strongly_connected(nx.DiGraph(arcs)):
                graphs.append(arcs)
        fabric = fabric_for(hosts=4, ports=2)
        before, graph = (Topology.from_arcs(4, arcs) for arcs in graphs)
        target = Target(subject="any", recipe=None, topology=graph, duplex=False)
        placement = PlacementOptions(time=0.05, fixed=np.arange(4, dtype=np.int32))
        options = PlanOptions(placement=placement, keep_connected=True)
        plan = make_plan(fabric, wired(fabric, before, duplex=False), target, options)
        possible = some_order_keeps(graphs[0], graphs[1], 4, 2)
        assert (plan.dark_stages == ()) is possible
        kinds.add(possible)
    assert kinds == {True, False}
