"""Trees as tasks: every tree's share cut into chunks, a task for each chunk on each tree edge.

Source: the trees and their routes are those of ForestColl (NSDI 2026). A task waits for the one
that brings its chunk; on the way to the root it waits for all that come from below, and what leaves
the root waits for all that has come to it.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from generators.arrays import csr_by_node
from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from generators.topology import AnyIntArray, Int64Array, IntArray, Topology
from topofinder.model.forest import Forest
from topofinder.model.timetable import MAX_CHUNKS
from topofinder.model.tree_set import TreeSet
from topofinder.timetables.forest_kernels import choose_arcs, edges_above

LARGEST_AMOUNT = 1 << 62


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TreeChunks:
    """Chunks that each follow one tree: `amount[x]` of `whole` units, from or to host `origin[x]`.

    `spread[x]` and `gather[x]` are the entries of the forest's tree sets that chunk x follows;
    None where the forest has no such trees. Chunks stand in the order of `part[x]`: each part has
    the same share of every tree, or as near to it as whole chunks come. All of shape (chunks,).
    """

    origin: IntArray
    amount: Int64Array
    part: Int64Array
    whole: int
    spread: Int64Array | None
    gather: Int64Array | None


def cut_trees(forest: Forest, parts: Fraction | int) -> TreeChunks:
    """The chunks of a forest when the share of every tree is cut into `parts`.

    Below 1, up to 1/parts equal trees share a chunk. In an allreduce a chunk is summed along one
    tree and spread along another of the same root, the same where both phases have the same trees.

    Raises InvalidInput for parts not above 0, Unsupported where shares have no unit that 64 bits
    can count, or the chunks are too many.

    >>> trees = TreeSet(k=3, root=[0, 1], copies=[3, 3], start=[0, 1, 2], route=[0, 1], cut=[0],
    ...     route_start=[0, 2, 4], node=[0, 1, 1, 0], optimum=Fraction(1), time=Fraction(1))
    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> forest = Forest(topology=pair, collective="allgather", weight=(1, 1), spread=trees)
    >>> found = cut_trees(forest, Fraction(1, 2))
    >>> found.origin.tolist(), found.amount.tolist(), found.whole
    ([0, 0, 1, 1], [2, 1, 2, 1], 6)
    >>> cut_trees(forest, 2).amount.tolist(), cut_trees(forest, 2).whole
    ([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], 12)
    """
    parts = Fraction(parts)
    if parts <= 0:
        raise InvalidInput(f"parts: above 0, not {excerpt(str(parts))}")
    k = lcm(*(phase.trees.k for phase in forest.phases))
    fine, coarse = parts.numerator, parts.denominator
    if k * forest.total * max(fine, coarse) >= LARGEST_AMOUNT:
        raise Unsupported(f"parts: {excerpt(str(parts))} of so many trees are too many to count")
    entry, copies = _pair_trees(forest, k)
    count = -(-copies * fine // coarse)
    if int(count.sum()) > MAX_CHUNKS:
        raise Unsupported(f"parts: at most {MAX_CHUNKS} chunks, not {int(count.sum())}")
    piece = np.repeat(np.arange(len(count)), count)
    place = np.arange(len(piece)) - np.repeat(np.cumsum(count) - count, count)
    least, more = np.divmod(copies * fine, count)
    part = place * max(1, fine // coarse) // count[piece]
    order = np.argsort(part, kind="stable")
    follows = {name: found[piece][order] for name, found in entry.items()}
    first = forest.phases[0]
    return TreeChunks(
        origin=first.trees.root[follows[first.name]],
        amount=(least[piece] + (place < more[piece]))[order],
        part=part[order],
        whole=k * forest.total * fine,
        spread=follows.get("spread"),
        gather=follows.get("gather"),
    )


def _pair_trees(forest: Forest, k: int) -> tuple[dict[str, Int64Array], Int64Array]:
    """Pieces of the trees of all phases that belong together: entries by phase, and copies.

    Laid end to end by root, with `k` trees a root in every phase, the trees of both are cut where
    an entry of either ends.
    """
    order, ends = {}, {}
    for phase in forest.phases:
        order[phase.name] = np.argsort(phase.trees.root, kind="stable")
        copies = phase.trees.copies * (k // phase.trees.k)
        ends[phase.name] = np.cumsum(copies[order[phase.name]])
    cuts = np.unique(np.concatenate(list(ends.values())))
    entry = {name: order[name][np.searchsorted(ends[name], cuts)] for name in ends}
    return entry, np.diff(cuts, prepend=0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TreeTasks:
    """The tasks of one phase: `chunk` and `route` of each, shape (tasks,).

    `above[t]` is the task on the edge next to the root's side of task t's, -1 at the root.
    """

    chunk: Int64Array
    route: Int64Array
    above: Int64Array


def list_tree_tasks(trees: TreeSet, entry: Int64Array, nodes: int) -> TreeTasks:
    """A task for each edge of the tree `entry[x]` of each chunk x, chunk after chunk."""
    args = (trees.root, trees.start, trees.tails()[trees.route], trees.heads()[trees.route])
    above = edges_above(*args, np.zeros(nodes, np.int64))
    first, count = trees.start[entry], np.diff(trees.start)[entry]
    ends = np.cumsum(count)
    shift = np.repeat(ends - count - first, count)
    edge = np.arange(len(shift)) - shift
    over = above[edge]
    return TreeTasks(
        chunk=np.repeat(np.arange(len(entry)), count),
        route=trees.route[edge].astype(np.int64),
        above=np.where(over < 0, -1, over + shift),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RouteChannels:
    """Channels of tasks: arcs, then the routes `route_start`, `route_arc` of a ChunkProblem."""

    channel: Int64Array
    route_start: Int64Array
    route_arc: IntArray


def route_tasks(
    topology: Topology,
    phases: list[tuple[TreeSet, TreeTasks, bool]],
    amount: Int64Array,
    unit: Int64Array,
) -> RouteChannels:
    """The channels of the tasks of all phases, one after the other; `unit` in ticks an arc.

    A phase is (trees, tasks, whether messages run towards the roots). Of parallel links each task
    takes the one with the least to carry.
    """
    pair_start, option, keys = _arcs_by_pair(topology)
    load = np.zeros(topology.arcs, dtype=np.int64)
    rows = []
    for trees, tasks, backwards in phases:
        hop_start, hop_pair = _hop_pairs(topology.n, trees, keys, backwards)
        hops = np.diff(hop_start)[tasks.route]
        first = np.concatenate([[0], np.cumsum(hops)])
        args = (hop_start, hop_pair, pair_start, option, unit, load, first)
        rows.append((hops, choose_arcs(tasks.route, amount[tasks.chunk], *args)))
    hops = np.concatenate([row[0] for row in rows])
    return number_channels(topology.arcs, hops, np.concatenate([row[1] for row in rows]))


def number_channels(arcs: int, hops: Int64Array, arc: AnyIntArray) -> RouteChannels:
    """The channels of tasks that follow `hops[t]` arcs each, those of all tasks end to end.

    >>> found = number_channels(4, np.array([1, 2, 2]), np.array([3, 0, 1, 0, 1]))
    >>> found.channel.tolist(), found.route_start.tolist(), found.route_arc.tolist()
    ([3, 4, 4], [0, 2], [0, 1])
    """
    first = np.cumsum(hops) - hops
    channel = np.full(len(hops), -1, dtype=np.int64)
    one = hops == 1
    channel[one] = arc[first[one]]
    long = np.flatnonzero(~one)
    key = np.zeros(len(long), dtype=np.int64)
    for place in range(int(hops.max(initial=0))):
        inside = place < hops[long]
        step = np.zeros(len(long), dtype=np.int64)
        step[inside] = 1 + arc[first[long[inside]] + place]
        key = np.unique(key * (arcs + 1) + step, return_inverse=True)[1]
    _, sample, which = np.unique(key, return_index=True, return_inverse=True)
    channel[long] = arcs + which
    sample = long[sample]
    count = hops[sample]
    start = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    at = np.repeat(first[sample] - start[:-1], count) + np.arange(int(start[-1]))
    return RouteChannels(channel=channel, route_start=start, route_arc=arc[at].astype(np.int32))


def _arcs_by_pair(topology: Topology) -> tuple[Int64Array, Int64Array, Int64Array]:
    """CSR of arcs by pair of nodes, and the pairs u n + v in ascending order."""
    key = topology.tail.astype(np.int64) * topology.n + topology.head
    pairs, place = np.unique(key, return_inverse=True)
    start, option = csr_by_node(place, len(pairs))
    return start, option, pairs


def _hop_pairs(
    n: int, trees: TreeSet, pairs: Int64Array, backwards: bool
) -> tuple[Int64Array, Int64Array]:
    """CSR by route of the pairs that messages follow, as places among `pairs`."""
    nodes = trees.node.astype(np.int64)
    inside = np.ones(len(nodes), dtype=np.bool_)
    inside[trees.route_start[1:] - 1] = False
    at = np.flatnonzero(inside)
    start = trees.route_start - np.arange(trees.routes + 1)
    if not backwards:
        key = nodes[at] * n + nodes[at + 1]
    else:
        turned = start[:-1] + start[1:] - 1
        order = np.repeat(turned, np.diff(start)) - np.arange(len(at))
        key = (nodes[at + 1] * n + nodes[at])[order]
    found = np.searchsorted(pairs, key)
    if (found == len(pairs)).any() or (pairs[found] != key).any():
        raise InvalidInput("forest: a tree takes a link that the topology does not have")
    return start, found
