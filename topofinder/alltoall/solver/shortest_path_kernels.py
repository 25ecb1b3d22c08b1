"""Shortest paths from one node, by Dijkstra's algorithm with a binary heap.

Lengths are float64 or int64; the kernels compile for both. All are needed in float64 to steer
the search for a good flow, and in int64 to prove a bound.
"""

import numpy as np

from topofinder.kernels import inner, kernel


@inner
def sift_up(keys, nodes, place, key, node):  # type: ignore[no-untyped-def]
    """Put an entry into the heap: from `place`, a free leaf, up to where it belongs."""
    while place > 0:
        above = (place - 1) // 2
        if keys[above] <= key:
            break
        keys[place], nodes[place] = keys[above], nodes[above]
        place = above
    keys[place], nodes[place] = key, node


@inner
def sift_down(keys, nodes, size, key, node):  # type: ignore[no-untyped-def]
    """Put an entry into a heap of `size` whose root is free: down to where it belongs."""
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and keys[below + 1] < keys[below]:
            below += 1
        if keys[below] >= key:
            break
        keys[place], nodes[place] = keys[below], nodes[below]
        place = below
    keys[place], nodes[place] = key, node


@inner
def grow_tree(source, net, length, distance, parent, order, keys, nodes):  # type: ignore[no-untyped-def]
    """Fill distances, the last arc of a shortest path to each node (-1 at the source) and the
    nodes from the nearest to the farthest; returns how many are reached.

    `length` is per arc and not negative. `keys` and `nodes` are scratch of m + 1 entries.
    """
    n = len(distance)
    for v in range(n):
        parent[v] = -2
    parent[source], distance[source] = -1, 0
    keys[0], nodes[0] = 0, source
    size, settled = 1, 0
    while size > 0:
        near, u = keys[0], nodes[0]
        size -= 1
        sift_down(keys, nodes, size, keys[size], nodes[size])
        if near > distance[u]:
            continue
        order[settled] = u
        settled += 1
        for at in range(net.out_first[u], net.out_first[u + 1]):
            e = net.out_arc[at]
            v = net.head[e]
            far = near + length[e]
            if parent[v] == -2 or far < distance[v]:
                distance[v], parent[v] = far, e
                sift_up(keys, nodes, size, far, v)
                size += 1
    return settled


@kernel
def fill_distances(sources, net, length, out):  # type: ignore[no-untyped-def]
    """Fill out[k, v] with the distance from sources[k] to v."""
    n, m = out.shape[1], len(length)
    parent, order = np.empty(n, np.int64), np.empty(n, np.int64)
    keys, nodes = np.empty(m + 1, length.dtype), np.empty(m + 1, np.int64)
    for k in range(len(sources)):
        grow_tree(sources[k], net, length, out[k], parent, order, keys, nodes)


@kernel
def total_distance(sources, weight, wanted, net, length):  # type: ignore[no-untyped-def]
    """Sum over sources of weight times what each node wants times its distance."""
    n, m = wanted.shape[1], len(length)
    distance = np.empty(n, length.dtype)
    parent, order = np.empty(n, np.int64), np.empty(n, np.int64)
    keys, nodes = np.empty(m + 1, length.dtype), np.empty(m + 1, np.int64)
    total = 0.0
    for k in range(len(sources)):
        grow_tree(sources[k], net, length, distance, parent, order, keys, nodes)
        own = 0.0
        for v in range(n):
            own += wanted[k, v] * distance[v]
        total += weight[k] * own
    return total


@kernel
def fill_tree(source, net, length, distance, parent, order):  # type: ignore[no-untyped-def]
    """Fill what `grow_tree` fills, for one source."""
    keys, nodes = np.empty(len(length) + 1, length.dtype), np.empty(len(length) + 1, np.int64)
    return grow_tree(source, net, length, distance, parent, order, keys, nodes)
