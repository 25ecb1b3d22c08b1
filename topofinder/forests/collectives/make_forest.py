"""The forest of a collective: out-trees, in-trees from the transpose, or both.

Source: ForestColl (NSDI 2026), section 5.7: a reduce-scatter is an allgather on the transposed
graph, run backwards; an allreduce is the one and then the other; broadcast and reduce have a single
root.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from expansions.collective import Collective
from generators.connectivity import reachable
from generators.errors import InvalidInput, Unsupported
from generators.host_limits import limited_hosts
from generators.topology import Topology
from topofinder.forests.build import pack_forest
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.collectives.allreduce_levels import (
    SharedLevels,
    pack_shared_levels,
    share_levels,
)
from topofinder.forests.collectives.allreduce_overlap import pack_overlapping
from topofinder.forests.collectives.limited_hosts import limit_forest
from topofinder.forests.collectives.multicast import skip_multicast_hops
from topofinder.forests.collectives.routed_trees import route_trees
from topofinder.forests.few_trees.pack import Preference, TreeAim, count_trees, pack_with_aim
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
from topofinder.model.routing import Routing
from topofinder.model.tree_set import TreeSet

Weights = Sequence[Fraction | int] | None

MULTIPLES_OF_K = (2, 4, 8)
MAX_LOWEST_ENTRIES = 1 << 16
"""Trees times nodes up to which more trees a root are tried, and by what factors."""
SHARED = "shared"
"""In the method's name: out-trees and in-trees have their own shares of the links."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestOptions:
    """A collective, the root of a broadcast or reduce, weights of nodes, and how to pack.

    `k` trees a root instead of as few as the optimum takes (a few times that for a single root,
    where they are lower so); `weights` have an entry a node; `able` lets switches multicast and
    combine where the topology says that they can. `overlap` shares links between the phases of an
    allreduce, where both at once take less time so. `routing` is that of `pack_forest`. `clock`
    limits the time of packing. `loss` and `above` are as in `TreeAim`, `prefer` too, for phases
    that are packed each alone.
    """

    collective: Collective = Collective.ALLGATHER
    root: int | None = None
    weights: Weights = None
    k: int | None = None
    seed: int = 0
    able: bool = True
    overlap: bool = False
    routing: Routing | None = None
    clock: Clock = NO_LIMIT
    loss: Fraction = Fraction(0)
    above: int = 0
    prefer: Preference | None = None


def make_forest(topology: Topology, options: ForestOptions) -> Forest:
    """The trees that carry out the collective, each with its routes.

    A two-way network uses the same trees for both phases of an allreduce. Raises InvalidInput for a
    topology on which there are none, naming the node or link.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> found = make_forest(pair, ForestOptions(collective=Collective.ALLREDUCE))
    >>> found.optimum, found.inverse_rate
    (Fraction(2, 1), Fraction(2, 1))
    """
    if options.collective is Collective.ALLTOALL:
        raise InvalidInput("--collective: an all-to-all is scheduled by --method timed")
    weights = _shard_weights(topology, options)
    _require_routing(topology, options)
    if options.overlap and limited_hosts(topology):
        raise InvalidInput("--overlap: does not go with an injection limit of hosts")
    if topology.injection is not None and not options.overlap:
        return limit_forest(topology, lambda links: _make_phases(links, weights, options))
    if not options.overlap:
        return _make_phases(topology, weights, options)
    both = _make_overlapping(topology, weights, options)
    if options.clock.is_over:
        return both
    apart = _make_phases(topology, weights, options)
    return both if both.together < apart.together else apart


def phase_networks(topology: Topology, options: ForestOptions) -> list[Network]:
    """The network of each phase in which trees are packed: in-trees on the turned graph, first.

    Raises InvalidInput as `make_forest`.
    """
    weights = _shard_weights(topology, options)
    wanted = ((GATHERING, topology.transpose()), (SPREADING, topology))
    found = [Network.of(each, weights) for kind, each in wanted if options.collective in kind]
    for network in found:
        network.require_eulerian()
        _require_reach(topology, network.weight)
    return found


def lowest_forest(
    network: Network,
    seed: int = 0,
    clock: Clock = NO_LIMIT,
    routing: Routing | None = Routing.ANY,
    k: int | None = None,
) -> PackedForest:
    """The lowest of the forests with the least k and a few multiples of it; the first of equals.

    With `k` that is the least.

    The fewest trees that reach the optimum of a broadcast may have to be paths: where a host has
    one link, one tree at full rate can never branch. Twice as many of half the rate can; with a few
    times as many, the heights are of the order of the logarithm.

    Raises as `pack_forest`.

    >>> from generators.topology import Topology
    >>> arcs = [(v, 8) for v in range(8)] + [(8, v) for v in range(8)]
    >>> star = Network.of(Topology.from_arcs(9, arcs, switches=(8,)), [1] + [0] * 8)
    >>> pack_forest(star).height, lowest_forest(star).height
    (7, 3)
    """
    best = pack_forest(network, k, seed, clock, routing)
    least = best.k
    if best.method.startswith("level") and not network.switches.size:
        return best
    for times in MULTIPLES_OF_K:
        if clock.is_over or times * least * len(network.compute) > MAX_LOWEST_ENTRIES:
            break
        try:
            found = pack_forest(network, times * least, seed, clock, routing)
        except Unsupported:
            continue
        if (found.loss, found.height) < (best.loss, best.height):
            best = found
    return best


def is_two_way(topology: Topology) -> bool:
    """Whether as much bandwidth leads from v to u as from u to v, for every pair."""
    found = pair_bandwidths(topology)
    return all(found.get((v, u)) == bandwidth for (u, v), bandwidth in found.items())


