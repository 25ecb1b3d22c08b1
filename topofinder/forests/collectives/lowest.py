"""The trees of one root: more of them where that makes them lower.

The fewest trees that reach the optimum of a broadcast may have to be paths: where a host has one
link, one tree at full rate can never branch. Twice as many of half the rate can; with a few times
as many, the heights are of the order of the logarithm.
"""

from generators.errors import Unsupported
from topofinder.forests.build import pack_forest
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.optimality.network import Network
from topofinder.forests.packed_forest import PackedForest

MULTIPLES_OF_K = (2, 4, 8)
MAX_ENTRIES = 1 << 16
"""Trees times nodes up to which more trees are tried."""


def lowest_forest(network: Network, seed: int = 0, clock: Clock = NO_LIMIT) -> PackedForest:
    """The lowest of the forests with the least k and a few multiples of it; the first of equals.

    Raises as `pack_forest`.

    >>> from generators.topology import Topology
    >>> arcs = [(v, 8) for v in range(8)] + [(8, v) for v in range(8)]
    >>> star = Network.of(Topology.from_arcs(9, arcs, switches=(8,)), [1] + [0] * 8)
    >>> pack_forest(star).height, lowest_forest(star).height
    (7, 4)
    """
    best = pack_forest(network, None, seed, clock)
    least = best.k
    if best.method.startswith("level") and not network.switches.size:
        return best
    for times in MULTIPLES_OF_K:
        if clock.is_over or times * least * len(network.compute) > MAX_ENTRIES:
            break
        try:
            found = pack_forest(network, times * least, seed, clock)
        except Unsupported:
            continue
        if found.loss == best.loss and found.height < best.height:
            best = found
    return best
