"""Deferred allgathers: valid, within the diameter, no dearer than breadth-first broadcast."""

from fractions import Fraction
from math import floor

import networkx as nx
import numpy as np
import pytest

from expansions.build import build
from expansions.cost import Cost
from expansions.parser import parse
from generators.errors import InvalidInput, Unsupported
from generators.families.generalized_kautz import generalized_kautz
from generators.topology import Topology
from tests.sampled import sampled
from tests.twins import distances, lp_load, random_topology
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.grouped_arcs import group_arcs
from topofinder.schedules.bfb.row_kernels import initial_reach
from topofinder.schedules.deferral.acceptance_kernels import (
    URGENCIES,
    accept_shards,
    fill_deadlines,
)
from topofinder.schedules.deferral.quotas import LARGEST_DEFERRED, DeferredSteps, defer_shards
from topofinder.schedules.deferral.schedule import deferred_schedule
from topofinder.verification.schedules import verify_schedule

SEEDS = range(24)


def bits_of(rows: np.ndarray, n: int) -> list[set[int]]:
    """Bit sets as sets of nodes."""
    return [{v for v in range(n) if int(row[v >> 6]) >> (v & 63) & 1} for row in rows]


def longest_way_on(hops: np.ndarray, v: int, u: int) -> int:
    """How far shortest paths from v through u still lead, by following them all."""
    ways = [w for w in range(len(hops)) if hops[u, w] == 1 and hops[v, w] == hops[v, u] + 1]
    return max((1 + longest_way_on(hops, v, w) for w in ways), default=0)


def accepted_by_flows(
    held: list[set[int]], tails: list[int], ranks: dict[int, int], quota: int
) -> list[int]:
    """How many shards of each rank a receiver accepts: by maximum flows of ever more ranks."""
    counts = []
    for most in range(URGENCIES):
        graph = nx.DiGraph()
        graph.add_nodes_from(["source", "sink"])
        for link in range(len(tails)):
            graph.add_edge(("link", link), "sink", capacity=quota)
        for shard, rank in ranks.items():
            if rank <= most:
                graph.add_edge("source", shard, capacity=1)
                for link, w in enumerate(tails):
                    if shard in held[w]:
                        graph.add_edge(shard, ("link", link), capacity=1)
        counts.append(nx.maximum_flow_value(graph, "source", "sink"))
    accepted = [counts[0], *np.diff(counts).tolist()]
    accepted[0] = sum(rank == 0 for rank in ranks.values())
    return accepted


@pytest.mark.parametrize("seed", SEEDS)
def test_deadlines_are_what_the_longest_way_on_leaves(seed: int) -> None:
    graph = random_topology(seed, regular=seed % 2 == 0)
    hops, n = distances(graph), graph.n
    deadlines = np.empty((n, n), np.int16)
    fill_deadlines(*group_arcs(graph).out[:2], int(hops.max()), deadlines)
    told = [[int(hops.max()) - longest_way_on(hops, v, u) for v in range(n)] for u in range(n)]
    assert deadlines.tolist() == told


