"""Event-driven synthesis: chunks matched to free channels, instant after instant.

`match_events` is for links of unlike latency and rate, and switches: cheap channels first, by
rotation among equal ones, so that the ports of a switch fall into perfect matchings; each takes the
chunk that is wanted most. With the nearest-holder rule no chunk comes over a link that is scarce
where it could come from nearer by. `match_randomly` is TACOS (Won et al., MICRO 2024), section
IV.D, as published.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from expansions.collective import Collective
from generators.arrays import csr_by_node
from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from generators.topology import AnyIntArray, Int64Array
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.model.timetable import LAST_TICK, MAX_SENDS
from topofinder.timetables.event_kernels import (
    FAR,
    HEAP,
    SENDS,
    MatchState,
    UsableChannels,
    channel_costs,
    match_random,
    match_wanted,
    note_holder,
)
from topofinder.timetables.problem import ChunkProblem, Sends, least_rooms

SPREADING = (Collective.ALLGATHER, Collective.BROADCAST)
LARGEST_TABLE = 1 << 28
"""Nodes times chunks, at most."""
MOST_CHANNELS = 1 << 20
MOST_LIMITS = 8
"""Kinds of cost for which candidates are kept as bits; with more, costs are compared one by one."""
LONGEST_SEND = 1 << 60


def match_randomly(problem: ChunkProblem, *, seed: int, clock: Clock = NO_LIMIT) -> Sends:
    """TACOS as published: at each instant, pairs of a host and a chunk it lacks in random order.

    A pair takes the cheapest free channel into the host that can bring the chunk, if there is one.

    Raises InvalidInput for an all-to-all or allreduce and for hosts that chunks cannot reach,
    Unsupported for too many chunks or ticks, and when the time of the clock is over.

    >>> from fractions import Fraction
    >>> from generators.families.complete import complete
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> from topofinder.timetables.problem import gather_problem
    >>> units = LinkUnits(latency=Fraction(1), rate=Fraction(1))
    >>> problem = gather_problem(complete(4), size=Fraction(4), units=units)
    >>> problem.timetable(match_randomly(problem, seed=0)).seconds
    Fraction(2, 1)
    """
    numbers, network = _usable_network(problem)
    state = _first_state(problem, network, seed, False, np.zeros(0, np.int64))
    while match_random(network, state, LAST_TICK, clock.work >> 6):
        clock.require_time("random matching")
    return _all_sends(problem, numbers, state)


def match_events(
    problem: ChunkProblem, *, seed: int, nearest: bool = True, clock: Clock = NO_LIMIT
) -> Sends:
    """Chunks that are wanted and scarce first, cheap channels before dear ones.

    With `nearest` no channel brings a chunk that a holder nearer by can bring at a lower cost: the
    latencies and ticks on the way. Raises as `match_randomly`.

    >>> from fractions import Fraction
    >>> from generators.topology import Topology
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> from topofinder.timetables.problem import gather_problem
    >>> units = LinkUnits(latency=Fraction(0), rate=Fraction(1))
    >>> line = Topology.from_arcs(3, [(0, 1), (1, 2), (0, 2)], capacity=(4, 4, 1))
    >>> problem = gather_problem(line, size=Fraction(8), units=units, root=0, chunks=2)
    >>> problem.timetable(match_events(problem, seed=0)).seconds
    Fraction(3, 1)
    >>> problem.timetable(match_events(problem, seed=0, nearest=False)).seconds
    Fraction(4, 1)
    """
    numbers, network = _usable_network(problem)
    cost, nodes = network.late + network.unit, problem.topology.n
    limit, kind = _cost_limits(cost if nearest else np.zeros_like(cost))
    state = _first_state(problem, network, seed, nearest, limit)
    hosts = problem.hosts if nearest else problem.hosts[:0]
    far = channel_costs(network.out, network.head, cost, hosts, nodes if nearest else 0)
    for x, u in enumerate(problem.origin.tolist()):
        note_holder(network, state, far, u, x, nearest)
    while match_wanted(network, state, cost, kind, far, nearest, LAST_TICK, clock.work >> 10):
        clock.require_time("matching of chunks and channels")
    return _all_sends(problem, numbers, state)


def _cost_limits(cost: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The costs of which it is noted who may still come, and for each channel the next below."""
    limit, kind = np.unique(cost, return_inverse=True)
    if len(limit) > MOST_LIMITS:
        return np.zeros(1, np.int64), np.zeros(len(cost), np.int64)
    return limit, kind.astype(np.int64)


