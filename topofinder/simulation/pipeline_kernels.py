"""At which depth trees take their hops, over flat arrays."""

from topofinder.kernels import kernel


@kernel
def deepest_hop(root, start, route, skip, route_start, node, depth):  # type: ignore[no-untyped-def]
    """How many hops from its root the deepest node of all trees is.

    Arrays are those of a TreeSet, parents first; `depth`, int64 (nodes,), is scratch. A switch that
    is passed has the depth at which the message came by last.
    """
    deepest = 0
    for i in range(len(root)):
        depth[root[i]] = 0
        for j in range(start[i], start[i + 1]):
            first, last = route_start[route[j]] + skip[j], route_start[route[j] + 1] - 1
            for at in range(first, last):
                depth[node[at + 1]] = depth[node[at]] + 1
            deepest = max(deepest, depth[node[last]])
    return deepest


@kernel
def hop_loads(  # type: ignore[no-untyped-def]
    root, start, route, skip, route_start, node, depth, copies, link, table
):
    """Add to `table[l, p]` how many trees take link l in a hop that begins p hops from the root.

    All entries of a link together count copies once a hop at most: the caller keeps the sum of
    copies times hops over all trees below 2^63.
    """
    for i in range(len(root)):
        depth[root[i]] = 0
        for j in range(start[i], start[i + 1]):
            first, last = route_start[route[j]] + skip[j], route_start[route[j] + 1] - 1
            for at in range(first, last):
                table[link[at], depth[node[at]]] += copies[i]
                depth[node[at + 1]] = depth[node[at]] + 1
