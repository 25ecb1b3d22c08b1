"""A fabric while it is wired: named hosts and switches, two-way links with a capacity."""

from collections.abc import Sequence
from fractions import Fraction

from generators.size_limits import require_size
from generators.topology import Topology

GIGABYTE = Fraction(10**9)
"""Bytes a second in a capacity of 1, where capacities are GB/s."""
MICROSECOND = Fraction(1, 10**6)


class FabricBuilder:
    """Nodes are numbered as they are named, so name the hosts first.

    >>> wiring = FabricBuilder("pair")
    >>> one, two = wiring.host("one"), wiring.host("two")
    >>> wiring.link(one, two, 25)
    >>> wiring.topology().capacity
    (Fraction(25, 1), Fraction(25, 1))
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._names: list[str] = []
        self._switches: list[int] = []
        self._multicast: list[int] = []
        self._reduce: list[int] = []
        self._arcs: list[tuple[int, int]] = []
        self._capacity: list[Fraction | int] = []
        self._latency: list[Fraction | int] = []
        self._tiers: dict[int, int] = {}

    def host(self, name: str) -> int:
        """A new compute node; its number."""
        self._names.append(name)
        return len(self._names) - 1

    def switch(
        self, name: str, *, multicast: bool = False, reduce: bool = False, tier: int | None = None
    ) -> int:
        """A new switch with its abilities, and its tier where all switches have one; its number."""
        node = self.host(name)
        self._switches.append(node)
        if tier is not None:
            self._tiers[node] = tier
        if multicast:
            self._multicast.append(node)
        if reduce:
            self._reduce.append(node)
        return node

    def link(
        self,
        u: int,
        v: int,
        capacity: Fraction | int,
        count: int = 1,
        *,
        latency: Fraction | int = 1,
    ) -> None:
        """`count` parallel two-way links, each of this capacity and latency in either direction."""
        for _ in range(count):
            self._arcs += [(u, v), (v, u)]
            self._capacity += [capacity, capacity]
            self._latency += [latency, latency]

    def star(self, ports: Sequence[int], switch: int, capacity: Fraction | int) -> None:
        """Each port to the switch; to pass it takes latency 1, one half on either link."""
        for port in ports:
            self.link(port, switch, capacity, latency=Fraction(1, 2))

    def topology(
        self, unit_rate: Fraction | None = None, unit_latency: Fraction | None = None
    ) -> Topology:
        """What has been wired. Raises InvalidInput when it is too large."""
        require_size(self._name, len(self._names), 1)
        return Topology.from_arcs(
            len(self._names),
            self._arcs,
            capacity=self._capacity,
            latency=self._latency if any(value != 1 for value in self._latency) else None,
            names=tuple(self._names),
            switches=tuple(self._switches),
            multicast=tuple(self._multicast),
            reduce=tuple(self._reduce),
            tiers=tuple(self._tiers.get(node, 0) for node in range(len(self._names)))
            if self._tiers
            else None,
            unit_rate=unit_rate,
            unit_latency=unit_latency,
        )
