"""Which hops of a tree's routes bring a switch what it has already."""

import numpy as np

from topofinder.kernels import kernel


@kernel
def multicast_skips(start, route, route_start, node, able, holds):  # type: ignore[no-untyped-def]
    """How many hops at the beginning of each edge carry nothing, int32 (uses,).

    Edge j, start[i] <= j < start[i + 1], of tree i follows the nodes `node[route_start[r]:
    route_start[r + 1]]` of its route r = `route[j]`, parents first. `able` (nodes,) marks switches
    that multicast. `holds`, int64 (nodes,), is scratch, filled with -1.
    """
    skip = np.zeros(len(route), np.int32)
    for i in range(len(start) - 1):
        for j in range(start[i], start[i + 1]):
            first, last = route_start[route[j]], route_start[route[j] + 1] - 1
            for at in range(first + 1, last):
                if holds[node[at]] == i:
                    skip[j] = at - first
            # What is before the last switch that has the message is not passed, so gets nothing.
            for at in range(first + skip[j] + 1, last):
                if able[node[at]]:
                    holds[node[at]] = i
    return skip