def _require_reach(topology: Topology, weight: Sequence[int]) -> None:
    """Refuse a topology on which a node of positive weight cannot reach a compute node.

    Raises InvalidInput naming both nodes.
    """
    senders = np.flatnonzero(np.array(weight) > 0)
    hosts = np.setdiff1d(np.arange(topology.n), topology.switches)
    first = int(senders[0])
    far = hosts[~reachable(topology.tail, topology.head, topology.n, first)[hosts]]
    if far.size:
        raise _refusal(topology, first, int(far[0]))
    lost = senders[~reachable(topology.head, topology.tail, topology.n, first)[senders]]
    if lost.size:
        raise _refusal(topology, int(lost[0]), first)


def _make_phases(topology: Topology, weights: Weights, options: ForestOptions) -> Forest:
    """Out-trees and in-trees, whichever the collective needs, each as good as can be alone."""
    turned = topology.transpose()
    spread = gather = None
    if options.collective in SPREADING:
        spread = _pack_direction(topology, weights, options)
    if options.collective in GATHERING:
        same = spread if is_two_way(topology) else None
        gather = same or _pack_direction(turned, weights, options)
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


def _make_overlapping(topology: Topology, weights: Weights, options: ForestOptions) -> Forest:
    """An allreduce whose out-trees and in-trees share the links: low trees, or else few links left.

    Without switches a level forest comes first. One that is far from its bound is compared with
    trees packed into the shares that the linear program proposes, on a two-way network.
    """
    if options.collective is not Collective.ALLREDUCE:
        raise InvalidInput(f"--overlap: for allreduce, not {options.collective.value}")
    if topology.switches and not is_two_way(topology):
        raise InvalidInput(
            "--overlap: with switches every link must have equal bandwidth both ways"
        )
    network = Network.of(topology, weights)
    _require_reach(topology, network.weight)
    low = None if topology.switches else _try_levels(topology, weights, options)
    if low is not None and (low.is_near or not low.links.two_way or options.clock.is_over):
        return _forest_of_levels(topology, low)
    try:
        packed = _pack_into_shares(topology, weights, options)
    except Unsupported:
        if low is None:
            raise
        return _forest_of_levels(topology, low)
    if low is not None and low.time <= packed.together:
        return _forest_of_levels(topology, low)
    return packed


def _try_levels(
    topology: Topology, weights: Weights, options: ForestOptions
) -> SharedLevels | None:
    """The level forest that shares the links; None on two-way networks that are too large."""
    try:
        return share_levels(topology, weights, options.k, options.seed, loss=options.loss)
    except Unsupported:
        if not is_two_way(topology):
            raise
        return None


def _forest_of_levels(topology: Topology, low: SharedLevels) -> Forest:
    """The allreduce of a level forest that shares the links."""
    spread, gather = pack_shared_levels(low)
    return Forest(
        topology=topology,
        collective=Collective.ALLREDUCE,
        weight=low.links.network.weight,
        spread=spread.with_time(inverse_rate(topology, spread)),
        gather=gather.with_time(inverse_rate(topology.transpose(), gather)),
        method=f"forest, {SHARED}, level",
    )


def _pack_into_shares(topology: Topology, weights: Weights, options: ForestOptions) -> Forest:
    """An allreduce whose out-trees use their share of the links, and in-trees the rest."""
    weight, trees, how = pack_overlapping(
        topology, weights, options.k, options.seed, branch=options.able, clock=options.clock,
        loss=options.loss, above=options.above,
    )  # fmt: skip
    turned = topology.transpose()
    return Forest(
        topology=topology,
        collective=options.collective,
        weight=weight,
        spread=_skip_multicast(trees, topology, options),
        gather=_skip_multicast(trees, turned, options),
        method=f"forest, {SHARED}, {how}",
    )


def _pack_direction(topology: Topology, weights: Weights, options: ForestOptions) -> PackedForest:
    """The trees of one phase, in logical arcs."""
    network = Network.of(topology, weights)
    _require_reach(topology, network.weight)
    network.require_eulerian()
    aim = TreeAim(k=options.k, loss=options.loss, above=options.above, prefer=options.prefer)
    if options.root is not None and options.k is None and options.prefer is None:
        k = count_trees(network, aim, options.clock).k if aim.loss else None
        return lowest_forest(network, options.seed, options.clock, options.routing, k)
    return pack_with_aim(network, aim, options.seed, options.clock, options.routing)


def _route_trees(packed: PackedForest, topology: Topology, options: ForestOptions) -> TreeSet:
    """The trees with their routes, without the hops that switches spare."""
    return _skip_multicast(route_trees(packed), topology, options)


def _skip_multicast(trees: TreeSet, topology: Topology, options: ForestOptions) -> TreeSet:
    """Without the hops that switches spare, and with the time that follows."""
    if options.able:
        trees = skip_multicast_hops(trees, topology)
    return trees.with_time(inverse_rate(topology, trees))


def _shard_weights(topology: Topology, options: ForestOptions) -> Weights:
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


def _require_routing(topology: Topology, options: ForestOptions) -> None:
    """Refuse a routing that the topology or the other options leave no room for."""
    if options.routing is not None and options.overlap:
        raise InvalidInput(f"--routing: {options.routing} does not go with --overlap")
    if options.routing is Routing.UPDOWN and topology.switches and topology.tiers is None:
        raise InvalidInput("--routing: updown needs tiers, and these switches have none")


def _refusal(topology: Topology, u: int, v: int) -> InvalidInput:
    """What to raise where node v cannot be reached from node u."""
    names = topology.names or tuple(map(str, range(topology.n)))
    return InvalidInput(f"node {names[v]} cannot be reached from node {names[u]}")
