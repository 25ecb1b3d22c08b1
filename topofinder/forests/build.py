"""The forest of a fabric: the optimum, the number of trees, switches away, trees packed.

Source: ForestColl (NSDI 2026), section 5.1.
"""

import numpy as np

from generators.arrays import column
from generators.errors import Unsupported
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.optimality.bottleneck_cut import Optimum, optimality
from topofinder.forests.optimality.cuts import LIMIT, Cuts
from topofinder.forests.optimality.network import Fabric
from topofinder.forests.optimality.tree_count import (
    balanced,
    fixed_count,
    least_count,
    passable,
    places,
)
from topofinder.forests.packed_forest import PackedForest
from topofinder.forests.packing.job import Job
from topofinder.forests.packing.packers import packed
from topofinder.forests.switch_removal.edge_splitting import without_switches
from topofinder.forests.switch_removal.routes import bundles
from topofinder.forests.switch_removal.split_state import Splitting


def optimum(fabric: Fabric) -> Optimum:
    """The best possible rate and its bottleneck cut; see `optimality`."""
    return optimality(fabric)


def forest(
    fabric: Fabric, k: int | None = None, seed: int = 0, clock: Clock = NO_LIMIT
) -> PackedForest:
    """Trees that reach the optimum; with `k` trees a root of weight 1, the best there are.

    Without `k` it is the smallest number found that reaches the optimum. When the time of
    `clock` is over, trees are no longer made lower, and none are looked for.

    Raises InvalidInput for a fabric that is not connected, switches with more bandwidth in than
    out or the reverse, and a `k` below 1. Raises Unsupported when there are too many trees, when
    a `k` leaves a switch with more trees in than out, or the time is over before there are trees.

    >>> from generators.families.hamming import hypercube
    >>> found = forest(Fabric.of(hypercube(3)))
    >>> found.k, found.inverse_rate, found.height
    (3, Fraction(7, 3), 3)
    """
    fabric.require_eulerian()
    cuts = Cuts(fabric.n, fabric.tail, fabric.head, fabric.compute)
    best = optimality(fabric, cuts)
    if k is None:
        count = least_count(fabric, best, cuts)
    else:
        count = passable(fabric, best, fixed_count(fabric, best, k, cuts))
    held = _useful(fabric, count.k, places(fabric, count.inverse_tree))
    _require_fit(fabric, count.k, held)
    state = Splitting(fabric.n, fabric.tail, fabric.head, held)
    supply = [count.k * weight for weight in fabric.weight]
    state = without_switches(state, fabric.compute, supply, clock=clock)
    place = np.full(fabric.n, -1, np.int32)
    place[fabric.compute] = np.arange(len(fabric.compute))
    # Switches that no compute node is linked to keep their arcs.
    alive = np.flatnonzero((state.capacity > 0) & (place[state.tail] >= 0))
    job = Job(
        tail=place[state.tail[alive]],
        head=place[state.head[alive]],
        capacity=state.capacity[alive],
        supply=np.array(supply, dtype=np.int64)[fabric.compute],
        translation=fabric.translation,
    )
    trees = packed(job, seed, clock)
    bundle_start, amount, route_start, route = bundles(state, held, alive)
    return PackedForest(
        fabric=fabric,
        optimum=best,
        k=count.k,
        inverse_tree=count.inverse_tree,
        root=column(fabric.compute[trees.root], np.int32),
        copies=column(trees.copies, np.int64),
        start=column(np.arange(len(trees.root) + 1) * (job.n - 1), np.int64),
        arc=column(trees.arc, np.int32),
        tail=column(state.tail[alive], np.int32),
        head=column(state.head[alive], np.int32),
        capacity=column(job.capacity, np.int64),
        bundle_start=column(bundle_start, np.int64),
        amount=column(amount, np.int64),
        route_start=column(route_start, np.int64),
        route=column(route, np.int32),
        method=trees.method,
    )


def _useful(fabric: Fabric, k: int, held: list[int]) -> list[int]:
    """No arc can be in more trees than there are; where numbers are large, the rest is left out."""
    if sum(held) < LIMIT:
        return held
    most = [min(places_, k * fabric.total) for places_ in held]
    return most if balanced(fabric, most) else held


def _require_fit(fabric: Fabric, k: int, held: list[int]) -> None:
    if fabric.total * len(fabric.compute) >= LIMIT:
        raise Unsupported(
            "weights: too many trees to make the shards so unequal; round the weights"
        )
    if k * fabric.total * len(fabric.compute) >= LIMIT:
        raise Unsupported(f"k: {k} trees a root are too many; choose a small k")
    if sum(held) >= LIMIT:
        raise Unsupported(f"bandwidths: too unequal for {k} trees a root")
    if not balanced(fabric, held):
        raise Unsupported(f"k: {k} trees a root leave a switch with more trees in than out")
