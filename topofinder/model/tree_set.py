"""The noun TreeSet: weighted spanning trees whose edges follow routes through switches.

Source: ForestColl (NSDI 2026), section 5. This module only holds and measures; it knows nothing of
how trees are found.
"""

from copy import copy
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from generators.errors import InvalidInput
from generators.limits import MAX_NODES
from generators.topology import Int64Array, IntArray
from generators.weak_memo import remember_weakly

MAX_USES = 1 << 26
"""Edges of all trees together: 0.5 GB in memory."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class TreeSet:
    """Trees that begin at their roots; a node of weight w is the root of `k * w` of them.

    Entry i stands for `copies[i]` equal trees of root `root[i]`. Its edges are the routes
    `route[start[i]:start[i + 1]]`, so ordered that an edge begins where an earlier one ends, or at
    the root. Route r visits the nodes `node[route_start[r]:route_start[r + 1]]`, from parent to
    child, and only switches in between. Of the j-th edge, the first `skip[j]` hops carry nothing,
    for the switch they lead to has it already (section 5.6).

    `cut` is a set of nodes that bounds the rate: 1/x* = `optimum` is the weight inside over the
    bandwidth that leaves it. `time` is what the trees take: what a unit of weight keeps the busiest
    link at, in the same unit. All are read-only: `copies`, `start`, `route_start` int64, the others
    int32. Raises InvalidInput for arrays that do not fit together.

    >>> pair = TreeSet(k=1, root=[0, 1], copies=[1, 1], start=[0, 1, 2], route=[0, 1],
    ...     route_start=[0, 2, 4], node=[0, 1, 1, 0], optimum=Fraction(1), cut=[0],
    ...     time=Fraction(1))
    >>> pair.trees, pair.uses, pair.heights().tolist()
    (2, 2, [1, 1])
    """

    k: int
    root: IntArray
    copies: Int64Array
    start: Int64Array
    route: IntArray
    route_start: Int64Array
    node: IntArray
    optimum: Fraction
    time: Fraction
    cut: IntArray
    skip: IntArray | None = None

    def __post_init__(self) -> None:
        for name in ("copies", "start", "route_start"):
            self._set_array(name, np.int64)
        for name in ("root", "route", "node", "cut"):
            self._set_array(name, np.int32)
        if self.skip is None:
            object.__setattr__(self, "skip", np.zeros(self.uses, dtype=np.int32))
        self._set_array("skip", np.int32)
        if type(self.k) is not int or self.k < 1:
            raise InvalidInput(f"k: at least 1 tree a root, not {self.k}")
        self._require_shapes()
        self._require_ranges()

    def _set_array(self, name: str, kind: type) -> None:
        offered: ArrayLike = getattr(self, name)
        array = np.asarray(offered)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise InvalidInput(f"{name}: a flat array of integers is needed, not {array.dtype}")
        if array.size and not 0 <= int(array.min()) <= int(array.max()) <= np.iinfo(kind).max:
            raise InvalidInput(f"{name}: {array.min()}..{array.max()} is out of range")
        array = np.ascontiguousarray(array, dtype=kind).view()
        array.setflags(write=False)
        object.__setattr__(self, name, array)

    def _require_shapes(self) -> None:
        pairs = ((self.copies, self.root, "copies", "root"), (self.skip, self.route, "skip", "use"))
        for one, other, name, of in pairs:
            if one is not None and len(one) != len(other):
                raise InvalidInput(f"{name}: {len(one)} values for {len(other)} of {of}")
        if len(self.start) != len(self.root) + 1:
            raise InvalidInput(f"start: {len(self.start)} values for {len(self.root)} trees")
        for name, whole in (("start", self.route), ("route_start", self.node)):
            _require_offsets(name, getattr(self, name), len(whole))
        if self.uses > MAX_USES:
            raise InvalidInput(f"route: at most {MAX_USES} edges, not {self.uses}")

    def _require_ranges(self) -> None:
        if self.uses and int(self.route.max()) >= self.routes:
            raise InvalidInput(f"route: {self.route.max()} is not in 0..{self.routes - 1}")
        if len(self.node) and int(self.node.max()) >= MAX_NODES:
            raise InvalidInput(f"node: {self.node.max()} is not in 0..{MAX_NODES - 1}")
        lengths = np.diff(self.route_start)
        if lengths.size and int(lengths.min()) < 2:
            raise InvalidInput(f"route {int(lengths.argmin())}: fewer than two nodes")
        skipped = np.flatnonzero(self.multicast_skips)
        if (self.multicast_skips[skipped] >= lengths[self.route[skipped]] - 1).any():
            raise InvalidInput("skip: an edge without a hop is left")
        if len(self.copies) and int(self.copies.min()) < 1:
            raise InvalidInput("copies: at least 1, not 0")

    def with_time(self, time: Fraction) -> "TreeSet":
        """The same trees, which take that time; their arrays are not checked again."""
        if time == self.time:
            return self
        found = copy(self)
        object.__setattr__(found, "time", time)
        return found

    @property
    def multicast_skips(self) -> IntArray:
        """`skip`, which is there once the set is made."""
        return np.zeros(0, dtype=np.int32) if self.skip is None else self.skip

    @property
    def trees(self) -> int:
        """Number of different trees."""
        return len(self.root)

    @property
    def uses(self) -> int:
        """Number of edges of all different trees."""
        return len(self.route)

    @property
    def routes(self) -> int:
        """Number of different routes."""
        return len(self.route_start) - 1

    @property
    def hops(self) -> int:
        """Links that the edges of all different trees take, repeats counted; below 2^52 in files.

        However often trees take a link or spare a hop, they do so once a hop at most.
        """
        return int((np.diff(self.route_start) - 1)[self.route].sum())

    def tails(self) -> IntArray:
        """The parent at which each route begins; shape (routes,)."""
        return self.node[self.route_start[:-1]]

    def heads(self) -> IntArray:
        """The child at which each route ends; shape (routes,)."""
        return self.node[self.route_start[1:] - 1]

    def heights(self) -> Int64Array:
        """Edges from the root to the farthest node of every tree; shape (trees,)."""
        return _edge_heights(self)

    def hop_heights(self) -> Int64Array:
        """Links from the root to the farthest node of every tree, switches counted."""
        hops = np.diff(self.route_start) - 1
        return _edge_heights(self) if (hops == 1).all() else _tree_heights(self, hops)


@remember_weakly
def _edge_heights(trees: TreeSet) -> Int64Array:
    found = _tree_heights(trees, np.ones(trees.routes, dtype=np.int64))
    found.setflags(write=False)
    return found


def _tree_heights(trees: TreeSet, length: Int64Array) -> Int64Array:
    from topofinder.kernels import tree_heights

    nodes = int(max(trees.node.max(initial=0), trees.root.max(initial=0))) + 1
    ends = trees.root, trees.start, trees.route, trees.tails(), trees.heads()
    found: Int64Array = tree_heights(*ends, length, np.zeros(nodes, dtype=np.int64))
    return found


def _require_offsets(name: str, offsets: Int64Array, whole: int) -> None:
    if not len(offsets) or offsets[0] or offsets[-1] != whole or (np.diff(offsets) < 0).any():
        raise InvalidInput(f"{name}: offsets from 0 up to {whole} are needed")
