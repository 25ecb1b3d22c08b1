"""Pipelines of chunks: equal to a simulation message by message, and ever nearer to the bound."""

from fractions import Fraction
from itertools import pairwise

import pytest

from generators.errors import InvalidInput
from generators.topology import Topology
from tests.known_forests import box_forest, ring_forest
from topofinder.model.forest import Forest
from topofinder.model.tree_set import TreeSet
from topofinder.simulation.pipeline import pipeline_times


def slow_twin(topology: Topology, trees: TreeSet, chunks: int) -> Fraction:
    """Every chunk of every tree, hop by hop, in rounds; a set of holders tells what may go."""
    bandwidth: dict[tuple[int, int], Fraction] = {}
    for arc in range(topology.arcs):
        pair = (int(topology.tail[arc]), int(topology.head[arc]))
        more = Fraction(1) if topology.capacity is None else topology.capacity[arc]
        bandwidth[pair] = bandwidth.get(pair, Fraction(0)) + more
    waiting = []
    held = set()
    for i in range(trees.trees):
        for c in range(chunks):
            held.add((i, c, int(trees.root[i])))
            for j in range(trees.start[i], trees.start[i + 1]):
                r = trees.route[j]
                stops = trees.node[trees.route_start[r] : trees.route_start[r + 1]].tolist()
                stops = stops[trees.multicast_skips[j] :]
                # A switch on the way is a place of its own for each edge, unless it multicasts.
                places = [(stop, j) if 0 < at < len(stops) - 1 else stop for at, stop in
                          enumerate(stops)]  # fmt: skip
                for at, (u, v) in enumerate(pairwise(stops)):
                    waiting.append((i, c, (u, v), places[at], places[at + 1]))
    total, done = Fraction(0), {(i, c): 0 for i in range(trees.trees) for c in range(chunks)}
    for t in range(10_000):
        if not waiting:
            return total / (trees.k * chunks)
        going = [w for w in waiting if w[1] <= t and (w[0], w[1], w[3]) in held]
        waiting = [w for w in waiting if w not in going]
        load: dict[tuple[int, int], int] = {}
        for i, c, pair, _, place in going:
            load[pair] = load.get(pair, 0) + int(trees.copies[i])
            done[i, c] += 1
            held |= {(i, c, place), (i, c, pair[1])} if pair[1] in topology.multicast else {
                (i, c, place)}  # fmt: skip
        total += max(count / bandwidth[pair] for pair, count in load.items())
    raise AssertionError("the pipeline never ends")


@pytest.mark.parametrize("forest", [ring_forest(4), box_forest(), box_forest(able=True)])
@pytest.mark.parametrize("chunks", [1, 2, 5, 9])
def test_times_are_those_of_the_slow_twin(forest: Forest, chunks: int) -> None:
    (phase,) = forest.phases
    found = pipeline_times(phase.topology, phase.trees, (chunks,))
    assert found == (slow_twin(phase.topology, phase.trees, chunks),)


@pytest.mark.parametrize("forest", [ring_forest(9), box_forest(), box_forest(able=True)])
def test_smaller_chunks_come_nearer_to_the_bound(forest: Forest) -> None:
    (phase,) = forest.phases
    counts = [4**i for i in range(8)]
    depth = int(phase.trees.hop_heights().max())
    times = pipeline_times(phase.topology, phase.trees, counts)
    assert list(times) == sorted(times, reverse=True)
    for count, time in zip(counts, times, strict=True):
        assert forest.optimum <= time <= forest.optimum * Fraction(count + depth - 1, count)


def test_impossible_questions_are_refused() -> None:
    (phase,) = ring_forest(3).phases
    with pytest.raises(InvalidInput, match="chunks: at least 1, not 0"):
        pipeline_times(phase.topology, phase.trees, (1, 0))
    small = Topology.from_arcs(2, [(0, 1), (1, 0)])
    with pytest.raises(InvalidInput, match=r"node: 2 is not in 0\.\.1"):
        pipeline_times(small, phase.trees, (1,))
