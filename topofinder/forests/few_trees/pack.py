"""Forests by what they are for: few trees a root at little loss, few different or low ones."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from generators.errors import Unsupported
from topofinder.forests.build import pack_forest
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.few_trees.as_forest import TreeSearch
from topofinder.forests.few_trees.fewest import (
    LossLimit,
    height_bound,
    lower_small_forest,
    pack_few_trees,
    pack_low_trees,
)
from topofinder.forests.optimality.bottleneck_cut import Optimum, find_optimum
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import (
    TreeCount,
    count_within,
    fixed_count,
    least_count,
)
from topofinder.forests.packed_forest import PackedForest
from topofinder.model.routing import Routing


class Preference(StrEnum):
    """What counts among forests within a loss."""

    TREES = "trees"
    HEIGHT = "height"


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeAim:
    """`k` trees a root; else the smallest k that takes at most `loss` longer than the optimum.

    A k of the optimum up to `above` is kept. What is to be preferred is looked for beyond that.
    """

    k: int | None = None
    loss: Fraction = Fraction(0)
    above: int = 0
    prefer: Preference | None = None


def pack_with_aim(
    network: Network,
    aim: TreeAim,
    seed: int = 0,
    clock: Clock = NO_LIMIT,
    routing: Routing | None = Routing.ANY,
) -> PackedForest:
    """The forest that comes nearest to the aim; `routing` and errors are those of `pack_forest`.

    What is preferred takes shortest routes.

    >>> from generators.fabrics.mi250 import mi250
    >>> found = pack_with_aim(Network.of(mi250(1)), TreeAim(prefer=Preference.HEIGHT))
    >>> found.height, found.loss
    (6, Fraction(0, 1))
    """
    if aim.prefer is None and (aim.k is not None or not aim.loss):
        return lower_small_forest(pack_forest(network, aim.k, seed, clock, routing), seed, clock)
    network.require_eulerian()
    cuts = Cuts.of(network)
    best = find_optimum(network, cuts)
    limit = _loss_limit(network, best, aim, cuts, clock)
    found = lower_small_forest(
        pack_forest(network, limit.count.k, seed, clock, routing), seed, clock
    )
    return found if aim.prefer is None else _prefer(aim.prefer, found, limit, seed, clock)


def count_trees(network: Network, aim: TreeAim, clock: Clock = NO_LIMIT) -> TreeCount:
    """The number of trees a root that an aim without a preference takes, told before packing.

    >>> from generators.fabrics.mi250 import mi250
    >>> count_trees(Network.of(mi250(2)), TreeAim(loss=Fraction(1, 50))).k
    5
    """
    network.require_eulerian()
    cuts = Cuts.of(network)
    return _loss_limit(network, find_optimum(network, cuts), aim, cuts, clock).count


def _loss_limit(
    network: Network, best: Optimum, aim: TreeAim, cuts: Cuts, clock: Clock
) -> LossLimit:
    """The k to pack, told before it is packed."""
    if aim.k is not None:
        return LossLimit(count=fixed_count(network, best, aim.k, cuts))
    exact = least_count(network, best, cuts)
    if exact.k <= aim.above and aim.prefer is None:
        return LossLimit(count=exact)
    count = count_within(network, best, aim.loss, exact, cuts)
    clock.tell(
        f"k {count.k} takes {float(100 * count.loss):.3g} % longer than k {exact.k}, which is best"
    )
    return LossLimit.of(best, aim.loss, count)


def _prefer(
    prefer: Preference, found: PackedForest, limit: LossLimit, seed: int, clock: Clock
) -> PackedForest:
    """What is preferred, where the fabric is small enough to look for it; else what was found."""
    try:
        search = TreeSearch.of(found.network, found.optimum, seed, clock)
    except Unsupported:
        return found
    if prefer is Preference.TREES:
        return pack_few_trees(search, limit, found)
    return pack_low_trees(search, limit, found)


def least_height(network: Network) -> int | None:
    """Edges from a root to the farthest host at least; None where there are too many routes.

    >>> from generators.fabrics.mi250 import mi250
    >>> least_height(Network.of(mi250(1))), least_height(Network.of(mi250(2)))
    (5, 1)
    """
    try:
        return height_bound(TreeSearch.of(network, find_optimum(network), 0, NO_LIMIT))
    except Unsupported:
        return None
