"""The ports while a plan is put together: who occupies what, and which ways a new circuit has.

The unit of occupation is a plug: a port in a duplex plan, one fibre of a port (2 p its sending
fibre, 2 p + 1 its receiving one) in a simplex plan. Plugs of one host, panel and side are alike,
if they are forbidden the same ports, and form a port group.

Of the circuits of a panel that wait to be made, those at groups with a free plug come first: to
make one there takes at most one other circuit out, so that as little as possible is dark at any
time.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from generators.topology import BoolArray
from topofinder.model.inventory.forbidden import port_classes
from topofinder.model.inventory.wiring import Circuit
from topofinder.patching.existing_circuits import ExistingCircuits

MOST_ENDS = 6
"""Plugs of one group that are considered for an end of a circuit."""


class NewCircuit(NamedTuple):
    """A circuit to make between two hosts, on a panel, and the classes of the ports to take."""

    tail: int
    head: int
    panel: int
    classes: tuple[int, int] = (0, 0)


class ConnectOption(NamedTuple):
    """Two plugs for a new circuit, and the circuits in place that must go first."""

    plugs: tuple[int, int]
    frees: tuple[int, ...]


class PortOccupancy:
    """Occupation of all plugs. `removable[i]` says whether circuit i in place may be taken out;
    `needless[i]` that the target does not ask for it to go, so that it is better left in place.
    """

    def __init__(self, place: ExistingCircuits, removable: BoolArray, needless: BoolArray) -> None:
        fabric = place.fabric
        self.duplex = place.duplex
        self._panels = len(fabric.panels)
        classes = port_classes(fabric.forbidden, fabric.ports)
        self._classes = int(classes.max(initial=0)) + 1
        self.circuits: list[Circuit] = list(place.circuits)
        self.removable: list[bool] = removable.tolist()
        self._needless: list[bool] = needless.tolist()
        sides = 1 if self.duplex else 2
        self.occupants: list[list[int]] = [[] for _ in range(fabric.ports * sides)]
        for number, circuit in enumerate(self.circuits):
            for plug in self._plugs(circuit):
                self.occupants[plug].append(number)
        self._groups: dict[int, list[int]] = {}
        self._group_of: dict[int, int] = {}
        for port in range(fabric.ports):
            for side in np.flatnonzero(place.usable[:sides, port]).tolist():
                where = int(fabric.host[port]), int(fabric.panel[port]), int(classes[port])
                group = self._port_group(*where, side)
                self._groups.setdefault(group, []).append(port * sides + side)
                self._group_of[port * sides + side] = group

    @property
    def open_groups(self) -> list[int]:
        """The groups that have a free plug."""
        return sorted({r for plug, r in self._group_of.items() if not self.occupants[plug]})

    @property
    def plugged_in(self) -> list[tuple[int, Circuit]]:
        """The circuits that are there now, with their numbers."""
        numbers = {number for there in self.occupants for number in there}
        return [(number, self.circuits[number]) for number in sorted(numbers)]

    def port_groups(self, wanted: NewCircuit) -> tuple[int, int]:
        """Where the two ends of a new circuit may be plugged in."""
        side = 0 if self.duplex else 1
        tail, head, panel, (own, other) = wanted
        return self._port_group(tail, panel, own, 0), self._port_group(head, panel, other, side)

    def options(self, wanted: NewCircuit) -> list[ConnectOption]:
        """The ways of making a circuit: least disruption first, then fewest circuits taken out."""
        ends = [self._ends(group) for group in self.port_groups(wanted)]
        found = []
        for first, there in ends[0]:
            for second, here in ends[1]:
                frees = tuple(sorted({*there, *here}))
                disruption = sum(self._needless[number] for number in frees)
                found.append((disruption, len(frees), ConnectOption((first, second), frees)))
        return [option for *_, option in sorted(found)]

    def free(self, numbers: Iterable[int]) -> list[int]:
        """Take circuits out; the groups in which a plug is free now."""
        groups = []
        for number in numbers:
            for plug in self._plugs(self.circuits[number]):
                self.occupants[plug].remove(number)
                if not self.occupants[plug] and plug in self._group_of:
                    groups.append(self._group_of[plug])
        return groups

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

    def take_back(self, option: ConnectOption) -> None:
        """Unplug the latest circuit, made in this way, and plug in again what went for it."""
        self.circuits.pop()
        self.removable.pop()
        self._needless.pop()
        for plug in option.plugs:
            self.occupants[plug].pop()
        for number in option.frees:
            for plug in self._plugs(self.circuits[number]):
                self.occupants[plug].append(number)

    def _ends(self, group: int) -> list[tuple[int, list[int]]]:
        """The plugs of a group that are free, or can be freed, the cheapest first."""
        found = []
        for plug in self._groups.get(group, []):
            there = self.occupants[plug]
            if all(map(self.removable.__getitem__, there)):
                disruption = sum(map(self._needless.__getitem__, there))
                found.append((disruption, len(there), plug))
        return [(plug, self.occupants[plug]) for *_, plug in sorted(found)[:MOST_ENDS]]

    def _port_group(self, host: int, panel: int, port_class: int, side: int) -> int:
        return ((host * self._panels + panel) * self._classes + port_class) * 2 + side

    def _plugs(self, circuit: Circuit) -> tuple[int, ...]:
        a, b, two_way = circuit
        if self.duplex:
            return a, b
        return (2 * a, 2 * b + 1, 2 * b, 2 * a + 1) if two_way else (2 * a, 2 * b + 1)


class PendingCircuits:
    """The circuits of one panel that wait to be made, by number, in the order of tries."""

    def __init__(self, site: PortOccupancy, wanted: dict[int, NewCircuit]) -> None:
        self._site = site
        self.left = dict(wanted)
        self._at: dict[int, dict[int, None]] = {}
        for number, circuit in wanted.items():
            for group in site.port_groups(circuit):
                self._at.setdefault(group, {})[number] = None
        self._open = deque(group for group in site.open_groups if group in self._at)

    def add_open_groups(self, groups: list[int]) -> None:
        """These groups have a free plug now; the latest are tried first."""
        self._open.extendleft(group for group in groups if self._at.get(group))

    def remove(self, number: int) -> None:
        """A circuit is made."""
        for group in self._site.port_groups(self.left.pop(number)):
            self._at[group].pop(number, None)

    def candidates(self) -> Iterator[int]:
        """Circuits worth a try, each once: at open groups, those that free least; then the others.

        The caller may call `remove` and `add_open_groups` in between.
        """
        tried: set[int] = set()
        yield from self._at_open_groups(tried)
        for number in list(self.left):
            if number not in tried and number in self.left:
                tried.add(number)
                yield number
                yield from self._at_open_groups(tried)

    def _at_open_groups(self, tried: set[int]) -> Iterator[int]:
        passed = []
        while self._open:
            group = self._open.popleft()
            here = self._at.get(group, {})
            fresh = [number for number in here if number not in tried]
            if not fresh:
                if here:
                    passed.append(group)
                continue
            number = min(fresh, key=self._cost)
            tried.add(number)
            self._open.appendleft(group)
            yield number
        self._open.extend(dict.fromkeys(passed))

    def _cost(self, number: int) -> int:
        options = self._site.options(self.left[number])
        return len(options[0].frees) if options else 1 << 30
