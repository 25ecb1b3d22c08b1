"""Seeds of percolation: the theta graphs of two sparse graphs, paired with those of their shape.

A theta graph is two nodes with three paths between them that share no other node. A random
4-regular graph with 1024 nodes has some hundred of up to 11 circuits, whatever its size: their
number grows with the circuits, n^(nodes - circuits) d^circuits. So few pairs of one shape are to be
tried, and where a fifth of the circuits is changed, about ten of them are whole in both graphs and
rightly paired; single cycles are too many, and trees are all alike. From some ten right
pairs percolation along cycles finds the others (`cycle_percolation_kernels`).
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations, permutations

from topofinder.patching.placement.incidence import IncidenceRows

LONGEST_PATH, LARGEST = 5, 11
"""Circuits of the longest path of a theta graph, and of the largest."""
MOST_THETAS = 2
"""Graphs with more theta graphs than this for each node are lattices, or dense: none is taken."""
WALKED = 0.6e-6
"""CPU seconds a path from a node costs."""

Path = tuple[int, ...]
Theta = tuple[int, int, tuple[Path, Path, Path]]
"""The two nodes, and the nodes between them on each path, shorter paths first."""


def theta_price(rows: IncidenceRows) -> float:
    """CPU seconds that `seed_pairs` takes for one of its graphs."""
    degree = len(rows.end) / rows.n
    return WALKED * rows.n * sum(degree ** (more + 1) for more in range(LONGEST_PATH)) / 2


def seed_pairs(wiring: IncidenceRows, target: IncidenceRows) -> list[tuple[Path, Path]]:
    """Nodes of the target, each with its host in the wiring: theta graphs, the smallest first.

    Nothing where a graph has many of them. The two graphs are two-way, and panels are alike.

    >>> import numpy as np
    >>> from topofinder.patching.circuits import Circuits
    >>> from topofinder.patching.placement.incidence import incidence_rows
    >>> ends = np.array([[0, 1, 0, 3, 0], [1, 2, 3, 2, 2]])
    >>> square = Circuits(n=4, duplex=True, tail=ends[0], head=ends[1])
    >>> rows = incidence_rows(square)
    >>> seed_pairs(rows, rows)[:2]
    [((0, 2, 3, 1), (0, 2, 3, 1)), ((0, 2, 3, 1), (2, 0, 3, 1))]
    """
    ours, theirs = theta_graphs(target), theta_graphs(wiring)
    pairs = list[tuple[Path, Path]]()
    for shape in sorted(ours.keys() & theirs.keys(), key=lambda shape: (sum(shape), shape)):
        images = [image for theta in theirs[shape] for image in theta_orders(theta)]
        for theta in ours[shape]:
            nodes = next(theta_orders(theta))
            pairs += [(nodes, image) for image in images]
    return pairs


def theta_graphs(rows: IncidenceRows) -> dict[Path, list[Theta]]:
    """The theta graphs by the lengths of their paths, ascending; none where there are many."""
    neighbours = [rows.end[rows.start[v] : rows.start[v + 1]].tolist() for v in range(rows.n)]
    found, count = defaultdict[Path, list[Theta]](list), 0
    for u in range(rows.n):
        for v, paths in _paths_from(neighbours, u).items():
            paths.sort(key=len)
            for three in combinations(paths, 3) if len(paths) > 2 else ():
                between = sum(map(len, three))
                if between + 3 <= LARGEST and len(set().union(*three)) == between:
                    one, two, last = three
                    lengths = len(one) + 1, len(two) + 1, len(last) + 1
                    found[lengths].append((u, v, (one, two, last)))
                    count += 1
        if count > MOST_THETAS * rows.n:
            return {}
    return found


def theta_orders(theta: Theta) -> Iterator[Path]:
    """The nodes of a theta graph in each order in which graphs of its shape correspond."""
    u, v, paths = theta
    for three in permutations(paths):
        if all(len(one) == len(two) for one, two in zip(three, paths, strict=True)):
            yield (u, v, *(w for path in three for w in path))
            yield (v, u, *(w for path in three for w in reversed(path)))


def _paths_from(neighbours: list[list[int]], u: int) -> dict[int, list[Path]]:
    """For each end beyond u, the nodes between on each simple path that leads there from u."""
    found = defaultdict[int, list[Path]](list)
    waiting: list[Path] = [(u,)]
    while waiting:
        path = waiting.pop()
        for w in neighbours[path[-1]]:
            if w in path:
                continue
            if w > u:
                found[w].append(path[1:])
            if len(path) < LONGEST_PATH:
                waiting.append((*path, w))
    return found
