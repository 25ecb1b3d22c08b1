"""Where isomorphisms carry arcs, when only their images of nodes are known."""

import numpy as np

from generators.errors import InvalidInput
from generators.topology import Int64Array, IntArray, Topology


class ArcImages:
    """For an isomorphism from a topology onto another: the arcs onto which it carries some arcs.

    Parallel arcs have no images of their own; they keep their order. `arcs` are the arcs of
    interest, shape (k,). The other topology is the same one unless `onto` says otherwise.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> ArcImages(ring, np.array([0, 2])).under(np.array([1, 2, 0])).tolist()
    [1, 0]
    """

    def __init__(
        self,
        topology: Topology,
        arcs: IntArray | Int64Array,
        onto: Topology | None = None,
    ) -> None:
        self._n = topology.n
        self._tail, self._head = topology.tail[arcs], topology.head[arcs]
        keys, order = _sorted(topology)
        place = np.empty(topology.arcs, dtype=np.int64)
        place[order] = np.arange(topology.arcs)
        own = topology.tail[arcs].astype(np.int64) * topology.n + topology.head[arcs]
        self._rank = place[arcs] - np.searchsorted(keys, own)
        self._keys, self._order = (keys, order) if onto is None else _sorted(onto)

    def under(self, image: IntArray) -> Int64Array:
        """The images of the arcs under the isomorphism `image[v]`; shape (k,).

        Raises InvalidInput when some arc has no image.
        """
        moved = image[self._tail].astype(np.int64) * self._n + image[self._head]
        place = np.searchsorted(self._keys, moved) + self._rank
        last = len(self._keys) - 1
        wrong = np.flatnonzero((place > last) | (self._keys[np.minimum(place, last)] != moved))
        if len(wrong):
            u, v = self._tail[wrong[0]], self._head[wrong[0]]
            raise InvalidInput(
                f"isomorphism: it carries arc [{u}, {v}] to [{image[u]}, {image[v]}], "
                "and there are fewer such arcs"
            )
        found: Int64Array = self._order[place]
        return found


def _sorted(topology: Topology) -> tuple[Int64Array, Int64Array]:
    """tail * n + head of every arc in ascending order, and the arcs in that order."""
    keys = topology.tail.astype(np.int64) * topology.n + topology.head
    order = np.argsort(keys, kind="stable")
    return keys[order], order
