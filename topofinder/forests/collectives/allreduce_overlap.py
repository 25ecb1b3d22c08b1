"""Out-trees that leave room for themselves run backwards: an allreduce with both phases at once.

Source: ForestColl (NSDI 2026), appendix G; see `shares`. Where the fabric has fewer links at some
nodes than at others, or switches that multicast, this beats trees that reach the optimum of each
phase alone.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from generators.topology import Topology
from topofinder.forests.build import forest
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.collectives.contraction import contracted
from topofinder.forests.collectives.routed_trees import routed
from topofinder.forests.collectives.shares import branching, shared
from topofinder.forests.optimality.bottleneck_cut import optimality
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Fabric
from topofinder.forests.optimality.tree_count import least_count, recommended, scan
from topofinder.model.tree_set import TreeSet

MANY = 200
FEW = range(1, 33)
"""Where more trees a root than MANY would be best, one of FEW is taken: the first with a loss of at
most 1 %, or that with the least."""


def overlapping(
    topology: Topology,
    weights: Sequence[Fraction | int] | None,
    k: int | None,
    seed: int,
    *,
    branch: bool = True,
    clock: Clock = NO_LIMIT,
) -> tuple[tuple[int, ...], TreeSet, str]:
    """The weights as integers, the trees, and how they were packed.

    With `branch`, trees may branch at switches that multicast and combine. The bound and the cut
    are those of an allgather on all of the fabric.
    """
    whole = Fabric.of(topology, weights)
    best = optimality(whole)
    able = branching(topology) if branch else ()
    fabric = Fabric.of(shared(topology, whole.weight, able), whole.weight, one_way=True)
    packed = forest(fabric, k or _count(fabric), seed, clock)
    trees = contracted(routed(packed), frozenset(able))
    return (
        whole.weight,
        replace(trees, optimum=best.inverse_rate, cut=best.cut),
        packed.method,
    )


def _count(fabric: Fabric) -> int:
    """How many trees a root of weight 1 are to be packed."""
    cuts = Cuts(fabric.n, fabric.tail, fabric.head, fabric.compute)
    best = optimality(fabric, cuts)
    least = least_count(fabric, best, cuts).k
    return least if least <= MANY else recommended(scan(fabric, best, FEW, cuts)).k
