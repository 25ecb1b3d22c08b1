"""Distinct neighbours of every node, with the number of parallel arcs to each."""

import numpy as np

from topofinder.kernels import inner, kernel


@inner
def _sort(values, start, stop):  # type: ignore[no-untyped-def]
    """Sort values[start:stop] in place by insertion: a node has few neighbours."""
    for i in range(start + 1, stop):
        value, at = values[i], i
        while at > start and values[at - 1] > value:
            values[at] = values[at - 1]
            at -= 1
        values[at] = value


@kernel
def group(end, other, n):  # type: ignore[no-untyped-def]
    """Group `other[e]` by `end[e]` over all arcs e, self-loops left out.

    `end`, `other`: int32 of shape (arcs,). Returns (start, node, links), int64: the neighbours of
    u are node[start[u]:start[u + 1]] in increasing order, links their numbers of parallel arcs.
    """
    first = np.zeros(n + 1, np.int64)
    for e in range(len(end)):
        if end[e] != other[e]:
            first[end[e] + 1] += 1
    for u in range(n):
        first[u + 1] += first[u]
    found, at = np.empty(first[n], np.int64), first[:n].copy()
    for e in range(len(end)):
        if end[e] != other[e]:
            found[at[end[e]]] = other[e]
            at[end[e]] += 1
    start = np.zeros(n + 1, np.int64)
    node, links = np.empty(first[n], np.int64), np.empty(first[n], np.int64)
    filled = 0
    for u in range(n):
        _sort(found, first[u], first[u + 1])
        for i in range(first[u], first[u + 1]):
            if i > first[u] and found[i] == found[i - 1]:
                links[filled - 1] += 1
            else:
                node[filled], links[filled] = found[i], 1
                filled += 1
        start[u + 1] = filled
    return start, node[:filled], links[:filled]
