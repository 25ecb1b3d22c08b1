"""Walks down a tree of products of automorphisms, over flat arrays."""

import numpy as np

from topofinder.kernels import kernel


@kernel
def parents_first(parent):  # type: ignore[no-untyped-def]
    """The nodes in an order with parents first, and the first that no path leads to, or -1."""
    n = len(parent)
    placed, order, path = np.zeros(n, np.bool_), np.zeros(n, np.int64), np.empty(n, np.int64)
    placed[0], filled = True, 1
    for u in range(n):
        node, length = u, 0
        while not placed[node] and length < n:
            path[length] = node
            node, length = parent[node], length + 1
        if not placed[node]:
            return order[:filled], u
        for place in range(length - 1, -1, -1):
            placed[path[place]] = True
            order[filled] = path[place]
            filled += 1
    return order, -1


@kernel
def add_images(order, parent, by, maps, points, amount, table, total):  # type: ignore[no-untyped-def]
    """Add the amounts to `total` at every image of the points; `table` is scratch.

    Points differ, and so do their images for one node: no total gets more than n amounts.
    """
    for j in range(len(points)):
        table[0, j] = points[j]
        total[points[j]] += amount[j]
    for u in order[1:]:
        g, before = by[u], parent[u]
        for j in range(len(points)):
            image = maps[g, table[before, j]]
            table[u, j] = image
            total[image] += amount[j]


@kernel
def image_table(order, parent, by, maps, points):  # type: ignore[no-untyped-def]
    """`[u, j]` is the image of points[j] for node u; int32 of shape (nodes, points)."""
    table = np.empty((len(order), len(points)), np.int32)
    for j in range(len(points)):
        table[0, j] = points[j]
    for u in order[1:]:
        g, before = by[u], parent[u]
        for j in range(len(points)):
            table[u, j] = maps[g, table[before, j]]
    return table


@kernel
def orbit_size(moves):  # type: ignore[no-untyped-def]
    """How many nodes are reached from node 0, if one leads from u to all of moves[u]."""
    n = len(moves)
    seen, queue = np.zeros(n, np.bool_), np.zeros(n, np.int64)
    seen[0], done, filled = True, 0, 1
    while done < filled:
        for v in moves[queue[done]]:
            if not seen[v]:
                seen[v], queue[filled] = True, v
                filled += 1
        done += 1
    return filled
