"""Automorphisms that carry node 0 to every node, as products of a few: a symmetry that fits a file.

A topology knows one automorphism from node 0 to each node. To keep all n of them takes n^2
numbers; but where they form a group, log2(n) of them at most generate it, and each of the others
is one more product of two that are known.
"""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from generators.errors import InvalidInput
from generators.topology import BoolArray, Int64Array, IntArray, Topology


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Automorphisms:
    """One permutation h_u of the nodes for each node u, with h_u(0) = u; h_0 is the identity.

    `images` are the generators, int32 of shape (generators, n): generator g carries node v to
    images[g, v]. For every node u but 0, h_u is generator by[u] after h_parent[u]; `parent` and
    `by` are int32 of shape (n,), 0 at node 0. `levels` lists the nodes by their distance from
    node 0 in that tree. Arcs that are parallel keep their order under a generator.

    Raises InvalidInput when shapes differ, a generator is no permutation, or the products do not
    carry node 0 to every node. Whether the generators carry arcs to arcs is not checked here.

    >>> turn = Automorphisms(images=[[1, 2, 0]], parent=[0, 0, 1], by=[0, 0, 0])
    >>> turn.image(2).tolist()
    [2, 0, 1]
    """

    images: IntArray
    parent: IntArray
    by: IntArray
    levels: tuple[Int64Array, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("images", "parent", "by"):
            object.__setattr__(self, name, _index_array(name, getattr(self, name)))
        n = len(self.parent)
        if self.images.shape[1:] != (n,) or self.by.shape != (n,) or self.parent.ndim != 1 or not n:
            shapes = f"{self.images.shape}, {self.parent.shape} and {self.by.shape}"
            raise InvalidInput(f"images, parent, by: the shapes {shapes} do not fit together")
        for g, image in enumerate(self.images):
            if not _is_permutation(image):
                raise InvalidInput(f"images: generator {g} is no permutation of the nodes")
        object.__setattr__(self, "levels", _levels(self))

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.parent)

    def word(self, u: int) -> list[int]:
        """The generators whose product is h_u, the one that acts first at the front."""
        if not 0 <= u < self.n:
            raise InvalidInput(f"node {u} is not in 0..{self.n - 1}")
        found = []
        while u:
            found.append(int(self.by[u]))
            u = int(self.parent[u])
        return found[::-1]

    def image(self, u: int) -> IntArray:
        """h_u as an array: it carries node v to image[v]."""
        found = np.arange(self.n, dtype=np.int32)
        for g in self.word(u):
            found = self.images[g][found]
        return found

    def arc_maps(self, topology: Topology) -> IntArray:
        """Generator g carries arc e of the topology to `[g, e]`; int32 of shape (generators, arcs).

        Raises InvalidInput when the topology has another number of nodes, or a generator does not
        carry arcs to arcs.
        """
        if topology.n != self.n:
            raise InvalidInput(
                f"translations: for {self.n} nodes, but the topology has {topology.n}"
            )
        maps = np.empty((len(self.images), topology.arcs), dtype=np.int32)
        images = ArcImages(topology, np.arange(topology.arcs))
        for row, image in zip(maps, self.images, strict=True):
            row[:] = images.under(image)
        return maps

    def carry(self, maps: IntArray, points: NDArray[np.integer]) -> IntArray:
        """`[u, j]` is what h_u makes of points[j], if generator g carries point p to maps[g, p].

        `maps` are `images` for nodes, `arc_maps` for arcs. int32 of shape (n, len(points)).
        Raises InvalidInput for a point that the maps do not carry.

        >>> turn = Automorphisms(images=[[1, 2, 0]], parent=[0, 0, 1], by=[0, 0, 0])
        >>> turn.carry(turn.images, np.array([0, 1])).tolist()
        [[0, 1], [1, 2], [2, 0]]
        """
        count = maps.shape[1]
        astray = points[(points < 0) | (points >= count)]
        if len(astray):
            raise InvalidInput(f"points: those carried are 0..{count - 1}, not {astray[0]}")
        table = np.empty((self.n, len(points)), dtype=np.int32)
        table[0] = points
        images, parent = maps.ravel(), self.parent.astype(np.int64)
        begin = self.by.astype(np.int64)[:, None] * count
        for level in self.levels[1:]:
            before = table.take(parent.take(level), axis=0)
            table[level] = images.take(before + begin.take(level, axis=0))
        return table


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
        keys, order = _sort_arcs(topology)
        place = np.empty(topology.arcs, dtype=np.int64)
        place[order] = np.arange(topology.arcs)
        own = topology.tail[arcs].astype(np.int64) * topology.n + topology.head[arcs]
        self._rank = place[arcs] - np.searchsorted(keys, own)
        self._keys, self._order = (keys, order) if onto is None else _sort_arcs(onto)

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


