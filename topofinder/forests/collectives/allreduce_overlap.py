"""Out-trees that leave room for themselves run backwards: an allreduce with both phases at once.

Source: ForestColl (NSDI 2026), appendix G; see `shares`. Where the network has fewer links at some
nodes than at others, or switches that multicast, this beats trees that reach the optimum of each
phase alone.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from generators.topology import Topology
from topofinder.forests.build import pack_forest
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.collectives.contraction import contract_switches
from topofinder.forests.collectives.routed_trees import route_trees
from topofinder.forests.collectives.shares import branching_switches, share_links
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import least_count, recommended_count, scan_counts
from topofinder.model.tree_set import TreeSet

MAX_LEAST_TREES = 200
FEW_TREES = range(1, 33)
"""Where more trees a root than MANY would be best, one of FEW is taken: the first with a loss of at
most 1 %, or that with the least."""


def pack_overlapping(
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
    are those of an allgather on all of the network.
    """
    whole = Network.of(topology, weights)
    best = find_optimum(whole)
    able = branching_switches(topology) if branch else ()
    network = Network.of(share_links(topology, whole.weight, able), whole.weight, one_way=True)
    packed = pack_forest(network, k or _choose_tree_count(network), seed, clock)
    trees = contract_switches(route_trees(packed), frozenset(able))
    return (
        whole.weight,
        replace(trees, optimum=best.inverse_rate, cut=best.cut),
        packed.method,
    )


def _choose_tree_count(network: Network) -> int:
    """How many trees a root of weight 1 are to be packed."""
    cuts = Cuts(network.n, network.tail, network.head, network.compute)
    best = find_optimum(network, cuts)
    least = least_count(network, best, cuts).k
    return (
        least
        if least <= MAX_LEAST_TREES
        else recommended_count(scan_counts(network, best, FEW_TREES, cuts)).k
    )
