"""Routes must follow links, pass switches only, and ask no link for more than it has."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generators.brief import brief
from generators.formats.quantities import shown
from generators.topology import Int64Array, Topology
from topofinder.model.tree_set import TreeSet

LONGEST_NAME = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkTable:
    """Every pair of nodes with a link: its ends and the bandwidth of all its links together.

    `link[p]` is the pair that leads from entry p of the trees' `node` to entry p + 1; -1 where a
    route ends.
    """

    ends: tuple[tuple[int, int], ...]
    bandwidth: tuple[Fraction, ...]
    link: Int64Array


def called(topology: Topology, node: int) -> str:
    """What to call a node in a message of one line."""
    if not topology.names:
        return f"node {node}"
    name = topology.names[node]
    return name if name.isprintable() and len(name) <= LONGEST_NAME else shown(name)


def link_table(topology: Topology, trees: TreeSet) -> LinkTable | str:
    """The links, or one line about the first route that is no way from host to host."""
    room: dict[tuple[int, int], Fraction] = {}
    for arc in range(topology.arcs):
        pair = (int(topology.tail[arc]), int(topology.head[arc]))
        more = Fraction(1) if topology.capacity is None else topology.capacity[arc]
        room[pair] = room.get(pair, Fraction(0)) + more
    number = {pair: index for index, pair in enumerate(room)}
    forwards = frozenset(topology.switches)
    link = np.full(len(trees.node), -1, dtype=np.int64)
    nodes, bounds = trees.node.tolist(), trees.route_start.tolist()
    for route in range(trees.routes):
        stops = nodes[bounds[route] : bounds[route + 1]]
        fault = _route_fault(topology, route, stops, forwards)
        if fault:
            return fault
        for place, pair in enumerate(pairwise(stops)):
            if pair not in number or pair[0] == pair[1]:
                u, v = (called(topology, node) for node in pair)
                return f"route {route} goes from {u} to {v}, where no link is"
            link[bounds[route] + place] = number[pair]
    return LinkTable(ends=tuple(room), bandwidth=tuple(room.values()), link=link)


def _route_fault(
    topology: Topology, route: int, stops: list[int], forwards: frozenset[int]
) -> str | None:
    for stop in (stops[0], stops[-1]):
        if stop in forwards:
            return f"route {route} ends at {called(topology, stop)}, which is a switch"
    for stop in stops[1:-1]:
        if stop not in forwards:
            return f"route {route} passes through {called(topology, stop)}, which is no switch"
    return None


def overload(
    topology: Topology, trees: TreeSet, links: LinkTable, load: NDArray[Any]
) -> str | None:
    """One line about the first link that more trees take than fit into the time they say."""
    rows = zip(links.ends, links.bandwidth, load.tolist(), strict=True)
    for (u, v), bandwidth, count in rows:
        room = trees.time * trees.k * bandwidth
        if count > room:
            ends = f"from {called(topology, u)} to {called(topology, v)}"
            return f"the link {ends} carries {count} trees, but has room for {brief(room)}"
    return None
