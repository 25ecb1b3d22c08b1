"""What an allreduce of low trees costs with both phases at once, in the units of other costs."""

from dataclasses import dataclass
from fractions import Fraction

from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from topofinder.forests.collectives.allreduce_levels import TRIES, share_levels


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapCost:
    """T_B in M/B of an allreduce by trees, many chunks one after the other, and what bounds it.

    No allreduce of trees with equal shards on the graph takes less than `bound`. Trees are `height`
    high at most.
    """

    bandwidth: Fraction
    bound: Fraction
    height: int


def overlap_cost(
    topology: Topology, d: int, tries: int = TRIES, enough: Fraction = Fraction()
) -> OverlapCost | None:
    """The cost for hosts of d ports, whose links have B/d each; None where no trees are made.

    `tries` other ranks are tried where hop distances do not reach the bound, until one takes at
    most `enough` longer, relatively (`share_levels`).

    >>> from generators.families.circulant import circulant
    >>> overlap_cost(circulant(16, (3, 4)), 4)
    OverlapCost(bandwidth=Fraction(15, 8), bound=Fraction(15, 8), height=3)
    """
    try:
        found = share_levels(topology, tries=tries, enough=enough)
    except (InvalidInput, Unsupported):
        return None
    unit = Fraction(d, topology.n)
    bound = found.links.bound * unit
    return OverlapCost(bandwidth=found.time * unit, bound=bound, height=found.height)