def automorphisms_of(topology: Topology) -> Automorphisms:
    """Products of a few of the topology's own translations to out-neighbours of node 0.

    A generator is taken only if it reaches a node that those before do not. Raises InvalidInput
    when no translation is known, or some node is out of reach.

    >>> from generators.families.hamming import hypercube
    >>> automorphisms_of(hypercube(3)).images.shape
    (3, 8)
    """
    if topology.translation is None:
        raise InvalidInput("translation: the topology has none, so rows cannot be translated")
    images = np.empty((0, topology.n), dtype=np.int32)
    parent, by = breadth_first_words(images)
    for w in np.unique(topology.head[topology.tail == 0]).tolist():
        if parent[w] < 0:
            images = np.vstack([images, topology.translation(w)])
            parent, by = breadth_first_words(images)
    if (parent < 0).any():
        lost = int(np.argmax(parent < 0))
        raise InvalidInput(f"not strongly connected: node 0 cannot reach node {lost}")
    return Automorphisms(images=images, parent=parent, by=by)


def breadth_first_words(images: IntArray, *, by_node: bool = False) -> tuple[IntArray, IntArray]:
    """Which products of permutations carry node 0 to every node: `parent` and `by`.

    `images`, of shape (generators, n), and both answers, int32 of shape (n,), are as in
    `Automorphisms`; `parent` is -1 at nodes out of reach. Of the shortest products that carry 0 to
    a node, the one that ends with the earliest generator is taken; `by_node`: that of the earliest
    parent. The choice matters only where the products are no group with one member for each node.

    >>> both = np.array([[1, 2, 0], [2, 0, 1]], dtype=np.int32)
    >>> parent, by = breadth_first_words(both)
    >>> parent.tolist(), by.tolist()
    ([0, 0, 0], [0, 0, 1])
    """
    n = images.shape[1]
    parent, by, lost = np.full(n, -1), np.zeros(n, dtype=np.int32), np.ones(n, dtype=np.bool_)
    parent[0], lost[0], level = 0, False, np.zeros(1, dtype=np.int64)
    wide = images.astype(np.int64)  # numpy turns narrower indices into these at every look-up
    while len(level):
        if by_node:
            level = _visit_by_node(wide, level, parent, by, lost)
            continue
        found = []
        for g, image in enumerate(wide):
            reached = image.take(level)
            fresh = lost.take(reached)
            nodes = reached[fresh]
            parent[nodes], by[nodes], lost[nodes] = level[fresh], g, False
            found.append(nodes)
        level = np.concatenate(found) if found else level[:0]
    return parent.astype(np.int32), by


def _visit_by_node(
    wide: Int64Array, level: Int64Array, parent: Int64Array, by: IntArray, lost: BoolArray
) -> Int64Array:
    """The next level, node after node and generator after generator, written into the arrays."""
    reached = wide.take(level, axis=1).T.ravel()
    fresh = np.flatnonzero(lost.take(reached))
    place = fresh[np.sort(np.unique(reached[fresh], return_index=True)[1])]
    nodes: Int64Array = reached[place]
    parent[nodes], by[nodes] = level[place // len(wide)], place % len(wide)
    lost[nodes] = False
    return nodes


def _index_array(name: str, values: ArrayLike) -> IntArray:
    """A read-only int32 copy; checked before it is narrowed, which would wrap."""
    array = np.array(values)
    if array.size and (array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= 1 << 31):
        raise InvalidInput(f"{name}: nodes and generators are numbered from 0")
    array = array.astype(np.int32)
    array.setflags(write=False)
    return array


def _is_permutation(image: IntArray) -> bool:
    """Whether every node is in `image`, of as many nodes, once."""
    n = len(image)
    hit = np.zeros(n, dtype=np.bool_)
    hit[image[image < n]] = True
    return bool(hit.all())


def _levels(words: Automorphisms) -> tuple[Int64Array, ...]:
    """The nodes by depth, found by doubling; a tree that is none, or leads astray, is refused."""
    n, parent, by = words.n, words.parent, words.by
    others = np.arange(1, n)
    for name, values, count in (("parent", parent, n), ("by", by, len(words.images))):
        wrong = others[values[1:] >= count]
        if wrong.size or values[0]:
            node = int(wrong[0]) if wrong.size else 0
            raise InvalidInput(f"{name}: {values[node]} of node {node} is out of range")
    astray = others[words.images[by[1:], parent[1:]] != others]
    if astray.size:
        raise InvalidInput(f"parent, by: they do not carry node 0 to node {astray[0]}")
    depth, above = (np.arange(n) > 0).astype(np.int64), parent.astype(np.int64)
    for _ in range(n.bit_length()):
        if not above.any():
            break
        depth, above = depth + depth[above], above[above]
    if above.any():
        raise InvalidInput(f"parent: no path leads from node 0 to node {int(np.argmax(above > 0))}")
    order = np.argsort(depth.astype(np.min_scalar_type(n)), kind="stable")
    ends = np.cumsum(np.bincount(depth)).tolist()
    return tuple(order[first:last] for first, last in pairwise([0, *ends]))


def _sort_arcs(topology: Topology) -> tuple[Int64Array, Int64Array]:
    """tail * n + head of every arc in ascending order, and the arcs in that order."""
    keys = topology.tail.astype(np.int64) * topology.n + topology.head
    order = np.argsort(keys, kind="stable")
    return keys[order], order
