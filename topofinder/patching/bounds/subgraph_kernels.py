"""Subgraph isomorphism: whether a small pattern lies in a graph, by backtracking from all nodes."""

from typing import Any, NamedTuple

import numpy as np

from generators.topology import Int64Array
from topofinder.kernels import kernel

ABSENT, PRESENT, UNKNOWN = 0, 1, 2


class Pattern(NamedTuple):
    """A connected pattern in an order of search: node i > 0 is joined to `parent[i]` < i.

    `start` (nodes + 1,) and `earlier` list the other earlier nodes that node i is joined to.
    """

    parent: Int64Array
    start: Int64Array
    earlier: Int64Array


def pattern(edges: list[tuple[int, int]], order: list[int]) -> Pattern:
    """The pattern of some edges, searched in an order in which every node has an earlier one.

    >>> pattern([(0, 1), (1, 2), (2, 0)], [0, 1, 2]).earlier.tolist()
    [1]
    """
    place = {v: i for i, v in enumerate(order)}
    joined: list[list[int]] = [[] for _ in order]
    for u, v in edges:
        early, late = sorted((place[u], place[v]))
        joined[late].append(early)
    parent = [0] + [min(early) for early in joined[1:]]
    rest = [sorted(set(early) - {p}) for early, p in zip(joined, parent, strict=True)]
    rest[0] = []
    start = np.cumsum([0] + [len(early) for early in rest])
    flat = [v for early in rest for v in early]
    return Pattern(np.array(parent), start, np.array(flat, dtype=np.int64))


@kernel
def embeds(start: Any, end: Any, pattern: Any, most: int) -> int:
    """ABSENT if no injective map of the pattern's nodes carries all its edges to edges.

    `start` (n + 1,), `end`: the neighbours of each node of a two-way graph, each once. UNKNOWN
    if more than `most` candidates were looked at before the answer was found.
    """
    n, size = len(start) - 1, len(pattern.parent)
    image, at = np.full(size, -1, dtype=np.int64), np.zeros(size, dtype=np.int64)
    taken = np.zeros(n, dtype=np.bool_)
    steps = 0
    for root in range(n):
        image[0], taken[root], depth = root, True, 1
        if size == 1:
            return PRESENT
        at[1] = start[root]
        while depth > 0:
            if image[depth] >= 0:
                taken[image[depth]] = False
                image[depth] = -1
            above = image[pattern.parent[depth]]
            if at[depth] == start[above + 1]:
                depth -= 1
                continue
            w = end[at[depth]]
            at[depth] += 1
            steps += 1
            if steps > most:
                return UNKNOWN
            fits = not taken[w]
            for i in range(pattern.start[depth], pattern.start[depth + 1]):
                if not fits:
                    break
                u, joined = image[pattern.earlier[i]], False
                for entry in range(start[u], start[u + 1]):
                    joined = joined or end[entry] == w
                fits = joined
            if not fits:
                continue
            image[depth], taken[w] = w, True
            if depth == size - 1:
                return PRESENT
            depth += 1
            image[depth] = -1
            at[depth] = start[image[pattern.parent[depth]]]
        taken[root] = False
    return ABSENT
