"""Walks every tree from its root: each host reached once, by an edge from a host reached before."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generators.brief import brief
from generators.limbs import limbs
from generators.topology import Int64Array, Topology
from topofinder.model.tree_set import TreeSet
from topofinder.verification.forest_links import LinkTable, called
from topofinder.verification.forest_steps import walk

FAULTS = {
    1: "its edge to {head} begins at {tail}, which is not reached before",
    2: "it reaches {head} twice",
    3: "its edge to {head} takes from a switch what that switch has not or cannot send on",
    4: "it does not reach {lost}",
}


@dataclass(frozen=True, slots=True)
class Walk:
    """How many trees take each link, and how many hops switches spare, copies counted.

    `load` holds Python's integers, shape (links,): copies are a stranger's numbers.
    """

    load: NDArray[Any]
    spared: int


def walked(
    topology: Topology, trees: TreeSet, weight: tuple[int, ...], links: LinkTable
) -> Walk | str:
    """The load of the links, or one line about the first tree that is none."""
    fault = _roots_fault(topology, trees, weight)
    if fault:
        return fault
    hosts = topology.n - len(topology.switches)
    able = np.zeros(topology.n, dtype=np.bool_)
    able[list(topology.multicast)] = True
    whole, spared_hops = np.zeros(len(links.ends), dtype=object), 0
    # A tree takes a link, or spares a hop, once for each hop of each of its edges at most.
    for shift, copies in limbs(trees.copies, trees.hops):
        load = np.zeros(len(links.ends), dtype=np.int64)
        reached = np.full(topology.n, -1, dtype=np.int64)
        holds = np.full(topology.n, -1, dtype=np.int64)
        code, tree, use, spared = walk(
            trees.root, copies, trees.start, trees.route, trees.spared, trees.route_start,
            trees.node, links.link, able, hosts, load, reached, holds,
        )  # fmt: skip
        if code:
            return _told(topology, trees, int(code), int(tree), int(use), reached)
        whole += load.astype(object) << shift
        spared_hops += int(spared) << shift
    return Walk(whole, spared_hops)


def _roots_fault(topology: Topology, trees: TreeSet, weight: tuple[int, ...]) -> str | None:
    """Every node must be the root of k trees for each unit of its weight."""
    count = [0] * topology.n
    for root, copies in zip(trees.root.tolist(), trees.copies.tolist(), strict=True):
        count[root] += copies
    for node, trees_there in enumerate(count):
        wanted = trees.k * weight[node]
        if trees_there != wanted:
            name = called(topology, node)
            return f"{name} is the root of {trees_there} trees, where {brief(wanted)} are needed"
    return None


def _told(
    topology: Topology, trees: TreeSet, code: int, tree: int, use: int, reached: Int64Array
) -> str:
    names = {}
    if code == 4:
        unseen = np.setdiff1d(np.flatnonzero(reached != tree), topology.switches)
        names["lost"] = called(topology, int(unseen[0]))
    else:
        route = int(trees.route[use])
        names["tail"] = called(topology, int(trees.node[trees.route_start[route]]))
        names["head"] = called(topology, int(trees.node[trees.route_start[route + 1] - 1]))
    root = called(topology, int(trees.root[tree]))
    return f"tree {tree} of root {root}: {FAULTS[code].format(**names)}"
