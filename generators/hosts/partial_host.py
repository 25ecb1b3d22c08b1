"""The noun PartialHost: what a file tells of a host, whose rates it may leave open.

`lstopo` and `nvidia-smi` tell what is joined to what, and not always how fast. Who asks says the
rest: the rate inside, and that of a port.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from generators import quantities
from generators.errors import InvalidInput
from generators.hosts.notation import read_inner
from generators.hosts.template import HostTemplate, InnerFabric, InnerKind


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialHost:
    """Accelerators, who owns each port, and what joins them if that is known.

    `inner` is None where nothing tells it; `inner_told`, `port_rate` say whether rates are known.
    """

    accelerators: int
    owners: tuple[int, ...]
    inner: InnerFabric | None
    inner_told: bool
    port_rate: Fraction | None
    port_latency: Fraction | None = None

    def complete(self, inner: str | None, port: str | None) -> HostTemplate:
        """The host, with the rates that were left open: of texts like 450GB/s and 50GB/s.

        `inner` may be a whole inner fabric too, such as mesh@64GB/s. Raises InvalidInput where one
        is missing, or told twice.

        >>> host = PartialHost(accelerators=2, owners=(0, 1), inner=None, inner_told=False,
        ...     port_rate=None)
        >>> str(host.complete("mesh@64GB/s", "400Gbps"))
        'Host(2;mesh@64GB/s;1@50GB/s)'
        """
        if port is not None and self.port_rate is not None:
            raise InvalidInput("--bandwidth: the file tells the rate of a port")
        if port is None and self.port_rate is None:
            raise InvalidInput("--bandwidth: the file tells no rate of a port; it is needed")
        return HostTemplate(
            accelerators=self.accelerators,
            inner=self._inner(inner),
            owners=self.owners,
            rate=self.port_rate or quantities.rate(port or "", "--bandwidth"),
            latency=self.port_latency,
        )

    def _inner(self, told: str | None) -> InnerFabric:
        if told is not None and "@" in told:
            return read_inner(told)
        if self.accelerators == 1:
            return InnerFabric(kind=InnerKind.NONE)
        if self.inner is None:
            raise InvalidInput(
                "--inner: the file does not tell what joins accelerators; it is needed"
            )
        if self.inner_told and told is not None:
            raise InvalidInput("--inner: the file tells the rate inside")
        if self.inner_told:
            return self.inner
        if told is None:
            raise InvalidInput("--inner: the file tells no rate inside; it is needed")
        return replace(self.inner, rate=quantities.rate(told, "--inner"))


def nearest_owners(near: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The accelerator of each port: the nearest, the one with the fewest ports among equals.

    `near` has, for every port, how near each accelerator is; more is nearer.

    >>> nearest_owners([[1, 1], [1, 1], [0, 2]])
    (0, 1, 1)
    """
    owned = [0] * max(map(len, near))
    for levels in near:
        nearest = [i for i, level in enumerate(levels) if level == max(levels)]
        owned[min(nearest, key=owned.__getitem__)] += 1
    return tuple(i for i, count in enumerate(owned) for _ in range(count))


def even_links(
    rates: dict[tuple[int, int], Fraction],
) -> tuple[Fraction, tuple[tuple[int, int, int], ...]]:
    """Rates of pairs as links of one rate: the rate, and (u, v, how many).

    Raises InvalidInput where too many links would be needed.

    >>> even_links({(0, 1): Fraction(50), (0, 2): Fraction(75)})
    (Fraction(25, 1), ((0, 1, 2), (0, 2, 3)))
    """
    rate = Fraction(0)
    for value in rates.values():
        rate = _common(rate, value)
    links = tuple((u, v, int(value / rate)) for (u, v), value in sorted(rates.items()))
    if max(count for _, _, count in links) > MOST_PARALLEL:
        raise InvalidInput(f"links: rates of pairs differ more than {MOST_PARALLEL} times")
    return rate, links


MOST_PARALLEL = 64


def _common(one: Fraction, other: Fraction) -> Fraction:
    while other:
        one, other = other, one % other
    return one
