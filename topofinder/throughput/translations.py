"""f exactly, where a group of translations keeps slots: one source, one length a slot.

Averaged over the group, lengths are equal on all arcs of a slot, and every source sees the same
distances. So f is the value of a game between d lengths and the shortest path trees of node 0: a
linear program of d + 1 rows whose columns are trees (Dantzig and Wolfe, 1960). The trees are
found one by one, by shortest paths under the lengths that the last ones left, and the program is
solved in fractions all along. There are at most d + 1 trees in the answer.
"""

from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from expansions.slots import Slots
from topofinder.throughput.answer import Flow, Integers, Lift
from topofinder.throughput.network import network
from topofinder.throughput.problem import Problem
from topofinder.throughput.shortest import tree_from
from topofinder.throughput.simplex import Game

ROUNDS = 2000
LARGEST = 1 << 61


def translated(problem: Problem) -> tuple[Integers, Flow] | None:
    """Lengths and a flow that meet in f; None when no suitable group is known.

    None is also the answer when fractions grow too long for 64-bit lengths, or there are very
    many trees.

    >>> from generators.arrays import jump_graph
    >>> lengths, flow = translated(Problem(topology=jump_graph(5, [1, 2])))
    >>> lengths.tolist()
    [1, 2, 1, 2, 1, 2, 1, 2, 1, 2]
    """
    topology = problem.topology
    if not problem.is_uniform or topology.switches or topology.translation is None:
        return None
    slots = Slots(topology)
    if slots.steps is None:
        return None
    net = network(topology)
    used, place = np.unique(slots.slot[net.arc], return_inverse=True)
    trees = _Trees(problem, place)
    game = Game(trees.grown([1] * len(used)))
    for _ in range(ROUNDS):
        lengths = game.whole_lengths()
        if max(lengths) * topology.n >= LARGEST:
            return None
        column = trees.grown(lengths)
        if not game.enter(column):
            own = np.zeros(topology.degree, dtype=np.int64)
            own[used] = lengths
            loops = topology.tail == topology.head
            return np.where(loops, 0, own[slots.slot]), trees.flow(game.weights())
    return None


class _Trees:
    """Trees from node 0, each with the number of paths that use each slot."""

    def __init__(self, problem: Problem, place: NDArray[np.int64]) -> None:
        self.arcs, self.n = problem.topology.arcs, problem.topology.n
        self.net, self.place = network(problem.topology), place
        self.flows: list[Integers] = []

    def grown(self, lengths: list[int]) -> list[int]:
        """The loads of slots by the shortest path tree under lengths of slots."""
        own = np.array(lengths, dtype=np.int64)[self.place]
        distance, parent, order = (np.empty(self.n, dtype=np.int64) for _ in range(3))
        tree_from(0, self.net, own, distance, parent, order)
        through = np.ones(self.n, dtype=np.int64)
        for v in order[:0:-1].tolist():
            through[self.net.tail[parent[v]]] += through[v]
        flow = np.zeros(self.net.arcs, dtype=np.int64)
        flow[parent[order[1:]]] = through[order[1:]]
        self.flows.append(flow)
        loads: list[int] = (
            np.bincount(self.place, flow, minlength=len(lengths)).astype(int).tolist()
        )
        return loads

    def flow(self, weights: dict[int, Fraction]) -> Flow:
        """The trees mixed by weights that add up to 1."""
        common = lcm(*(weight.denominator for weight in weights.values()))
        rows = np.zeros((1, self.arcs), dtype=np.int64)
        for tree, weight in weights.items():
            rows[0, self.net.arc] += int(weight * common) * self.flows[tree]
        sources = np.zeros(1, dtype=np.int32)
        return Flow(sources=sources, rows=rows, quantum=Fraction(1, common), lift=Lift.TRANSLATED)
