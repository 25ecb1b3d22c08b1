"""All-to-alls as timetables: chunks along given paths, list scheduled.

The paths are those of a flow; each is cut where it comes to a host, which stores and forwards. What
lies between two hosts is a link, or a route that is cut through switches. The longest remaining way
goes first, so that the arcs in the middle are never short of chunks; among equal ones sources take
turns, as ports of a switch do.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from expansions.collective import Collective
from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from generators.topology import AnyIntArray, Int64Array, IntArray, Topology
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.model.timetable import MAX_CHUNKS, MAX_SENDS
from topofinder.timetables.list_schedule import TaskSet, list_schedule
from topofinder.timetables.path_kernels import move_shares
from topofinder.timetables.problem import ChunkProblem, Sends

MOST_PASSES = 32
"""How often all pairs are gone through for moves, at most."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Exchange:
    """What goes along which path: `amount[i]` units from `origin[i]` to `target[i]`.

    `origin` and `target` are int32, `amount` int64, all of shape (paths,); path i takes the arcs
    `arc[start[i]:start[i + 1]]`, int32, `start` int64 of shape (paths + 1,). A unit is
    `unit_bytes`; nothing moves all of it in less than `bound` seconds, where that is known.
    """

    origin: IntArray
    target: IntArray
    amount: Int64Array
    start: Int64Array
    arc: IntArray
    unit_bytes: Fraction
    bound: Fraction | None = None

    @property
    def paths(self) -> int:
        """Number of paths."""
        return len(self.origin)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Segments:
    """Pieces of paths from host to host: those of path i are `start[i]` to `start[i + 1]` - 1."""

    start: Int64Array
    channel: Int64Array
    route_start: Int64Array
    route_arc: IntArray


def schedule_exchange(
    topology: Topology,
    exchange: Exchange,
    *,
    units: LinkUnits,
    model: TimeModel = TimeModel.PIPELINED,
    parts: int = 1,
    seed: int = 0,
    clock: Clock = NO_LIMIT,
) -> tuple[ChunkProblem, Sends]:
    """The chunks of an exchange, each path's amount in `parts`, and when each goes where.

    Raises InvalidInput for fewer than one part and for paths that do not lead from origin to
    target; Unsupported for too many chunks or sends, or when the time is over.

    >>> pair = Exchange(origin=np.array([0]), target=np.array([1]), amount=np.array([3]),
    ...     start=np.array([0, 1]), arc=np.array([0]), unit_bytes=Fraction(2))
    >>> units = LinkUnits(latency=Fraction(1), rate=Fraction(1))
    >>> line = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> problem, sends = schedule_exchange(line, pair, units=units)
    >>> problem.timetable(sends).seconds
    Fraction(7, 1)
    """
    if type(parts) is not int or parts < 1:
        raise InvalidInput(f"parts: at least 1, not {excerpt(parts)}")
    _require_paths(topology, exchange)
    segments = _cut_at_hosts(topology, exchange)
    if exchange.paths * parts > MAX_CHUNKS or len(segments.channel) * parts > MAX_SENDS:
        raise Unsupported(f"exchange: {len(segments.channel) * parts} sends are too many")
    problem = exchange_chunks(topology, exchange, units=units, model=model, parts=parts)
    problem = problem.with_routes(segments.route_start, segments.route_arc)
    return problem, _list_segments(problem, segments, parts, seed, clock)


def exchange_chunks(
    topology: Topology,
    exchange: Exchange,
    *,
    units: LinkUnits,
    model: TimeModel = TimeModel.PIPELINED,
    parts: int = 1,
) -> ChunkProblem:
    """The chunks of an exchange, each path's amount in `parts`; without routes through switches."""
    return ChunkProblem(
        topology=topology,
        collective=Collective.ALLTOALL,
        origin=np.repeat(exchange.origin, parts).astype(np.int32),
        target=np.repeat(exchange.target, parts).astype(np.int32),
        amount=np.repeat(exchange.amount, parts),
        chunk_bytes=exchange.unit_bytes / parts,
        units=units,
        model=model,
    )


def _list_segments(
    problem: ChunkProblem, segments: _Segments, parts: int, seed: int, clock: Clock
) -> Sends:
    """Every chunk's segments one after the other."""
    count = np.repeat(np.diff(segments.start), parts)
    chunk = np.repeat(np.arange(len(count)), count)
    first = np.repeat(segments.start[:-1], parts)
    offset = np.concatenate([[0], np.cumsum(count)])
    within = np.arange(offset[-1]) - np.repeat(offset[:-1], count)
    channel = segments.channel[np.repeat(first, count) + within]
    later = np.flatnonzero(within > 0)
    tasks = TaskSet.of_sends(
        problem.channels, channel, problem.amounts[chunk], before=later - 1, after=later
    )
    turn = (problem.target[chunk].astype(np.int64) - problem.origin[chunk] + seed) % max(  # type: ignore[index]
        problem.topology.n, 1
    )
    turn = (turn - within) % problem.topology.n
    order = np.lexsort((turn, -tasks.longest_ways))
    priority = np.empty(len(order), dtype=np.int64)
    priority[order] = np.arange(len(order))
    begin = list_schedule(tasks.with_priority(priority), clock=clock)
    return Sends(chunk=chunk.astype(np.int32), channel=channel.astype(np.int32), begin=begin)


