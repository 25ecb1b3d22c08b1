"""Problems with a method of their own: a few hosts, and wirings or targets that are rings.

Of a few hosts every placement is tried, by branch and bound. A ring is laid along a Hamiltonian
cycle of the other side.
"""

from typing import Any

import numpy as np

from generators.topology import Int64Array
from topofinder.patching.placement.problem import PlacementProblem
from topofinder.patching.placement.special_case_kernels import best_bijection, hamiltonian_cycle

MOST_EXHAUSTIVE_HOSTS = 10
"""Hosts of the largest problems that are searched through."""


def exhaustive_placement(
    problem: PlacementProblem, first: Int64Array, kept: int
) -> tuple[Int64Array, int]:
    """The best of all placements and the circuits it keeps; `first`, which keeps `kept`, if none is
    better.
    """
    host = first.copy()
    return host, best_bijection(problem.wiring, problem.target, host, problem.rules, kept)


def ring_order(rows: Any) -> Int64Array | None:
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


def ring_placement(problem: PlacementProblem, steps: int, seed: int) -> Int64Array | None:
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
