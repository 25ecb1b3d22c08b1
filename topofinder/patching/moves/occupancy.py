"""The ports while a plan is put together: who occupies what, and which ways a new circuit has.

The unit of occupation is a plug: a port in a duplex plan, one fibre of a port (2 p its sending
fibre, 2 p + 1 its receiving one) in a simplex plan. Plugs of one host, panel and side are alike,
and form a rack.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from generators.topology import BoolArray
from topofinder.model.inventory.wiring import Circuit
from topofinder.patching.existing_circuits import Standing

MOST_ENDS = 6
"""Plugs of one rack that are considered for an end of a circuit."""


class Wanted(NamedTuple):
    """A circuit to make between two hosts, on a panel."""

    tail: int
    head: int
    panel: int


class Way(NamedTuple):
    """Two plugs for a new circuit, and the circuits in place that must go first."""

    plugs: tuple[int, int]
    frees: tuple[int, ...]


class Site:
    """Occupation of all plugs. `removable[i]` says whether circuit i in place may be taken out;
    `needless[i]` that the target does not ask for it to go, so that it is better left in place.
    """

    def __init__(self, place: Standing, removable: BoolArray, needless: BoolArray) -> None:
        fabric = place.fabric
        self.duplex = place.duplex
        self._panels = len(fabric.panels)
        self.circuits: list[Circuit] = list(place.circuits)
        self.removable: list[bool] = removable.tolist()
        self._needless: list[bool] = needless.tolist()
        sides = 1 if self.duplex else 2
        self.occupants: list[list[int]] = [[] for _ in range(fabric.ports * sides)]
        for number, circuit in enumerate(self.circuits):
            for plug in self._plugs(circuit):
                self.occupants[plug].append(number)
        self._racks: dict[int, list[int]] = {}
        self._rack_of: dict[int, int] = {}
        for port in range(fabric.ports):
            for side in np.flatnonzero(place.usable[:sides, port]).tolist():
                rack = self._rack(int(fabric.host[port]), int(fabric.panel[port]), side)
                self._racks.setdefault(rack, []).append(port * sides + side)
                self._rack_of[port * sides + side] = rack

    @property
    def open_racks(self) -> list[int]:
        """The racks that have a free plug."""
        return sorted({r for plug, r in self._rack_of.items() if not self.occupants[plug]})

    def racks(self, wanted: Wanted) -> tuple[int, int]:
        """Where the two ends of a new circuit may be plugged in."""
        side = 0 if self.duplex else 1
        tail, head, panel = wanted
        return self._rack(tail, panel, 0), self._rack(head, panel, side)

    def ways(self, wanted: Wanted) -> list[Way]:
        """The ways of making a circuit: least harm first, then fewest circuits taken out."""
        ends = [self._ends(rack) for rack in self.racks(wanted)]
        found = []
        for first, there in ends[0]:
            for second, here in ends[1]:
                frees = tuple(sorted({*there, *here}))
                harm = sum(self._needless[number] for number in frees)
                found.append((harm, len(frees), Way((first, second), frees)))
        return [way for *_, way in sorted(found)]

    def free(self, numbers: Iterable[int]) -> list[int]:
        """Take circuits out; the racks in which a plug is free now."""
        racks = []
        for number in numbers:
            for plug in self._plugs(self.circuits[number]):
                self.occupants[plug].remove(number)
                if not self.occupants[plug] and plug in self._rack_of:
                    racks.append(self._rack_of[plug])
        return racks

    def connect(self, plugs: tuple[int, int]) -> int:
        """Plug a new circuit in; its number."""
        number = len(self.circuits)
        ports = plugs if self.duplex else (plugs[0] // 2, plugs[1] // 2)
        self.circuits.append(Circuit(*ports, self.duplex))
        self.removable.append(False)
        self._needless.append(False)
        for plug in plugs:
            self.occupants[plug].append(number)
        return number

    def take_back(self, way: Way) -> None:
        """Unplug the latest circuit, made in this way, and plug in again what went for it."""
        self.circuits.pop()
        self.removable.pop()
        self._needless.pop()
        for plug in way.plugs:
            self.occupants[plug].pop()
        for number in way.frees:
            for plug in self._plugs(self.circuits[number]):
                self.occupants[plug].append(number)

    def _ends(self, rack: int) -> list[tuple[int, list[int]]]:
        """The plugs of a rack that are free, or can be freed, the cheapest first."""
        found = []
        for plug in self._racks.get(rack, []):
            there = self.occupants[plug]
            if all(map(self.removable.__getitem__, there)):
                harm = sum(map(self._needless.__getitem__, there))
                found.append((harm, len(there), plug))
        return [(plug, self.occupants[plug]) for *_, plug in sorted(found)[:MOST_ENDS]]

    def _rack(self, host: int, panel: int, side: int) -> int:
        return (host * self._panels + panel) * 2 + side

    def _plugs(self, circuit: Circuit) -> tuple[int, ...]:
        a, b, two_way = circuit
        if self.duplex:
            return a, b
        return (2 * a, 2 * b + 1, 2 * b, 2 * a + 1) if two_way else (2 * a, 2 * b + 1)
