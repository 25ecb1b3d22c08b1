"""Verification: a schedule is replayed row by row against what its collective asks."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from expansions.collective import Collective
from expansions.schedule import Schedule
from generators.errors import Unsupported
from generators.topology import BoolArray, Int64Array, Topology
from topofinder.verification import wording
from topofinder.verification.faults import fault, hosts, playable
from topofinder.verification.order import columns, sorted_by
from topofinder.verification.schedule_loads import busiest, messages
from topofinder.verification.schedule_replay import replay
from topofinder.verification.verdict import ScheduleVerdict

MAX_WORDS = 1 << 28
"""The most 64-bit words for the pieces of one shard at all nodes (2 GiB)."""

MOVING = (Collective.REDUCE_SCATTER, Collective.REDUCE)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CollectiveHalf:
    """The rows of an allreduce's half, or all rows: `moves` says that sums are moved."""

    rows: Int64Array
    last: int
    moves: bool


def verify(topology: Topology, schedule: Schedule) -> ScheduleVerdict:
    """Replay a schedule (section 3 and appendix B of Zhao et al.) and say what is wrong with it.

    An allgather or broadcast is valid when every piece is held, from an earlier step, by the
    node that sends it, and every host ends with every whole shard (of the root). A reduce-scatter
    or reduce is valid when no node sends a contribution that it has passed on already, and
    all contributions end at their destination. An allreduce is valid when both of its halves are.
    T_L and T_B (equation 2) are worked out anew, as exact numbers.

    Raises Unsupported when a shard is cut so finely that its replay takes above 2 GiB.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> rows = dict(source=[0, 1, 2, 2, 0, 1], step=[1, 1, 1, 2, 2, 2])
    >>> whole = dict(begin=[0] * 6, end=[1] * 6)
    >>> verify(ring, Schedule(arc=[0, 1, 2, 0, 1, 2], **rows, **whole))
    ScheduleVerdict(steps=2, bandwidth=Fraction(2, 3), redundant=Fraction(0, 1), violation=None)
    >>> verify(ring, Schedule(arc=[0, 1, 2, 0, 1, 1], **rows, **whole)).violation
    'after step 2: node 0 lacks [0, 1) of the shard of node 1'
    """
    fit = playable(topology, schedule)
    violation = first_violation(topology, schedule, fit)
    there = np.flatnonzero(schedule.arc < topology.arcs)
    sent = messages(schedule, there, topology.arcs)
    loads = busiest(sent, topology, schedule.denominator)
    count = topology.n - len(topology.switches)
    redundant = None
    if violation is None and not topology.switches:
        redundant = Fraction(int(sent.amount.sum()), schedule.denominator) - least_shards(
            schedule, count
        )
    return ScheduleVerdict(
        steps=schedule.steps,
        bandwidth=Fraction(topology.degree, max(count, 1)) * sum(loads, Fraction()),
        redundant=redundant,
        violation=violation,
    )


def least_shards(schedule: Schedule, count: int) -> int:
    """The fewest shards that must cross an arc, among `count` hosts."""
    times = 2 if schedule.collective is Collective.ALLREDUCE else 1
    return times * (count - 1) * (1 if schedule.collective.is_rooted else count)


def first_violation(
    topology: Topology,
    schedule: Schedule,
    fit: BoolArray,
    sources: Int64Array | None = None,
) -> str | None:
    """The first in the order of steps; within a step rows come first, by their numbers.

    `fit` says which rows are playable; `sources` are the nodes whose shards are looked at, all
    hosts (or the root) unless told.
    """
    host = hosts(topology)
    if schedule.root is not None and not (schedule.root < topology.n and host[schedule.root]):
        return f"root: node {schedule.root} is no host of the topology"
    if sources is None:
        sources = np.flatnonzero(host) if schedule.root is None else np.array([schedule.root])
    faulty = np.flatnonzero(~fit)
    first = None
    if len(faulty):
        first = int(faulty[np.argmin(schedule.step[faulty])])
    for part in _parts(schedule, fit):
        found = _replayed(topology, schedule, part, host, sources, first)
        if found is not None:
            return found
    return None


def _parts(schedule: Schedule, fit: BoolArray) -> list[CollectiveHalf]:
    if schedule.turn is None:
        moves = schedule.collective in MOVING
        return [CollectiveHalf(rows=np.flatnonzero(fit), last=schedule.steps, moves=moves)]
    before = schedule.step <= schedule.turn
    return [
        CollectiveHalf(rows=np.flatnonzero(fit & before), last=schedule.turn, moves=True),
        CollectiveHalf(rows=np.flatnonzero(fit & ~before), last=schedule.steps, moves=False),
    ]


def _replayed(
    topology: Topology,
    schedule: Schedule,
    part: CollectiveHalf,
    host: BoolArray,
    sources: Int64Array,
    faulty: int | None,
) -> str | None:
    """The first violation within a part; `faulty` is the first row that cannot be played."""
    about, arc, step, begin, end = columns(schedule)
    by_step, _ = sorted_by(part.rows, step, schedule.steps + 1)
    rows, start = sorted_by(by_step, about, topology.n)
    _require_room(topology, schedule, start)
    row, source, node, first, beyond = replay(
        sources, rows, start, topology.tail, topology.head, host, arc, step, begin, end,
        schedule.denominator, part.moves,
    )  # fmt: skip
    if faulty is not None and schedule.step[faulty] <= part.last:
        ahead = (int(schedule.step[faulty]), faulty)
        if row < 0 or ahead < (int(schedule.step[row]), row):
            return wording.at_row(topology, schedule, faulty, fault(topology, schedule, faulty))
    if row >= 0:
        return wording.not_held(topology, schedule, row, moves=part.moves)
    if source < 0:
        return None
    piece = wording.interval(first, beyond, schedule.denominator)
    return wording.ends_wrong(node, source, piece, part.last, moves=part.moves)


def _require_room(topology: Topology, schedule: Schedule, start: Int64Array) -> None:
    longest = int(np.diff(start).max())
    pieces = min(schedule.denominator, 2 * longest + 1)
    if (pieces // 64 + 1) * topology.n > MAX_WORDS:
        raise Unsupported(
            f"{longest} rows of one source at {topology.n} nodes: their pieces take too much memory"
        )
