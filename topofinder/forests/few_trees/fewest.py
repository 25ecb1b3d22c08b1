"""The fewest trees, and the lowest, that come within a given loss of the optimum."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from generators.arrays import csr_by_node
from topofinder.forests.clock import Clock
from topofinder.forests.few_trees.as_forest import TreeSearch, TreeWish
from topofinder.forests.optimality.bottleneck_cut import Optimum
from topofinder.forests.optimality.tree_count import TreeCount
from topofinder.forests.packed_forest import PackedForest
from topofinder.kernels import hop_table

PARTS = (8, 6, 4, 3, 2, 1)
MORE_PARTS = (12, 16)
"""Trees a root that are tried, one number after the other until one is too small."""
UNITS = 100
"""Units a root that trees of unequal weights have."""
LOW_PARTS = 16
"""Trees a root at most where they are to be low."""
MAX_ENTRIES = 1 << 16
ATTEMPTS = 2
"""Seeds that are tried for few trees, from the given one on."""
HIGHER = 2
"""Edges by which few trees may be higher than many."""
QUICK_ENTRIES = 1 << 10
"""Entries of a table of trees up to which a search takes a tenth of a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LossLimit:
    """The smallest k within a loss; and, of more units of unequal weights, `units`, if allowed."""

    count: TreeCount
    units: TreeCount | None = None

    @classmethod
    def of(cls, best: Optimum, loss: Fraction, count: TreeCount) -> "LossLimit":
        """UNITS of them where something may be lost; else unequal weights help little."""
        if not loss or count.k >= UNITS:
            return cls(count=count)
        return cls(
            count=count, units=TreeCount(UNITS, UNITS * best.inverse_rate * (1 + loss), loss)
        )


def height_bound(search: TreeSearch) -> int:
    """Edges from a root to the farthest host at least: no forest is lower.

    >>> from generators.fabrics.mi250 import mi250
    >>> from topofinder.forests.clock import NO_LIMIT
    >>> from topofinder.forests.optimality.bottleneck_cut import find_optimum
    >>> from topofinder.forests.optimality.network import Network
    >>> box = Network.of(mi250(1))
    >>> height_bound(TreeSearch.of(box, find_optimum(box), 0, NO_LIMIT))
    5
    """
    routes = search.routes
    start, out = csr_by_node(routes.tail, routes.hosts)
    hops = hop_table(start, routes.head[out].astype(np.int32))
    roots = [at for at, v in enumerate(search.network.compute.tolist()) if search.network.weight[v]]
    return int(hops[roots].max())


def pack_few_trees(search: TreeSearch, limit: LossLimit, best: PackedForest) -> PackedForest:
    """As few trees as are found within the loss, little higher than those of `best`, then lower.

    `best` itself where there are none.
    """
    chosen: tuple[PackedForest, TreeWish] | None = None
    for parts in PARTS:
        if parts > (limit.units or limit.count).k:
            continue
        found = _first_found(search, limit, parts, best.height + HIGHER)
        if found is None:
            break
        chosen = found
    for parts in () if chosen else MORE_PARTS:
        chosen = chosen or _first_found(search, limit, parts, best.height + HIGHER)
    if chosen is None or chosen[0].trees >= best.trees:
        return best
    return search.find_lower(*chosen, height_bound(search), ATTEMPTS)


def pack_low_trees(search: TreeSearch, limit: LossLimit, best: PackedForest) -> PackedForest:
    """The lowest trees that are found within the loss; `best` where none are lower."""
    low, parts = height_bound(search), min(limit.count.k, LOW_PARTS)
    wishes = *_wishes(limit, parts, best.height), *_wishes(limit, max(parts, 4), best.height)
    for wish in dict.fromkeys(wishes):
        if best.height > low and search.entries(wish.parts) <= MAX_ENTRIES:
            best = search.find_lower(best, wish, low)
    return best


def lower_small_forest(found: PackedForest, seed: int, clock: Clock) -> PackedForest:
    """The same number of trees a root at the same rate, lower where that takes no time."""
    entries = int(found.copies.sum()) * len(found.network.compute)
    if found.network.switches.size:  # the routes are chosen
        return found
    if found.method.startswith("level") or entries > QUICK_ENTRIES or clock.is_over:
        return found
    search = TreeSearch.of(found.network, found.optimum, seed, clock)
    wish = TreeWish(k=found.k, inverse_tree=found.inverse_tree, parts=found.k, height=found.height)
    lower = search.find_lower(found, wish, height_bound(search))
    return lower if lower.inverse_rate <= found.inverse_rate else found


def _first_found(
    search: TreeSearch, limit: LossLimit, parts: int, height: int
) -> tuple[PackedForest, TreeWish] | None:
    if search.entries(parts) > MAX_ENTRIES:
        return None
    for wish in _wishes(limit, parts, height):
        found = None if search.clock.is_over else search.find(wish, ATTEMPTS)
        if found is not None:
            return found, wish
    return None


def _wishes(limit: LossLimit, parts: int, height: int) -> Iterator[TreeWish]:
    """Trees of nearly equal weights, which sum to the smallest k; and of many unequal units."""
    for count in (limit.count, limit.units):
        if count is not None and parts <= count.k:
            yield TreeWish(k=count.k, inverse_tree=count.inverse_tree, parts=parts, height=height)
