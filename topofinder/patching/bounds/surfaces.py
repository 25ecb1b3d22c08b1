"""Four-cycles of two-way graphs, and the closed surfaces and cyclic ladders they form."""

from itertools import combinations

import networkx as nx

from topofinder.patching.circuits import Circuits

Edge = tuple[int, int]
Square = tuple[int, int, int, int]
"""Nodes in cyclic order."""
MOST = 1 << 16
"""Graphs with more circuits are not looked at."""


def simple_graph(circuits: Circuits) -> "nx.Graph[int]":
    """The ends and which of them are joined; loops left out."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(circuits.n))
    pairs = zip(circuits.tail.tolist(), circuits.head.tolist(), strict=True)
    graph.add_edges_from((u, v) for u, v in pairs if u != v)
    return graph


def ordered_edge(u: int, v: int) -> Edge:
    """The edge between two nodes, the lower first."""
    return (u, v) if u < v else (v, u)


def square_sides(square: Square) -> list[Edge]:
    """The four edges, opposite ones two apart."""
    return [ordered_edge(square[i], square[(i + 1) % 4]) for i in range(4)]


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


def cyclic_ladders(found: list[Square]) -> list[list[Edge]]:
    """The rungs of every cyclic ladder: squares that follow one another through opposite edges.

    Only edges in exactly two squares are crossed, and only ladders whose two rails are disjoint
    cycles are given. The rung at i joins rung[i][0] and rung[i][1], in the order of the rails.
    """
    at = by_edge(found)
    ladders, seen = [], set()
    for square in found:
        for first in (0, 1):
            rungs = _strip(at, square, first)
            key = None if rungs is None else frozenset(ordered_edge(*rung) for rung in rungs)
            if rungs is not None and key not in seen:
                seen.add(key)
                ladders.append(rungs)
    return ladders


def _strip(at: dict[Edge, list[Square]], square: Square, first: int) -> list[Edge] | None:
    """The rungs met on the way from one side of a square until the way closes; None if it fails."""
    rung = (square[first], square[first + 1])
    rungs: list[Edge] = []
    met: set[int] = set()
    while True:
        if met & set(rung):
            break
        rungs.append(rung)
        met |= set(rung)
        rung = _across(square, rung)
        there = at[ordered_edge(*rung)]
        if len(there) != 2:
            return None
        square = there[1] if there[0] == square else there[0]
    return rungs if rung == rungs[0] and len(rungs) > 2 else None


def _across(square: Square, rung: Edge) -> Edge:
    """The opposite side, its ends in the order of the rails."""
    i = square.index(rung[0])
    if square[(i + 1) % 4] == rung[1]:
        return (square[i - 1], square[(i + 2) % 4])
    return (square[(i + 1) % 4], square[(i + 2) % 4])
