"""Transfers of a forest: trees as pieces of their root's block, depth of an edge as step.

In-trees run backwards, so that an edge at depth h of trees of height H is taken at step H + 1 - h;
an allreduce spreads its sums after the last of these. Routes through switches become one message
from host to host: what switches multicast is sent once to each child.
"""

from itertools import pairwise
from math import lcm
from typing import NamedTuple

import numpy as np

from generators.topology import AnyIntArray, Int64Array, IntArray
from topofinder.lowering.lower_schedule import have_reverses, require_size
from topofinder.model.forest import Forest, Phase
from topofinder.model.forest_files import forest_digest
from topofinder.model.transfers import Transfers
from topofinder.model.tree_set import TreeSet


class _Rows(NamedTuple):
    """One row for every edge of every tree; `begin` and `length` count trees of the root."""

    depth: Int64Array
    parent: IntArray
    child: IntArray
    root: IntArray
    begin: Int64Array
    length: Int64Array


def lower_forest(forest: Forest) -> Transfers:
    """The transfers of a forest; rank r is host r, in the order of nodes.

    Block v has a unit for each tree of v; where an allreduce has different numbers of trees in
    both directions, for each of their least common multiple. Raises Unsupported for too many edges
    or trees.
    """
    graph, phases = forest.topology, forest.phases
    units = lcm(*(phase.trees.k for phase in phases))
    require_size(sum(phase.trees.uses for phase in phases), units * forest.total)
    hosts = np.setdiff1d(np.arange(graph.n), graph.switches).astype(np.int32)
    rank = np.zeros(graph.n, dtype=np.int32)
    rank[hosts] = np.arange(len(hosts))
    weight = np.array([units * forest.weight[host] for host in hosts.tolist()], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(weight)])
    parts, before = [], 0
    for phase in phases:
        parts.append(_phase_columns(phase, units, before))
        before += int(parts[-1]["depth"].max(initial=0))
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    base = first[rank[columns["root"]]]
    tail, head = columns["tail"], columns["head"]
    return Transfers(
        collective=forest.collective,
        step=columns["step"],
        sender=rank[tail],
        receiver=rank[head],
        lane=np.zeros(len(tail), dtype=np.int32),
        begin=base + columns["begin"],
        end=base + columns["begin"] + columns["length"],
        reducing=columns["reducing"],
        first=first,
        nodes=hosts,
        names=None if graph.names is None else tuple(graph.names[host] for host in hosts),
        root=None if forest.root is None else int(rank[forest.root]),
        two_way=bool(graph.switches) or have_reverses(graph, tail, head),
        digest=forest_digest(forest),
        recipe=forest.recipe,
        method=forest.method or "forest",
    )


def _phase_columns(phase: Phase, units: int, before: int) -> dict[str, AnyIntArray]:
    rows = _tree_rows(phase.trees)
    gather = phase.name == "gather"
    height = int(rows.depth.max(initial=0))
    scale = units // phase.trees.k
    return {
        "depth": rows.depth,
        "step": before + (height + 1 - rows.depth if gather else rows.depth),
        "tail": rows.child if gather else rows.parent,
        "head": rows.parent if gather else rows.child,
        "root": rows.root,
        "begin": rows.begin * scale,
        "length": rows.length * scale,
        "reducing": np.full(len(rows.depth), int(gather)),
    }


def _tree_rows(trees: TreeSet) -> _Rows:
    """Every edge with its depth, and the place of its tree among those of its root."""
    edges = np.diff(trees.start)
    parent, child = trees.tails()[trees.route], trees.heads()[trees.route]
    return _Rows(
        depth=_edge_depths(trees, parent, child),
        parent=parent,
        child=child,
        root=np.repeat(trees.root, edges),
        begin=np.repeat(_places(trees), edges),
        length=np.repeat(trees.copies, edges),
    )


def _edge_depths(trees: TreeSet, parent: IntArray, child: IntArray) -> Int64Array:
    """1 for edges at the root, and one more than that of the edge above for all others."""
    found: list[int] = []
    ends = list(zip(parent.tolist(), child.tolist(), strict=True))
    for root, (begin, end) in zip(trees.root.tolist(), pairwise(trees.start.tolist()), strict=True):
        depth = {root: 0}
        for u, v in ends[begin:end]:
            depth[v] = depth[u] + 1
            found.append(depth[v])
    return np.array(found, dtype=np.int64)


def _places(trees: TreeSet) -> Int64Array:
    """How many trees of the same root come before each entry; shape (trees,)."""
    found, taken = [], dict.fromkeys(trees.root.tolist(), 0)
    for root, copies in zip(trees.root.tolist(), trees.copies.tolist(), strict=True):
        found.append(taken[root])
        taken[root] += copies
    return np.array(found, dtype=np.int64)
