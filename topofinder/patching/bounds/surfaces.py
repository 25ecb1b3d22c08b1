"""A bound from Euler's formula: faces need cycles, and the other graph has few short ones.

The 4-cycles of a two-way graph such as a torus are the faces of a closed surface that it is drawn
on. What stays of it has faces too, whose sides must be shared out to cycles that the other graph
has: a packing problem, bounded by weak duality of its linear program.
"""

from itertools import combinations
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from generators.topology import Int64Array
from topofinder.patching.bounds.cycles import CycleCounts, list_cycles
from topofinder.patching.bounds.invariants import multiplicities
from topofinder.patching.circuits import Circuits

Edge = tuple[int, int]
Square = tuple[int, int, int, int]
"""Nodes in cyclic order."""
MOST_SURFACE_CIRCUITS = 1 << 16
"""Graphs with more circuits are not looked at."""
MOST_LISTED_CYCLES = 1000
"""Cycles that are looked at one by one, at most."""
SIDE_GRAIN = 1 << 24
"""Multipliers are rounded to this denominator."""


class CycleSupply(NamedTuple):
    """The cycles that walks round faces may be given.

    A cycle of l edges is to be had for l sides once, and for l + `again` once more. `cycles` lists
    the edges, of `edges` in all, of each short one; `longer[l]` counts those of length l that are
    not listed; from `beyond` on there is no end of them.
    """

    edges: int
    cycles: list[Int64Array]
    longer: dict[int, int]
    again: int
    beyond: int


def face_bound(graph: Circuits, other: Circuits, counts: CycleCounts) -> int:
    """How many circuits of `graph` must go before the rest fits into `other`, at least.

    For two-way graphs without parallels that their 4-cycles draw on a closed surface (tori,
    circulants of degree 4); 0 for the rest.

    Proof. In a drawing, given by the order of edges round each node, count facial walks (F), a
    bare node having one of length 0, and components (c). Taking an edge away never lowers
    F - E + V - 2c: a bridge has one walk on both sides, which becomes two, and c grows by one;
    otherwise c stays and at most one walk is lost. It begins at X - 2, X being the Euler
    characteristic; so what stays, and any components of it alone, has F >= E - V + 2c - g with
    g summed over those components (g = 2 - F + E - V for each) and g at most 2 - X in all.

    A walk whose edges hold no cycle goes round a whole component, a tree. A walk in another
    component holds a cycle, no longer than the walk; give it one. A cycle Z is given to two
    walks at most, one for each side of its edges, and then both pass each edge of Z once. If either
    passes some other edge once, its edges passed once, less Z, hold a second cycle, and both
    together have length 2|Z| + s at least, s being the length of the shortest cycle. If neither
    does, both sides of every other edge they meet are theirs, and they are all the walks of
    their component: it has F = 2, and E - V = g. Leave out trees and such components: E - V of the
    rest is at least that of all, less the g left out. So if E - V > 2 - X the rest is not empty,
    c >= 1, and at least E - V + X walks of total length 2E at most remain. Where the graph is
    bipartite, so is what stays, and only even cycles count. The cycles are those of `other`, at |Z|
    once and at |Z| + s once more. And the walks that are given cycles through an edge pass it, so
    they are two at most, and none if it goes. How many edges can stay is a packing problem;
    `most_edges` bounds it. `counts` are the cycles of `other`.

    >>> import numpy as np
    >>> from topofinder.patching.bounds.cycles import cycle_counts
    >>> ends = np.arange(25)
    >>> right, down = ends // 5 * 5 + (ends + 1) % 5, (ends + 5) % 25
    >>> torus = Circuits(n=25, duplex=True, tail=np.tile(ends, 2), head=np.append(right, down))
    >>> face_bound(torus, torus, cycle_counts(torus))
    0
    """
    if not graph.duplex or graph.count > MOST_SURFACE_CIRCUITS or (multiplicities(graph) > 1).any():
        return 0
    drawn = simple_graph(graph)
    characteristic = euler_characteristic(drawn, four_cycles(drawn))
    if characteristic is None:
        return 0
    edges, nodes = int(drawn.number_of_edges()), graph.n
    most = max(0, edges - nodes - (2 - characteristic))
    prices = _cycle_supply(other, counts, even=nx.is_bipartite(drawn))
    return min(most, max(0, edges - most_staying_edges(prices, nodes - characteristic)))


def _cycle_supply(other: Circuits, counts: CycleCounts, *, even: bool) -> CycleSupply:
    """The cycles that can be given to walks: the short ones one by one, the rest by length."""
    found = [cycle[cycle >= 0] for cycle in list_cycles(other, counts, MOST_LISTED_CYCLES)]
    found = [cycle for cycle in found if not (even and len(cycle) % 2)]
    reach = max(map(len, found), default=2)
    longer = {
        length: int(counts.whole[length])
        for length in range(reach + 1, counts.longest + 1)
        if not (even and length % 2)
    }
    beyond = counts.longest + 1
    beyond += beyond % 2 if even else 0
    lengths = [len(cycle) for cycle in found] + [length for length in longer if longer[length]]
    return CycleSupply(
        edges=counts.through.shape[1],
        cycles=found,
        longer=longer,
        again=min(lengths, default=beyond),
        beyond=beyond,
    )


