"""Cayley digraphs whose nodes are near one another: what an all-to-all asks for.

The all-to-all of a graph is at most its arcs over the sum of its distances. Digraphs of few steps
have a small largest distance, but not always a small mean, and graphs of the least diameter may
load their arcs unlike. On groups far from abelian annealing finds lists of generators with a mean
close to that of the Moore bound; translations then load all arcs of a generator alike.
"""

from functools import lru_cache

import numpy as np

from expansions.canonical import canonical
from expansions.recipe import Base
from generators.cayley.notation import parse_group
from topofinder.discovery.distance_kernels import UNREACHED, anneal_distances
from topofinder.discovery.groups import groups_of
from topofinder.discovery.multiplication_table import GroupColumns, multiplication_columns
from topofinder.dispatch.kernel import expect_long_work

LARGEST = 1 << 10
"""Nodes of the largest digraphs: tables of groups grow with their square."""
GROUPS = 8
"""Groups of an order that are tried."""
RESTARTS = 3
"""Times that each of them is annealed."""
ARCS = 1 << 24
MOST_STEPS = 1 << 15
"""Arcs that one annealing walks over at most, and lists that it judges."""
WARMEST = 4
"""By how much a sum of distances may rise at the beginning."""
MOST = 4
"""Digraphs that are kept."""


@lru_cache(maxsize=64)
def close_digraphs(n: int, d: int) -> tuple[tuple[int, str], ...]:
    """Sums of distances from a node, the least first, and the recipes that have them.

    Empty where all nodes can be neighbours, and for more than 1024 nodes.

    >>> total, recipe = close_digraphs(12, 3)[0]
    >>> total, recipe.startswith("Cay(")
    (19, True)
    """
    if not 2 <= d < n - 1 or n > LARGEST:
        return ()
    expect_long_work(anneal_distances)
    found = []
    for group in groups_of(n, GROUPS):
        columns = multiplication_columns(parse_group(group))
        tries = [_anneal(columns, d, seed) for seed in range(RESTARTS)]
        total, chosen = min(tries)
        if total < UNREACHED:
            found.append((total, str(canonical(Base("Cay", (group, *chosen))))))
    return tuple(sorted(found)[:MOST])


def _anneal(columns: GroupColumns, d: int, seed: int) -> tuple[int, tuple[int, ...]]:
    steps = min(ARCS // (len(columns) * d), MOST_STEPS)
    levels = np.random.default_rng([seed, len(columns), d]).exponential(size=steps)
    levels = np.floor(levels * np.linspace(WARMEST, 0, steps) / 2).astype(np.int64)
    chosen = np.zeros(d, np.int64)
    total = int(anneal_distances(columns, d, levels, seed, chosen))
    return total, tuple(sorted(chosen.tolist()))
