"""The trees of one root: more of them where that makes them lower.

The fewest trees that reach the optimum of a broadcast may have to be paths: where a host has one
link, one tree at full rate can never branch. Twice as many of half the rate can; with a few times
as many, the heights are of the order of the logarithm.
"""

from generators.errors import Unsupported
from topofinder.forests.build import forest
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.optimality.network import Fabric
from topofinder.forests.packed_forest import PackedForest

TIMES = (2, 4, 8)
MAX_ENTRIES = 1 << 16
"""Trees times nodes up to which more trees are tried."""


def lowest(fabric: Fabric, seed: int = 0, clock: Clock = NO_LIMIT) -> PackedForest:
    """The lowest of the forests with the least k and a few multiples of it; the first of equals.

    Raises as `forest`.

    >>> from generators.topology import Topology
    >>> arcs = [(v, 8) for v in range(8)] + [(8, v) for v in range(8)]
    >>> star = Fabric.of(Topology.from_arcs(9, arcs, switches=(8,)), [1] + [0] * 8)
    >>> forest(star).height, lowest(star).height
    (7, 4)
    """
    best = forest(fabric, None, seed, clock)
    least = best.k
    if best.method.startswith("level") and not fabric.switches.size:
        return best
    for times in TIMES:
        if clock.is_over or times * least * len(fabric.compute) > MAX_ENTRIES:
            break
        try:
            found = forest(fabric, times * least, seed, clock)
        except Unsupported:
            continue
        if found.loss == best.loss and found.height < best.height:
            best = found
    return best
