"""Hamiltonian cycles of two-way graphs, for wirings and targets that are rings.

Rotations (Posa 1976): a path grows at its end; where it cannot, an edge from its end into its
middle turns the rest of the path round and gives a new end.
"""

from typing import Any

import numpy as np

from topofinder.kernels import kernel
from topofinder.patching.placement.problem import Hosts, PlacementProblem


@kernel
def hamiltonian_cycle(start: Any, end: Any, path: Any, steps: int, seed: int) -> bool:
    """Fill `path` (n,) with the nodes of a Hamiltonian cycle in order, if one is found.

    `start` (n + 1,) and `end` are the rows of a two-way graph. Up to `steps` rotations and
    extensions are made; False says nothing about whether there is a cycle.
    """
    np.random.seed(seed)
    n = len(start) - 1
    place = np.full(n, -1, dtype=np.int64)
    path[0] = np.random.randint(n)
    place[path[0]], size = 0, 1
    for _ in range(steps):
        last = path[size - 1]
        width = start[last + 1] - start[last]
        if width == 0:
            return False
        shift, grown, closes = np.random.randint(width), False, False
        for i in range(width):
            w = end[start[last] + (i + shift) % width]
            if place[w] < 0:
                path[size], place[w] = w, size
                size += 1
                grown = True
                break
            closes = closes or place[w] == 0
        if grown:
            continue
        if size == n and closes:
            return True
        w = end[start[last] + shift]
        low, high = place[w] + 1, size - 1
        while low < high:
            path[low], path[high] = path[high], path[low]
            place[path[low]], place[path[high]] = low, high
            low, high = low + 1, high - 1
    return False


def ring_order(rows: Any) -> Hosts | None:
    """The nodes of a graph in order if it is one ring, with or without parallels; else None."""
    n = rows.n
    if n < 3 or rows.colours > 1 or (np.diff(rows.start) != 2).any():
        return None
    order = np.zeros(n, dtype=np.int64)
    before = 0
    for i in range(1, n):
        now = order[i - 1]
        one, two = rows.end[rows.start[now] : rows.start[now] + 2]
        order[i] = two if (one == before and i > 1) else one
        before = now
    return order if len(np.unique(order)) == n else None


def ring_placement(problem: PlacementProblem, steps: int, seed: int) -> Hosts | None:
    """A placement that lays a ring along a Hamiltonian cycle of the other side, if one is found.

    None where neither side is a ring, or none was found.
    """
    for ring, other, of_wiring in (
        (problem.wiring, problem.target, True),
        (problem.target, problem.wiring, False),
    ):
        order, path = ring_order(ring), np.empty(problem.n, dtype=np.int64)
        if order is None or not hamiltonian_cycle(other.start, other.end, path, steps, seed):
            continue
        hosts, nodes = (order, path) if of_wiring else (path, order)
        host = np.empty(problem.n, dtype=np.int64)
        host[nodes] = hosts
        return host
    return None
