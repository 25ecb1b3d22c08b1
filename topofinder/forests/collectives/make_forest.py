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
from topofinder.forests.build import pack_forest
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.collectives.allreduce_overlap import pack_overlapping
from topofinder.forests.collectives.lowest import lowest_forest
from topofinder.forests.collectives.multicast import skip_multicast_hops
from topofinder.forests.collectives.reach import require_reach
from topofinder.forests.collectives.routed_trees import route_trees
from topofinder.forests.optimality.network import Network
from topofinder.forests.packed_forest import PackedForest
from topofinder.model.forest import (
    GATHERING,
    SPREADING,
    Forest,
    inverse_rate,
    pair_bandwidths,
    single_root_weights,
)
from topofinder.model.tree_set import TreeSet

SHARED = "shared"
"""In the method's name: out-trees and in-trees have their own shares of the links."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestOptions:
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


def make_forest(topology: Topology, options: ForestOptions) -> Forest:
    """The trees that carry out the collective, each with its routes.

    A two-way network uses the same trees for both phases of an allreduce. Raises InvalidInput for a
    topology on which there are none, naming the node or link.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> found = make_forest(pair, ForestOptions(collective=Collective.ALLREDUCE))
    >>> found.optimum, found.inverse_rate
    (Fraction(2, 1), Fraction(2, 1))
    """
    weights = _shard_weights(topology, options)
    turned = topology.transpose()
    spread = gather = None
    if options.overlap:
        both = _make_overlapping(topology, weights, options)
        if options.clock.is_over:
            return both
        each = make_forest(topology, replace(options, overlap=False))
        return both if both.together < each.together else each
    if options.collective in SPREADING:
        spread = _pack_direction(topology, weights, options)
    if options.collective in GATHERING:
        gather = (
            spread if spread and is_two_way(topology) else _pack_direction(turned, weights, options)
        )
    made = spread or gather
    return Forest(
        topology=topology,
        collective=options.collective,
        weight=made.network.weight if made else (),
        spread=None if spread is None else _route_trees(spread, topology, options),
        gather=None if gather is None else _route_trees(gather, turned, options),
        root=options.root,
        method=f"forest, {made.method}" if made else None,
    )


def _make_overlapping(
    topology: Topology, weights: Sequence[Fraction | int] | None, options: ForestOptions
) -> Forest:
    """An allreduce whose out-trees use their share of the links, and in-trees the rest."""
    if options.collective is not Collective.ALLREDUCE:
        raise InvalidInput(f"--overlap: for allreduce, not {options.collective.value}")
    if not is_two_way(topology):
        raise InvalidInput("--overlap: every link must have the same bandwidth both ways")
    require_reach(topology, Network.of(topology, weights).weight)
    weight, trees, how = pack_overlapping(
        topology, weights, options.k, options.seed, branch=options.able, clock=options.clock
    )
    turned = topology.transpose()
    return Forest(
        topology=topology,
        collective=options.collective,
        weight=weight,
        spread=_skip_multicast(trees, topology, options),
        gather=_skip_multicast(trees, turned, options),
        method=f"forest, {SHARED}, {how}",
    )


def is_two_way(topology: Topology) -> bool:
    """Whether as much bandwidth leads from v to u as from u to v, for every pair."""
    found = pair_bandwidths(topology)
    return all(found.get((v, u)) == bandwidth for (u, v), bandwidth in found.items())


def _pack_direction(
    topology: Topology, weights: Sequence[Fraction | int] | None, options: ForestOptions
) -> PackedForest:
    network = Network.of(topology, weights)
    require_reach(topology, network.weight)
    network.require_eulerian()
    if options.root is not None and options.k is None:
        return lowest_forest(network, options.seed, options.clock)
    return pack_forest(network, options.k, options.seed, options.clock)


def _route_trees(packed: PackedForest, topology: Topology, options: ForestOptions) -> TreeSet:
    return _skip_multicast(route_trees(packed), topology, options)


def _skip_multicast(trees: TreeSet, topology: Topology, options: ForestOptions) -> TreeSet:
    """With what switches spare, and the time that follows."""
    if options.able:
        trees = skip_multicast_hops(trees, topology)
    return replace(trees, time=inverse_rate(topology, trees))


def _shard_weights(topology: Topology, options: ForestOptions) -> Sequence[Fraction | int] | None:
    """The weights; those of a rooted collective are 1 at the root."""
    if options.collective.is_rooted != (options.root is not None):
        told = "needs a root" if options.root is None else f"has no root {options.root}"
        raise InvalidInput(f"root: {options.collective.value} {told}")
    if options.root is None:
        return options.weights
    if options.weights is not None:
        raise InvalidInput(f"weights: {options.collective.value} sends one shard only")
    names = topology.names or range(topology.n)
    if options.root in topology.switches:
        raise InvalidInput(f"root: node {names[options.root]} is a switch, which has no shard")
    if not 0 <= options.root < topology.n:
        raise InvalidInput(f"root: node {options.root} is no node of this graph")
    return single_root_weights(topology.n, options.root)
