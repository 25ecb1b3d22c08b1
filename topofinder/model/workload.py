"""What a fabric is asked to carry: one collective of one size, or a distribution of sizes."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from expansions.collective import Collective
from expansions.collective_costs import CostedPhases
from expansions.cost import Cost
from generators import quantities
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import TextError, read_lines
from topofinder.model.host_costs import NO_HOST_COSTS, HostCosts

if TYPE_CHECKING:
    from generators.topology import Topology

MAX_SIZES = 100_000
MAX_BYTES = 8 << 20
"""Bytes of a file of sizes at most."""
MAX_LINE = 1 << 16
"""Characters of a line of it at most."""
MOST = 10**12
"""How often a collective of one size may occur."""

_COUNT = re.compile(r"\d{1,13}", re.ASCII)


class CostedCollectives(CostedPhases, Protocol):
    """Whatever has a cost for each collective: a candidate, or a row that stores one."""

    @property
    def allreduce(self) -> Cost:
        """Cost of a reduce-scatter followed by an allgather."""


Choice = TypeVar("Choice", bound=CostedCollectives)


RATING_METHODS = ("bfb", "timed", "forest")
"""The schedule methods by which candidates are rated for a workload; BFB as a pipeline too."""
NAMED_RATING_METHODS = (*RATING_METHODS, "pipeline")
"""All that may be asked for: `pipeline` is BFB in parts where that is quicker, beside no others."""

COSTED = (Collective.ALLGATHER, Collective.REDUCE_SCATTER, Collective.ALLREDUCE)
"""The collectives that a candidate is costed for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Collectives to run: `sizes` are (bytes in all, how often) pairs.

    `alpha` is the latency of a hop in seconds, `bandwidth` the egress of a node in bytes/second.
    `exchanges` are all-to-alls, (bytes of each node, how often) pairs, as expert parallelism has.
    `hosts` is what hosts add to the time of links; with them times are upper bounds.
    Raises InvalidInput for a collective that a candidate is not costed for.
    """

    alpha: Fraction
    bandwidth: Fraction
    sizes: tuple[tuple[Fraction, int], ...]
    collective: Collective = Collective.ALLREDUCE
    exchanges: tuple[tuple[Fraction, int], ...] = ()
    hosts: HostCosts = NO_HOST_COSTS

    def __post_init__(self) -> None:
        if self.collective not in COSTED:
            raise InvalidInput(f"collective: {', '.join(COSTED)}, not {self.collective}")

    def seconds(
        self, candidate: CostedCollectives, collective: Collective | None = None
    ) -> Fraction:
        """Time of all its collectives on a candidate, exactly; at most, if hosts add to it."""
        what = collective or self.collective
        cost = {
            Collective.ALLGATHER: candidate.allgather,
            Collective.REDUCE_SCATTER: candidate.reduce_scatter,
            Collective.ALLREDUCE: candidate.allreduce,
        }[what]
        gathers = what is Collective.ALLGATHER
        summing = Fraction() if gathers else candidate.reduce_scatter.bandwidth
        known = (cost, summing, self.alpha)
        return sum(
            (
                times * self.hosts.runtime(*known, size, self.bandwidth)
                for size, times in self.sizes
            ),
            Fraction(),
        )

    def exchange_seconds(self, n: int, d: int, rate: Fraction) -> Fraction:
        """Time of its all-to-alls among n nodes of d ports at a throughput of `rate`, exactly.

        Each node has so many bytes and sends a part of 1/n to every other, at rate B/d times
        `rate` (appendix A.5 of Zhao et al.).
        """
        sent = sum((size * times for size, times in self.exchanges), Fraction())
        return sent / n / (rate * self.bandwidth / d)

    def best(self, candidates: Iterable[Choice]) -> Choice | None:
        """The candidate with the least time; the first one among equals."""
        return min(candidates, key=self.seconds, default=None)


def link_rate(topology: "Topology", bandwidth: Fraction | None) -> Fraction:
    """Bytes a second of a link of capacity 1: `bandwidth` / d, d being the ports of a host.

    A topology that tells the rate of its links itself takes no `bandwidth`. Raises InvalidInput
    when that is missing or given twice.

    >>> from generators.topology import Topology
    >>> link_rate(Topology.from_arcs(2, [(0, 1), (1, 0)] * 4), Fraction(100))
    Fraction(25, 1)
    """
    if topology.unit_rate is not None:
        if bandwidth is not None:
            raise InvalidInput("--bandwidth: the topology tells the rates of its links itself")
        return topology.unit_rate
    if bandwidth is None:
        raise InvalidInput("--size needs --bandwidth: the topology tells no rates of links")
    out, into, switches = topology.out_degrees, topology.in_degrees, list(topology.switches)
    out[switches] = into[switches] = 0
    return bandwidth / max(int(max(out.max(), into.max())), 1)


def read_sizes(path: Path) -> tuple[tuple[Fraction, int], ...]:
    """Read a distribution of collective sizes: a size and, optionally, how often, on each line.

    Fields are separated by spaces or a comma; `#` starts a comment; the count is 1 if left out.
    Raises InvalidInput naming the file and the line.
    """
    found: list[tuple[Fraction, int]] = []
    for number, line in enumerate(_lines(path), 1):
        fields = line.split("#")[0].replace(",", " ").split()
        if fields:
            if len(found) == MAX_SIZES:
                raise InvalidInput(f"sizes: {path} has more than {MAX_SIZES} sizes")
            found.append(_size_line(fields, f"{path}, line {number}"))
    if not found:
        raise InvalidInput(f"sizes: {path} has no sizes in it")
    return tuple(found)


def read_exchange(text: str) -> tuple[Fraction, int]:
    """The bytes of each node and how often: `4MiB`, or `4MiB,24`.

    >>> read_exchange("1MiB, 4")
    (Fraction(1048576, 1), 4)
    """
    return _size_line(text.replace(",", " ").split() or [""], "--alltoall")


def _size_line(fields: list[str], where: str) -> tuple[Fraction, int]:
    if len(fields) > 2:
        raise InvalidInput(f"{where}: a size and a count, not {excerpt(' '.join(fields))}")
    count = fields[1] if len(fields) == 2 else "1"
    if not _COUNT.fullmatch(count) or not 0 < int(count) <= MOST:
        raise InvalidInput(
            f"{where}: the count is a whole number from 1 to {MOST}, not {excerpt(count)}"
        )
    return quantities.size(fields[0], f"{where}: size"), int(count)


def _lines(path: Path) -> Iterator[str]:
    try:
        yield from read_lines(path, MAX_BYTES, MAX_LINE)
    except TextError as error:
        raise InvalidInput(f"{path}, {error}") from None
