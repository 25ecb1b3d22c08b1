"""The noun Topology: a directed multigraph of hosts, as arrays.

Everywhere in topofinder `[u, v]` is the arc from `u` to `v`. Parallel arcs and self-loops are
allowed; a self-loop uses one port of its node for sending and one for receiving, and carries
nothing.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from generators.errors import InvalidInput

IntArray = NDArray[np.int32]
Translation = Callable[[int], IntArray]
"""For a node u, the automorphism that carries node 0 to u, as an array `image[v]`."""

MAX_NODES = 1 << 20
MAX_ARCS = 1 << 24


def _frozen(values: ArrayLike) -> IntArray:
    array = np.array(values, dtype=np.int32, ndmin=1)
    array.setflags(write=False)
    return array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Topology:
    """An immutable directed multigraph.

    Shapes: `tail` and `head` are int32 arrays of shape (arcs,), read-only; arc `e` goes from
    `tail[e]` to `head[e]`. `capacity` (in link units) and `latency` (in units of alpha) are
    exact and have one entry an arc; `None` means 1 for every arc. `switches` are nodes that
    forward but hold no shard.

    What is known of the symmetry: `translation(u)` is an automorphism that carries node 0 to u
    (the graph is then vertex-transitive); `orbits` holds one representative of each orbit of a
    known automorphism group, so that a property that symmetry preserves need only be computed
    at those nodes. Both are promises by the maker of the graph, proved in the tests.

    Raises InvalidInput when a node is outside 0..n-1 or arrays differ in length.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> ring.n, ring.arcs, ring.degree
    (3, 3, 1)
    """

    n: int
    tail: IntArray
    head: IntArray
    capacity: tuple[Fraction, ...] | None = None
    latency: tuple[Fraction, ...] | None = None
    switches: tuple[int, ...] = ()
    names: tuple[str, ...] | None = None
    translation: Translation | None = field(default=None, repr=False)
    orbits: IntArray | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MAX_NODES:
            raise InvalidInput(f"n: a topology has 1 to {MAX_NODES} nodes, not {self.n}")
        for name in ("tail", "head"):
            object.__setattr__(self, name, _frozen(getattr(self, name)))
        if self.tail.shape != self.head.shape or self.tail.ndim != 1:
            raise InvalidInput(f"tail has shape {self.tail.shape}, head {self.head.shape}")
        if len(self.tail) > MAX_ARCS:
            raise InvalidInput(f"arcs: at most {MAX_ARCS}, not {len(self.tail)}")
        self._check_nodes()
        for name in ("capacity", "latency"):
            self._check_arc_values(name)
        if self.names is not None and len(self.names) != self.n:
            raise InvalidInput(f"names: {len(self.names)} names for {self.n} nodes")

    def _check_nodes(self) -> None:
        for name, nodes in (("tail", self.tail), ("head", self.head), ("switches", self.switches)):
            array = np.asarray(nodes, dtype=np.int64)
            wrong = array[(array < 0) | (array >= self.n)]
            if len(wrong):
                raise InvalidInput(f"{name}: node {wrong[0]} is not in 0..{self.n - 1}")

    def _check_arc_values(self, name: str) -> None:
        values = getattr(self, name)
        if values is None:
            return
        values = tuple(Fraction(value) for value in values)
        if len(values) != self.arcs:
            raise InvalidInput(f"{name}: {len(values)} values for {self.arcs} arcs")
        least = 0 if name == "latency" else Fraction(1, 10**18)
        for arc, value in enumerate(values):
            if value < least:
                raise InvalidInput(f"{name} of arc {arc} is {value}")
        object.__setattr__(self, name, values)

    @classmethod
    def from_arcs(cls, n: int, arcs: Iterable[tuple[int, int]], **known: object) -> "Topology":
        """Make a topology from (tail, head) pairs; `known` are further fields by name."""
        pairs = np.array(list(arcs), dtype=np.int64).reshape(-1, 2)
        outside = pairs[(pairs < 0) | (pairs >= n)]
        if len(outside):
            raise InvalidInput(f"arcs: node {outside[0]} is not in 0..{n - 1}")
        return cls(n=n, tail=pairs[:, 0], head=pairs[:, 1], **known)  # type: ignore[arg-type]

    @property
    def arcs(self) -> int:
        """Number of arcs, parallel ones and self-loops counted."""
        return len(self.tail)

    @property
    def out_degrees(self) -> IntArray:
        """Ports used for sending at each node; shape (n,)."""
        return np.bincount(self.tail, minlength=self.n).astype(np.int32)

    @property
    def in_degrees(self) -> IntArray:
        """Ports used for receiving at each node; shape (n,)."""
        return np.bincount(self.head, minlength=self.n).astype(np.int32)

    @property
    def degree(self) -> int:
        """Ports a host needs: the largest in- or out-degree, self-loops counted."""
        return int(max(self.out_degrees.max(), self.in_degrees.max()))

    @property
    def is_regular(self) -> bool:
        """Whether every node sends and receives on exactly `degree` arcs."""
        degree = self.degree
        return bool((self.out_degrees == degree).all() and (self.in_degrees == degree).all())

    @property
    def has_loops(self) -> bool:
        """Whether some arc leads from a node to itself."""
        return bool((self.tail == self.head).any())

    @property
    def is_simple(self) -> bool:
        """Whether no two arcs share both tail and head (self-loops apart)."""
        return len(np.unique(self._arc_keys())) == self.arcs

    @property
    def is_bidirectional(self) -> bool:
        """Whether every circuit is two-way: as many arcs [v, u] as [u, v], for every pair."""
        forth = np.sort(self._arc_keys())
        back = np.sort(self.head.astype(np.int64) * self.n + self.tail)
        return bool(np.array_equal(forth, back))

    @property
    def is_transitive(self) -> bool:
        """Whether the graph is known to be vertex-transitive."""
        return self.translation is not None or (self.orbits is not None and len(self.orbits) == 1)

    def _arc_keys(self) -> NDArray[np.int64]:
        return self.tail.astype(np.int64) * self.n + self.head

    def transpose(self) -> "Topology":
        """The same nodes with every arc turned round; automorphisms stay automorphisms."""
        return replace(self, tail=self.head, head=self.tail)

    def same_arcs(self, other: "Topology") -> bool:
        """Whether both have the same nodes and the same arcs, however the arcs are ordered."""
        return self.n == other.n and np.array_equal(
            np.sort(self._arc_keys()), np.sort(other._arc_keys())
        )
