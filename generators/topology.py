"""The noun Topology: a directed multigraph of hosts, as arrays.

Everywhere in topofinder `[u, v]` is the arc from `u` to `v`. Parallel arcs and self-loops are
allowed; a self-loop uses one port of its node for sending and one for receiving, and carries
nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.limits import MAX_ARCS, MAX_NODES
from generators.quantities import LARGEST, is_in_range

IntArray = NDArray[np.int32]
Int64Array = NDArray[np.int64]
AnyIntArray = NDArray[np.signedinteger[Any]]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
ArcValues = tuple[Fraction, ...]
Translation = Callable[[int], IntArray]
"""For a node u, the automorphism that carries node 0 to u, as an array `image[v]`."""

MAX_TIER = 255
HOST_COSTS = ("injection", "reduce_rate", "epsilon")
"""What a topology may say of its hosts, besides how they are linked."""
UNITS = ("unit_rate", "unit_latency", *HOST_COSTS)
"""What it may say of its numbers, and of its hosts, as a whole."""
MIN_CAPACITY = Fraction(1, 10**18)


def _nodes(name: str, values: ArrayLike, n: int) -> IntArray:
    """A read-only copy of an array of nodes; checked before it is narrowed, which would wrap."""
    array = np.array(values, ndmin=1)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidInput(
            f"{name}: a flat array of integers is needed, not {array.dtype} {array.shape}"
        )
    if array.size and (array.min() < 0 or array.max() >= n):
        wrong = array[(array < 0) | (array >= n)]
        raise InvalidInput(f"{name}: node {wrong[0]} is not in 0..{n - 1}")
    array = array.astype(np.int32, copy=False)
    array.setflags(write=False)
    return array


@dataclass(frozen=True, slots=True)
class SharedValues:
    """Capacities or latencies of which many arcs share one: that of arc e is `values[which[e]]`.

    Topology takes them for its tuples, and looks at each value once.
    """

    values: Sequence[Fraction]
    which: AnyIntArray


def _fractions(name: str, values: "Iterable[Fraction | int] | SharedValues") -> ArcValues:
    """Exact values of the arcs; a value many arcs share is converted and checked once."""
    if isinstance(values, SharedValues):
        exact = [_fraction(name, value) for value in values.values]
        wrong = np.flatnonzero(np.array([value is None for value in exact])[values.which])
        if len(wrong):
            raise _wrong_value(name, wrong[0], values.values[values.which[wrong[0]]])
        return tuple(np.array(exact, dtype=object)[values.which])
    offered = tuple(values)
    changed: dict[int, Fraction | int] = {}
    for key, value in {id(each): each for each in offered}.items():  # `offered` keeps all alive
        found = _fraction(name, value)
        if found is None:
            arc = next(arc for arc, each in enumerate(offered) if each is value)
            raise _wrong_value(name, arc, value)
        if found is not value:
            changed[key] = found
    if not changed:
        return cast("ArcValues", offered)
    return tuple(cast("Fraction", changed.get(id(each), each)) for each in offered)


def _wrong_value(name: str, arc: int, value: object) -> InvalidInput:
    return InvalidInput(f"{name} of arc {arc} is {excerpt(value)}")


def _fraction(name: str, value: Any) -> Fraction | None:
    """The exact value; None where it is none, or no capacity or latency."""
    try:
        found = value if type(value) is Fraction else Fraction(value)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        return None
    if found.numerator == 0:
        return found if name == "latency" else None
    if found.numerator < 0 or not is_in_range(found):
        return None
    return found if name == "latency" or found >= MIN_CAPACITY else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Topology:
    """An immutable directed multigraph.

    Shapes: `tail` and `head` are int32 arrays of shape (arcs,), read-only; arc `e` goes from
    `tail[e]` to `head[e]`. `capacity` (in link units) and `latency` (in units of alpha) are
    exact and have one entry an arc; `None` means 1 for every arc. `switches` are nodes that
    forward but hold no shard; they are kept in ascending order. Of these, `multicast` lists those
    that can send one message on over several arcs, `reduce` those that can combine several into
    one. `tiers`, where known, has an entry a node: 0 at hosts, and at switches 1 or more, the
    higher the farther up. `unit_rate` (bytes a second) and `unit_latency` (seconds) say what
    capacity 1 and latency 1 stand for, where that is known.

    What hosts add, where it is known: a host sends, and receives, at most `injection` over all its
    links together, and combines data at `reduce_rate`, both in units of capacity; a collective
    takes `epsilon` seconds besides.

    What is known of the symmetry: `translation(u)` is an automorphism that carries node 0 to u
    (the graph is then vertex-transitive); `orbits` holds one representative of each orbit of a
    known automorphism group, so that a property that symmetry preserves need only be computed
    at those nodes. Both are stated by the maker of the graph, and checked in the tests.

    Raises InvalidInput when a node is outside 0..n-1, arrays differ in length, a capacity is
    below MIN_CAPACITY, a latency is negative, any of them above LARGEST or, unless it is 0, below
    its inverse, an ability is given to a node that is no switch, a switch has no tier where others
    have one, a host has one, or a unit or what hosts add is not above 0.

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
    multicast: tuple[int, ...] = ()
    reduce: tuple[int, ...] = ()
    tiers: tuple[int, ...] | None = None
    unit_rate: Fraction | None = None
    unit_latency: Fraction | None = None
    injection: Fraction | None = None
    reduce_rate: Fraction | None = None
    epsilon: Fraction | None = None
    translation: Translation | None = field(default=None, repr=False)
    orbits: IntArray | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MAX_NODES:
            raise InvalidInput(f"n: a topology has 1 to {MAX_NODES} nodes, not {excerpt(self.n)}")
        for name in ("tail", "head"):
            object.__setattr__(self, name, _nodes(name, getattr(self, name), self.n))
        if len(self.tail) != len(self.head):
            raise InvalidInput(f"tail has {len(self.tail)} arcs, head {len(self.head)}")
        if len(self.tail) > MAX_ARCS:
            raise InvalidInput(f"arcs: at most {MAX_ARCS}, not {len(self.tail)}")
        for name in ("capacity", "latency"):
            self._set_arc_values(name)
        for name in ("switches", "multicast", "reduce"):
            given = getattr(self, name)
            if not isinstance(given, tuple) or given:  # few graphs have any
                nodes = np.unique(_nodes(name, given, self.n))
                object.__setattr__(self, name, tuple(nodes.tolist()))
        self._require_able_switches()
        self._set_tiers()
        for name in ("unit_rate", "unit_latency", *HOST_COSTS):
            self._set_unit(name)
        self._set_names()

    def _require_able_switches(self) -> None:
        for name in ("multicast", "reduce"):
            for node in set(getattr(self, name)) - set(self.switches):
                raise InvalidInput(f"{name}: node {node} is no switch")

    def _set_tiers(self) -> None:
        if self.tiers is None:
            return
        if len(self.tiers) != self.n:
            raise InvalidInput(f"tiers: {len(self.tiers)} values for {self.n} nodes")
        switches = set(self.switches)
        for node, tier in enumerate(self.tiers):
            least, most = (1, MAX_TIER) if node in switches else (0, 0)
            if type(tier) is not int or not least <= tier <= most:
                told = f"a switch has one of 1..{MAX_TIER}" if most else "a host has none"
                raise InvalidInput(f"tier of node {node} is {excerpt(tier)}; {told}")
        object.__setattr__(self, "tiers", tuple(self.tiers))

    def _set_unit(self, name: str) -> None:
        value = getattr(self, name)
        if value is None:
            return
        if not isinstance(value, Fraction | int) or value <= 0:
            raise InvalidInput(f"{name}: an exact number above 0 is needed, not {excerpt(value)}")
        if not 1 / LARGEST <= value <= LARGEST:
            raise InvalidInput(f"{name}: {excerpt(value)} is out of range")
        object.__setattr__(self, name, Fraction(value))

    def _set_arc_values(self, name: str) -> None:
        values = getattr(self, name)
        if values is None:
            return
        values = _fractions(name, values)
        if len(values) != self.arcs:
            raise InvalidInput(f"{name}: {len(values)} values for {self.arcs} arcs")
        object.__setattr__(self, name, values or None)

    def _set_names(self) -> None:
        if self.names is None:
            return
        if len(self.names) != self.n:
            raise InvalidInput(f"names: {len(self.names)} names for {self.n} nodes")
        for node, name in enumerate(self.names):
            if not isinstance(name, str):
                raise InvalidInput(
                    f"names: node {node} is called {excerpt(name)}, which is not text"
                )
        object.__setattr__(self, "names", tuple(self.names))

    @classmethod
    def from_arcs(cls, n: int, arcs: Iterable[tuple[int, int]], **known: object) -> "Topology":
        """Make a topology from (tail, head) pairs; `known` are further fields by name."""
        try:
            pairs = np.array(arcs if isinstance(arcs, np.ndarray) else list(arcs))
        except ValueError:
            raise InvalidInput("arcs: not every arc is a pair (tail, head)") from None
        if not pairs.size:
            pairs = np.empty((0, 2), dtype=np.int32)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise InvalidInput(f"arcs: pairs (tail, head) are needed, not shape {pairs.shape}")
        _nodes("arcs", pairs.ravel(), n)
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
        """Whether no two arcs share both tail and head."""
        keys = np.sort(self._arc_keys())
        return bool((keys[1:] != keys[:-1]).all())

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

    def _arc_keys(self) -> Int64Array:
        return self.tail.astype(np.int64) * self.n + self.head

    def transpose(self) -> "Topology":
        """The same nodes with every arc turned round; automorphisms stay automorphisms.

        A switch that multicasts combines there, and the other way round.
        """
        return replace(
            self, tail=self.head, head=self.tail, multicast=self.reduce, reduce=self.multicast
        )

    def same_arcs(self, other: "Topology") -> bool:
        """Whether both have the same nodes and the same arcs, however the arcs are ordered."""
        return self.n == other.n and np.array_equal(
            np.sort(self._arc_keys()), np.sort(other._arc_keys())
        )

    def same_wiring(self, other: "Topology") -> bool:
        """Whether both have the same arcs in the same order, and equal capacities, latencies,
        switches, abilities, tiers, units and names; what is known of the symmetry, and what hosts
        add, is not compared.

        >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
        >>> pair.same_wiring(pair), pair.same_wiring(pair.transpose())
        (True, False)
        """
        fields = ["n", "capacity", "latency", "switches", "names"]
        fields += ["multicast", "reduce", "tiers", "unit_rate", "unit_latency"]
        return (
            np.array_equal(self.tail, other.tail)
            and np.array_equal(self.head, other.head)
            and all(getattr(self, name) == getattr(other, name) for name in fields)
        )
