"""f exactly, where translations keep the colours of arcs: one source, one length a colour.

Averaged over the group, lengths are equal on all arcs of a colour, and every source sees the same
distances. So f is the value of a game between d lengths and the shortest path trees of node 0: a
linear program of d + 1 rows whose columns are trees (Dantzig and Wolfe, 1960). The trees are
found one by one, by shortest paths under the lengths that the last ones left, and the program is
solved in fractions all along. There are at most d + 1 trees in the answer.

Colours that a symmetry about node 0 exchanges share a row. They are found by colour refinement
(Weisfeiler-Leman) of what node 0 sees: every source sees the same, so that its pair classes are
enough for all, an equitable partition as in `topofinder.alltoall.solver.reduction`, of one row.
"""

from collections.abc import Callable
from fractions import Fraction
from math import lcm

import numpy as np

from expansions.cayley_colours import ArcColours
from generators.topology import FloatArray, Int64Array
from topofinder.alltoall.problem import FlowNetwork, FlowProblem, flow_network
from topofinder.alltoall.result import Flow, Lift
from topofinder.alltoall.solver import colour_kernels
from topofinder.alltoall.solver.bounds import longest_distance
from topofinder.alltoall.solver.exact_simplex import MatrixGame
from topofinder.alltoall.solver.flow_kernels import round_flows
from topofinder.alltoall.solver.rounding import load_scale
from topofinder.alltoall.solver.shortest_path_kernels import fill_tree

MOST_TREES = 2000


