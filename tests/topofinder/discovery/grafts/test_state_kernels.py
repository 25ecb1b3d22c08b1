"""Loads against sets, and thousands of incremental steps against fresh evaluations."""

from fractions import Fraction
from math import lcm

import numpy as np
import pytest

from expansions.build import build
from expansions.cost import Cost
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.topofinder.discovery.grafts.graft_twin import plain_balls, plain_loads
from topofinder.discovery.grafts.anneal_kernels import anneal_graph
from topofinder.discovery.grafts.state import (
    DELAYS,
    annealed_graph,
    bandwidths,
    topology_of,
)
from topofinder.discovery.grafts.state_kernels import PEAK, AnnealedGraph
from topofinder.schedules.bfb.evaluation import evaluate


def random_regular(n: int, d: int, seed: int, *, duplex: bool) -> Topology:
    """Some permutations, no node to itself; with `duplex` each of them both ways."""
    rng = np.random.default_rng(seed)
    heads: list[np.ndarray] = []
    while len(heads) < (d // 2 if duplex else d):
        cycle = rng.permutation(n)
        head = np.empty(n, np.int64)
        head[cycle] = np.roll(cycle, 1)
        heads.append(head)
    tail, head = np.tile(np.arange(n), len(heads)), np.concatenate(heads)
    if duplex:
        tail, head = np.concatenate([tail, head]), np.concatenate([head, tail])
    return Topology(n=n, tail=tail.astype(np.int32), head=head.astype(np.int32))


CASES = [
    (n, d, duplex)
    for n, d in ((23, 1), (70, 2), (40, 3), (75, 4), (30, 5), (40, 6), (33, 7), (90, 8))
    for duplex in (False, True)
    if not (duplex and d % 2)
]


@pytest.mark.parametrize(("n", "d", "duplex"), CASES)
def test_evaluation_is_that_of_sets(n: int, d: int, duplex: bool) -> None:
    graph = random_regular(n, d, n + d, duplex=duplex)
    steps = 3
    state = annealed_graph(graph, steps, duplex=duplex)
    unit = lcm(*range(1, d + 1))
    for search, side in enumerate((graph,) if duplex else (graph, graph.transpose())):
        loads = plain_loads(side, steps)
        found = state.loads[search, 1:].tolist()
        assert found == [[load * unit for load in step] for step in loads]
        lacking = [n - len(ball) for ball in plain_balls(side, steps)[-1]]
        assert state.loads[search, 0].tolist() == lacking
        peaks = [max(step) * unit for step in loads]
        assert state.peaks[search, 1:].tolist() == peaks
        energy = PEAK * (sum(lacking) * unit + sum(peaks))
        assert state.sums[search].tolist() == [sum(lacking), 0, energy]


def anneal(state: AnnealedGraph, work: int, hottest: int, random: np.ndarray) -> np.ndarray:
    tally = np.zeros(4, np.int64)
    best = np.empty_like(state.slots)
    anneal_graph(state, work, hottest, hottest // 4, DELAYS, 0, random, best, tally)
    return tally


@pytest.mark.parametrize(("n", "d", "duplex"), CASES[2:])
def test_incremental_evaluation_stays_exact(n: int, d: int, duplex: bool) -> None:
    graph = random_regular(n, d, n * d, duplex=duplex)
    steps = evaluate(graph).cost.steps
    profile = [[40 * t for t in range(1, steps + 1)]] * 2
    state = annealed_graph(graph, steps, duplex=duplex, profile=profile[: 2 - duplex])
    random = np.array([n], np.uint64)
    exchanges = 0
    for turn in range(12):
        heat = 300 * PEAK * state.scale[1] >> (turn // 2)
        exchanges += anneal(state, 12 * n * steps, int(heat), random)[2]
        now = topology_of(state.slots, n, duplex=duplex)
        fresh = annealed_graph(now, steps, duplex=duplex, profile=profile[: 2 - duplex])
        for name in ("balls", "loads", "peaks", "sums"):
            rows = -2 if name == "balls" else None
            assert np.array_equal(getattr(state, name)[:rows], getattr(fresh, name)[:rows]), name
        if not state.sums[0, 0]:
            costs = (evaluate(now).cost, evaluate(now.transpose()).cost)
            assert bandwidths(state) == tuple(cost.bandwidth for cost in costs)
        assert now.is_regular
        assert not now.has_loops
        assert now.is_bidirectional or not duplex
    assert exchanges > 30


def test_annealing_finds_a_digraph_of_25_nodes_that_meets_both_bounds() -> None:
    """Four steps and T_B = 24/25, both ways; the same seed gives the same bytes."""
    found = []
    for _ in range(2):
        state = annealed_graph(random_regular(25, 2, 2, duplex=False), 4, duplex=False)
        best, tally = np.empty_like(state.slots), np.zeros(4, np.int64)
        random = np.array([2], np.uint64)
        least = anneal_graph(state, 8_000_000, 300, 60, DELAYS, 2 * 24 * PEAK, random, best, tally)
        costs = [evaluate(topology_of(best, 25, duplex=False)).cost]
        costs.append(evaluate(topology_of(best, 25, duplex=False).transpose()).cost)
        assert costs == [Cost(4, Fraction(24, 25))] * 2
        assert least == 2 * 24 * PEAK
        found.append((best.tobytes(), tally.tolist()))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("recipe", "duplex", "words"),
    [
        ("K(11)", False, "1 to 8 links a node, not 10"),
        ("DBJ(2,3)", False, "without self-loops"),
        ("Diamond", True, "two-way"),
    ],
)
def test_refusals(recipe: str, duplex: bool, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        annealed_graph(build(parse(recipe)), 2, duplex=duplex)
