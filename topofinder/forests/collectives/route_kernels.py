"""Kernels of trees on routes: which routes trees take, and which hops they need not.

Source: ForestColl (NSDI 2026), the routing table of algorithm 3, used up in order, and section 5.6.
"""

import numpy as np

from topofinder.kernels import kernel


@kernel
def assign_routes(start, arc, copies, bundle_start, ends):  # type: ignore[no-untyped-def]
    """(bundle, place) of every use of an arc, int64 (uses,): where its first copy lies.

    Lay the amounts of all bundles end to end; bundle b ends at `ends[b]`, and those of arc a are
    `bundle_start[a]:bundle_start[a + 1]`. Tree i uses the arcs `arc[start[i]:start[i + 1]]` for
    `copies[i]` copies each.
    """
    arcs = len(bundle_start) - 1
    current = bundle_start[:-1].copy()
    following = np.zeros(arcs, np.int64)
    for a in range(arcs):
        if current[a] > 0:
            following[a] = ends[current[a] - 1]
    bundle, place = np.empty(len(arc), np.int64), np.empty(len(arc), np.int64)
    for i in range(len(copies)):
        for use in range(start[i], start[i + 1]):
            a = arc[use]
            while current[a] + 1 < bundle_start[a + 1] and ends[current[a]] <= following[a]:
                current[a] += 1
            bundle[use], place[use] = current[a], following[a]
            following[a] += copies[i]
    return bundle, place


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