def most_staying_edges(prices: CycleSupply, spare: int) -> int:
    """An upper bound on the E edges that can stay if E - `spare` walks must share their 2E sides.

    The walks that are given listed cycles through an edge are two if it stays, none if not.

    Proof. Maximise the sum of k(e), 1 for the edges that stay, over k, the walks given each listed
    cycle (once, and once more), each longer length, and none of these, all between 0 and what is
    to be had. The rows say: sum k - walks <= spare; sides <= 2 sum k; for every edge, the walks
    through it <= 2 k(e). By weak duality, with any multipliers y >= 0 for A v <= b and 0 <= v <= u,
    the sum c v is at most b y + sum of u max(0, c - A^T y). The multipliers come from a linear
    program in floats; the sum is one of whole numbers.

    >>> most_staying_edges(CycleSupply(edges=9, cycles=[], longer={}, again=4, beyond=6), spare=4)
    6
    """
    rows, limit, value, upper = _packing_program(prices, spare)
    answer = linprog(
        -value.astype(np.float64),
        A_ub=rows,
        b_ub=limit,
        bounds=[(0.0, float(most)) for most in upper],
        method="highs",
    )
    if answer.status != 0:
        return prices.edges
    y = np.maximum(0, np.rint(-answer.ineqlin.marginals * SIDE_GRAIN)).astype(np.int64)
    total = int(limit @ y) + int(upper @ np.maximum(0, value * SIDE_GRAIN - rows.T @ y))
    return min(prices.edges, total // SIDE_GRAIN)


def _packing_program(prices: CycleSupply, spare: int) -> tuple[Any, Any, Any, Any]:
    """Rows A, limits b, values c and upper bounds u; variables: edges, cycles twice, the rest."""
    edges, found, longer = prices.edges, prices.cycles, sorted(prices.longer)
    lengths = np.array([len(cycle) for cycle in found] + longer, dtype=np.int64)
    number = np.array([1] * len(found) + [prices.longer[length] for length in longer])
    cost = np.concatenate([lengths, lengths + prices.again, [prices.beyond]])
    upper = np.concatenate([np.ones(edges), number, number, [2 * edges // prices.beyond]])
    use = sparse.lil_matrix((edges, len(lengths)), dtype=np.int64)
    for column, cycle in enumerate(found):
        use[cycle, column] = 1
    kept, walks = np.ones((1, edges), dtype=np.int64), np.ones((1, len(cost)), dtype=np.int64)
    both = sparse.hstack([use, use, sparse.csr_matrix(np.zeros((edges, 1), dtype=np.int64))])
    rows = sparse.vstack(
        [
            sparse.hstack([sparse.csr_matrix(kept), sparse.csr_matrix(-walks)]),
            sparse.hstack([sparse.csr_matrix(-2 * kept), sparse.csr_matrix(cost[None, :])]),
            sparse.hstack([-2 * sparse.identity(edges, dtype=np.int64), both]),
        ],
        format="csr",
    )
    limit = np.zeros(edges + 2, dtype=np.int64)
    limit[0] = spare
    value = np.concatenate([np.ones(edges), np.zeros(len(cost))]).astype(np.int64)
    return rows, limit, value, upper.astype(np.int64)


def euler_characteristic(graph: "nx.Graph[int]", found: list[Square]) -> int | None:
    """V - E + F if the squares are the faces of a closed surface that the graph is drawn on.

    They are when the graph is connected, every edge lies in two squares, and the squares at a
    node follow one another in one round. None otherwise.
    """
    at = by_edge(found)
    if not nx.is_connected(graph) or len(at) < graph.number_of_edges():
        return None
    if any(len(two) != 2 for two in at.values()):
        return None
    corners: dict[int, nx.Graph[int]] = {v: nx.Graph() for v in graph}
    for square in found:
        for i in range(4):
            corners[square[i]].add_edge(square[i - 1], square[(i + 1) % 4])
    if not all(nx.is_connected(link) for link in corners.values()):
        return None
    return int(graph.number_of_nodes() - graph.number_of_edges() + len(found))


def four_cycles(graph: "nx.Graph[int]") -> list[Square]:
    """All 4-cycles, each once.

    >>> four_cycles(nx.cycle_graph(4))
    [(0, 1, 2, 3)]
    """
    found = []
    for a in graph:
        corners: dict[int, list[int]] = {}
        for b in graph[a]:
            for c in graph[b]:
                if c > a and b > a:
                    corners.setdefault(c, []).append(b)
        for c, between in sorted(corners.items()):
            found += [(a, b, c, d) for b, d in combinations(sorted(between), 2)]
    return found


def by_edge(found: list[Square]) -> dict[Edge, list[Square]]:
    """The squares at each edge."""
    at: dict[Edge, list[Square]] = {}
    for square in found:
        for one in square_sides(square):
            at.setdefault(one, []).append(square)
    return at


def square_sides(square: Square) -> list[Edge]:
    """The four edges, opposite ones two apart."""
    return [ordered_edge(square[i], square[(i + 1) % 4]) for i in range(4)]


def ordered_edge(u: int, v: int) -> Edge:
    """The edge between two nodes, the lower first."""
    return (u, v) if u < v else (v, u)


def simple_graph(circuits: Circuits) -> "nx.Graph[int]":
    """The ends and which of them are joined; loops left out."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(circuits.n))
    pairs = zip(circuits.tail.tolist(), circuits.head.tolist(), strict=True)
    graph.add_edges_from((u, v) for u, v in pairs if u != v)
    return graph