def _usable_network(problem: ChunkProblem) -> tuple[Int64Array, UsableChannels]:
    """The numbers of the channels between hosts, and these, numbered anew in their order."""
    if problem.collective not in SPREADING:
        raise InvalidInput(f"collective: {problem.collective} has chunks that do not go to all")
    numbers, every = np.flatnonzero(problem.usable), problem.channels
    n = problem.topology.n
    if len(numbers) >= MOST_CHANNELS:
        raise Unsupported(f"channels: fewer than {MOST_CHANNELS}, not {len(numbers)}")
    hops = np.diff(every.start)[numbers]
    way_start = np.concatenate([[0], np.cumsum(hops)])
    shift = np.repeat(every.start[numbers] - way_start[:-1], hops)
    arcs = every.arc[shift + np.arange(len(shift))]
    user_start, order = csr_by_node(arcs, problem.topology.arcs)
    port, tail, head = arcs[way_start[:-1]], every.tail[numbers], every.head[numbers]
    shift, turns = _rotation(port, tail, head)
    late, unit = every.latency[numbers], every.unit[numbers]
    most = int(problem.amounts.max(initial=1)) * int(unit.max(initial=1))
    if most > LONGEST_SEND:
        raise Unsupported(f"amount: one chunk takes {most} ticks, which are too many to count")
    return numbers, UsableChannels(
        tail=tail,
        head=head,
        place=np.unique(late + unit, return_inverse=True)[1],
        late=late,
        unit=unit,
        hold=every.hold[numbers],
        rate=least_rooms(every.start, every.arc, every.room)[numbers],
        size=problem.amounts,
        port=port,
        shift=shift,
        turns=turns,
        into=csr_by_node(head, n),
        out=csr_by_node(tail, n),
        way=(way_start, arcs),
        user=(user_start, np.repeat(np.arange(len(numbers)), hops)[order]),
    )


def _rotation(
    port: AnyIntArray, tail: AnyIntArray, head: AnyIntArray
) -> tuple[Int64Array, Int64Array]:
    """By how many hosts each channel's head is ahead of its tail, less 1, and how many heads.

    Among those that the channels through the same port lead to.
    """
    shift, turns = np.zeros(len(port), np.int64), np.ones(len(port), np.int64)
    start, order = csr_by_node(port, int(port.max(initial=-1)) + 1)
    for first, last in pairwise(start.tolist()):
        if last - first > 1:
            here = order[first:last]
            ends = np.unique(np.append(head[here], tail[here[0]]))
            ahead = np.searchsorted(ends, head[here]) - np.searchsorted(ends, tail[here[0]])
            shift[here], turns[here] = ahead % len(ends) - 1, len(ends) - 1
    return shift, turns


def _first_state(
    problem: ChunkProblem, network: UsableChannels, seed: int, nearest: bool, limit: Int64Array
) -> MatchState:
    """The state before the first instant: every chunk arrives at its origin at tick 0."""
    n, chunks = problem.topology.n, len(problem.origin)
    if n * chunks > LARGEST_TABLE:
        raise Unsupported(f"chunks: at most {LARGEST_TABLE} on all nodes, not {n * chunks}")
    if type(seed) is not int or not 0 <= seed < 1 << 64:
        raise InvalidInput(f"seed: an integer from 0 to 2^64 - 1, not {excerpt(seed)}")
    sends = min((len(problem.hosts) - 1) * chunks, n * chunks)
    if sends > MAX_SENDS:
        raise Unsupported(f"sends: at most {MAX_SENDS}, not {sends}")
    channels = len(network.tail)
    events = np.arange(chunks) + problem.origin.astype(np.int64) * chunks
    room = sends + channels + chunks + 1
    words = -(-chunks // 64)
    has = np.zeros((n, chunks), dtype=np.int8)
    has[problem.origin, np.arange(chunks)] = 1
    return MatchState(
        has=has,
        times=np.zeros(room, np.int64),
        events=_pad_zeros(events, room),
        left=problem.channels.room.copy(),
        stamp=np.full(channels, -1, np.int64),
        touched=np.empty(channels, np.int64),
        chunk=np.empty(sends, np.int64),
        channel=np.empty(sends, np.int64),
        begin=np.empty(sends, np.int64),
        sent=np.zeros(problem.topology.arcs, np.int64),
        fed=np.zeros((n, chunks), np.int32),
        served=np.zeros((n, chunks), np.int32),
        holders=np.zeros(chunks, np.int64),
        near=np.full((chunks, n) if nearest else (0, 0), FAR, np.int64),
        there=np.zeros((n, words), np.uint64),
        open=np.full((len(limit), n, words), -1, np.int64).view(np.uint64),
        limit=limit,
        counts=np.array([chunks, 0, 0], dtype=np.int64),
        random=np.array([seed], dtype=np.uint64),
    )


def _pad_zeros(values: AnyIntArray, room: int) -> Int64Array:
    found = np.zeros(room, dtype=np.int64)
    found[: len(values)] = values
    return found


def _all_sends(problem: ChunkProblem, numbers: Int64Array, state: MatchState) -> Sends:
    """The sends, when every host has every chunk."""
    if state.counts[HEAP]:
        raise Unsupported(f"sends: they begin later than tick {LAST_TICK}")
    lack: Any = np.argwhere(state.has[problem.hosts] == 0)
    if len(lack):
        v, x = problem.hosts[lack[0, 0]], lack[0, 1]
        raise InvalidInput(f"node {v} cannot be reached from node {problem.origin[x]}")
    last = int(state.counts[SENDS])
    return Sends(
        chunk=state.chunk[:last].astype(np.int32),
        channel=numbers[state.channel[:last]].astype(np.int32),
        begin=state.begin[:last],
    )
