"""Nodes that leave a wired graph: their neighbours are joined at the ports that they leave free.

A node uses ports of certain kinds, and its neighbours their mates. Where these can be joined to one
another, a node leaves alone; else two leave whose neighbours make up for one another, such as those
of two hosts with a port on each of four panels. The ports of a node stay what they were whatever
others leave, so that what is left over beside each node is known from the beginning.
"""

import numpy as np

from expansions.graft_edits import SHIFT, EditedGraph, heads, tails
from generators.topology import Int64Array, IntArray
from topofinder.discovery.grafts.near_ports import LinkPorts


def ports_left_over(links: Int64Array, ports: LinkPorts, n: int) -> Int64Array:
    """The ports that find no mate once a node leaves, by the lesser kind; shape (nodes, kinds).

    Of kinds that are their own mates it is whether one is left, of others how many more there are.

    >>> path = np.array([0 << SHIFT | 1, 1 << SHIFT | 2])
    >>> own, mate = np.array([0, 1], dtype=np.int32), np.array([0, 1], dtype=np.int32)
    >>> none = np.zeros((0, 2), dtype=np.int32)
    >>> ports_left_over(path, LinkPorts(kind=own, mate=mate, ports=none), 3).tolist()
    [[1, 0], [1, 1], [0, 1]]
    """
    free = np.zeros((n, len(ports.mate)), dtype=np.int64)
    np.add.at(free, (tails(links), ports.mate[ports.kind]), 1)
    np.add.at(free, (heads(links), ports.kind), 1)
    kinds = np.arange(len(ports.mate))
    over = np.where(ports.mate == kinds, free % 2, free - free[:, ports.mate])
    return np.where(ports.mate < kinds, 0, over)


def leaving_groups(over: Int64Array, fewer: int) -> list[list[int]]:
    """How many nodes leave at a time, ways to try in turn: one by one, and two by two.

    `over` are those of `ports_left_over`: only nodes that leave no port over can leave alone.

    >>> leaving_groups(np.array([[0], [0], [1]]), 2), leaving_groups(np.array([[0], [1], [1]]), 3)
    ([[1, 1], [2]], [[1, 2]])
    """
    alone = int((over == 0).all(axis=1).sum())
    ways = [[1] * fewer] if fewer <= alone else []
    if fewer > 1 and (alone or fewer % 2 == 0):
        ways.append([1] * (fewer % 2) + [2] * (fewer // 2))
    return ways


def remove_nodes(
    edited: EditedGraph,
    ports: LinkPorts,
    count: int,
    random: np.random.Generator,
    *,
    made: Int64Array | None = None,
) -> tuple[EditedGraph, LinkPorts] | None:
    """So many nodes fewer, their neighbours joined at the ports that are free; None if none can be.

    Nodes are drawn, and so is who is joined to whom: any nodes, or where it is told how many links
    at each were `made` by earlier edits, shape (nodes,), those that leave the fewest new ones.
    """
    over = ports_left_over(edited.links, ports, edited.n)
    first = np.zeros(edited.n, dtype=np.int64) if made is None else made
    near = None if made is None else edited.arcs()
    nodes = _draw_nodes(over, ports, count, random, first, near)
    if nodes is None:
        return None
    tail, head = tails(edited.links), heads(edited.links)
    out, into = np.isin(tail, nodes), np.isin(head, nodes)
    kept = ~(out | into)
    left, own = into & ~out, out & ~into
    joined, kinds = _join_ends(
        (tail[left], ports.kind[left]),
        (head[own], ports.mate[ports.kind[own]]),
        ports,
        random,
        duplex=edited.duplex,
    )
    pairs = np.concatenate([np.stack([tail[kept], head[kept]], axis=1), joined])
    pairs -= (pairs[:, :, None] > nodes).sum(axis=2)
    links = pairs[:, 0] << SHIFT | pairs[:, 1]
    after = EditedGraph(edited.n - count, edited.d, links, duplex=edited.duplex)
    there = np.setdiff1d(np.arange(edited.before), edited.removed)
    after.before, after.removed = edited.before, [*edited.removed, *there[nodes].tolist()]
    return after, ports.in_order(links, np.concatenate([ports.kind[kept], kinds]))


def _draw_nodes(
    over: Int64Array,
    ports: LinkPorts,
    count: int,
    random: np.random.Generator,
    made: Int64Array,
    arcs: Int64Array | None,
) -> Int64Array | None:
    """Nodes that leave no port over together, of those with the most links that were made.

    Of two the second has most links of that kind and to the first, where the arcs are told.
    """
    if count == 1:
        able = np.flatnonzero((over == 0).all(axis=1))
        return _draw_greatest(able, made, random)
    first = _draw_greatest(np.arange(len(over)), made, random)
    if first is None:
        return None
    own = ports.mate == np.arange(len(ports.mate))
    both = np.where(own, (over + over[first]) % 2, over + over[first])
    able = np.setdiff1d(np.flatnonzero((both == 0).all(axis=1)), first)
    if arcs is not None:
        beside = heads(arcs)[tails(arcs) == first]
        beside = np.concatenate([beside, tails(arcs)[heads(arcs) == first]])
        made = made + np.bincount(beside, minlength=len(made))
    second = _draw_greatest(able, made, random)
    return None if second is None else np.sort(np.concatenate([first, second]))


def _draw_greatest(
    nodes: Int64Array, weight: Int64Array, random: np.random.Generator
) -> Int64Array | None:
    """One of the nodes with the greatest weight; None of none."""
    if not len(nodes):
        return None
    return random.choice(nodes[weight[nodes] == weight[nodes].max()], 1)


def _join_ends(
    sending: tuple[Int64Array, IntArray],
    hearing: tuple[Int64Array, IntArray],
    ports: LinkPorts,
    random: np.random.Generator,
    *,
    duplex: bool,
) -> tuple[Int64Array, IntArray]:
    """Links, shape (links, 2), between nodes with free ports of kinds, and the kinds at the first.

    Simplex links lead from those that sent to those that heard.
    """
    node = np.concatenate([sending[0], hearing[0]])
    kind = np.concatenate([sending[1], hearing[1]])
    first, second = list[int](), list[int]()
    sent = np.arange(len(node)) < len(sending[0])
    for one, other in enumerate(ports.mate.tolist()):
        ends = random.permutation(np.flatnonzero(kind == one)).tolist()
        if one == other and duplex:
            first, second = first + ends[::2], second + ends[1::2]
        elif one == other:
            first += [end for end in ends if sent[end]]
            second += np.flatnonzero((kind == one) & ~sent).tolist()
        elif one < other:
            first, second = first + ends, second + np.flatnonzero(kind == other).tolist()
    pairs, kinds = np.array([first, second], dtype=np.int64).T, kind[first]
    turned = (node[pairs[:, 0]] > node[pairs[:, 1]]) if duplex else ~sent[pairs[:, 0]]
    pairs[turned] = pairs[turned, ::-1]
    return node[pairs], np.where(turned, ports.mate[kinds], kinds)
