"""Allreduce along trees: double binary trees, the two of C-Cube, and trees grown step by step.

Sources, as named by TACOS (Won et al., MICRO 2024, section V.A): NCCL 2.4 for double binary trees;
Cho, Son and Kim, C-Cube (HPCA 2023); Huang et al., MultiTree (ISCA 2021). A host sends a sum to its
parent when it has those of all children; from the root it is spread the same way back.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from generators.arrays import csr_by_node
from generators.errors import InvalidInput, Unsupported
from generators.fabrics.dgx1 import dgx1
from generators.families.double_binary_tree import tree_parents
from generators.topology import IntArray, Topology
from topofinder.timetables.baseline_messages import require_hosts
from topofinder.timetables.logical_messages import LogicalMessages, join_messages

CCUBE_TREE = (0, 1, 2, 0, 1, 7, 4)
"""The parents of GPUs 1 to 7 in one tree of C-Cube; the other has GPU i + 4 (mod 8) for i."""

MOST_GROWN_HOSTS = 256


def tree_messages(parents: Sequence[int]) -> LogicalMessages:
    """All data to the root of a tree and back; host h has the parent `parents[h]`, the root -1.

    The deepest send first, and the highest spread first. Raises InvalidInput for what is no tree.

    >>> path = tree_messages([1, 2, -1])
    >>> path.origin.tolist(), path.target.tolist(), path.before.tolist(), path.after.tolist()
    ([0, 1, 2, 1], [1, 2, 1, 0], [0, 1, 2], [1, 2, 3])
    """
    hosts = len(parents)
    depth = [_depth(parents, host) for host in range(hosts)]
    down = sorted((host for host in range(hosts) if depth[host]), key=depth.__getitem__)
    up = down[::-1]
    edges = len(down)
    rising = {host: number for number, host in enumerate(up)}
    falling = {host: edges + number for number, host in enumerate(down)}
    waits = [(rising[host], rising.get(parents[host], -1)) for host in up]
    waits = [pair for pair in waits if pair[1] >= 0]
    last = [rising[host] for host in up if depth[host] == 1]
    for host in down:
        if depth[host] == 1:
            waits += [(number, falling[host]) for number in last]
        else:
            waits.append((falling[parents[host]], falling[host]))
    above = [parents[host] for host in down]
    return LogicalMessages(
        hosts=hosts,
        total=1,
        origin=np.array(up + above),
        target=np.array(above[::-1] + down),
        begin=np.zeros(2 * edges, np.int64),
        end=np.ones(2 * edges, np.int64),
        reducing=np.arange(2 * edges) < edges,
        before=np.array([before for before, _ in waits], np.int64),
        after=np.array([after for _, after in waits], np.int64),
    )


def _depth(parents: Sequence[int], host: int) -> int:
    depth = 0
    while parents[host] >= 0 and depth < len(parents):
        host, depth = parents[host], depth + 1
    if depth >= len(parents) or list(parents).count(-1) != 1:
        raise InvalidInput(f"parents: a tree over {len(parents)} hosts is needed")
    return depth


def double_tree_messages(hosts: int) -> LogicalMessages:
    """Two binary trees, half of the data on each: no host is inner in both, but the odd root.

    The second is the first one's mirror image for even numbers of hosts, else shifted by one.

    >>> double_tree_messages(8).messages
    28
    """
    require_hosts(hosts)
    first = [-1, *tree_parents(hosts).tolist()]
    image = np.arange(hosts)[::-1] if hosts % 2 == 0 else (np.arange(hosts) + 1) % hosts
    return join_messages([tree_messages(first), tree_messages(_tree_image(first, image.tolist()))])


def ccube_messages(topology: Topology) -> LogicalMessages:
    """Two binary trees on a DGX-1, half of the data on each, without a link that both need.

    They take four links of a GPU at most, all but two of the pairs double ones. Parts of the data
    (`split_messages`) are spread while later ones are still added up. Raises Unsupported for any
    other topology.

    >>> ccube_messages(dgx1()).messages
    28
    """
    if topology.switches or not topology.same_arcs(dgx1()):
        raise Unsupported("C-Cube: its trees are laid out for the links of DGX1 alone")
    first = [-1, *CCUBE_TREE]
    second = _tree_image(first, [4, 5, 6, 7, 0, 1, 2, 3])
    return join_messages([tree_messages(first), tree_messages(second)])


def _tree_image(parents: Sequence[int], image: Sequence[int]) -> list[int]:
    """The tree in which host image[h] is where h was."""
    found = [-1] * len(parents)
    for host, parent in enumerate(parents):
        found[image[host]] = image[parent] if parent >= 0 else -1
    return found


def grown_tree_messages(topology: Topology) -> LogicalMessages:
    """A tree for every host's part, all grown at once: in a step every link takes one tree on.

    Messages have the priority of their steps, reversed on the way to the root; those trees are
    grown on the transpose. Raises Unsupported for switches (unwind them first) and more than 256
    hosts; InvalidInput for hosts that do not reach each other.

    >>> from generators.arrays import jump_graph
    >>> ring = grown_tree_messages(jump_graph(5, [1, 4]))
    >>> ring.messages, ring.priority.tolist()[:2]
    (40, [0, 0])
    """
    require_hosts(topology.n)
    if topology.switches:
        raise Unsupported("MultiTree: a topology without switches is needed")
    if topology.n > MOST_GROWN_HOSTS:
        raise Unsupported(f"MultiTree: at most {MOST_GROWN_HOSTS} hosts, not {topology.n}")
    spread, gather = grow_trees(topology), grow_trees(topology.transpose())
    steps = int(gather[:, 0].max()) + 1
    rows = [(steps - 1 - step, root, v, u) for step, root, u, v in gather.tolist()[::-1]]
    rows += [(steps + step, root, u, v) for step, root, u, v in spread.tolist()]
    table = np.array(rows)
    edges = len(gather)
    waits = _tree_waits(table[:edges], table[edges:], edges)
    return LogicalMessages(
        hosts=topology.n,
        total=topology.n,
        origin=table[:, 2],
        target=table[:, 3],
        begin=table[:, 1],
        end=table[:, 1] + 1,
        reducing=np.arange(len(table)) < edges,
        before=np.array([before for before, _ in waits], np.int64),
        after=np.array([after for _, after in waits], np.int64),
        priority=table[:, 0],
    )


def _tree_waits(gather: IntArray, spread: IntArray, edges: int) -> list[tuple[int, int]]:
    """What is sent waits for all that came to its origin for the same root before."""
    came: dict[tuple[int, int], list[int]] = {}
    waits = []
    for number, (_, root, u, v) in enumerate([*gather.tolist(), *spread.tolist()]):
        waits += [(before, number) for before in came.get((root, u), ())]
        if number < edges:
            came.setdefault((root, v), []).append(number)
        else:
            came[root, v] = [number]
    return waits


def grow_trees(topology: Topology) -> IntArray:
    """Rows (step, root, tail, head) of a spanning tree from every host, in the order of steps.

    In every step the trees take turns, each takes a free arc from a host that it had before the
    step, the earliest host first, to one that it has not; until none can.

    >>> from generators.arrays import jump_graph
    >>> grow_trees(jump_graph(3, [1])).tolist()[:3]
    [[0, 0, 0, 1], [0, 1, 1, 2], [0, 2, 2, 0]]
    """
    n, tail, head = topology.n, topology.tail.tolist(), topology.head.tolist()
    start, order = csr_by_node(topology.tail, n)
    out = [own.tolist() for own in np.split(order, start[1:-1])]
    trees = [_GrowingTree({root}, list(out[root])) for root in range(n)]
    rows: list[tuple[int, int, int, int]] = []
    for step in range(n * n):
        free, turns, before = [True] * len(tail), list(range(n)), len(rows)
        while turns:
            taken = [(root, trees[root].take_arc(head, free)) for root in turns]
            rows += [(step, root, tail[arc], head[arc]) for root, arc in taken if arc >= 0]
            turns = [root for root, arc in taken if arc >= 0]
        for tree in trees:
            tree.end_step(head, out)
        if len(rows) == n * (n - 1):
            break
        if len(rows) == before:
            raise InvalidInput("MultiTree: some hosts do not reach each other")
    return np.array(rows, dtype=np.int32)


@dataclass(slots=True)
class _GrowingTree:
    """The hosts of a tree, arcs out of those that it had before this step, and hosts since."""

    hosts: set[int]
    frontier: list[int]
    new: list[int] = field(default_factory=list)

    def take_arc(self, head: list[int], free: list[bool]) -> int:
        """The first free arc to a host outside, which it then has; -1 where there is none."""
        for arc in self.frontier:
            if free[arc] and head[arc] not in self.hosts:
                free[arc] = False
                self.hosts.add(head[arc])
                self.new.append(head[arc])
                return arc
        return -1

    def end_step(self, head: list[int], out: list[list[int]]) -> None:
        """Hosts of this step may send from the next one on."""
        self.frontier += [arc for host in self.new for arc in out[host]]
        self.frontier = [arc for arc in self.frontier if head[arc] not in self.hosts]
        self.new = []
