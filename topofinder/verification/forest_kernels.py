"""The walk through all trees of a forest, over flat arrays."""

from topofinder.kernels import kernel


@kernel
def walk_edges(  # type: ignore[no-untyped-def]
    root, copies, start, route, skip, route_start, node, link, able, hosts, load, reached, holds
):
    """The first fault as (code, tree, use, 0), or (0, 0, 0, spared hops) when there is none.

    Arrays are those of a TreeSet; `link[p]` numbers the link from `node[p]` to `node[p + 1]`, and
    `load[link]` gathers how many trees take it. `able` marks switches that multicast, `hosts` is
    the number of hosts. `reached` and `holds` (nodes,), filled with -1, say in which tree a host
    was reached last, and in which a switch had the message. Codes are those of `FAULTS`.

    A load, and the spared hops, count copies once a hop at most: the caller keeps the sum of
    copies times hops over all trees below 2^63.
    """
    spared = 0
    for i in range(len(root)):
        reached[root[i]] = i
        count = 1
        for j in range(start[i], start[i + 1]):
            first, last = route_start[route[j]], route_start[route[j] + 1] - 1
            if reached[node[first]] != i:
                return 1, i, j, 0
            if reached[node[last]] == i:
                return 2, i, j, 0
            begin = first + skip[j]
            if skip[j] and not (able[node[begin]] and holds[node[begin]] == i):
                return 3, i, j, 0
            for at in range(begin, last):
                load[link[at]] += copies[i]
                if at > begin:
                    holds[node[at]] = i
            spared += skip[j] * copies[i]
            reached[node[last]] = i
            count += 1
        if count != hosts:
            return 4, i, 0, 0
    return 0, 0, 0, spared
