"""Links between hosts that stand for ways through switches, which are split off as for trees.

Source: ForestColl (NSDI 2026), section 5.3: what is left between hosts allows as many trees as the
fabric did. Capacities are those of the fabric, whole in units of the paper's trees (appendix E.4),
so that nothing is rounded off.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from generators.errors import Unsupported
from generators.topology import IntArray, Topology
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.cuts import LIMIT, Cuts
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import paper_count, tree_capacities
from topofinder.forests.switch_removal.edge_splitting import remove_switches
from topofinder.forests.switch_removal.split_state import Splitting
from topofinder.model.host_links import HostLinks

MOST_HOSTS = 256
"""Hosts of a fabric at most."""


def host_links(topology: Topology) -> HostLinks:
    """The links between hosts that a fabric is worth, each a way through its switches.

    Latencies are the sums of those on the way, an arc of a fabric without latencies counting 1.
    Raises InvalidInput for a fabric that is not connected, or in which some node has more capacity
    in than out or the reverse; Unsupported for too many hosts, and for capacities too unequal.

    >>> star = Topology.from_arcs(3, [(0, 2), (2, 0), (1, 2), (2, 1)], switches=(2,))
    >>> found = host_links(star)
    >>> found.topology.tail.tolist(), found.ways, [str(one) for one in found.topology.capacity]
    ([0, 1], ((0, 3), (2, 1)), ['1', '1'])
    """
    network = Network.of(topology)
    network.require_eulerian()
    if len(network.compute) > MOST_HOSTS:
        raise Unsupported(f"switches: split off for up to {MOST_HOSTS} hosts")
    best = find_optimum(network, Cuts.of(network))
    k = paper_count(network, best)
    inverse = k * best.inverse_rate
    held = tree_capacities(network, inverse)
    if max(sum(held), k * network.total * len(network.compute)) >= LIMIT:
        raise Unsupported("switches: bandwidths are too unequal to split them off")
    state = remove_switches(
        Splitting(network.n, network.tail, network.head, held),
        network.compute,
        [k * weight for weight in network.weight],
    )
    return _by_arcs(topology, network, state, inverse)


def _by_arcs(
    topology: Topology, network: Network, state: Splitting, inverse: Fraction
) -> HostLinks:
    """The ways arc by arc: parallel arcs of the fabric are one in the network."""
    place = np.full(topology.n, -1, dtype=np.int32)
    place[network.compute] = np.arange(len(network.compute))
    alive = np.flatnonzero((state.capacity > 0) & (place[state.tail] >= 0))
    _, amount, start, route = state.route_bundles(alive)
    rooms = _rooms(topology)
    rows: list[tuple[int, int, Fraction, tuple[int, ...]]] = []
    for trees, first, last in zip(amount.tolist(), start[:-1], start[1:], strict=True):
        hops = route[first:last]
        pairs = zip(network.tail[hops].tolist(), network.head[hops].tolist(), strict=True)
        own = [rooms[pair] for pair in pairs]
        ends = place[network.tail[hops[0]]], place[network.head[hops[-1]]]
        rows += [(*ends, share, way) for share, way in _ways(own, trees / inverse)]
    tail, head, capacity, ways = zip(*rows, strict=True)
    latency = topology.latency or (Fraction(1),) * topology.arcs
    links = Topology(
        n=len(network.compute),
        tail=np.array(tail, dtype=np.int32),
        head=np.array(head, dtype=np.int32),
        capacity=capacity,
        latency=tuple(sum((latency[arc] for arc in way), Fraction()) for way in ways),
        unit_rate=topology.unit_rate,
        unit_latency=topology.unit_latency,
    )
    hosts: IntArray = network.compute
    return HostLinks(topology=links, hosts=hosts, ways=ways)


def _rooms(topology: Topology) -> dict[tuple[int, int], list[tuple[int, Fraction]]]:
    """The arcs between each two nodes with their capacities."""
    found = defaultdict[tuple[int, int], list[tuple[int, Fraction]]](list)
    room = topology.capacity or (Fraction(1),) * topology.arcs
    ends = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
    for arc, pair in enumerate(ends):
        found[pair].append((arc, room[arc]))
    return dict(found)


def _ways(
    rooms: Sequence[list[tuple[int, Fraction]]], amount: Fraction
) -> Iterator[tuple[Fraction, tuple[int, ...]]]:
    """An amount over one of the arcs of each hop, as far as there is room, then over the next."""
    while amount > 0:
        share = min(amount, *(room[-1][1] for room in rooms))
        yield share, tuple(room[-1][0] for room in rooms)
        amount -= share
        for room in rooms:
            arc, left = room.pop()
            if left > share:
                room.append((arc, left - share))
