"""The forest of a collective: out-trees, in-trees from the transpose, or both.

Source: ForestColl (NSDI 2026), section 5.7: a reduce-scatter is an allgather on the turned graph,
run backwards; an allreduce is the one and then the other; broadcast and reduce have a single root.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.forests.build import forest
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.collectives.allreduce_overlap import overlapping
from topofinder.forests.collectives.lowest import lowest
from topofinder.forests.collectives.multicast import with_multicast
from topofinder.forests.collectives.reach import require_reach
from topofinder.forests.collectives.routed_trees import routed
from topofinder.forests.optimality.network import Fabric
from topofinder.forests.packed_forest import PackedForest
from topofinder.model.forest import GATHERING, SPREADING, Forest, single
from topofinder.model.forest_loads import bandwidths, inverse_rate
from topofinder.model.tree_set import TreeSet

SHARED = "shared"
"""In the method's name: out-trees and in-trees have their own shares of the links."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A collective, the root of a broadcast or reduce, weights of nodes, and how to pack.

    `k` trees a root instead of as few as the optimum takes (a few times that for a single root,
    where they are lower so); `weights` have an entry a node; `able` lets switches multicast and
    combine where the topology says that they can. `overlap` shares links between the phases of an
    allreduce, where both at once take less time so. `clock` limits the time of packing.
    """

    collective: Collective = Collective.ALLGATHER
    root: int | None = None
    weights: Sequence[Fraction | int] | None = None
    k: int | None = None
    seed: int = 0
    able: bool = True
    overlap: bool = False
    clock: Clock = NO_LIMIT


def forest_of(topology: Topology, wish: Wish) -> Forest:
    """The trees that carry out the collective, each with its routes.

    A two-way fabric uses the same trees for both phases of an allreduce. Raises InvalidInput for a
    topology on which there are none, naming the node or link.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> found = forest_of(pair, Wish(collective=Collective.ALLREDUCE))
    >>> found.optimum, found.inverse_rate
    (Fraction(2, 1), Fraction(2, 1))
    """
    weights = _weights(topology, wish)
    turned = topology.transpose()
    spread = gather = None
    if wish.overlap:
        both = _overlapping(topology, weights, wish)
        if wish.clock.is_over:
            return both
        each = forest_of(topology, replace(wish, overlap=False))
        return both if both.together < each.together else each
    if wish.collective in SPREADING:
        spread = _packed(topology, weights, wish)
    if wish.collective in GATHERING:
        gather = spread if spread and is_two_way(topology) else _packed(turned, weights, wish)
    made = spread or gather
    return Forest(
        topology=topology,
        collective=wish.collective,
        weight=made.fabric.weight if made else (),
        spread=None if spread is None else _trees(spread, topology, wish),
        gather=None if gather is None else _trees(gather, turned, wish),
        root=wish.root,
        method=f"forest, {made.method}" if made else None,
    )


def _overlapping(
    topology: Topology, weights: Sequence[Fraction | int] | None, wish: Wish
) -> Forest:
    """An allreduce whose out-trees use their share of the links, and in-trees the rest."""
    if wish.collective is not Collective.ALLREDUCE:
        raise InvalidInput(f"--overlap: for allreduce, not {wish.collective.value}")
    if not is_two_way(topology):
        raise InvalidInput("--overlap: every link must have the same bandwidth both ways")
    require_reach(topology, Fabric.of(topology, weights).weight)
    weight, trees, how = overlapping(
        topology, weights, wish.k, wish.seed, branch=wish.able, clock=wish.clock
    )
    turned = topology.transpose()
    return Forest(
        topology=topology,
        collective=wish.collective,
        weight=weight,
        spread=_able(trees, topology, wish),
        gather=_able(trees, turned, wish),
        method=f"forest, {SHARED}, {how}",
    )


def is_two_way(topology: Topology) -> bool:
    """Whether as much bandwidth leads from v to u as from u to v, for every pair."""
    found = bandwidths(topology)
    return all(found.get((v, u)) == bandwidth for (u, v), bandwidth in found.items())


def _packed(
    topology: Topology, weights: Sequence[Fraction | int] | None, wish: Wish
) -> PackedForest:
    fabric = Fabric.of(topology, weights)
    require_reach(topology, fabric.weight)
    fabric.require_eulerian()
    if wish.root is not None and wish.k is None:
        return lowest(fabric, wish.seed, wish.clock)
    return forest(fabric, wish.k, wish.seed, wish.clock)


def _trees(packed: PackedForest, topology: Topology, wish: Wish) -> TreeSet:
    return _able(routed(packed), topology, wish)


def _able(trees: TreeSet, topology: Topology, wish: Wish) -> TreeSet:
    """With what switches spare, and the time that follows."""
    if wish.able:
        trees = with_multicast(trees, topology)
    return replace(trees, time=inverse_rate(topology, trees))


def _weights(topology: Topology, wish: Wish) -> Sequence[Fraction | int] | None:
    """The weights; those of a rooted collective are 1 at the root."""
    if wish.collective.is_rooted != (wish.root is not None):
        told = "needs a root" if wish.root is None else f"has no root {wish.root}"
        raise InvalidInput(f"root: {wish.collective.value} {told}")
    if wish.root is None:
        return wish.weights
    if wish.weights is not None:
        raise InvalidInput(f"weights: {wish.collective.value} sends one shard only")
    names = topology.names or range(topology.n)
    if wish.root in topology.switches:
        raise InvalidInput(f"root: node {names[wish.root]} is a switch, which has no shard")
    if not 0 <= wish.root < topology.n:
        raise InvalidInput(f"root: node {wish.root} is no node of this graph")
    return single(topology.n, wish.root)