@pytest.mark.parametrize("seed", sampled(SEEDS, 10))
@pytest.mark.parametrize("quota", [1, 2])
def test_receivers_accept_as_maximum_flows_do(seed: int, quota: int) -> None:
    graph = random_topology(seed, regular=seed % 2 == 0)
    n, grouped = graph.n, group_arcs(graph)
    steps = DeferredSteps(graph).steps
    deadlines = np.empty((n, n), np.int16)
    fill_deadlines(*grouped.out[:2], steps, deadlines)
    arcs = list(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    tails = [[v for v, w in arcs if w == u and v != u] for u in range(n)]
    reach = initial_reach(n)
    following = np.empty_like(reach)
    for step in range(1, steps + 1):
        found = accept_shards(step, quota, reach, tuple(grouped.into), deadlines, following)
        held, then = bits_of(reach, n), bits_of(following, n)
        busiest = Fraction()
        for u in range(n):
            offered = set().union(*(held[w] for w in tails[u])) - held[u]
            ranks = {v: min(int(deadlines[u, v]) - step, URGENCIES - 1) for v in offered}
            new = then[u] - held[u]
            assert held[u] <= then[u]
            assert new <= offered
            kept = [sum(ranks[v] == rank for v in new) for rank in range(URGENCIES)]
            assert kept == accepted_by_flows(held, tails[u], ranks, quota)
            if new:
                links = [[i for i, w in enumerate(tails[u]) if v in held[w]] for v in new]
                busiest = max(busiest, lp_load(links, len(tails[u])))
        assert Fraction(int(found[0]), int(found[1])) == busiest
        reach, following = following, reach
    assert bits_of(reach, n) == [set(range(n))] * n


@pytest.mark.parametrize("seed", SEEDS)
def test_deferred_schedules_of_any_graph_are_valid(seed: int) -> None:
    graph = random_topology(seed, regular=seed % 2 == 0)
    found, eager = defer_shards(graph).cost, evaluate(graph).cost
    verdict = verify_schedule(graph, deferred_schedule(graph))
    assert verdict.violation is None
    assert verdict.cost == found
    assert found.steps == eager.steps
    assert Fraction(graph.n - 1, graph.n) <= found.bandwidth <= eager.bandwidth


@pytest.mark.parametrize("seed", SEEDS)
def test_quotas_are_as_large_as_all_nodes_have_shards_for(seed: int) -> None:
    graph = random_topology(seed, regular=seed % 2 == 0)
    n, steps = graph.n, DeferredSteps(graph)
    ends = list(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    tails = [[v for v, w in ends if w == u != v] for u in range(n)]
    assert steps.least == Fraction(n - 1, min(map(len, tails)))
    quotas = steps.fill_links()
    loads = steps.loads(quotas)
    assert loads is not None
    reach = initial_reach(n)
    for step, quota in enumerate(quotas, 1):
        held, most = bits_of(reach, n), n
        for u in range(n):
            at_hand = len(held[u].union(*(held[w] for w in tails[u]))) - 1
            links = len(tails[u])
            short = floor(links * steps.least) - (n - 1)
            while links * (sum(quotas[: step - 1]) + most) - at_hand > short:
                most -= 1
        assert quota == max(most, 1) or max(most, 1) < quota <= loads[step - 1] < quota + 1
        following = np.empty_like(reach)
        steps.advance(step, quotas, reach, following)
        reach = following


@pytest.mark.parametrize("seed", sampled(SEEDS, 8))
def test_steps_taken_before_are_not_taken_for_others(seed: int) -> None:
    graph = random_topology(seed, regular=seed % 2 == 0)
    steps, draw = DeferredSteps(graph), np.random.default_rng(seed)
    for _ in range(20):
        quotas = tuple(draw.integers(1, 4, steps.steps - 1).tolist())
        loads = DeferredSteps(graph).loads(quotas)
        assert loads is not None
        assert steps.loads(quotas) == loads
        assert steps.loads(quotas, sum(loads)) is None
        assert steps.loads(quotas, sum(loads) + Fraction(1, 99)) == loads


FILLED = (
    "Lift(Z23;0:1,1:0|1:9)",
    "Lift(Z19;1:0,2:0,3:0|2:5,3:16|3:12)",
    "Graft(Cay(Z16:Z8[3];7,22,31,60);-100.15)",
)


@pytest.mark.parametrize("text", FILLED)
def test_links_that_broadcast_leaves_idle_are_filled(text: str) -> None:
    graph = build(parse(text))
    least = Fraction(graph.n - 1, graph.n)
    assert evaluate(graph).cost.bandwidth > least
    assert defer_shards(graph).cost.bandwidth == least


GRAPHS = {
    "Pi(4,100)": (Cost(4, Fraction(19, 15)), Cost(4, Fraction(86, 75))),
    "Graft(Cay(Z7:Z3[2]xZ2;3,7);-13.1)": (Cost(6, Fraction(44, 41)), Cost(6, Fraction(1))),
    "Torus(5,7)": (Cost(5, Fraction(34, 35)), Cost(5, Fraction(34, 35))),
    "Mesh(3,4)": (Cost(5, Fraction(11, 6)), Cost(5, Fraction(11, 6))),
}


@pytest.mark.parametrize("text", GRAPHS)
def test_costs_of_graphs(text: str) -> None:
    graph = build(parse(text))
    assert (evaluate(graph).cost, defer_shards(graph).cost) == GRAPHS[text]
    verdict = verify_schedule(graph, deferred_schedule(graph))
    assert verdict.violation is None
    assert verdict.cost == GRAPHS[text][1]


def test_two_way_graphs_cost_the_same_both_ways() -> None:
    graph = build(parse("Bi(Pi(3,29))"))
    assert defer_shards(graph) == defer_shards(graph.transpose())


def test_what_cannot_be_deferred_is_refused() -> None:
    ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    with pytest.raises(InvalidInput, match="capacity: links are taken as equal"):
        defer_shards(Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=[1, 2]))
    with pytest.raises(InvalidInput, match="cannot reach"):
        defer_shards(Topology.from_arcs(3, [(0, 1), (1, 0), (1, 2)]))
    with pytest.raises(Unsupported, match="8193 nodes are more than 8192"):
        defer_shards(generalized_kautz(2, LARGEST_DEFERRED + 1))
    assert defer_shards(ring).quotas == ()
