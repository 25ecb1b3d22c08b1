"""Timetables of equal links in rounds: chunks that are wanted, scarce and rare go first.

Where all channels have one latency and one unit, time falls into rounds in which each of them
carries a chunk. In a round every node matches its in-links to chunks that it lacks. Of those that
could come it prefers the ones that few of its out-neighbours have (they are wanted behind it), then
those that few of its in-neighbours have (they are scarce around it), then those that few nodes
have; what is still alike, a seed decides. TACOS (Won et al., MICRO 2024, section IV) takes them
at random.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from time import monotonic
from typing import Any

import numpy as np

from generators.arrays import csr_by_node
from generators.errors import InvalidInput, Unsupported
from generators.topology import Int64Array
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.model.round_timetable import RoundSends, RoundSpan
from topofinder.model.time_model import TimeModel
from topofinder.model.timetable import LAST_TICK, MAX_SENDS
from topofinder.timetables.problem import ChunkProblem, Sends
from topofinder.timetables.rounds_kernels import MORE, STUCK, fill_rounds

SENDS_AT_ONCE = 1 << 20
"""Sends of a block, about."""
LIFTS = "of an allgather --method timed --large, in Python large=True, makes more"


class ChunkOrder(StrEnum):
    """Which chunks go first, of those that a node could get in a round.

    FULL: those that few out-neighbours have, then few in-neighbours, then few nodes; LEVELS: the
    same without the last, which is quicker, but not enough for rings of several chunks a node;
    SCARCE: without the first; RARE: with the last first; RANDOM: any, as TACOS does.
    """

    FULL = "full"
    SCARCE = "scarce"
    RARE = "rare"
    RANDOM = "random"
    LEVELS = "levels"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundCount:
    """Rounds and sends of a timetable, and the SHA-256 of its sends."""

    rounds: int
    sends: int
    digest: str


def round_times(problem: ChunkProblem) -> RoundSpan | None:
    """The rounds of a problem; None unless all channels are links, and equal, and chunks alike.

    With `occupied` links a round is latency + unit; else a unit, and what is sent then can be
    passed on 1 + ceil(latency / unit) rounds later.

    >>> from fractions import Fraction
    >>> from generators.arrays import jump_graph
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> from topofinder.timetables.problem import gather_problem
    >>> units = LinkUnits(latency=Fraction(3), rate=Fraction(1))
    >>> round_times(gather_problem(jump_graph(4, [1]), size=Fraction(8), units=units))
    RoundSpan(length=2, arrival=5, delay=3)
    """
    links = np.flatnonzero(problem.usable)
    if problem.target is not None or not len(links) or links[-1] >= problem.topology.arcs:
        return None
    late, unit = problem.channels.latency[links], problem.channels.unit[links]
    if any((values != values[0]).any() for values in (late, unit, problem.amounts)):
        return None
    wait, busy = int(late[0]), int(unit[0]) * int(problem.amounts[0])
    if problem.model is TimeModel.OCCUPIED:
        return RoundSpan(length=wait + busy, arrival=wait + busy, delay=1)
    return RoundSpan(length=busy, arrival=wait + busy, delay=1 + -(-wait // busy))


def schedule_rounds(
    problem: ChunkProblem,
    *,
    seed: int,
    order: ChunkOrder = ChunkOrder.FULL,
    clock: Clock = NO_LIMIT,
) -> Sends:
    """The sends of a timetable in rounds.

    Raises Unsupported for links that are not equal, and when the time is over; InvalidInput when
    some chunk cannot reach some node.

    >>> from fractions import Fraction
    >>> from generators.families.hamming import hypercube
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> from topofinder.timetables.problem import gather_problem
    >>> units = LinkUnits(latency=Fraction(0), rate=Fraction(1))
    >>> problem = gather_problem(hypercube(3), size=Fraction(8), units=units)
    >>> sends = schedule_rounds(problem, seed=1)
    >>> len(sends.chunk), int(sends.begin.max())
    (56, 2)
    """
    length = require_rounds(problem).length
    count, filled = count_sends(problem), 0
    if count > MAX_SENDS:
        raise Unsupported(f"sends: at most {MAX_SENDS} can be kept, not {count}; {LIFTS}")
    chunk, channel = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    begin = np.empty(count, dtype=np.int64)
    for block in schedule_blocks(problem, seed=seed, order=order, clock=clock):
        part = slice(filled, filled + len(block.chunk))
        if len(block.round) and int(block.round[-1]) * length > LAST_TICK:
            raise Unsupported("rounds: their ticks do not fit 64 bits")
        chunk[part], channel[part] = block.chunk, block.channel
        np.multiply(block.round, length, out=begin[part])
        filled = part.stop
    return Sends(chunk=chunk, channel=channel, begin=begin)


def count_rounds(
    problem: ChunkProblem,
    *,
    seed: int,
    order: ChunkOrder = ChunkOrder.LEVELS,
    clock: Clock = NO_LIMIT,
) -> RoundCount:
    """How long the timetable of `schedule_rounds` is, for more sends than can be kept.

    Same seed, same digest: that of all sends, chunk and channel as 32 bits each, then the round as
    64 bits, all little-endian.
    """
    digest, sends, last = sha256(), 0, -1
    row = np.dtype([("chunk", "<i4"), ("channel", "<i4"), ("round", "<i8")])
    for block in schedule_blocks(problem, seed=seed, order=order, clock=clock):
        rows = np.empty(len(block.chunk), dtype=row)
        for name in row.names or ():
            rows[name] = getattr(block, name)
        digest.update(rows.view(np.uint8).data)
        sends += len(rows)
        last = int(block.round[-1]) if len(rows) else last
    return RoundCount(rounds=last + 1, sends=sends, digest=digest.hexdigest())


def require_rounds(problem: ChunkProblem) -> RoundSpan:
    """The rounds of a problem; raises Unsupported where there are none."""
    times = round_times(problem)
    if times is None:
        raise Unsupported("rounds: for direct links that are equal, and chunks for all nodes")
    return times


def schedule_blocks(
    problem: ChunkProblem,
    *,
    seed: int,
    order: ChunkOrder = ChunkOrder.FULL,
    clock: Clock = NO_LIMIT,
    at_once: int = SENDS_AT_ONCE,
) -> Iterator[RoundSends]:
    """The same, some rounds after the others, so that not all need be held.

    A block is about `at_once` sends, at least a round, and fewer where that takes long.
    """
    times = require_rounds(problem)
    tail, head = problem.channels.tail, problem.channels.head
    start, channel = problem.channels_into()
    behind, leaving = csr_by_node(tail[channel], problem.topology.n)
    into = (start, tail[channel].astype(np.int64), channel, head)
    out = (behind, leaving, head[channel[leaving]].astype(np.int64))
    tables = _first_tables(problem, into[1])
    state = np.array([0, 0, 0, count_sends(problem)], dtype=np.int64)
    size = min(int(state[3]), times.delay * len(channel) + at_once) + len(channel)
    log = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int64)
    scratch = _scratch(max(int(np.diff(start).max()), int(np.diff(behind).max())))
    rule = (seed % (1 << 62), list(ChunkOrder).index(order), times.delay)
    why, begun = MORE, monotonic()
    while why == MORE and state[3]:
        first = int(state[1])
        why = fill_rounds(into, out, state, tables, log, scratch, rule, clock.work)
        _require_time(clock, monotonic() - begun, int(state[3]), count_sends(problem))
        chunk, channels, when = (_ring_part(ring, first, int(state[1])) for ring in log)
        yield RoundSends(chunk=chunk, channel=channels, round=when)
    if why == STUCK:
        _refuse(problem, tables[3])


def _require_time(clock: Clock, taken: float, left: int, sends: int) -> None:
    """Where the time is over first, say how much would do; `taken` are seconds so far."""
    if left and clock.is_over:
        more = taken * left / max(1, sends - left)
        done = f"timetable in rounds: {sends - left} of {sends} sends done after"
        if clock.seconds is None:
            raise KeyboardInterrupt(f"{done} {taken:.2g} s; about {more:.2g} s more would do")
        raise Unsupported(
            f"{done} {clock.seconds:g} s; about {clock.seconds + more:.2g} s would do"
        )


def ordered_blocks(
    problem: ChunkProblem,
    *,
    seed: int,
    order: ChunkOrder = ChunkOrder.LEVELS,
    clock: Clock = NO_LIMIT,
    at_once: int = SENDS_AT_ONCE,
) -> Iterator[RoundSends]:
    """Those blocks, the sends of a round in the order of their channels; none is empty."""
    arcs, sends, done = problem.topology.arcs, count_sends(problem), 0
    for block in schedule_blocks(problem, seed=seed, order=order, clock=clock, at_once=at_once):
        if not len(block.chunk):
            continue
        by = np.argsort((block.round - block.round[0]) * arcs + block.channel)
        yield RoundSends(chunk=block.chunk[by], channel=block.channel[by], round=block.round[by])
        done += len(by)
        clock.tell(f"rounds: {int(block.round[-1]) + 1}, {done} of {sends} sends")


def _first_tables(problem: ChunkProblem, tail: Int64Array) -> tuple[Any, ...]:
    """What nodes have at first, and which blocks are fresh on links from `tail`; see the kernel."""
    n, chunks = problem.topology.n, len(problem.origin)
    got = np.zeros((-(-chunks // 512), n, 8), dtype=np.uint64)
    x = np.arange(chunks)
    bit = np.uint64(1) << (x & 63).astype(np.uint64)
    np.bitwise_or.at(got, (x >> 9, problem.origin, x >> 6 & 7), bit)
    filled = np.pad(got.any(axis=2).T, ((0, 0), (0, -len(got) % 64)))
    fresh = np.packbits(filled[tail], axis=1, bitorder="little").view(np.uint64)
    lack = np.zeros(n, dtype=np.int64)
    lack[problem.hosts] = chunks
    lack -= np.bincount(problem.origin, minlength=n)
    return got.ravel(), got.flatten(), fresh, lack, np.ones(chunks, dtype=np.int64)


def count_sends(problem: ChunkProblem) -> int:
    """Every host gets every chunk once, but its own."""
    return len(problem.origin) * (len(problem.hosts) - 1)


def _scratch(d: int) -> tuple[Any, ...]:
    """Arrays for the links of one node: see `fill_rounds`."""
    shapes = (64, 8 * d, 512)
    return np.empty((4, d), dtype=np.int64), *(np.empty(each, np.uint64) for each in shapes)


def _ring_part(ring: Any, first: int, last: int) -> Any:
    """A copy of entries first, ..., last - 1 of a ring, which holds them all."""
    size = len(ring)
    begin, count = first % size, last - first
    return np.concatenate([ring[begin : begin + count], ring[: max(0, begin + count - size)]])


def _refuse(problem: ChunkProblem, lack: Int64Array) -> None:
    """Say which node cannot be reached."""
    names = problem.topology.names
    v = int(np.argmax(lack > 0))
    raise InvalidInput(f"node {names[v] if names else v}: {lack[v]} chunks cannot reach it")
