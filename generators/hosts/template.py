"""The noun HostTemplate: what is inside of a host, and the optical ports that lead out of it.

A host has g accelerators. Inside they are joined by a switch, by links of their own, or not at all;
outside each port is owned by one accelerator. `Host(8;switch@450GB/s;1@50GB/s)` is a host of eight,
each with 450 GB/s to an inner switch and one port of 50 GB/s, in each direction;
`generators.hosts.notation` reads it back.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from itertools import combinations
from typing import Any

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.quantities import is_in_range

MOST_ACCELERATORS = 1024
MOST_HOST_PORTS = 4096
MICROSECOND = Fraction(1, 10**6)
GIGABYTE = Fraction(10**9)


class InnerKind(StrEnum):
    """How the accelerators of a host are joined."""

    SWITCH = "switch"
    MESH = "mesh"
    """A link between any two."""
    LINKS = "links"
    NONE = "none"
    """Not at all: a host of one accelerator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InnerFabric:
    """What joins the accelerators of a host: `rate` in bytes a second each way, `latency` seconds.

    The rate is that of an accelerator to the switch, or of one link. `links` has triples (u, v,
    how many), for the kind `links` alone; a `switch` may `multicast` and `reduce`.
    """

    kind: InnerKind
    rate: Fraction = Fraction(1)
    latency: Fraction | None = None
    links: tuple[tuple[int, int, int], ...] = ()
    multicast: bool = False
    reduce: bool = False

    def __post_init__(self) -> None:
        _require_quantity("inner rate", self.rate)
        if self.latency is not None:
            _require_quantity("inner latency", self.latency)
        if (self.multicast or self.reduce) and self.kind is not InnerKind.SWITCH:
            raise InvalidInput("inner: only a switch multicasts or reduces")
        if bool(self.links) != (self.kind is InnerKind.LINKS):
            raise InvalidInput("inner: links are listed where the kind is links, and only there")

    def pairs(self, accelerators: int) -> tuple[tuple[int, int, int], ...]:
        """The links between accelerators: (u, v, how many); none of a switch.

        >>> InnerFabric(kind=InnerKind.MESH).pairs(3)
        ((0, 1, 1), (0, 2, 1), (1, 2, 1))
        """
        if self.kind is InnerKind.MESH:
            return tuple((u, v, 1) for u, v in combinations(range(accelerators), 2))
        return self.links

    def __str__(self) -> str:
        if self.kind is InnerKind.NONE:
            return "none"
        listed = ".".join(f"{u}-{v}" + (f"*{c}" if c > 1 else "") for u, v, c in self.links)
        able = "m" * self.multicast + "r" * self.reduce
        word = f"{self.kind.value}{':' + listed if listed else ''}{'+' + able if able else ''}"
        return f"{word}@{rate_text(self.rate)}{latency_text(self.latency)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTemplate:
    """A kind of host: `accelerators`, what joins them, and who owns its optical ports.

    `owners` has the accelerator of every port, ascending; all ports have `rate` bytes a second each
    way, and `latency` seconds where that is known. Raises InvalidInput for what is no host: no
    accelerator or port, a link or owner that is no accelerator, and accelerators that nothing
    joins.

    >>> inner = InnerFabric(kind=InnerKind.SWITCH, rate=Fraction(450 * 10**9))
    >>> host = HostTemplate(accelerators=2, inner=inner, owners=(0, 1), rate=Fraction(5 * 10**10))
    >>> str(host), host.ports, host.ports_each
    ('Host(2;switch@450GB/s;1@50GB/s)', 2, 1)
    """

    accelerators: int
    inner: InnerFabric
    owners: tuple[int, ...]
    rate: Fraction
    latency: Fraction | None = None

    def __post_init__(self) -> None:
        g = self.accelerators
        if type(g) is not int or not 1 <= g <= MOST_ACCELERATORS:
            raise InvalidInput(f"accelerators: 1 to {MOST_ACCELERATORS}, not {excerpt(g)}")
        if not 1 <= len(self.owners) <= MOST_HOST_PORTS:
            raise InvalidInput(f"ports: 1 to {MOST_HOST_PORTS} a host, not {len(self.owners)}")
        for owner in self.owners:
            if not 0 <= owner < g:
                raise InvalidInput(f"ports: owner {owner} is not in 0..{g - 1}")
        object.__setattr__(self, "owners", tuple(sorted(self.owners)))
        _require_quantity("port rate", self.rate)
        if self.latency is not None:
            _require_quantity("port latency", self.latency)
        self._require_joined()

    def _require_joined(self) -> None:
        g, reach = self.accelerators, {0}
        for u, v, count in self.inner.links:
            if not (0 <= u < g and 0 <= v < g and u != v and count >= 1):
                raise InvalidInput(f"links: {u}-{v}*{count} joins no two of {g} accelerators")
        if self.inner.kind in (InnerKind.SWITCH, InnerKind.MESH) or g == 1:
            return
        while (
            more := {
                w for u, v, _ in self.inner.links for w in (u, v) if (u in reach) != (v in reach)
            }
            - reach
        ):
            reach |= more
        if len(reach) < g:
            lost = min(set(range(g)) - reach)
            raise InvalidInput(f"inner: nothing joins accelerator {lost} to accelerator 0")

    @property
    def ports(self) -> int:
        """Optical ports of the host."""
        return len(self.owners)

    @property
    def ports_each(self) -> int | None:
        """Ports of every accelerator; None where they differ."""
        counts = {self.owners.count(i) for i in range(self.accelerators)}
        return counts.pop() if len(counts) == 1 else None

    def with_accelerators(self, accelerators: int) -> "HostTemplate":
        """The same kind of host with another number of accelerators.

        Raises InvalidInput where links are listed, or accelerators differ in their ports.
        """
        each = self.ports_each
        if self.inner.kind is InnerKind.LINKS or each is None:
            raise InvalidInput("hosts: unlike sizes are for a switch or mesh and ports for each")
        owners = tuple(i for i in range(accelerators) for _ in range(each))
        return replace(self, accelerators=accelerators, owners=owners)

    def text(self, sizes: str) -> str:
        """The template with this text in the place of its number of accelerators."""
        each = self.ports_each
        ports = str(each) if each else "ports:" + ".".join(map(str, self.owners))
        tail = f"{ports}@{rate_text(self.rate)}{latency_text(self.latency)}"
        return f"Host({sizes};{self.inner};{tail})"

    def __str__(self) -> str:
        return self.text(str(self.accelerators))


