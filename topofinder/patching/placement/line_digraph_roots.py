"""Digraphs that are nearly line digraphs, searched through the smaller digraphs they come from.

In a line digraph L(G) the arcs fall into blocks, one for each node b of G: every arc of G into b is
joined to every arc out of b. A node of L(G) is an arc of G, from the block that leads into it to
the block that it leads into. Blocks survive changes: with a fifth of the circuits moved, two
senders of a block still share most receivers. So G is found again, with hardly an error left,
and a placement of its few nodes becomes one of the whole. Generalized Kautz digraphs and the line
graphs of the search are of this kind, several times over.
"""

from collections import Counter
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_matrix, csgraph

from generators.topology import Int64Array
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import PlacementRules
from topofinder.patching.placement.incidence import IncidenceRows, incidence_rows
from topofinder.patching.placement.problem import PlacementProblem

MOST_SHARING_PAIRS = 1 << 20
"""Pairs of senders that share a receiver; digraphs with more are not looked at."""
LEAST_BLOCK_SHARE = 0.6
"""Least share of the arcs that lie inside a block, and of the pairs in blocks that are arcs."""
LEFT = 2048
"""Nodes that are placed at most by an assignment problem."""


class LineDigraphRoot(NamedTuple):
    """Node v is an arc from block `tail[v]` to block `head[v]`, of `blocks` blocks."""

    tail: Int64Array
    head: Int64Array
    blocks: int


def line_digraph_root(table: IncidenceRows) -> LineDigraphRoot | None:
    """The digraph of which this is nearly the line digraph, or None if it is not."""
    if table.colours != 2:
        return None
    sender = np.repeat(np.arange(table.n), np.diff(table.start))[table.colour == 0]
    receiver = table.end[table.colour == 0].astype(np.int64)
    if not len(sender) or np.square(np.bincount(receiver)).sum() > MOST_SHARING_PAIRS:
        return None
    block = _blocks(sender, receiver, table.n)
    into = block
    for _ in range(3):
        into = _majority_blocks(receiver, block[sender], into)
        block = _majority_blocks(sender, into[receiver], block)
    names, both = np.unique(np.append(into, block), return_inverse=True)
    found = LineDigraphRoot(both[: table.n], both[table.n :], len(names))
    inside = np.count_nonzero(into[receiver] == block[sender])
    ends = [np.bincount(side, minlength=found.blocks) for side in (found.tail, found.head)]
    pairs = int(ends[0] @ ends[1])
    if len(names) > table.n / 1.5 or inside < LEAST_BLOCK_SHARE * max(len(sender), pairs):
        return None
    return found


def _blocks(sender: Int64Array, receiver: Int64Array, n: int) -> Int64Array:
    """A number for each sender; the same for those that share half of their receivers."""
    order = np.argsort(receiver, kind="stable")
    groups = np.split(sender[order], np.flatnonzero(np.diff(receiver[order])) + 1)
    shared = Counter(pair for group in groups for pair in combinations(group.tolist(), 2))
    enough = max(2, -(-len(sender) // (2 * n)))
    pairs = np.array([pair for pair, times in shared.items() if times >= enough] or [(0, 0)])
    links = coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    return np.asarray(csgraph.connected_components(links, directed=False)[1], dtype=np.int64)


def _majority_blocks(node: Int64Array, block: Int64Array, before: Int64Array) -> Int64Array:
    """The block that most arcs of each node name, the lowest of equals; as before if none do."""
    names, index = np.unique(node * (len(before) + 1) + block, return_inverse=True)
    votes = np.bincount(index)
    order = np.lexsort((-names, votes))
    after = before.copy()
    after[names[order] // (len(before) + 1)] = names[order] % (len(before) + 1)
    return after


def root_problem(wiring: LineDigraphRoot, target: LineDigraphRoot) -> PlacementProblem:
    """The smaller problem: which block of the wiring plays which block of the target."""
    n = max(wiring.blocks, target.blocks)
    both = [
        incidence_rows(
            Circuits(
                n=n,
                duplex=False,
                tail=one.tail.astype(np.int32),
                head=one.head.astype(np.int32),
            )
        )
        for one in (wiring, target)
    ]
    free = np.zeros((n, 2), dtype=np.int64)
    rules = PlacementRules(np.zeros(n, dtype=np.bool_), free, free.copy())
    return PlacementProblem(
        wiring=both[0], target=both[1], rules=rules, circuits=int(both[1].mult.sum()) // 2
    )


def lift_placement(
    wiring: LineDigraphRoot, target: LineDigraphRoot, host: Int64Array
) -> Int64Array:
    """A placement of the nodes from one of their blocks: both ends right first, then one."""
    n = len(wiring.tail)
    wanted = np.stack([host[target.tail], host[target.head]])
    there = np.stack([wiring.tail, wiring.head])
    place = np.full(n, -1, dtype=np.int64)
    for sides in ([0, 1], [0], [1]):
        _match(wanted[sides], there[sides], place)
        if (left := np.count_nonzero(place < 0)) <= LEFT and len(sides) == 2 and left:
            _assign(wanted, there, place)
    nodes = np.flatnonzero(place < 0)
    place[nodes] = np.setdiff1d(np.arange(n), place)
    return place


def _match(wanted: Int64Array, there: Int64Array, place: Int64Array) -> None:
    """Pair free nodes with free hosts that have the same blocks, in order."""
    size = 1 + max(int(wanted.max()), int(there.max()))
    nodes = np.flatnonzero(place < 0)
    hosts = np.setdiff1d(np.arange(len(place)), place)
    waiting: dict[int, list[int]] = {}
    for h in hosts[::-1].tolist():
        waiting.setdefault(int(np.polyval(there[:, h], size)), []).append(h)
    for v in nodes.tolist():
        if offers := waiting.get(int(np.polyval(wanted[:, v], size))):
            place[v] = offers.pop()


def _assign(wanted: Int64Array, there: Int64Array, place: Int64Array) -> None:
    """Pair what is left so that most have one block right."""
    nodes = np.flatnonzero(place < 0)
    hosts = np.setdiff1d(np.arange(len(place)), place)
    agree = (wanted[:, nodes, None] == there[:, None, hosts]).sum(axis=0)
    one, two = linear_sum_assignment(agree, maximize=True)
    place[nodes[one]] = hosts[two]
