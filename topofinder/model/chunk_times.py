"""What a chunk takes on a link, as whole ticks: the longest time of which all are multiples."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import gcd, lcm

import numpy as np

from generators.distinct import share_values
from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from generators.topology import AnyIntArray, ArcValues, Int64Array, SharedValues, Topology

MOST_TICKS = 1 << 44
"""Ticks of a latency, or of one chunk on one link, at most: sums of 2^18 of them fit 64 bits."""
MOST_RATE = 1 << 60
"""Rates as whole numbers are at most that: with two of them added a word is not full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkUnits:
    """What a topology's latency 1 (`latency`, seconds) and capacity 1 (`rate`, bytes/s) stand for.

    Raises InvalidInput for a negative latency and for a rate that is not above 0.
    """

    latency: Fraction
    rate: Fraction

    def __post_init__(self) -> None:
        for name in ("latency", "rate"):
            object.__setattr__(self, name, Fraction(getattr(self, name)))
        if self.latency < 0:
            raise InvalidInput(f"latency: at least 0 seconds, not {excerpt(str(self.latency))}")
        if self.rate <= 0:
            raise InvalidInput(f"rate: above 0 bytes a second, not {excerpt(str(self.rate))}")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChunkTimes:
    """`tick` is in seconds; `latency` and `unit`, in ticks, are int64 of shape (arcs,).

    A chunk of amount m arrives latency + m * unit ticks after its arc began to send it.
    """

    tick: Fraction
    latency: Int64Array
    unit: Int64Array


def chunk_times(topology: Topology, units: LinkUnits, chunk_bytes: Fraction) -> ChunkTimes:
    """The ticks of every arc for chunks of `chunk_bytes`.

    Raises InvalidInput for chunks without bytes, Unsupported where latencies and rates have no
    common measure that 64 bits can count.

    >>> ring = Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(1, 3))
    >>> found = chunk_times(ring, LinkUnits(latency=Fraction(1, 2), rate=Fraction(2)), Fraction(4))
    >>> str(found.tick), found.latency.tolist(), found.unit.tolist()
    ('1/6', [3, 3], [12, 4])
    """
    require_ticks(topology, units, chunk_bytes)
    latencies = _shared_values(topology, topology.latency)
    capacities = _shared_values(topology, topology.capacity)
    late = [units.latency * value for value in latencies.values]
    unit = [chunk_bytes / units.rate / value for value in capacities.values]
    tick = _countable_measure([*late, *unit])
    return ChunkTimes(
        tick=tick,
        latency=_ticks(late, latencies.which, tick),
        unit=_ticks(unit, capacities.which, tick),
    )


def require_ticks(topology: Topology, units: LinkUnits, chunk_bytes: Fraction) -> None:
    """Raise what `chunk_times` would: looks at the different values alone, not at every arc.

    >>> ring = Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(1, 3))
    >>> require_ticks(ring, LinkUnits(latency=Fraction(1), rate=Fraction(2)), Fraction(4))
    """
    if chunk_bytes <= 0:
        raise InvalidInput(f"chunk_bytes: above 0 bytes, not {excerpt(str(chunk_bytes))}")
    unit = chunk_bytes / units.rate
    _countable_measure(
        chain(
            (units.latency * value for value in _different(topology.latency)),
            (unit / value for value in _different(topology.capacity)),
        )
    )


def whole_rates(topology: Topology) -> Int64Array:
    """Capacities as the least whole numbers in their proportions; int64 of shape (arcs,).

    Raises Unsupported where they are too large to be added in 64 bits.

    >>> ring = Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(Fraction(1, 2), 3))
    >>> whole_rates(ring).tolist()
    [1, 6]
    """
    if topology.capacity is None:
        return np.ones(topology.arcs, dtype=np.int64)
    shared = share_values(topology.capacity)
    measure = common_measure(shared.values)
    whole = [int(value / measure) for value in shared.values]
    if max(whole, default=0) > MOST_RATE:
        raise Unsupported("capacities: no common measure is coarse enough to add them in 64 bits")
    return np.array(whole, dtype=np.int64)[shared.which]


def _shared_values(topology: Topology, values: ArcValues | None) -> SharedValues:
    if values is None:
        return SharedValues([Fraction(1)], np.zeros(topology.arcs, dtype=np.int64))
    return share_values(values)


def _different(values: ArcValues | None) -> Iterable[Fraction]:
    """The different objects among the values of arcs, which live on: each is looked at once."""
    if values is None:
        return (Fraction(1),)
    return dict(zip(map(id, values), values, strict=True)).values()


def _countable_measure(values: Iterable[Fraction]) -> Fraction:
    """The common measure, given up where it is so fine that the largest value has too many ticks.

    Values are taken one by one: that of all in a stranger's file may have millions of digits.
    """
    over, under, longest = 0, 1, Fraction(0)
    for value in values:
        if not value:
            continue
        over, under = gcd(over, value.numerator), lcm(under, value.denominator)
        longest = max(longest, value)
        if longest.numerator * under > MOST_TICKS * over * longest.denominator:
            raise Unsupported(
                "latencies and rates: no common measure is coarse enough to count time in 64 bits"
            )
    return Fraction(over or 1, under)


def common_measure(values: Iterable[Fraction]) -> Fraction:
    """The largest fraction of which every value is a multiple; 1 for nothing but zeros.

    >>> common_measure([Fraction(1, 2), Fraction(2, 3), Fraction(0)])
    Fraction(1, 6)
    """
    found = [Fraction(value) for value in values if value]
    if not found:
        return Fraction(1)
    numerators = gcd(*(value.numerator for value in found))
    return Fraction(numerators, lcm(*(value.denominator for value in found)))


def _ticks(seconds: list[Fraction], which: AnyIntArray, tick: Fraction) -> Int64Array:
    """The ticks of every arc; `seconds` are those of the different values."""
    return np.array([int(value / tick) for value in seconds], dtype=np.int64)[which]
