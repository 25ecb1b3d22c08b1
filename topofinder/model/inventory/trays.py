"""Lengths of cables, from the racks of an inventory and the trays between them.

A cable takes the shortest way along trays and has its slack besides. All lengths are whole
millimetres. Shortest ways: Dijkstra, A note on two problems in connexion with graphs (1959).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush

from generators.errors import InvalidInput
from topofinder.model.inventory.document import Inventory

Where = Callable[..., str]
"""Where the value at a path stands, for a message."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CableLengths:
    """Trays with their lengths, from each rack or corner to those next to it, and the slack.

    >>> trays = {"r1": {"r2": 4000}, "r2": {"r1": 4000, "r3": 2500}, "r3": {"r2": 2500}}
    >>> CableLengths(slack=3000, trays=trays).cable("r1", "r3")
    9500
    """

    slack: int
    trays: Mapping[str, Mapping[str, int]]
    ways: dict[str, dict[str, int]] = field(default_factory=dict, repr=False)
    """What was found: from a rack to all that trays lead to."""

    def cable(self, one: str, two: str) -> int:
        """The length of a cable between two racks that trays join, or within one."""
        if one not in self.ways:
            self.ways[one] = self._ways_from(one)
        return self.ways[one][two] + self.slack

    def circuit(self, one: str, panel: str, two: str) -> int:
        """The way of light between hosts in two racks: by way of that of a panel, if it has one."""
        if not panel:
            return self.cable(one, two)
        return self.cable(panel, one) + self.cable(panel, two)

    def reaches(self, one: str, two: str) -> bool:
        """Whether trays lead from a rack to another."""
        self.ways.setdefault(one, self._ways_from(one))
        return two in self.ways[one]

    def _ways_from(self, rack: str) -> dict[str, int]:
        found, heap = dict[str, int](), [(0, rack)]
        while heap:
            length, place = heappop(heap)
            if place not in found:
                found[place] = length
                for near, more in self.trays.get(place, {}).items():
                    heappush(heap, (length + more, near))
        return found


def cable_lengths(inventory: Inventory, where: Where) -> CableLengths | None:
    """The lengths that an inventory tells, None where it has no trays.

    Raises InvalidInput where hosts have no rack, or no trays lead from one to another or a panel.
    """
    if not inventory.trays:
        if inventory.slack is not None:
            raise InvalidInput(f"{where('slack')}: slack: there are no trays")
        return None
    found = CableLengths(slack=inventory.slack_millimetres, trays=_trays(inventory, where))
    for place, host in enumerate(inventory.hosts):
        if host.rack is None:
            reason = f"rack: trays are told, and {host.name} stands in none"
            raise InvalidInput(f"{where('hosts', place)}: {reason}")
    racks = [*(("panels", i, panel.rack) for i, panel in enumerate(inventory.panels)),
             *(("hosts", i, host.rack) for i, host in enumerate(inventory.hosts))]  # fmt: skip
    first = inventory.hosts[0].rack or ""
    for kind, place, rack in racks:
        if rack is not None and not found.reaches(first, rack):
            reason = f"rack: no trays lead from {first} to {rack}"
            raise InvalidInput(f"{where(kind, place, 'rack')}: {reason}")
    return found


def _trays(inventory: Inventory, where: Where) -> dict[str, dict[str, int]]:
    """The length of the tray between each two places that are next to one another, both ways."""
    found = dict[str, dict[str, int]]()
    for place, tray in enumerate(inventory.trays):
        one, two = tray.between
        if one == two or two in found.get(one, {}):
            reason = f"between: {one} and {two} is told already, or one place"
            raise InvalidInput(f"{where('trays', place)}: {reason}")
        found.setdefault(one, {})[two] = found.setdefault(two, {})[one] = tray.millimetres
    return found
