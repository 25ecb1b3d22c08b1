"""A bound from cyclic ladders that the other graph has not got, even with an edge missing.

Whether a ladder lies in the other graph is a subgraph isomorphism, decided by backtracking.
"""

from collections import Counter
from itertools import combinations

import numpy as np

from topofinder.patching.bounds.subgraph_kernels import ABSENT, embeds, pattern
from topofinder.patching.bounds.surfaces import (
    MOST_SURFACE_CIRCUITS,
    Edge,
    Square,
    by_edge,
    four_cycles,
    ordered_edge,
    simple_graph,
)
from topofinder.patching.circuits import Circuits

PATTERN_STEPS = 20_000_000
"""Candidates looked at before a pattern counts as present."""
LADDER_LENGTHS = 3
"""Ladders of so many lengths, those with the most ladders, are combined."""


def ladder_bound(graph: Circuits, other: Circuits) -> int:
    """How many circuits of `graph` must go before the rest fits into `other`, at least.

    For two-way graphs. A cyclic ladder is a ring of 4-cycles side by side, as round a torus.

    Proof. If a ladder with any one edge missing is nowhere in `other`, two of its edges must go
    at least (lose all their circuits); if only the whole ladder is nowhere, one. All rungs
    of a ladder are alike, and so are its rails, so two patterns decide. Let every edge lie
    in at most s of the ladders. Summing over them counts no edge more than s times: at least
    (sum of what each must lose) / s edges go, whichever lengths of ladders are summed.

    >>> ring = Circuits(n=4, duplex=True, tail=np.arange(4), head=(np.arange(4) + 1) % 4)
    >>> ladder_bound(ring, ring)
    0
    """
    if not graph.duplex or max(graph.count, other.count) > MOST_SURFACE_CIRCUITS:
        return 0
    ladders = cyclic_ladders(four_cycles(simple_graph(graph)))
    lengths = Counter(map(len, ladders))
    adjacent = _adjacency(other)
    loss = {
        length: _loss(length, *adjacent)
        for length, _ in sorted(lengths.most_common(LADDER_LENGTHS))
    }
    counted = [length for length, lost in loss.items() if lost]
    chosen = (group for size in range(1, len(counted) + 1) for group in combinations(counted, size))
    return max((_edges_lost(ladders, loss, group) for group in chosen), default=0)


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


def _adjacency(circuits: Circuits) -> tuple[np.ndarray, np.ndarray]:
    graph = simple_graph(circuits)
    rows = [sorted(graph[v]) for v in range(circuits.n)]
    start = np.cumsum([0] + [len(row) for row in rows])
    return start, np.array([v for row in rows for v in row], dtype=np.int64)


def _loss(length: int, start: np.ndarray, end: np.ndarray) -> int:
    """How many edges a ladder of that length must lose: 2, 1 or 0."""
    rungs = [(2 * i, 2 * i + 1) for i in range(length)]
    rails = [
        (2 * i + side, 2 * ((i + 1) % length) + side) for i in range(length) for side in (0, 1)
    ]
    order = list(range(2 * length))
    # The edge that is missing is the last one searched for, or lies in the last square.
    cut = (rungs[-1], rails[-1])
    whole = rungs + rails
    patterns = [[e for e in whole if e != gone] for gone in cut]
    found = [embeds(start, end, pattern(edges, order), PATTERN_STEPS) for edges in patterns]
    if all(one == ABSENT for one in found):
        return 2
    return int(embeds(start, end, pattern(whole, order), PATTERN_STEPS) == ABSENT)


def _edges_lost(ladders: list[list[Edge]], loss: dict[int, int], group: tuple[int, ...]) -> int:
    load: Counter[Edge] = Counter()
    total = 0
    for rungs in ladders:
        if len(rungs) in group:
            load.update(_edges(rungs))
            total += loss[len(rungs)]
    return -(-total // max(load.values()))


def _edges(rungs: list[Edge]) -> list[Edge]:
    edges = [ordered_edge(*rung) for rung in rungs]
    for one, two in zip(rungs, rungs[1:] + rungs[:1], strict=True):
        edges += [ordered_edge(one[0], two[0]), ordered_edge(one[1], two[1])]
    return edges


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
