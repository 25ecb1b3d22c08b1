"""Allreduce one dimension of a grid after the other: BlueConnect, and Themis, which balances them.

Sources: Cho et al., BlueConnect (IBM J. Res. Dev. 2019); Rashidi et al., Themis (ISCA 2022), as
named by TACOS (Won et al., MICRO 2024, section V.A). Reduced and scattered along one dimension
after the other, a chunk gets smaller each time; it is gathered in the reverse order. As in Themis
every chunk takes the order of dimensions that balances best what they have to do so far.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import permutations
from math import prod

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import Int64Array
from topofinder.timetables.baseline_messages import (
    direct_messages,
    halving_messages,
    one_way_ring_messages,
    require_hosts,
)
from topofinder.timetables.logical_messages import LogicalMessages, join_messages

MOST_PERMUTED = 5
"""Dimensions of which all orders are tried; of more only those that go round."""


class DimensionPattern(StrEnum):
    """How hosts that differ in one dimension sum up: what fits rings, full meshes, switches."""

    RING = "ring"
    DIRECT = "direct"
    HALVING = "halving"


@dataclass(frozen=True, slots=True, kw_only=True)
class GridDimension:
    """`size` places; `rate` is what a host can send along it, in any unit common to dimensions."""

    size: int
    pattern: DimensionPattern
    rate: Fraction = Fraction(1)


def dimension_messages(
    dimensions: Sequence[GridDimension], chunks: int = 1, *, balanced: bool = True
) -> LogicalMessages:
    """The data in `chunks` equal chunks, each along the dimensions in an order of its own.

    Hosts are numbered with the first dimension most significant. Without `balanced` all chunks
    begin with the last dimension, as in BlueConnect. With rings, half of a chunk goes either way.

    >>> ring = GridDimension(size=4, pattern=DimensionPattern.RING)
    >>> dimension_messages([ring, ring]).messages
    384

    Raises InvalidInput for fewer than two hosts, fewer than one chunk, a rate that is not above 0,
    and halving along a dimension that is no power of two.
    """
    require_hosts(prod(dimension.size for dimension in dimensions))
    if type(chunks) is not int or chunks < 1:
        raise InvalidInput(f"chunks: at least 1, not {excerpt(chunks)}")
    for dimension in dimensions:
        if dimension.rate <= 0:
            raise InvalidInput(f"rate: above 0, not {excerpt(dimension.rate)}")
    fixed = [tuple(reversed(range(len(dimensions))))] * chunks
    orders = _balanced_orders(dimensions, chunks) if balanced else fixed
    both = any(one.pattern is DimensionPattern.RING and one.size > 1 for one in dimensions)
    ways = (1, -1) if both else (1,)
    known = {(order, way): _one_chunk(dimensions, order, way) for order in orders for way in ways}
    return join_messages([known[order, way] for order in orders for way in ways])


def _balanced_orders(dimensions: Sequence[GridDimension], chunks: int) -> list[tuple[int, ...]]:
    """Chunk by chunk the order that leaves the busiest dimension the least to do, then all of them.

    Of equal ones that which begins with the last dimensions.
    """
    last_first = range(len(dimensions))[::-1]
    if len(dimensions) <= MOST_PERMUTED:
        offered = list(permutations(last_first))
    else:
        offered = [(*last_first[d:], *last_first[:d]) for d in range(len(dimensions))]
    times = {order: _times_of_order(dimensions, order) for order in dict.fromkeys(offered)}
    load = (Fraction(0),) * len(dimensions)
    orders = []
    for _ in range(chunks):
        after = {order: _sums(load, times[order]) for order in offered}
        order = min(offered, key=lambda order: (max(after[order]), sum(after[order])))
        load = after[order]
        orders.append(order)
    return orders


def _sums(one: Sequence[Fraction], other: Sequence[Fraction]) -> tuple[Fraction, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _times_of_order(
    dimensions: Sequence[GridDimension], order: Sequence[int]
) -> tuple[Fraction, ...]:
    """What a chunk takes on each dimension, in the order of the dimensions."""
    found, share = [Fraction(0)] * len(dimensions), Fraction(1)
    for d in order:
        size = dimensions[d].size
        found[d] = share * (size - 1) / size / dimensions[d].rate
        share /= size
    return tuple(found)


def _one_chunk(
    dimensions: Sequence[GridDimension], order: Sequence[int], way: int
) -> LogicalMessages:
    """One chunk, along the dimensions in this order and back."""
    sizes = [dimension.size for dimension in dimensions]
    hosts, total = prod(sizes), prod(sizes)
    number = np.arange(hosts).reshape(sizes)
    begin, length = np.zeros(hosts, np.int64), total
    scattered, gathered = [], []
    for d in order:
        if sizes[d] == 1:
            continue
        pattern = _pattern_messages(dimensions[d], way)
        group = np.moveaxis(number, d, -1).reshape(-1, sizes[d])
        length //= sizes[d]
        rows = np.stack(
            [group[:, pattern.origin], group[:, pattern.target],
             begin[group[:, :1]] + pattern.begin * length,
             begin[group[:, :1]] + pattern.end * length]
        )  # fmt: skip
        scattered.append(rows[:, :, pattern.reducing].swapaxes(1, 2).reshape(4, -1))
        gathered.append(rows[:, :, ~pattern.reducing].swapaxes(1, 2).reshape(4, -1))
        begin = begin + _own_parts(pattern)[_places(sizes, d)] * length
    columns = np.concatenate([*scattered, *reversed(gathered)], axis=1)
    before, after = _overlapping_arrivals(hosts, columns)
    reducing = sum(rows.shape[1] for rows in scattered)
    return LogicalMessages(
        hosts=hosts,
        total=total,
        origin=columns[0],
        target=columns[1],
        begin=columns[2],
        end=columns[3],
        reducing=np.arange(columns.shape[1]) < reducing,
        before=before,
        after=after,
    )


def _pattern_messages(dimension: GridDimension, way: int) -> LogicalMessages:
    if dimension.pattern is DimensionPattern.RING:
        return one_way_ring_messages(np.arange(dimension.size)[::way])
    if dimension.pattern is DimensionPattern.DIRECT:
        return direct_messages(dimension.size)
    return halving_messages(dimension.size)


def _places(sizes: Sequence[int], d: int) -> Int64Array:
    """Of every host the place along dimension d."""
    places: Int64Array = np.indices(sizes)[d].ravel().astype(np.int64)
    return places


def _own_parts(pattern: LogicalMessages) -> Int64Array:
    """Of every host the part that it has summed up when a pattern of single units has scattered."""
    first = np.flatnonzero(~pattern.reducing)[: pattern.hosts]
    found = np.empty(pattern.hosts, np.int64)
    found[pattern.origin[first]] = pattern.begin[first]
    return found


def _overlapping_arrivals(hosts: int, columns: Int64Array) -> tuple[Int64Array, Int64Array]:
    """A message waits for all earlier ones that bring its origin some of its units.

    Rows of `columns`: origin, target, first unit, first unit after. Messages are listed in an order
    in which they could be sent one by one.
    """
    origin, target, begin, end = columns
    pairs = []
    for host in range(hosts):
        came, sent = np.flatnonzero(target == host), np.flatnonzero(origin == host)
        meets = (begin[came][:, None] < end[sent]) & (begin[sent] < end[came][:, None])
        which, of = np.nonzero(meets & (came[:, None] < sent))
        pairs.append((came[which], sent[of]))
    return np.concatenate([p[0] for p in pairs]), np.concatenate([p[1] for p in pairs])
