"""Isomorphisms between topologies; above all from a graph to its transpose (definition 6).

A graph with one is reverse-symmetric: an allgather on it is, renamed, one on its transpose, whose
reversal is a reduce-scatter of the same cost (theorem 2). Nodes are told apart by colour
refinement (1-dimensional Weisfeiler-Leman) with arcs weighted by their number; where colours
repeat, one node is singled out and its image is sought among the nodes of the same colour.
"""

import numpy as np

from generators.errors import Unsupported
from generators.topology import Int64Array, IntArray, Topology

MAX_REFINEMENTS = 10_000
"""How often colours are refined before the search gives up."""
MAX_DEPTH = 500
"""How many nodes are singled out at most."""


def reverse_isomorphism(topology: Topology, refinements: int = MAX_REFINEMENTS) -> IntArray | None:
    """An isomorphism from G to its transpose as `image[v]`, or None if there is none.

    Tried first: the identity, for two-way graphs, and v -> -v, for Cayley graphs of abelian
    groups. Raises Unsupported when the search takes too long to tell.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> reverse_isomorphism(ring).tolist()
    [0, 2, 1]
    """
    transposed = topology.transpose()
    identity = np.arange(topology.n, dtype=np.int32)
    for image in (identity, _inverses(topology)):
        if image is not None and is_isomorphism(topology, transposed, image):
            return image
    return isomorphism(topology, transposed, refinements)


def is_isomorphism(first: Topology, second: Topology, image: IntArray) -> bool:
    """Whether `image` carries the arcs of the first graph to those of the second, with numbers.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> is_isomorphism(ring, ring, np.array([1, 2, 0], dtype=np.int32))
    True
    """
    if first.n != second.n or not np.array_equal(np.sort(image), np.arange(first.n)):
        return False
    return Topology(n=first.n, tail=image[first.tail], head=image[first.head]).same_arcs(second)


def isomorphism(
    first: Topology, second: Topology, refinements: int = MAX_REFINEMENTS
) -> IntArray | None:
    """An isomorphism as `image[v]`, a node of the second graph, or None if there is none.

    Raises Unsupported when the search takes too long to tell.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> isomorphism(ring, ring.transpose()).tolist()
    [0, 2, 1]
    """
    if (first.n, first.arcs) != (second.n, second.arcs):
        return None
    search = _Search(first, second, refinements)
    return search.extend(np.zeros(2 * first.n, dtype=np.int64))


class _Search:
    """Colours of the nodes of both graphs together: v of the first, n + v of the second."""

    def __init__(self, first: Topology, second: Topology, refinements: int) -> None:
        from scipy import sparse  # its import takes as long as a look-up of an answer

        self.pair = (first, second)
        self.n = first.n
        self.most = self.left = refinements
        self.transitive = first.is_transitive
        tail = np.concatenate([first.tail, second.tail.astype(np.int64) + first.n])
        head = np.concatenate([first.head, second.head.astype(np.int64) + first.n])
        shape, ones = (2 * first.n, 2 * first.n), np.ones(len(tail), dtype=np.int64)
        out = sparse.csr_matrix((ones, (tail, head)), shape)
        self.out, self.into = out, sparse.csr_matrix(out.T)

    def extend(self, colours: Int64Array, depth: int = 0) -> IntArray | None:
        """The first isomorphism that keeps the colours, by refining and singling out."""
        if depth > MAX_DEPTH:
            raise Unsupported(f"isomorphism: more than {MAX_DEPTH} nodes look alike")
        colours = self._refine_colours(colours)
        ours, theirs = colours[: self.n], colours[self.n :]
        sizes = np.bincount(ours, minlength=len(colours))
        if not np.array_equal(sizes, np.bincount(theirs, minlength=len(colours))):
            return None
        if sizes.max() == 1:
            return self._match_colours(ours, theirs)
        repeated = np.flatnonzero(sizes > 1)
        colour = repeated[np.argmin(sizes[repeated])]
        node = int(np.flatnonzero(ours == colour)[0])
        images = np.flatnonzero(theirs == colour)
        # All nodes of a vertex-transitive graph are alike: if one image fails, all do.
        for other in images[:1] if self.transitive and depth == 0 else images:
            chosen = colours.copy()
            chosen[[node, self.n + int(other)]] = len(colours)
            if (found := self.extend(chosen, depth + 1)) is not None:
                return found
        return None

    def _match_colours(self, ours: Int64Array, theirs: Int64Array) -> IntArray | None:
        image = np.empty(self.n, dtype=np.int32)
        image[np.argsort(ours)] = np.argsort(theirs)
        return image if is_isomorphism(*self.pair, image) else None

    def _refine_colours(self, colours: Int64Array) -> Int64Array:
        """The coarsest colours in which equal nodes have equal numbers of arcs to each colour."""
        colours = np.unique(colours, return_inverse=True)[1]
        while True:
            self._count()
            finer = self._split(colours)
            if finer.max() == colours.max():
                return colours
            colours = finer

    def _split(self, colours: Int64Array) -> Int64Array:
        """New colours: the old one, and random weights of neighbours' colours summed up.

        Sums of 64-bit words drawn per colour stand for the multisets, as in `hash_neighbours` of
        topofinder/kernels.py, which is above this package and compiled; here colours are
        numbers without gaps, and a round is two products of sparse matrices. A chance collision
        can only leave two nodes alike: every answer is checked arc by arc, and both graphs are
        coloured with the same words.
        """
        count = int(colours.max()) + 1
        words = np.random.default_rng(count).integers(1, 1 << 62, (2, count))
        sums = np.stack([colours, self.out @ words[0][colours], self.into @ words[1][colours]])
        return np.unique(sums, axis=1, return_inverse=True)[1].ravel()

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Unsupported(
                f"isomorphism: no answer for {self.n} nodes in {self.most} refinements"
            )


def _inverses(topology: Topology) -> IntArray | None:
    """The node that each node's translation carries to node 0: v -> -v in an abelian group."""
    if topology.translation is None:
        return None
    translations = map(topology.translation, range(topology.n))
    return np.array([np.flatnonzero(image == 0)[0] for image in translations], dtype=np.int32)