def port_names(host: HostTemplate) -> tuple[str, ...]:
    """The accelerator that owns each port, with a number where it owns several.

    >>> from generators.hosts.notation import read_hosts
    >>> port_names(read_hosts("Host(3;mesh@9GB/s;ports:0.0.2@5GB/s)")[0])
    ('gpu0.0', 'gpu0.1', 'gpu2')
    """
    owners = host.owners
    several = {owner for owner in owners if owners.count(owner) > 1}
    return tuple(
        f"gpu{owner}.{owners[:port].count(owner)}" if owner in several else f"gpu{owner}"
        for port, owner in enumerate(owners)
    )


def rate_text(rate: Fraction) -> str:
    """A rate as quantities are written.

    >>> rate_text(Fraction(25 * 10**9, 2)), rate_text(Fraction(50 * 10**9, 3))
    ('12.5GB/s', '50/3GB/s')
    """
    return f"{_decimal(rate / GIGABYTE)}GB/s"


def latency_text(latency: Fraction | None) -> str:
    """A latency behind its sign, nothing where none is known.

    >>> latency_text(Fraction(1, 2 * 10**6)), latency_text(None)
    ('~0.5us', '')
    """
    return "" if latency is None else f"~{_decimal(latency / MICROSECOND)}us"


def _decimal(value: Fraction) -> str:
    """All digits of a number that decimals can write, else a fraction."""
    places, scaled = 0, value
    while scaled.denominator > 1 and places < 99:
        places, scaled = places + 1, scaled * 10
    if scaled.denominator > 1:
        return str(value)
    digits = str(scaled.numerator).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits


def _require_quantity(name: str, value: Any) -> None:
    if not isinstance(value, Fraction) or value <= 0 or not is_in_range(value):
        raise InvalidInput(f"{name}: an exact number above 0 is needed, not {excerpt(value)}")


def run_lengths(sizes: Sequence[int]) -> str:
    """Numbers of accelerators, host after host, with how many follow one another.

    >>> run_lengths((4, 4, 8)), run_lengths((8,))
    ('4*2.8', '8')
    """
    runs: list[tuple[int, int]] = []
    for size in sizes:
        count = runs.pop()[1] if runs and runs[-1][0] == size else 0
        runs.append((size, count + 1))
    return ".".join(f"{size}*{count}" if count > 1 else str(size) for size, count in runs)
