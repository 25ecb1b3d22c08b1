"""Forests of hosts with a narrow inside: packed over all links, as `schedule` packs them.

Where the inside of hosts is the bottleneck, a shard may better come over the ports of another host
than from within the own one, which no composed forest does. The forest of all links reaches the
bound by all cuts; composed trees may be lower. Both are what a search tells.
"""

from dataclasses import replace
from fractions import Fraction
from math import lcm

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

Trees = tuple[HostPrediction, Fraction | None]
"""What an allgather takes, and the latency of its longest way; None where that is as composed."""


def trees_of_hosts(
    fabric: HostFabric,
    wiring: HostWiring,
    composed: HostPrediction,
    weights: HopWeights,
    seconds: float = PACKING_SECONDS,
) -> list[Trees]:
    """The forest that takes least, and behind it the composed one, if its longest way is shorter.

    Where the composed forest is the best there is, it is told as it was. So it is on more than
    MOST_PACKED accelerators, and where packing takes more `seconds`, but with the bound by all
    cuts, which some forest reaches, as what is `least`.

    >>> from expansions.hosts import host_wiring, parse_host_fabric
    >>> from topofinder.finder.host_prediction import predict_forest
    >>> fabric = parse_host_fabric("Host(2;mesh@20GB/s;1@50GB/s)[BiRing(2,5)]")
    >>> wiring = host_wiring(fabric)
    >>> told = predict_forest(fabric, wiring)
    >>> (best, way), *_ = trees_of_hosts(fabric, wiring, told, (Fraction(1), Fraction(1)))
    >>> str(told.inverse_rate), str(best.inverse_rate), best.exact, way == best.height(0)
    ('1/4', '9/70', True, True)
    """
    if composed.inner <= composed.outer:
        return [(composed, None)]
    topology = host_topology(fabric, wiring)
    least = find_optimum(Network.of(topology)).inverse_rate
    if least >= composed.inverse_rate:
        return [(replace(composed, exact=True), None)]  # no forest beats the upper bound
    if fabric.accelerators > MOST_PACKED:
        return [(replace(composed, least=least), None)]
    try:
        found = _make_trees(fabric, wiring, topology, Clock.of(seconds))
    except Unsupported:
        return [(replace(composed, exact=False, least=least), None)]
    ways = [longest_way(fabric, trees, weights) for trees in found]
    kept = 1 + (len(found) > 1 and ways[1] < ways[0])
    return [
        (replace(composed, packed=(trees.time, _height(trees)), exact=True), way)
        for trees, way in list(zip(found, ways, strict=True))[:kept]
    ]


def _height(trees: TreeSet) -> int:
    return int(trees.heights().max(initial=0))


def _make_trees(
    fabric: HostFabric, wiring: HostWiring, topology: Topology, clock: Clock
) -> list[TreeSet]:
    """Composed ones alone, if they reach the bound after all; else behind those of all links."""
    composed = compose_forest(fabric, Collective.ALLGATHER, wiring)
    made = [composed]
    if composed.inverse_rate > composed.optimum:
        made.insert(0, make_forest(topology, ForestOptions(clock=clock)))
        clock.require_time("the forest of all links")  # cut short, its trees may be higher
    return [forest.spread for forest in made if forest.spread is not None]


def longest_way(fabric: HostFabric, trees: TreeSet, weights: HopWeights) -> Fraction:
    """The most that the hops of a way in the trees count; one through a switch is one inside."""
    if weights[0] == weights[1]:
        return int(trees.heights().max(initial=0)) * weights[0]
    unit = lcm(*(weight.denominator for weight in weights))
    outer, inner = (int(weight * unit) for weight in weights)
    host_of = np.repeat(np.arange(fabric.hosts), fabric.host_sizes)
    tail, head = trees.tails(), trees.heads()
    outside = host_of[tail] != host_of[head]
    if fabric.template.inner.kind is InnerKind.SWITCH:  # else circuits within look alike
        outside |= np.diff(trees.route_start) == 2
    length = np.where(outside, outer, inner).tolist()
    ends = list(zip(tail.tolist(), head.tolist(), length, strict=True))
    most, routes, depth = 0, trees.route.tolist(), [0] * fabric.accelerators
    for root, begin, end in zip(
        trees.root.tolist(), trees.start[:-1].tolist(), trees.start[1:].tolist(), strict=True
    ):
        depth[root] = 0
        for route in routes[begin:end]:
            u, v, far = ends[route]
            depth[v] = depth[u] + far
        most = max(most, *depth)
    return Fraction(most, unit)
