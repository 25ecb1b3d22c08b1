"""BFB schedules over links of unequal bandwidth and latency (appendix E.3), solved exactly.

A link is used or it is not, and only a used link makes its receiver wait for its latency. By a
time U the best choice is to use the links whose latency is below U, a prefix in the order of
latency. So the least U over all choices is the least U at which the shards fit, with a capacity
of nothing on slower links: one parametric flow (`schedules.bfb.parametric_flow`) instead of linear
program (14) solved anew without the links whose latency alone dominates.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from expansions.schedule import Schedule
from generators.arrays import csr_by_node
from generators.connectivity import refuse_disconnected
from generators.errors import InvalidInput, Unsupported
from generators.topology import Int64Array, Topology
from topofinder.kernels import hop_table
from topofinder.schedules.bfb.grouped_arcs import group_arcs
from topofinder.schedules.bfb.parametric_flow import (
    Shards,
    deal_shards,
    least_chunked_time,
    least_time,
    link_rooms,
    whole_rooms,
)
from topofinder.schedules.bfb.rows import pieces_denominator

MOST_CHUNKS = 256
"""Chunks a shard at most that a loss is looked for with."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnequalSchedule:
    """An allgather over unequal links; `times[t - 1]` is how long step t takes, in seconds."""

    schedule: Schedule
    times: tuple[Fraction, ...]

    @property
    def seconds(self) -> Fraction:
        """Time of the whole allgather, steps one after the other."""
        return sum(self.times, Fraction())


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The shards that one receiver gets at one step, sorted by the links they can come over.

    Links are the receiver's in-arcs counted from 0, `arcs` their numbers in the topology;
    sources[c] are the nodes whose shards make up classes[c].
    """

    arcs: list[int]
    sources: tuple[list[int], ...]
    classes: tuple[Shards, ...]


@dataclass(frozen=True, slots=True)
class _LinkTimes:
    """Seconds before a link moves anything and shards a second from then on, an entry an arc."""

    delay: list[Fraction]
    rate: list[Fraction]

    def of(self, arcs: Sequence[int]) -> tuple[list[Fraction], list[Fraction]]:
        """Delays and rates of these arcs."""
        return [self.delay[arc] for arc in arcs], [self.rate[arc] for arc in arcs]


def unequal_schedule(
    topology: Topology,
    alpha: Fraction,
    size: Fraction,
    bandwidth: Fraction,
    chunks: int | None = None,
) -> UnequalSchedule:
    """The best BFB allgather of `size` bytes in all, for the capacities and latencies of links.

    `alpha`: seconds that a latency of 1 stands for; `bandwidth`: egress of a node in
    bytes/second, of which a link of capacity 1 has one part in d. Every step lasts until its
    slowest used link is done, latency and bytes; that time is the least possible, exactly.
    Symmetry is not used: it need not preserve the links' values. With `chunks` every shard goes in
    so many equal ones, each whole over one link, and times are the least of those.

    Raises InvalidInput for a size or bandwidth that is not positive, a negative alpha, for
    switches, and when some node cannot reach another; Unsupported when exact pieces need a
    denominator beyond 64 bits. Source: Zhao et al., appendix E.3, program (14).

    >>> pair = Topology.from_arcs(2, [(0, 1), (0, 1), (1, 0)], capacity=(1, 3, 4))
    >>> unequal_schedule(pair, Fraction(1), Fraction(8), Fraction(1)).seconds
    Fraction(3, 1)
    """
    links = _link_times(topology, alpha, size, bandwidth, chunks)
    times, pieces, blocks = [], [], []
    for step, at_step in enumerate(arrivals(topology), 1):
        own = [_receiver_time(one, links, chunks) for one in at_step]
        times.append(max(own))
        pieces.append(_least_pieces(times[-1], links) if chunks is None else chunks)
        cuts = (
            _cut_rows(one, time, pieces[-1], links, rounded=chunks is None)
            for one, time in zip(at_step, own, strict=True)
        )
        rows = [(source, arc, step, *piece) for cut in cuts for source, arc, *piece in cut]
        blocks.append(np.array(rows, dtype=np.int64))
    return UnequalSchedule(schedule=_join_blocks(blocks, pieces), times=tuple(times))


def unequal_seconds(
    topology: Topology,
    alpha: Fraction,
    size: Fraction,
    bandwidth: Fraction,
    receivers: Sequence[int] | None = None,
) -> Fraction:
    """The time of `unequal_schedule` alone, by some receivers where all others are like those.

    >>> pair = Topology.from_arcs(2, [(0, 1), (0, 1), (1, 0)], capacity=(1, 3, 4))
    >>> unequal_seconds(pair, Fraction(1), Fraction(8), Fraction(1), [1])
    Fraction(3, 1)
    """
    links = _link_times(topology, alpha, size, bandwidth)
    steps = (
        max(_receiver_time(one, links, None) for one in at_step)
        for at_step in arrivals(topology, receivers)
    )
    return sum(steps, Fraction())


def fewest_chunks(
    topology: Topology, alpha: Fraction, size: Fraction, bandwidth: Fraction, loss: Fraction
) -> int:
    """The fewest equal chunks that take at most so much longer, relatively, than any pieces.

    Raises Unsupported where more than MOST_CHUNKS are needed, and as `unequal_schedule` does.

    >>> pair = Topology.from_arcs(2, [(0, 1), (0, 1), (1, 0)], capacity=(1, 3, 4))
    >>> fewest_chunks(pair, Fraction(0), Fraction(8), Fraction(1), Fraction(0))
    4
    """
    links = _link_times(topology, alpha, size, bandwidth)
    steps = list(arrivals(topology))
    best = [max(_receiver_time(one, links, None) for one in step) for step in steps]
    most = sum(best, Fraction()) * (1 + loss)
    for chunks in range(1, MOST_CHUNKS + 1):
        left = most - sum(best, Fraction())
        for step, least in zip(steps, best, strict=True):
            left -= max(_receiver_time(one, links, chunks) for one in step) - least
            if left < 0:
                break
        else:
            return chunks
    raise Unsupported(f"loss: more than {MOST_CHUNKS} chunks are needed")


def _receiver_time(one: "Arrivals", links: "_LinkTimes", chunks: int | None) -> Fraction:
    """When all that one receiver gets at a step is there, at best."""
    delay, rate = links.of(one.arcs)
    if chunks is None:
        return least_time(one.classes, delay, rate)
    return least_chunked_time(one.classes, delay, rate, chunks)


def _link_times(
    topology: Topology,
    alpha: Fraction,
    size: Fraction,
    bandwidth: Fraction,
    chunks: int | None = None,
) -> _LinkTimes:
    if topology.switches:
        raise InvalidInput("switches: BFB needs a direct-connect topology; this one has switches")
    for name, value in (("size", size), ("bandwidth", bandwidth)):
        if value <= 0:
            raise InvalidInput(f"{name}: more than 0 is needed, not {value}")
    if chunks is not None and chunks < 1:
        raise InvalidInput(f"chunks: at least 1, not {chunks}")
    if alpha < 0:
        raise InvalidInput(f"alpha: at least 0 is needed, not {alpha}")
    unit = Fraction(bandwidth) * topology.n / (max(topology.degree, 1) * Fraction(size))
    ones = [Fraction(1)] * topology.arcs
    return _LinkTimes(
        delay=[Fraction(alpha) * latency for latency in topology.latency or ones],
        rate=[unit * capacity for capacity in topology.capacity or ones],
    )


def _least_pieces(time: Fraction, links: _LinkTimes) -> int:
    """The least number of pieces a shard with which every link can carry just what it has time for.

    All links' capacities at the end of the step are then whole, so whole pieces can be dealt out.
    """
    kinds = set(zip(links.delay, links.rate, strict=True))
    room = link_rooms(time, *zip(*kinds, strict=True))
    return pieces_denominator([shards.denominator for shards in room])


def arrivals(
    topology: Topology, receivers: Sequence[int] | None = None
) -> Iterator[list[Arrivals]]:
    """For each step, from 1, the arrivals at all receivers, or some, that get something then.

    A shard comes over an in-arc [w, u] at step t when its source is t hops from u and t - 1 from
    w. Raises InvalidInput when some node cannot reach another.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> [[one.arcs + one.sources[0] for one in step] for step in arrivals(ring)]
    [[[2, 2], [0, 0], [1, 1]], [[2, 1], [0, 2], [1, 0]]]
    """
    hops = hop_table(*group_arcs(topology).into[:2])
    if (hops < 0).any():
        refuse_disconnected(topology)
    proper = np.flatnonzero(topology.tail != topology.head)
    bounds, order = csr_by_node(topology.head[proper], topology.n)
    order = proper[order]
    listed = range(topology.n) if receivers is None else receivers
    for step in range(1, int(hops[listed].max()) + 1):
        yield [
            _arrivals_at(hops, topology, order[bounds[u] : bounds[u + 1]], fresh, step)
            for u in listed
            if len(fresh := np.flatnonzero(hops[u] == step))
        ]


def _arrivals_at(
    hops: NDArray[Any], topology: Topology, arcs: NDArray[Any], fresh: NDArray[Any], step: int
) -> Arrivals:
    eligible = hops[topology.tail[arcs]][:, fresh] == step - 1
    patterns, kinds = np.unique(eligible, axis=1, return_inverse=True)
    sources = tuple(fresh[kinds.ravel() == c].tolist() for c in range(patterns.shape[1]))
    links = (tuple(np.flatnonzero(pattern).tolist()) for pattern in patterns.T)
    classes = tuple(Shards(len(own), over) for own, over in zip(sources, links, strict=True))
    return Arrivals(arcs.tolist(), sources, classes)


def _cut_rows(
    one: Arrivals, time: Fraction, pieces: int, links: _LinkTimes, *, rounded: bool
) -> Iterator[tuple[int, int, int, int]]:
    """Rows (source, arc, begin, end) of one receiver, done by its own best `time`.

    With `rounded` capacities are rounded up to whole pieces, which keeps them within the step's.
    """
    delay, rate = links.of(one.arcs)
    if rounded:
        room = [ceil(shards * pieces) for shards in link_rooms(time, delay, rate)]
    else:
        room = whole_rooms(time, delay, rate, pieces)
    sent, _ = deal_shards(one.classes, room, pieces)
    for sources, amounts in zip(one.sources, sent, strict=True):
        supply = [(one.arcs[link], amounts[link]) for link in sorted(amounts) if amounts[link]]
        for source in sources:
            begin = 0
            while begin < pieces:
                arc, amount = supply.pop(0)
                end = min(pieces, begin + amount)
                if amount > end - begin:
                    supply.insert(0, (arc, amount - (end - begin)))
                yield source, arc, begin, end
                begin = end


def _join_blocks(blocks: list[Int64Array], pieces: list[int]) -> Schedule:
    """One schedule of the rows (source, arc, step, begin, end) of every step."""
    denominator = pieces_denominator(pieces)
    for block, parts in zip(blocks, pieces, strict=True):
        block[:, 3:] *= denominator // parts
    source, arc, step, begin, end = np.concatenate(
        [np.empty((0, 5), dtype=np.int64), *blocks]
    ).T.copy()
    return Schedule(
        source=source.astype(np.int32),
        arc=arc.astype(np.int32),
        step=step.astype(np.int32),
        begin=begin,
        end=end,
        denominator=denominator,
    )
