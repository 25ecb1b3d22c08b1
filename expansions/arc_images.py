"""Where automorphisms carry arcs, when only their images of nodes are known."""

import numpy as np
from numpy.typing import NDArray

from generators.errors import InvalidInput
from generators.topology import IntArray, Topology


class ArcImages:
    """For an automorphism of a topology: the arcs onto which it carries some arcs.

    Parallel arcs have no images of their own; they keep their order. `arcs` are the arcs of
    interest, shape (k,).

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> ArcImages(ring, np.array([0, 2])).under(np.array([1, 2, 0])).tolist()
    [1, 0]
    """

    def __init__(self, topology: Topology, arcs: IntArray | NDArray[np.int64]) -> None:
        keys = topology.tail.astype(np.int64) * topology.n + topology.head
        self._n = topology.n
        self._tail, self._head = topology.tail[arcs], topology.head[arcs]
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        place = np.empty(topology.arcs, dtype=np.int64)
        place[self._order] = np.arange(topology.arcs)
        self._rank = place[arcs] - np.searchsorted(self._keys, keys[arcs])

    def under(self, image: IntArray) -> NDArray[np.int64]:
        """The images of the arcs under the automorphism `image[v]`; shape (k,).

        Raises InvalidInput when some arc has no image.
        """
        moved = image[self._tail].astype(np.int64) * self._n + image[self._head]
        place = np.searchsorted(self._keys, moved) + self._rank
        wrong = np.flatnonzero(self._keys[np.minimum(place, len(self._keys) - 1)] != moved)
        if len(wrong):
            u, v = self._tail[wrong[0]], self._head[wrong[0]]
            raise InvalidInput(
                f"automorphism: it carries arc [{u}, {v}] to [{image[u]}, {image[v]}], "
                "which the topology has not"
            )
        found: NDArray[np.int64] = self._order[place]
        return found
