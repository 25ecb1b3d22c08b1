"""The nouns Circuit, Wiring, Stage and Claim: which transmitter reaches which receiver, and moves.

A duplex circuit between ports a and b is both of a's fibre to b and b's fibre to a; a simplex one
is a's transmitter at b's receiver alone (appendix A.6 of Zhao et al.). Two simplex circuits that
lead there and back are the same fibres in the same holes as one duplex circuit, and are told so.
A plan is a list of stages, and a claim on the wiring after the last one.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from generators.errors import InvalidInput
from generators.topology import BoolArray, IntArray, Topology
from topofinder.model.inventory.ports import PortMap


class Circuit(NamedTuple):
    """A circuit between two ports; a simplex one leads from a's transmitter to b's receiver."""

    a: int
    b: int
    duplex: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wiring:
    """`to[p]` is the port whose receiver the transmitter of port p reaches, or -1; (ports,).

    Where ports are trunks, `fibres[p]` are the ports that the fibres of trunk p lead to, () where
    that is not known: they lead first to first.

    Raises InvalidInput when a receiver is reached twice or a port is connected to itself.

    >>> Wiring(to=np.array([1, 0, 3, -1])).circuits()
    [Circuit(a=0, b=1, duplex=True), Circuit(a=2, b=3, duplex=False)]
    """

    to: IntArray
    fibres: tuple[tuple[int, ...], ...] | None = None

    def __post_init__(self) -> None:
        to = np.array(self.to, dtype=np.int32)
        used = to[to >= 0]
        if (to < -1).any() or (used >= len(to)).any() or len(np.unique(used)) < len(used):
            raise InvalidInput("wiring: a receiver is unknown or reached twice")
        if (to == np.arange(len(to))).any():
            raise InvalidInput("wiring: a port is connected to itself")
        to.setflags(write=False)
        object.__setattr__(self, "to", to)

    @property
    def count(self) -> int:
        """Circuits, a duplex one counted once."""
        ports = np.flatnonzero(self.to >= 0)
        return len(ports) - int(np.count_nonzero(self.to[self.to[ports]] == ports)) // 2

    def circuits(self, *, split: bool = False) -> list[Circuit]:
        """All circuits by their first port; with `split`, duplex ones as two simplex ones."""
        ports, to = np.flatnonzero(self.to >= 0), self.to
        paired = to[to[ports]] == ports
        if split:
            pairs = zip(ports.tolist(), to[ports].tolist(), strict=True)
            return [Circuit(a, b, False) for a, b in pairs]
        rows = zip(ports.tolist(), to[ports].tolist(), paired.tolist(), strict=True)
        return [Circuit(a, b, two_way) for a, b, two_way in rows if not two_way or a < b]

    def move_fibres(self, to: IntArray, *, duplex: bool) -> "Wiring":
        """The wiring after moves, of duplex circuits or of simplex ones.

        Fibres of trunks that stay keep their order.
        """
        if self.fibres is None:
            return Wiring(to=to)
        stays = (self.to == to) & (to >= 0)
        if duplex:
            stays &= _is_paired(self.to) == _is_paired(to)
        rows = zip(self.fibres, stays.tolist(), strict=True)
        return Wiring(to=to, fibres=tuple(own if stay else () for own, stay in rows))

    def same(self, other: "Wiring") -> bool:
        """Whether every fibre, or trunk, ends in the same place."""
        return np.array_equal(self.to, other.to)

    @property
    def digest(self) -> str:
        """SHA-256 of `to` as little-endian integers of 4 bytes, in hexadecimal."""
        return wiring_digest(self.to)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """First `frees` are taken out, then `connects` are made; each in any order or at once.

    `parts` tells of the moment in between, when the frees are out and nothing is made yet: 1, and
    one more for each piece that hosts of the plan which reach one another before it fall into.
    `seconds` is an estimate from the move times of the panels.
    """

    frees: tuple[Circuit, ...]
    connects: tuple[Circuit, ...]
    seconds: Fraction
    parts: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Claim:
    """Host `host[v]` plays node v of a topology, all of whose circuits but `missing` are there.

    `missing` are pairs of nodes; with `duplex` each pair stands for both directions.
    """

    topology: Topology
    host: tuple[int, ...]
    duplex: bool
    missing: tuple[tuple[int, int], ...] = ()

    @property
    def circuits(self) -> int:
        """Circuits of the topology between different nodes, those that are missing too."""
        arcs = int(np.count_nonzero(self.topology.tail != self.topology.head))
        return arcs // 2 if self.duplex else arcs


def _is_paired(to: IntArray) -> BoolArray:
    """Whether what a port leads to leads back to it."""
    back: BoolArray = to[to] == np.arange(len(to))
    return back & (to >= 0)


def wiring_digest(to: IntArray) -> str:
    """The digest of a wiring that is being changed in place."""
    return hashlib.sha256(to.astype("<i4").tobytes()).hexdigest()


def stage_seconds(
    fabric: PortMap, frees: Iterable[Circuit], connects: Iterable[Circuit]
) -> Fraction:
    """How long a stage takes: panels work side by side, each in rounds of as many as it can.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> fabric = port_map(inventory_for(hosts=4, ports=1))
    >>> stage_seconds(fabric, [], [Circuit(0, 1, True), Circuit(2, 3, True)])
    Fraction(240, 1)
    """
    return max(panel_seconds(fabric, frees, connects).values(), default=Fraction())


def panel_seconds(
    fabric: PortMap, frees: Iterable[Circuit], connects: Iterable[Circuit]
) -> dict[int, Fraction]:
    """How long each panel takes for its part of a stage; panels without one are left out."""
    counts = [[0, 0] for _ in fabric.panels]
    for kind, circuits in enumerate((frees, connects)):
        for circuit in circuits:
            counts[fabric.panel[circuit.a]][kind] += 1
    return {
        number: _rounds(freed, panel.at_once) * panel.free_seconds
        + _rounds(made, panel.at_once) * panel.move_seconds
        for number, (panel, (freed, made)) in enumerate(zip(fabric.panels, counts, strict=True))
        if freed or made
    }


def _rounds(count: int, at_once: int | None) -> int:
    return -(-count // at_once) if at_once else min(count, 1)


def rollback_stages(fabric: PortMap, stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """The stages that undo a plan: last stage first, and in each what was made is taken out.

    What is up in the middle of a stage is the same either way, and so is `parts`.
    """
    return tuple(
        Stage(
            frees=stage.connects,
            connects=stage.frees,
            seconds=stage_seconds(fabric, stage.connects, stage.frees),
            parts=stage.parts,
        )
        for stage in reversed(stages)
    )
