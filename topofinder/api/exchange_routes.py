"""The paths of an all-to-all: those of its certified flow, in whole parts of every pair's data."""

from fractions import Fraction
from os import PathLike

import numpy as np

from generators.errors import InvalidInput
from generators.topology import Int64Array, Topology
from topofinder.alltoall.certify import make_certificate
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.routing.paths import decompose_flow
from topofinder.alltoall.solve import DEFAULT_GAP, bound_throughput
from topofinder.api.throughput import UNIFORM, exchange_unit, read_asked
from topofinder.model.chunk_times import LinkUnits
from topofinder.timetables.exchange import (
    Exchange,
    balance_shares,
    drop_empty,
    round_shares,
)

MOST_HOPS = 1 << 19
"""Hops of all paths that a division of the pairs' data is to have at most."""
MOST_PARTS = 16
"""Into how many parts the data of a pair is shared among its paths at most."""
SLOWEST = 1 << 20
"""Of a link, in 1/64 of what the fastest one takes; slower ones are balanced as if it were so."""
SECONDS = 20.0
"""How long the flow is improved at most, unless a time is given."""


def exchange_by_flow(
    topology: Topology,
    *,
    size: Fraction,
    units: LinkUnits,
    pattern: str | None = None,
    demand: str | PathLike[str] | None = None,
    time: float | None = None,
) -> Exchange:
    """What goes along which path in an all-to-all, and the least time by the flow's upper bound.

    `size` is what every host holds, of which it sends a part of 1/N to every other; for a `pattern`
    or a file with a `demand` it is what the host sends that sends most. Raises InvalidInput for
    demands that are no whole numbers of a unit.

    >>> from expansions.build import build
    >>> from expansions.parser import parse
    >>> found = exchange_by_flow(build(parse("BiRing(2,4)")), size=Fraction(16),
    ...     units=LinkUnits(latency=Fraction(0), rate=Fraction(1)))
    >>> found.bound, found.unit_bytes * int(found.amount.sum())
    (Fraction(8, 1), Fraction(48, 1))
    """
    _, asked = read_asked(topology, pattern or UNIFORM, demand)
    if asked is not None and not asked.is_exact:
        raise InvalidInput("--demand: amounts that are whole numbers of a unit are needed")
    problem = FlowProblem(topology=topology, demand=asked)
    found = bound_throughput(problem, gap=DEFAULT_GAP, time=time or SECONDS)
    paths = decompose_flow(make_certificate(problem, found))
    whole = exchange_unit(problem, size)
    hops = int(paths.hops.sum()) * len(paths.asked) // max(len(paths.sink), 1)
    parts = max(1, min(MOST_PARTS, MOST_HOPS // max(hops, 1)))
    step = Fraction(1) if asked is None else asked.unit
    share = round_shares(paths.weight, paths.pair, paths.asked, parts)
    amount = balance_shares(share, paths.pair, paths.first, paths.arc, _unit_times(topology))
    return drop_empty(
        Exchange(
            origin=paths.source.astype(np.int32),
            target=paths.sink.astype(np.int32),
            amount=amount,
            start=paths.first,
            arc=paths.arc,
            unit_bytes=whole * step / parts,
            bound=whole / (found.upper * units.rate),
        )
    )


def _unit_times(topology: Topology) -> Int64Array:
    """What an amount of 1 takes on every arc, in parts of 1/64 of the fastest one's time."""
    capacity = topology.capacity or (Fraction(1),) * topology.arcs
    fastest = max(capacity, default=Fraction(1))
    times = {value: min(int(64 * fastest / value), SLOWEST) for value in set(capacity)}
    return np.array([times[value] for value in capacity], dtype=np.int64)
