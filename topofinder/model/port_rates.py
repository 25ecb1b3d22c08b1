"""The noun PortRates: the ports of a host, alike at each host, of unlike speed."""

import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from generators import quantities
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import Topology

_PORTS = re.compile(r"(?:(\d{1,2})@)?(.+)", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class PortRates:
    """So many ports of each rate, in bytes a second, that every host has; slowest first.

    Raises InvalidInput for none, and for rates that are equal.
    """

    counts: tuple[int, ...]
    rates: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        if not self.counts or len(self.counts) != len(self.rates) or min(self.counts) < 1:
            raise InvalidInput(f"counts: 1 or more ports of each rate, not {self.counts}")
        if list(self.rates) != sorted(set(self.rates)) or self.rates[0] <= 0:
            raise InvalidInput("rates: above 0, each once, the slowest first")

    @property
    def ports(self) -> int:
        """Ports of a host."""
        return sum(self.counts)

    @property
    def egress(self) -> Fraction:
        """Bytes a second that a host sends over all its ports."""
        total = (count * rate for count, rate in zip(self.counts, self.rates, strict=True))
        return sum(total, Fraction())


def read_port_rates(text: str) -> PortRates:
    """Ports of a host and their rates, such as `2@100Gbps,2@200Gbps`; a rate alone is one port.

    >>> read_port_rates("200Gbps,2@100Gbps,200Gbps").counts
    (2, 2)
    """
    found: Counter[Fraction] = Counter()
    for part in text.split(","):
        match = _PORTS.fullmatch(part.strip())
        if match is None or match[1] == "0":
            raise InvalidInput(f"--link-rates: such as 2@100Gbps,2@200Gbps, not {excerpt(text)}")
        found[quantities.rate(match[2], "--link-rates")] += int(match[1] or 1)
    rates = sorted(found)
    return PortRates(counts=tuple(found[rate] for rate in rates), rates=tuple(rates))


def link_rates(topology: Topology) -> tuple[Fraction, ...]:
    """Bytes a second of each arc: its capacity times the topology's unit, 1 where none is told.

    >>> link_rates(Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(1, 3), unit_rate=5))
    (Fraction(5, 1), Fraction(15, 1))
    """
    unit = topology.unit_rate or Fraction(1)
    return tuple(unit * one for one in topology.capacity or (Fraction(1),) * topology.arcs)
