"""Forests of few hosts with a narrow inside: packed over all links, as `schedule` packs them.

Where the inside of hosts is the bottleneck, a shard may better come over the ports of another host
than from within the own one, which no composed forest does. On few accelerators the forest of all
links, which reaches the bound by all cuts, is packed soon enough, and is what a search tells.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from expansions.collective import Collective
from expansions.hosts import HostFabric, HostWiring, host_topology
from generators.errors import Unsupported
from generators.hosts.template import InnerKind
from generators.topology import Topology
from topofinder.finder.host_prediction import HopWeights, HostPrediction
from topofinder.forests.clock import Clock
from topofinder.forests.collectives.host_forest import MOST_PACKED, compose_forest
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network
from topofinder.model.tree_set import TreeSet

PACKING_SECONDS = 30.0


def pack_few_hosts(
    fabric: HostFabric,
    wiring: HostWiring,
    composed: HostPrediction,
    weights: HopWeights,
    seconds: float = PACKING_SECONDS,
) -> tuple[HostPrediction, Fraction | None]:
    """What an allgather over all links takes, and the latency of its longest way.

    Where the composed forest is the best there is, and on more than MOST_PACKED accelerators, it is
    told as it was, with no latency. Where packing takes more `seconds`, it is an upper bound.

    >>> from expansions.hosts import host_wiring, parse_host_fabric
    >>> from topofinder.finder.host_prediction import predict_forest
    >>> fabric = parse_host_fabric("Host(2;mesh@20GB/s;1@50GB/s)[BiRing(2,5)]")
    >>> wiring = host_wiring(fabric)
    >>> told = predict_forest(fabric, wiring)
    >>> best, way = pack_few_hosts(fabric, wiring, told, (Fraction(1), Fraction(1)))
    >>> str(told.inverse_rate), str(best.inverse_rate), best.exact, way == best.height(0)
    ('1/4', '9/70', True, True)
    """
    if composed.inner <= composed.outer or fabric.accelerators > MOST_PACKED:
        return composed, None
    topology = host_topology(fabric, wiring)
    if find_optimum(Network.of(topology)).inverse_rate >= composed.inverse_rate:
        return replace(composed, exact=True), None  # no forest beats the upper bound
    try:
        trees = _best_trees(fabric, wiring, topology, Clock.of(seconds))
    except Unsupported:
        return replace(composed, exact=False), None
    found = trees.time, int(trees.heights().max(initial=0))
    return replace(composed, packed=found, exact=True), longest_way(fabric, trees, weights)


def _best_trees(
    fabric: HostFabric, wiring: HostWiring, topology: Topology, clock: Clock
) -> TreeSet:
    """Composed ones, if they reach the bound after all; else packed over all links."""
    made = compose_forest(fabric, Collective.ALLGATHER, wiring)
    if made.inverse_rate > made.optimum:
        made = make_forest(topology, ForestOptions(clock=clock))
        clock.require_time("the forest of all links")  # cut short, its trees may be higher
    if made.spread is None:
        raise Unsupported("an allgather without out-trees")
    return made.spread


def longest_way(fabric: HostFabric, trees: TreeSet, weights: HopWeights) -> Fraction:
    """The most that the hops of a way in the trees count; one through a switch is one inside."""
    host_of = np.repeat(np.arange(fabric.hosts), fabric.host_sizes)
    tail, head = trees.tails().tolist(), trees.heads().tolist()
    outside = host_of[tail] != host_of[head]
    if fabric.template.inner.kind is InnerKind.SWITCH:  # else circuits within look alike
        outside |= np.diff(trees.route_start) == 2
    length = [weights[0] if out else weights[1] for out in outside.tolist()]
    most, routes = Fraction(), trees.route.tolist()
    for root, begin, end in zip(
        trees.root.tolist(), trees.start[:-1].tolist(), trees.start[1:].tolist(), strict=True
    ):
        depth = {root: Fraction()}
        for route in routes[begin:end]:
            depth[head[route]] = depth[tail[route]] + length[route]
        most = max(most, *depth.values())
    return most