def _require_paths(topology: Topology, exchange: Exchange) -> None:
    """Refuse paths with a gap, an end elsewhere, no arc, or nothing to carry."""
    start, arc = exchange.start, exchange.arc
    if len(start) != exchange.paths + 1 or (np.diff(start) < 1).any() or start[-1] != len(arc):
        raise InvalidInput("start: every path takes at least one arc")
    if not exchange.paths or (exchange.amount < 1).any():
        raise InvalidInput("amount: at least one path, each with an amount above 0, is needed")
    if len(arc) and not 0 <= int(arc.min()) <= int(arc.max()) < topology.arcs:
        raise InvalidInput(f"arc: {arc.min()}..{arc.max()} is not in 0..{topology.arcs - 1}")
    inner = np.setdiff1d(np.arange(len(arc)), start[:-1])
    joined = (topology.head[arc[inner - 1]] == topology.tail[arc[inner]]).all()
    ends = (topology.tail[arc[start[:-1]]] == exchange.origin).all()
    if not (joined and ends and (topology.head[arc[start[1:] - 1]] == exchange.target).all()):
        raise InvalidInput("arc: a path does not lead from its origin to its target")


def _cut_at_hosts(topology: Topology, exchange: Exchange) -> _Segments:
    """The paths cut at every host; equal routes through switches are one channel."""
    switch = np.zeros(topology.n, dtype=np.bool_)
    switch[list(topology.switches)] = True
    arc = exchange.arc.astype(np.int64)
    begins = ~switch[topology.tail[arc]]
    number = np.cumsum(begins) - 1
    start = np.append(number[exchange.start[:-1]], number[-1] + 1)
    first = np.flatnonzero(begins)
    length = np.diff(np.append(first, len(arc)))
    channel = arc[first]
    routes: dict[tuple[int, ...], int] = {}
    for place in np.flatnonzero(length > 1).tolist():
        key = tuple(arc[first[place] : first[place] + length[place]].tolist())
        channel[place] = topology.arcs + routes.setdefault(key, len(routes))
    sizes = np.array([0, *(len(key) for key in routes)], dtype=np.int64)
    return _Segments(
        start=start,
        channel=channel,
        route_start=np.cumsum(sizes),
        route_arc=np.array([one for key in routes for one in key], dtype=np.int32),
    )


def round_shares(weight: Int64Array, pair: Int64Array, asked: Int64Array, parts: int) -> Int64Array:
    """Whole amounts of every path: each pair's `asked` times `parts` shared by weight.

    Paths of one pair follow each other, `pair` is where those of each begin, int64 of shape
    (pairs + 1,). Shares are rounded down, and what is left goes to the largest remainders
    (Hamilton's method), by turns from pair to pair.

    >>> round_shares(np.array([1, 1, 2, 5]), np.array([0, 3, 4]), np.array([1, 2]), 4).tolist()
    [1, 1, 2, 8]
    """
    whole = asked * parts
    sums = np.add.reduceat(weight, pair[:-1])
    of = np.repeat(np.arange(len(asked)), np.diff(pair))
    product = weight.astype(object) * whole[of]
    share = (product // sums[of]).astype(np.int64)
    rest = (product % sums[of]).astype(np.int64)
    place = np.arange(len(weight)) - pair[of]
    turn = (place - of) % np.diff(pair)[of]
    order = np.lexsort((turn, -rest, of))
    left = whole - np.add.reduceat(share, pair[:-1])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - pair[of[order]]
    return share + (rank < left[of])


def balance_shares(
    share: Int64Array, pair: Int64Array, start: Int64Array, arc: AnyIntArray, unit: Int64Array
) -> Int64Array:
    """Whole amounts moved among the paths of each pair, so that the busiest link has less.

    Rounding by pairs leaves some links with more than their part of the flow: on a torus of 8x8x8
    a tenth. `share` is int64 (paths,), path i takes `arc[start[i]:start[i + 1]]`, `pair` is as in
    `round_shares`; an amount of 1 takes `unit[a]` on arc a, int64 (arcs,). The sum of squared loads
    falls with each move; of all passes that with the least load of the busiest link is kept. What
    is too much to be squared in 64 bits stays as it is.

    >>> pair, arc = np.array([0, 1, 3]), np.array([0, 0, 1])
    >>> balance_shares(np.array([2, 2, 0]), pair, np.arange(4), arc, np.ones(2, int)).tolist()
    [2, 0, 2]
    """
    hops = np.diff(start)
    whole = int(share.astype(object).sum()) * int(unit.max(initial=1))
    if 4 * whole * int(unit.max(initial=1)) * int(hops.max(initial=1)) >= 1 << 62:
        return share
    moved = share.copy()
    load = np.zeros(len(unit), dtype=np.int64)
    np.add.at(load, arc, np.repeat(moved, hops) * unit[arc])
    best, least = share, int(load.max(initial=0))
    for _ in range(MOST_PASSES):
        if not move_shares(start, arc, pair, unit, moved, load):
            break
        if int(load.max()) < least:
            best, least = moved.copy(), int(load.max())
    return best


def drop_empty(exchange: Exchange) -> Exchange:
    """The exchange without the paths whose amount was rounded to nothing."""
    kept = exchange.amount > 0
    lengths = np.diff(exchange.start)
    return replace(
        exchange,
        origin=exchange.origin[kept],
        target=exchange.target[kept],
        amount=exchange.amount[kept],
        start=np.concatenate([[0], np.cumsum(lengths[kept])]),
        arc=exchange.arc[np.repeat(kept, lengths)],
    )
