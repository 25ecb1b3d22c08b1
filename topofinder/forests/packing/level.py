"""The level forest: every root may enter a node from any in-neighbour that ranks before it.

With a rank of the nodes for each root, the root first, *any* choice of in-arcs from nodes of
smaller rank makes a tree. So the packing falls apart into one small transport a node, and is
exact when all of them are met. With hop distances as ranks every tree is as high as its root is
eccentric, the least there is. In a vertex-transitive graph with a bandwidth-optimal BFB schedule
the intervals of that schedule are one such choice, so this finds a packing wherever they do.
"""

import numpy as np

from generators.arrays import csr_by_node
from generators.topology import IntArray
from topofinder.forests.packing.transport import solve_transport
from topofinder.kernels import hop_table, inner, kernel


def hop_ranks(tail: IntArray, head: IntArray, n: int) -> IntArray:
    """`[u, v]` is the distance from u to v; int32 of shape (n, n). All must be reachable."""
    start, arc = csr_by_node(tail, n)
    ranks: IntArray = hop_table(start, head[arc])
    return ranks


@inner
def _grow_array(array, least):  # type: ignore[no-untyped-def]
    wider = np.empty(2 * least + 16, array.dtype)
    for i in range(len(array)):  # slices would take seconds to compile
        wider[i] = array[i]
    return wider


@inner
def _suitable_arcs(v, tail, here, wanted, rank, begin):  # type: ignore[no-untyped-def]
    """The in-arcs of v that suit each root, by position in `here`; fills where each begins."""
    n = len(wanted)
    begin[:] = 0
    own = rank[v]
    for i in range(len(here)):
        other = rank[tail[here[i]]]
        for u in range(n):
            begin[u + 1] += other[u] < own[u]
    for u in range(n):
        if wanted[u] == 0:
            begin[u + 1] = 0
        begin[u + 1] += begin[u]
    suits = np.empty(begin[n], np.int32)
    following = begin[:-1].copy()
    for i in range(len(here)):
        other = rank[tail[here[i]]]
        for u in range(n):
            if other[u] < own[u] and wanted[u] > 0:
                suits[following[u]] = i
                following[u] += 1
    return suits


@kernel
def level_choices(tail, capacity, start, arc, supply, rank):  # type: ignore[no-untyped-def]
    """Who enters where: (root, arc, amount) of every choice, node after node, and what is unmet.

    `rank[v, u]` ranks node v for root u. Returns (root int32, arc int32, amount int64, where the
    choices of every node begin, what is unmet as rows (root, node, amount)).
    """
    n = len(supply)
    roots, arcs, amounts = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int64)
    short = np.empty(48, np.int64)
    first = np.zeros(n + 1, np.int64)
    filled, missing = 0, 0
    wanted, begin = np.empty(n, np.int64), np.empty(n + 1, np.int64)
    for v in range(n):
        here = arc[start[v] : start[v + 1]]
        room = capacity[here]
        for u in range(n):
            wanted[u] = supply[u] if u != v else 0
        suits = _suitable_arcs(v, tail, here, wanted, rank, begin)
        given, unmet = solve_transport(wanted, room, begin, suits)
        if filled + len(given) > len(roots):
            roots, arcs = (
                _grow_array(roots, filled + len(given)),
                _grow_array(arcs, filled + len(given)),
            )
            amounts = _grow_array(amounts, filled + len(given))
        for u in range(n):
            for at in range(begin[u], begin[u + 1]):
                if given[at] > 0:
                    roots[filled], arcs[filled], amounts[filled] = u, here[suits[at]], given[at]
                    filled += 1
            if unmet[u] > 0:
                if 3 * missing + 3 > len(short):
                    short = _grow_array(short, 3 * missing)
                short[3 * missing], short[3 * missing + 1] = u, v
                short[3 * missing + 2] = unmet[u]
                missing += 1
        first[v + 1] = filled
    return (
        roots[:filled],
        arcs[:filled],
        amounts[:filled],
        first,
        short[: 3 * missing].reshape(-1, 3),
    )
