"""Which routes the trees on a logical arc take, one after the other.

Source: ForestColl (NSDI 2026), the routing table of algorithm 3, used up in order.
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
