"""Which placements are the same but for the names of nodes: symmetries of a small target.

Of all placements that a symmetry carries into one another one is enough: along an order of the
nodes, each is on the lowest host of those that it can be carried to by symmetries that leave the
nodes before it where they are (a chain of stabilizers, Sims 1970).
"""

from collections.abc import Sequence

import numpy as np

from generators.topology import BoolArray, Int64Array


def lower_hosts(near: Int64Array, order: Sequence[int]) -> BoolArray:
    """`lower[v, w]`: node v may be asked to play on a lower host than w; shape (nodes, nodes).

    `near[v, w]` are circuits from v to w. For each placement there is one that differs by a
    symmetry and does all that is asked.

    >>> ring = np.roll(np.eye(4, dtype=np.int64), 1, axis=1)
    >>> lower_hosts(ring, range(4)).sum(axis=1).tolist()
    [3, 0, 0, 0]
    """
    n = len(near)
    lower, base = np.zeros((n, n), dtype=np.bool_), list[int]()
    for v in order:
        for w in range(n):
            image = {u: u for u in base} | {v: w}
            lower[v, w] = w not in base and w != v and _is_symmetry(near, image)
        base.append(v)
    return lower


def _is_symmetry(near: Int64Array, image: dict[int, int]) -> bool:
    """Whether some symmetry sends the nodes given where they are said to go."""
    nodes = list(image)
    for u in nodes[:-1]:
        if not _agree(near, image, u, nodes[-1]):
            return False
    return _extend_image(near, image)


def _extend_image(near: Int64Array, image: dict[int, int]) -> bool:
    n = len(near)
    if len(image) == n:
        return True
    # Next a node that is bound by as many circuits to those before it as possible.
    rest = [v for v in range(n) if v not in image]
    v = max(rest, key=lambda v: sum(int(near[v, u] + near[u, v]) for u in image))
    used = set(image.values())
    for w in range(n):
        if w in used or _row_profile(near, v) != _row_profile(near, w):
            continue
        image[v] = w
        if all(_agree(near, image, u, v) for u in image) and _extend_image(near, image):
            del image[v]
            return True
        del image[v]
    return False


def _agree(near: Int64Array, image: dict[int, int], u: int, v: int) -> bool:
    a, b = image[u], image[v]
    return bool(near[u, v] == near[a, b] and near[v, u] == near[b, a])


def _row_profile(near: Int64Array, v: int) -> tuple[list[int], list[int]]:
    return sorted(near[v].tolist()), sorted(near[:, v].tolist())
