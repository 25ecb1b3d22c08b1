"""Trees of given weights that fit into a network, by a local search from random ones.

Every root has as many trees as wanted, of unequal weights: sums of different numbers fill unequal
arcs better than multiples of one. The search is by counts of steps, so that the same call gives the
same trees.
"""

from dataclasses import dataclass, field

import numpy as np

from generators.arrays import csr_by_node
from generators.topology import Int64Array
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.few_trees.move_kernels import grow_trees, move_edges, put_loads
from topofinder.forests.few_trees.routes import EdgeRoutes

STEPS = 500
"""Steps of a call of the kernel, between which signals are heeded."""
PATIENCE = 1500
PATIENCE_AN_ENTRY = 3 / 2
"""Steps without less excess after which a search is given up: so many for each host of each tree,
or PATIENCE."""
COARSE = 4
"""Weights below so many units are as equal as can be; larger ones differ by up to a fifth."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeightedTrees:
    """Tree t of `root[t]`, of `weight[t]` units, enters host v by route `enter[t, v]`.

    Shapes: (trees, hosts), (trees,), (trees,); int64, -1 at the roots. `steps` is what the search
    took.
    """

    enter: Int64Array
    root: Int64Array
    weight: Int64Array
    steps: int = field(default=0)


def split_supply(
    supply: Int64Array, parts: int, generator: np.random.Generator
) -> tuple[Int64Array, Int64Array]:
    """Roots and weights of trees: up to `parts` of every host, which sum to its supply.

    >>> root, weight = split_supply(np.array([7, 2]), 3, np.random.default_rng(0))
    >>> root.tolist(), weight.tolist()
    ([0, 0, 0, 1, 1], [3, 2, 2, 1, 1])
    """
    roots, weights = [], []
    for v, units in enumerate(supply.tolist()):
        count = min(parts, units)
        if not count:
            continue
        even, more = divmod(units, count)
        split = np.full(count, even, np.int64)
        split[:more] += 1
        spread = even // 5
        if even >= COARSE and spread and count > 1:
            split[:-1] += generator.integers(-spread, spread + 1, count - 1)
            split[-1] = units - split[:-1].sum()
            _even_out(split)
        roots += [v] * count
        weights += split.tolist()
    return np.array(roots, np.int64), np.array(weights, np.int64)


def _even_out(split: Int64Array) -> None:
    """Move units from the largest to the smallest part while the smallest is below half of it."""
    while 2 * split.min() < split.max():
        split[split.argmin()] += 1
        split[split.argmax()] -= 1


def find_trees(
    routes: EdgeRoutes,
    supply: Int64Array,
    capacity: Int64Array,
    parts: int,
    height: int,
    steps: int,
    seed: int,
    clock: Clock = NO_LIMIT,
) -> WeightedTrees | None:
    """Trees no higher than `height`, up to `parts` a root, that keep to the capacities.

    `supply[v]` units are rooted at host v; arc e may carry `capacity[e]`. None where the search
    finds none in so many steps, or gives up.

    >>> from generators.families.hamming import hypercube
    >>> from topofinder.forests.optimality.network import Network
    >>> routes = EdgeRoutes.of(Network.of(hypercube(3)))
    >>> found = find_trees(routes, np.full(8, 3), np.full(24, 7), 3, 3, 10_000, 0)
    >>> found.enter.shape, found.weight.sum()
    ((24, 8), np.int64(24))
    """
    generator = np.random.default_rng([seed, parts, height])
    root, weight = split_supply(supply, parts, generator)
    enter = np.full((len(root), routes.hosts), -1, np.int64)
    columns, outof = routes.columns, csr_by_node(routes.tail, routes.hosts)
    if grow_trees(enter, root, columns, outof, height, _draw(generator)) > height:
        return None
    trees = enter, root, weight
    arcs = np.zeros_like(capacity), capacity, np.ones_like(capacity)
    put_loads(trees, columns, arcs[0])
    rest, tally = np.zeros_like(enter), np.array([0, np.iinfo(np.int64).max, 0])
    done, patience = False, max(PATIENCE, int(PATIENCE_AN_ENTRY * enter.size))
    while not done and tally[0] < steps and tally[0] - tally[2] < patience and not clock.is_over:
        done = bool(
            move_edges(
                trees, columns, routes.into, arcs, height, rest, tally, STEPS, _draw(generator)
            )
        )
        clock.tell(f"few trees: {len(root)} of height {height}, {tally[1]} units too many")
    if not done:
        return None
    return WeightedTrees(enter=enter, root=root, weight=weight, steps=int(tally[0]))


def _draw(generator: np.random.Generator) -> int:
    return int(generator.integers(1 << 31))
