"""How far two-way generalized Kautz graphs reach, by one search without a graph.

Searches come by Bi(Pi(d,m)) at every size, and most of these graphs take more steps than others
that are as good in bandwidth.
"""

import numpy as np

from topofinder.kernels import kernel


@kernel
def count_two_way_hops(d, m):  # type: ignore[no-untyped-def]
    """Hops from node 0 of Bi(Pi(d,m)) to the node that is farthest away; -1 if one is not reached.

    Arcs lead from u to -d u - a, a from 1 to d, modulo m; so they come to u from the nodes
    floor((k m - u - 1) / d), k from 1 to d.
    """
    hops, order = np.full(m, -1, np.int64), np.empty(m, np.int64)
    hops[0], order[0] = 0, 0
    done, filled = 0, 1
    while done < filled:
        u = order[done]
        done += 1
        after = (m - d * u % m) % m
        for a in range(1, d + 1):
            for v in (after - a if after >= a else (after - a) % m, (a * m - u - 1) // d):
                if hops[v] < 0:
                    hops[v], order[filled] = hops[u] + 1, v
                    filled += 1
    return hops[order[m - 1]] if filled == m else -1
