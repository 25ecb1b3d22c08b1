"""What a search for trees starts from, and the forest that its trees make."""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd

import numpy as np

from generators.arrays import column
from generators.topology import Int64Array
from topofinder.forests.clock import Clock
from topofinder.forests.few_trees.routes import EdgeRoutes
from topofinder.forests.few_trees.search import WeightedTrees, find_trees
from topofinder.forests.optimality.bottleneck_cut import Optimum
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import tree_capacities
from topofinder.forests.packed_forest import PackedForest

FEWEST_STEPS = 20_000
STEPS_AN_ENTRY = 8
"""Steps of a search at most: so many for each host of each tree, or FEWEST_STEPS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeWish:
    """`k` units a root of weight 1, in up to `parts` trees, none higher than `height`.

    A unit takes at least 1 / `inverse_tree` of each arc's bandwidth.
    """

    k: int
    inverse_tree: Fraction
    parts: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TreeSearch:
    """Searches in one network, one after the other."""

    network: Network
    optimum: Optimum
    routes: EdgeRoutes
    seed: int
    clock: Clock

    @classmethod
    def of(cls, network: Network, optimum: Optimum, seed: int, clock: Clock) -> "TreeSearch":
        """Raises Unsupported where there are too many routes."""
        routes = EdgeRoutes.of(network)
        return cls(network=network, optimum=optimum, routes=routes, seed=seed, clock=clock)

    def entries(self, parts: int) -> int:
        """Entries of the table of trees, by which the time of a step grows."""
        return sum(1 for weight in self.network.weight if weight) * parts * self.routes.hosts

    def find(self, wish: TreeWish, attempts: int = 1) -> PackedForest | None:
        """A forest as wished, if so many seeds find one, from the given one on."""
        weight = np.array(self.network.weight, np.int64)[self.network.compute]
        held = tree_capacities(self.network, wish.inverse_tree)
        steps = max(FEWEST_STEPS, STEPS_AN_ENTRY * self.entries(wish.parts))
        most = np.array([min(room, wish.k * self.network.total) for room in held], np.int64)
        for attempt in range(attempts):
            found = find_trees(
                self.routes, wish.k * weight, most, wish.parts, wish.height, steps,
                self.seed + attempt, self.clock,
            )  # fmt: skip
            if found is not None:
                return self._forest(found, wish.k)
        return None

    def find_lower(
        self, found: PackedForest, wish: TreeWish, low: int, attempts: int = 1
    ) -> PackedForest:
        """The lowest found of forests that are no lower than `low`; `found` if no other is lower.

        Heights fall by a quarter of what is left, and one by one in the end.
        """
        while low < found.height and not self.clock.is_over:
            height = found.height - max(1, (found.height - low) // 4)
            made = self.find(replace(wish, height=height), attempts)
            if made is not None:
                found = made
            elif height == found.height - 1:
                break
            else:
                low = height + 1
        return found

    def _forest(self, trees: WeightedTrees, k: int) -> PackedForest:
        """The forest of these trees, at the rate that they reach."""
        root, copies, arcs = _list_entries(trees, self.routes)
        common = gcd(k, *copies.tolist())
        used, which = np.unique(arcs, return_inverse=True)
        lengths = np.diff(self.routes.start)[used]
        load = np.bincount(which.ravel(), np.repeat(copies // common, arcs.shape[1])).astype(int)
        places = [self.routes.arc[self.routes.start[r] : self.routes.start[r + 1]] for r in used]
        compute = self.network.compute
        return PackedForest(
            network=self.network,
            optimum=self.optimum,
            k=k // common,
            inverse_tree=self._inverse_tree(np.concatenate(places), np.repeat(load, lengths)),
            root=column(compute[root], np.int32),
            copies=column(copies // common, np.int64),
            start=column(np.arange(len(root) + 1) * (self.routes.hosts - 1), np.int64),
            arc=column(which.ravel(), np.int32),
            tail=column(compute[self.routes.tail[used]], np.int32),
            head=column(compute[self.routes.head[used]], np.int32),
            capacity=column(load, np.int64),
            bundle_start=column(np.arange(len(used) + 1), np.int64),
            amount=column(load, np.int64),
            route_start=column(np.cumsum([0, *lengths]), np.int64),
            route=column(np.concatenate(places), np.int32),
            method="edge moves",
        )

    def _inverse_tree(self, arcs: Int64Array, units: Int64Array) -> Fraction:
        """1 over the bandwidth that a unit has, on the arc where that is least."""
        load = np.bincount(arcs, units, self.network.arcs).astype(np.int64).tolist()
        rates = zip(load, self.network.capacity, strict=True)
        return max(Fraction(units, capacity) for units, capacity in set(rates)) / self.network.unit


def _list_entries(
    trees: WeightedTrees, routes: EdgeRoutes
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Roots, copies and routes of the trees, parents first; equal trees are one."""
    keys = np.column_stack([trees.root, trees.enter])
    keys, which = np.unique(keys, axis=0, return_inverse=True)
    copies = np.bincount(which.ravel(), trees.weight).astype(np.int64)
    listed = np.empty((len(keys), routes.hosts - 1), np.int64)
    for row, (root, *enter) in zip(listed, keys.tolist(), strict=True):
        depth = [0] * routes.hosts
        for host in range(routes.hosts):
            at = host
            while at != root:
                at = int(routes.tail[enter[at]])
                depth[host] += 1
        order = sorted(range(routes.hosts), key=depth.__getitem__)
        row[:] = [enter[host] for host in order[1:]]
    return keys[:, 0], copies, listed