def solve_by_translations(
    problem: FlowProblem,
    longest: int | None = None,
    go_on: Callable[[int, int], bool] = lambda trees, rows: True,
) -> tuple[Int64Array, Flow] | None:
    """Lengths and a flow that meet in f; None when no suitable group is known.

    They meet nearly when the fractions grow too long for distances up to `longest` (as far as
    sums fit 62 bits where it is left out) or for flows of 64 bits. None is also the answer after
    very many trees, or once `go_on`, which gets the numbers of trees and of rows, says no.

    >>> from generators.arrays import jump_graph
    >>> lengths, flow = solve_by_translations(FlowProblem(topology=jump_graph(5, [1, 2])))
    >>> lengths.tolist()
    [1, 2, 1, 2, 1, 2, 1, 2, 1, 2]
    """
    topology = problem.topology
    if not problem.is_uniform or topology.switches or topology.translation is None:
        return None
    colours = ArcColours(topology)
    if colours.steps is None:
        return None
    net = flow_network(topology)
    arc_colour = np.unique(colours.colour[net.arc], return_inverse=True)[1]
    trees = _TreeColumns(net, arc_colour)
    game = MatrixGame(trees.add_tree([1] * trees.rows))
    most = (longest or longest_distance(problem)) // topology.n
    for count in range(MOST_TREES):
        if not go_on(count, trees.rows):
            return None
        lengths = trees.lengths(game.integer_lengths())
        excess = (max(lengths) // most).bit_length()
        lengths = [length >> excess for length in lengths]
        if not game.offer_column(trees.add_tree(lengths)):
            whole = np.zeros(topology.arcs, dtype=np.int64)
            whole[net.arc] = np.array(lengths, dtype=np.int64)[trees.row]
            return whole, trees.mix_trees(game.weights(), topology.arcs)
    return None


class _TreeColumns:
    """Trees from node 0, and how much they load the arcs of each row of the game.

    A row is a class of colours of arcs. Its load is that of all its arcs together, times
    `times[row]`, so that loads are whole numbers and stand for equally many arcs.
    """

    def __init__(self, net: FlowNetwork, arc_colour: Int64Array) -> None:
        self.net = net
        kinds, self.seen = colour_classes(net, arc_colour)
        sizes = np.bincount(kinds).tolist()
        self.row: Int64Array = kinds[arc_colour]
        self.rows, self.copies = len(sizes), lcm(*sizes)
        self.times = [self.copies // size for size in sizes]
        self.flows: list[Int64Array] = []

    def lengths(self, shares: list[int]) -> list[int]:
        """Lengths of the arcs of each row, from the lengths that the game gives rows."""
        return [share * times for share, times in zip(shares, self.times, strict=True)]

    def add_tree(self, lengths: list[int]) -> list[int]:
        """The loads of rows by the shortest path tree under lengths of their arcs."""
        net, n = self.net, self.net.n
        own = np.array(lengths, dtype=np.int64)[self.row]
        distance, parent, order = (np.empty(n, dtype=np.int64) for _ in range(3))
        fill_tree(0, net, own, distance, parent, order)
        through = np.ones(n, dtype=np.int64)
        for v in order[:0:-1].tolist():
            through[net.tail[parent[v]]] += through[v]
        flow = np.zeros(net.arcs, dtype=np.int64)
        flow[parent[order[1:]]] = through[order[1:]]
        self.flows.append(flow)
        loads = np.zeros(self.rows, dtype=np.int64)
        np.add.at(loads, self.row, flow)
        return [int(load) * times for load, times in zip(loads, self.times, strict=True)]

    def mix_trees(self, weights: dict[int, Fraction], arcs: int) -> Flow:
        """The trees mixed by weights that add up to 1, and averaged over what node 0 sees alike."""
        common = lcm(*(weight.denominator for weight in weights.values()))
        sizes = np.ones_like(self.seen)
        if self.copies > 1:
            sizes = np.bincount(self.seen)[self.seen]
        whole = lcm(*np.unique(sizes).tolist())
        rows = np.zeros((1, arcs), dtype=np.int64)
        scale = common * whole
        if scale * self.net.n * self.net.n < 1 << 62:
            for tree, weight in weights.items():
                mixed = self._sum_alike(self.flows[tree]) * (whole // sizes)
                rows[0, self.net.arc] += int(weight * common) * mixed
        else:
            parts = [
                float(weight) * self._sum_alike(self.flows[tree])
                for tree, weight in weights.items()
            ]
            scale = self._round_flow(np.sum(parts, axis=0) / sizes, rows)
        sources = np.zeros(1, dtype=np.int32)
        return Flow(sources=sources, rows=rows, quantum=Fraction(1, scale), lift=Lift.TRANSLATED)

    def _sum_alike(self, flow: Int64Array) -> Int64Array:
        """What all arcs that node 0 sees alike carry together, for every arc."""
        if self.copies == 1:
            return flow
        total = np.zeros(int(self.seen.max()) + 1, dtype=np.int64)
        np.add.at(total, self.seen, flow)
        return total[self.seen]

    def _round_flow(self, flow: FloatArray, rows: Int64Array) -> int:
        """Fill `rows` with a flow in whole numbers that delivers enough; returns their scale."""
        scale = 1 << load_scale(float(flow.sum()))
        wanted = np.ones((1, self.net.n), dtype=np.int64)
        wanted[0, 0] = 0
        own = np.empty((1, self.net.arcs), dtype=np.int64)
        round_flows(np.zeros(1, dtype=np.int32), self.net, wanted, flow[None], own, scale)
        rows[0, self.net.arc] = own[0]
        return scale


def colour_classes(net: FlowNetwork, arc_colour: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The class of each colour of arcs, and the class of each arc as node 0 sees it.

    `arc_colour`, of shape (m,), numbers the colours of the arcs of `net` from 0 on. In a flow of
    node 0 that is averaged over classes of arcs, all colours of a class carry the same.

    >>> from generators.arrays import jump_graph
    >>> from topofinder.alltoall.problem import flow_network
    >>> colours, arcs = colour_classes(flow_network(jump_graph(5, [1, 4])), np.array([0, 1] * 5))
    >>> colours.tolist(), len(set(arcs.tolist()))
    ([0, 0], 5)
    """
    own = np.zeros(1, dtype=np.int32)
    pairs = np.zeros((1, net.n), dtype=np.uint64)
    pairs[0, 0] = 1
    colour_kernels.mix_hops(own, net, pairs)
    refined = np.ones(net.arcs, dtype=np.uint64)
    seen = np.empty(net.arcs, dtype=np.uint64)
    before = (0, 0)
    while True:
        nodes = int(colour_kernels.refine_colours(net, refined, pairs))
        colour_kernels.fill_arc_colours(net, refined, pairs[0], seen)
        words = np.zeros(int(arc_colour.max()) + 1, dtype=np.uint64)
        np.add.at(words, arc_colour, seen ^ (seen >> np.uint64(29)))
        kinds = np.unique(words, return_inverse=True)[1]
        after = (nodes, int(kinds.max()))
        if after == before:
            return kinds, np.unique(seen, return_inverse=True)[1]
        refined, before = words[arc_colour], after
