"""How far the nodes of a tree are from its root."""

import numpy as np

from topofinder.kernels import kernel


@kernel
def farthest(root, start, route, tail, head, length, depth):  # type: ignore[no-untyped-def]
    """The largest distance from the root in each tree, int64 (trees,).

    Edge `route[j]` of tree i, start[i] <= j < start[i + 1], leads from `tail` to `head` and is
    `length` long; parents come first. `depth`, int64 with an entry for every node, is scratch.
    """
    found = np.zeros(len(root), np.int64)
    for i in range(len(root)):
        depth[root[i]] = 0
        for j in range(start[i], start[i + 1]):
            r = route[j]
            depth[head[r]] = depth[tail[r]] + length[r]
            found[i] = max(found[i], depth[head[r]])
    return found
