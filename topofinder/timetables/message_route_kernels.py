"""The links of messages on their ways, over flat arrays."""

from topofinder.kernels import kernel


@kernel
def fill_ways(origin, target, hops, out_start, head, way_start, way):  # type: ignore[no-untyped-def]
    """Fill `way[way_start[m]:way_start[m + 1]]` with the links of message m, in their order.

    Links are sorted by tail, those out of u are out_start[u]:out_start[u + 1]; `hops[u, v]` is the
    distance from u to v. Of links that lead nearer to the target the first one is taken.
    """
    for m in range(len(origin)):
        u, v = origin[m], target[m]
        for at in range(way_start[m], way_start[m + 1]):
            link = out_start[u]
            while hops[head[link], v] != hops[u, v] - 1:
                link += 1
            way[at] = link
            u = head[link]
