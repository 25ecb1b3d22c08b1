"""Translations that keep the order of arcs at every node, as those of most Cayley graphs do.

The colour of an arc is its place among the arcs out of its tail; in a Cayley colour graph, it is
the generator that the arc multiplies by. An automorphism that keeps colours and fixes a node fixes
all that can be reached from there: whoever knows where it carries one node knows it whole. If the
translations to the out-neighbours of node 0 keep colours, their products reach every node, and
make a group with exactly one member that carries 0 to u. Whatever is the same for all sources up
to that group then costs the same on all arcs of one colour.
"""

from collections.abc import Iterator

import numpy as np

from generators.arrays import csr_by_node
from generators.errors import InvalidInput
from generators.topology import Int64Array, IntArray, Topology


class ArcColours:
    """The colours of arcs, and the group of colour-keeping translations if there is one.

    `colour[e]`, of shape (arcs,), is the place of arc e among those of its tail, in their order. If
    the translations do not keep that, it is the place of the arc out of node 0 that the
    translation to the tail of e carries there, which may serve as well. `steps` are the
    images of the members of the group that carry 0 to its out-neighbours; it is None when the
    topology is not known to have that group.

    >>> from generators.arrays import jump_graph
    >>> colours = ArcColours(jump_graph(4, [1, 3]))
    >>> colours.colour.tolist()
    [0, 1, 0, 1, 0, 1, 0, 1]
    >>> sorted(u for u, image in colours.translations())
    [0, 1, 2, 3]
    """

    def __init__(self, topology: Topology) -> None:
        self._n, self._topology = topology.n, topology
        self._first, self._order = csr_by_node(topology.tail, topology.n)
        self.colour = np.empty(topology.arcs, dtype=np.int64)
        self.colour[self._order] = np.arange(topology.arcs)
        self.colour -= self._first[topology.tail]
        self.steps = self._find_steps() if topology.is_regular else None
        if self.steps is None and topology.is_regular and self._colour_by_translations():
            self.steps = self._find_steps()

    def arcs(self, tail: IntArray, colour: Int64Array) -> Int64Array:
        """The arcs with these tails and colours."""
        found: Int64Array = self._order[self._first[tail] + colour]
        return found

    def translations(self) -> Iterator[tuple[int, IntArray]]:
        """Every node u that the group reaches from 0, with the image of the member that does it.

        Nothing is kept but the images of nodes that wait. Raises InvalidInput when some node is
        out of reach.
        """
        waiting = [(0, np.arange(self._n, dtype=np.int32))]
        seen = {0}
        while waiting:
            u, image = waiting.pop()
            yield u, image
            for step in self.steps or ():
                w = int(image[step[0]])
                if w not in seen:
                    seen.add(w)
                    waiting.append((w, image[step]))
        if len(seen) < self._n:
            lost = min(set(range(self._n)) - seen)
            raise InvalidInput(f"not strongly connected: node 0 cannot reach node {lost}")

    def _colour_by_translations(self) -> bool:
        """Number the arcs of every node as translations carry them from 0; whether they do."""
        translation, head = self._topology.translation, self._topology.head
        if translation is None or self._topology.capacity is not None or not len(head):
            return False
        own = self._order.reshape(self._n, -1)
        images = np.stack([translation(u)[head[own[0]]] for u in range(self._n)])
        by_image = np.argsort(images, axis=1, kind="stable")
        by_head = np.argsort(head[own], axis=1, kind="stable")
        found = np.take_along_axis(own, by_head, 1)
        if not np.array_equal(head[found], np.take_along_axis(images, by_image, 1)):
            return False
        np.put_along_axis(own, by_image, found, 1)
        self.colour[own] = np.arange(own.shape[1])
        return True

    def _find_steps(self) -> list[IntArray] | None:
        """The translations to the out-neighbours of 0, if they all keep colours."""
        translation = self._topology.translation
        if translation is None or self._topology.capacity is not None:
            return None
        tail, head = self._topology.tail, self._topology.head
        steps = []
        for w in np.unique(head[tail == 0]).tolist():
            image = translation(w)
            if not np.array_equal(head[self.arcs(image[tail], self.colour)], image[head]):
                return None
            steps.append(image)
        return steps
