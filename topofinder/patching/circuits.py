"""The noun Circuits: a multigraph of circuits, between hosts (a wiring) or nodes (a target).

A patch panel or an optical switch holds circuits, not arcs. A duplex circuit joins two ends with
both of its fibres; a simplex circuit leads one fibre from the sender of its tail to the receiver
of its head, so that the two fibres of one port may go to different hosts (appendix A.6).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from generators.errors import InvalidInput
from generators.limits import MAX_ARCS, MAX_NODES
from generators.topology import IntArray, Topology
from topofinder.model.port_rates import link_rates


def checked_integers(name: str, values: NDArray[np.integer], least: int, most: int) -> IntArray:
    """A read-only int32 copy of integers that must lie in least..most; InvalidInput names one."""
    array = np.array(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidInput(f"{name}: a flat array of integers is needed, not {array.dtype}")
    wrong = array[(array < least) | (array > most)]
    if wrong.size:
        raise InvalidInput(f"{name}: {wrong[0]} is not in {least}..{most}")
    array = array.astype(np.int32)
    array.setflags(write=False)
    return array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Circuits:
    """An immutable multigraph of circuits between `n` ends; parallel circuits are allowed.

    Shapes: `tail`, `head` and `panel` are int32 arrays of shape (circuits,), read-only. Simplex
    circuit i sends from `tail[i]` to `head[i]`; for a duplex one the order says nothing. `panel`
    is the panel that holds each circuit; None where it is not said, as in a target. `rate` is the
    place of its rate among those of ports; None where ports have no rates.

    A circuit from a host to itself is allowed in a wiring (it occupies a port and is never kept)
    and refused in a target by `assign`: `of` leaves loops out, because they carry nothing.

    Raises InvalidInput when an end is outside 0..n-1, lengths differ, or a panel is negative.

    >>> Circuits(n=3, duplex=True, tail=np.array([0, 1]), head=np.array([1, 2])).count
    2
    """

    n: int
    duplex: bool
    tail: IntArray
    head: IntArray
    panel: IntArray | None = None
    rate: IntArray | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MAX_NODES:
            raise InvalidInput(f"n: circuits join 1 to {MAX_NODES} ends, not {self.n}")
        for name in ("tail", "head"):
            object.__setattr__(
                self, name, checked_integers(name, getattr(self, name), 0, self.n - 1)
            )
        if len(self.tail) != len(self.head) or len(self.tail) > MAX_ARCS:
            raise InvalidInput(f"tail has {len(self.tail)} circuits, head {len(self.head)}")
        for name in ("panel", "rate"):
            values = getattr(self, name)
            if values is None:
                continue
            object.__setattr__(self, name, checked_integers(name, values, 0, MAX_NODES))
            if len(values) != len(self.tail):
                raise InvalidInput(f"{name}: {len(values)} values, {len(self.tail)} circuits")

    @classmethod
    def of(cls, topology: Topology, *, duplex: bool, rates: Sequence[Fraction] = ()) -> "Circuits":
        """The circuits that realise a topology: loops left out, arcs paired if duplex.

        Simplex circuits keep the order of the arcs; duplex circuits are ordered by (tail, head)
        with tail < head. With `rates`, those of ports, slowest first, in bytes a second, each has
        that of its link. Raises InvalidInput when duplex circuits cannot realise the topology,
        because some arc has no arc back, and where a link has a rate that no port has.

        >>> Circuits.of(Topology.from_arcs(2, [(0, 1), (1, 0), (1, 1)]), duplex=True).count
        1
        """
        if duplex and not topology.is_bidirectional:
            raise InvalidInput("duplex: the topology has arcs without an arc back; use simplex")
        keep = topology.tail < topology.head if duplex else topology.tail != topology.head
        tail, head = topology.tail[keep], topology.head[keep]
        order = np.lexsort((head, tail)) if duplex else slice(None)
        made = cls(n=topology.n, duplex=duplex, tail=tail[order], head=head[order])
        if not rates:
            return made
        return replace(made, rate=_rate_places(topology, rates)[keep][order])

    @property
    def count(self) -> int:
        """Number of circuits, parallel ones counted."""
        return len(self.tail)

    @property
    def rows(self) -> list[tuple[int, int, int]]:
        """Tail, head and rate of each circuit; 0 where none has a rate."""
        rate = np.zeros_like(self.tail) if self.rate is None else self.rate
        return list(zip(self.tail.tolist(), self.head.tolist(), rate.tolist(), strict=True))

    @property
    def sends(self) -> IntArray:
        """Ports (duplex) or sending fibres (simplex) in use at each end; shape (n,)."""
        ends = np.concatenate([self.tail, self.head]) if self.duplex else self.tail
        return np.bincount(ends, minlength=self.n).astype(np.int32)

    @property
    def receives(self) -> IntArray:
        """Ports (duplex) or receiving fibres (simplex) in use at each end; shape (n,)."""
        return (
            self.sends if self.duplex else np.bincount(self.head, minlength=self.n).astype(np.int32)
        )

    def on_hosts(self, host: IntArray, hosts: int) -> "Circuits":
        """The same circuits when `host[v]` plays node v, among `hosts` hosts."""
        return Circuits(
            n=hosts,
            duplex=self.duplex,
            tail=host[self.tail],
            head=host[self.head],
            panel=self.panel,
            rate=self.rate,
        )


def _rate_places(topology: Topology, rates: Sequence[Fraction]) -> IntArray:
    """The place of each arc's rate among those of ports; a capacity of 1 is the slowest if untold.

    Raises InvalidInput for a rate that is not among them.
    """
    place = {rate: number for number, rate in enumerate(rates)}
    told = link_rates(topology if topology.unit_rate else replace(topology, unit_rate=rates[0]))
    for rate in told:
        if rate not in place:
            raise InvalidInput(f"rate: a link of {rate} bytes a second, which no port has")
    return np.array([place[rate] for rate in told], dtype=np.int32)
