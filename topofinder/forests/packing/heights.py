"""How high trees are: hops from the root to the farthest node, in logical arcs."""

import numpy as np

from topofinder.kernels import kernel


@kernel
def tree_heights(root, start, arc, tail, head):  # type: ignore[no-untyped-def]
    """Height of every tree, int64; arcs of a tree stand with parents before children."""
    nodes = 1
    for a in range(len(tail)):
        nodes = max(nodes, tail[a] + 1, head[a] + 1)
    depth = np.zeros(nodes, np.int64)
    found = np.zeros(len(root), np.int64)
    for i in range(len(root)):
        depth[root[i]] = 0
        for at in range(start[i], start[i + 1]):
            a = arc[at]
            depth[head[a]] = depth[tail[a]] + 1
            found[i] = max(found[i], depth[head[a]])
    return found
