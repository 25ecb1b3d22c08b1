"""Walks every tree from its root: each host reached once, by an edge from a host reached before.

The routes of the edges must follow links and pass switches only, and no link may be asked for
more than it has in the time that the trees say.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generators.brief import brief
from generators.excerpts import excerpt
from generators.limbs import limbs
from generators.topology import Int64Array, Topology
from topofinder.model.tree_set import TreeSet
from topofinder.progress import work_progress
from topofinder.verification.forest_kernels import walk_edges

FAULTS = {
    1: "its edge to {head} begins at {tail}, which is not reached before",
    2: "it reaches {head} twice",
    3: "its edge to {head} takes from a switch what that switch has not or cannot send on",
    4: "it does not reach {lost}",
}
LONGEST_NAME = 60
ROUTES_AT_ONCE = 1 << 12
EDGES_AT_ONCE = 1 << 21
"""Routes, and edges of trees, that are looked at between two looks at the clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkTable:
    """Every pair of nodes with a link: its ends and the bandwidth of all its links together.

    `link[p]` is the pair that leads from entry p of the trees' `node` to entry p + 1; -1 where a
    route ends.
    """

    ends: tuple[tuple[int, int], ...]
    bandwidth: tuple[Fraction, ...]
    link: Int64Array


@dataclass(frozen=True, slots=True)
class WalkedForest:
    """How many trees take each link, and how many hops switches spare, copies counted.

    `load` holds Python's integers, shape (links,): copies are a stranger's numbers.
    """

    load: NDArray[Any]
    spared: int


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
        if not route % ROUTES_AT_ONCE:
            work_progress.count("routes", route, trees.routes)
        stops = nodes[bounds[route] : bounds[route + 1]]
        fault = _route_fault(topology, route, stops, forwards)
        if fault:
            return fault
        for place, pair in enumerate(pairwise(stops)):
            if pair not in number or pair[0] == pair[1]:
                u, v = (node_name(topology, node) for node in pair)
                return f"route {route} goes from {u} to {v}, where no link is"
            link[bounds[route] + place] = number[pair]
    return LinkTable(ends=tuple(room), bandwidth=tuple(room.values()), link=link)


def walk_trees(
    topology: Topology,
    trees: TreeSet,
    weight: tuple[int, ...],
    links: LinkTable,
    at_once: int = EDGES_AT_ONCE,
) -> WalkedForest | str:
    """The load of the links, or one line about the first tree that is none.

    Some `at_once` edges are walked between two looks at the clock.
    """
    fault = _roots_fault(topology, trees, weight)
    if fault:
        return fault
    hosts = topology.n - len(topology.switches)
    able = np.zeros(topology.n, dtype=np.bool_)
    able[list(topology.multicast)] = True
    trees_at_once = max(1, at_once // max(hosts, 1))
    whole, spared_hops = np.zeros(len(links.ends), dtype=object), 0
    # A tree takes a link, or spares a hop, once for each hop of each of its edges at most.
    for shift, copies in limbs(trees.copies, trees.hops):
        load = np.zeros(len(links.ends), dtype=np.int64)
        for first in range(0, max(len(copies), 1), trees_at_once):
            work_progress.count("walking trees", first, len(copies))
            some = slice(first, first + trees_at_once)
            reached = np.full(topology.n, -1, dtype=np.int64)
            holds = np.full(topology.n, -1, dtype=np.int64)
            code, tree, use, spared = walk_edges(
                trees.root[some], copies[some], trees.start[first:], trees.route,
                trees.multicast_skips, trees.route_start, trees.node, links.link, able, hosts, load,
                reached, holds,
            )  # fmt: skip
            if code:
                at = first + int(tree)
                reached[reached == int(tree)] = at
                return _describe_fault(topology, trees, int(code), at, int(use), reached)
            spared_hops += int(spared) << shift
        whole += load.astype(object) << shift
    return WalkedForest(whole, spared_hops)


def _roots_fault(topology: Topology, trees: TreeSet, weight: tuple[int, ...]) -> str | None:
    """Every node must be the root of k trees for each unit of its weight."""
    count = [0] * topology.n
    for root, copies in zip(trees.root.tolist(), trees.copies.tolist(), strict=True):
        count[root] += copies
    for node, trees_there in enumerate(count):
        wanted = trees.k * weight[node]
        if trees_there != wanted:
            name = node_name(topology, node)
            return f"{name} is the root of {trees_there} trees, where {brief(wanted)} are needed"
    return None


def _describe_fault(
    topology: Topology, trees: TreeSet, code: int, tree: int, use: int, reached: Int64Array
) -> str:
    names = {}
    if code == 4:
        unseen = np.setdiff1d(np.flatnonzero(reached != tree), topology.switches)
        names["lost"] = node_name(topology, int(unseen[0]))
    else:
        route = int(trees.route[use])
        names["tail"] = node_name(topology, int(trees.node[trees.route_start[route]]))
        names["head"] = node_name(topology, int(trees.node[trees.route_start[route + 1] - 1]))
    root = node_name(topology, int(trees.root[tree]))
    return f"tree {tree} of root {root}: {FAULTS[code].format(**names)}"


def node_name(topology: Topology, node: int) -> str:
    """What to call a node in a message of one line."""
    if not topology.names:
        return f"node {node}"
    name = topology.names[node]
    return name if name.isprintable() and len(name) <= LONGEST_NAME else excerpt(name)


def _route_fault(
    topology: Topology, route: int, stops: list[int], forwards: frozenset[int]
) -> str | None:
    for stop in (stops[0], stops[-1]):
        if stop in forwards:
            return f"route {route} ends at {node_name(topology, stop)}, which is a switch"
    for stop in stops[1:-1]:
        if stop not in forwards:
            return f"route {route} passes through {node_name(topology, stop)}, which is no switch"
    return None


def overloaded_link(
    topology: Topology, trees: TreeSet, links: LinkTable, load: NDArray[Any]
) -> str | None:
    """One line about the first link that more trees take than fit into the time they say."""
    rows = zip(links.ends, links.bandwidth, load.tolist(), strict=True)
    for (u, v), bandwidth, count in rows:
        room = trees.time * trees.k * bandwidth
        if count > room:
            ends = f"from {node_name(topology, u)} to {node_name(topology, v)}"
            return f"the link {ends} carries {count} trees, but has room for {brief(room)}"
    return None
