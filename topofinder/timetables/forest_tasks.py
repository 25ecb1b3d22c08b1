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
from generators.topology import AnyIntArray, Int64Array, IntArray, Topology
from topofinder.model.forest import Forest
from topofinder.model.tree_set import TreeSet
from topofinder.timetables.forest_kernels import choose_arcs, edges_above

LARGEST_AMOUNT = 1 << 62


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TreeChunks:
    """Chunks that each follow one tree: `amount[x]` of `whole` units, from or to host `origin[x]`.

    `spread[x]` and `gather[x]` are the entries of the forest's tree sets that chunk x follows, all
    of shape (chunks,); None where the forest has no such trees. The chunks of part 0 come first,
    then those of part 1, and so on: every part has a chunk of each tree.
    """

    origin: IntArray
    amount: Int64Array
    whole: int
    parts: int
    spread: Int64Array | None
    gather: Int64Array | None

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return len(self.origin)


def cut_trees(forest: Forest, parts: int) -> TreeChunks:
    """The chunks of a forest when the share of every tree is cut into equal parts.

    In an allreduce a chunk is summed along one tree and spread along another of the same root,
    the same one where both phases have the same trees.

    Raises InvalidInput for less than one part, Unsupported where shares have no unit that 64 bits
    can count.

    >>> trees = TreeSet(k=2, root=[0, 1], copies=[2, 2], start=[0, 1, 2], route=[0, 1], cut=[0],
    ...     route_start=[0, 2, 4], node=[0, 1, 1, 0], optimum=Fraction(1), time=Fraction(1))
    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> forest = Forest(topology=pair, collective="allgather", weight=(1, 1), spread=trees)
    >>> found = cut_trees(forest, 2)
    >>> found.origin.tolist(), found.amount.tolist(), found.whole
    ([0, 1, 0, 1], [2, 2, 2, 2], 8)
    """
    if type(parts) is not int or parts < 1:
        raise InvalidInput(f"parts: at least 1, not {parts}")
    sets = [phase.trees for phase in forest.phases]
    k = lcm(*(trees.k for trees in sets))
    if k * forest.total * parts >= LARGEST_AMOUNT:
        raise Unsupported(f"parts: {parts} of so many trees are too many to count")
    order = [np.argsort(trees.root, kind="stable") for trees in sets]
    ends = [
        np.cumsum(trees.copies[by_root] * (k // trees.k))
        for trees, by_root in zip(sets, order, strict=True)
    ]
    cuts = np.unique(np.concatenate(ends))
    entry = {
        phase.name: np.tile(by_root[np.searchsorted(until, cuts)], parts)
        for phase, by_root, until in zip(forest.phases, order, ends, strict=True)
    }
    one = next(iter(entry.values()))
    return TreeChunks(
        origin=sets[0].root[one],
        amount=np.tile(np.diff(cuts, prepend=0), parts),
        whole=k * forest.total * parts,
        parts=parts,
        spread=entry.get("spread"),
        gather=entry.get("gather"),
    )


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
