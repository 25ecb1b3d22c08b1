"""Verification: a schedule is replayed row by row against what its collective asks.

Rows that no replay could play (arcs and hosts that are not there) are found first, then the first
row whose tail does not hold its piece, or that a switch cannot copy or combine, then the first
shard that is not whole at the end. T_L and T_B of Zhao et al. (equation 2) are worked out anew from
the messages.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from expansions.collective import Collective
from expansions.cost import Cost
from expansions.schedule import Schedule
from generators.errors import Unsupported
from generators.memory import require_memory
from generators.topology import BoolArray, Int64Array, Topology
from topofinder.progress import work_progress
from topofinder.verification.replay_kernels import replay_shards, sort_row_numbers
from topofinder.verification.schedule_loads import busiest_loads, contiguous_columns, step_messages
from topofinder.verification.switch_rows import NO_COPY, NO_SUM, first_switch_fault

MAX_WORDS = 1 << 28
"""The most 64-bit words for the pieces of one shard at all nodes (2 GiB)."""
AT_ONCE = 1 << 21
"""Rows that are replayed between two looks at the clock."""
MOVING = (Collective.REDUCE_SCATTER, Collective.REDUCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleVerdict:
    """Whether a schedule does what its collective asks, and what it costs.

    `steps` and `bandwidth` are T_L and T_B of the rows as they stand, valid or not; rows on arcs
    that the topology has not are left out. `redundant` is how many shards are sent beyond the
    least that the collective needs, one for each ordered pair of hosts: pieces received again in
    an allgather, partial sums passed on unmerged in a reduce-scatter. It is None when the
    schedule is not valid, and where switches forward. `violation` is one line about the first
    violation (lowest step, then lowest row), None exactly when the schedule is valid.

    >>> verdict = ScheduleVerdict(
    ...     steps=1, bandwidth=Fraction(3, 4), redundant=Fraction(0), violation=None
    ... )
    >>> verdict.valid
    True
    """

    steps: int
    bandwidth: Fraction
    redundant: Fraction | None
    violation: str | None

    @property
    def valid(self) -> bool:
        """Whether nothing was found wrong."""
        return self.violation is None

    @property
    def cost(self) -> Cost:
        """T_L and T_B."""
        return Cost(self.steps, self.bandwidth)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CollectiveHalf:
    """The rows of an allreduce's half, or all rows: `moves` says that sums are moved."""

    rows: Int64Array
    last: int
    moves: bool


def verify_schedule(
    topology: Topology, schedule: Schedule, *, most_words: int = MAX_WORDS, at_once: int = AT_ONCE
) -> ScheduleVerdict:
    """Replay a schedule (section 3 and appendix B of Zhao et al.) and say what is wrong with it.

    An allgather or broadcast is valid when every piece is held, from an earlier step, by the
    node that sends it, and every host ends with every whole shard (of the root). A reduce-scatter
    or reduce is valid when no node sends a contribution that it has passed on already, and
    all contributions end at their destination. A switch that does not multicast sends a piece as
    often as it came, one that does not combine holds one sum of it at a time. An allreduce is
    valid when both of its halves are. T_L and T_B (equation 2) are worked out anew, as exact
    numbers.

    Raises Unsupported when a shard is cut so finely that its replay takes above `most_words`
    words of 64 bits (2 GiB). Some `at_once` rows are replayed between two looks at the clock.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> rows = dict(source=[0, 1, 2, 2, 0, 1], step=[1, 1, 1, 2, 2, 2])
    >>> whole = dict(begin=[0] * 6, end=[1] * 6)
    >>> verify_schedule(ring, Schedule(arc=[0, 1, 2, 0, 1, 2], **rows, **whole))
    ScheduleVerdict(steps=2, bandwidth=Fraction(2, 3), redundant=Fraction(0, 1), violation=None)
    >>> verify_schedule(ring, Schedule(arc=[0, 1, 2, 0, 1, 1], **rows, **whole)).violation
    'after step 2: node 0 lacks [0, 1) of the shard of node 1'
    """
    fit = playable_rows(topology, schedule)
    violation = first_violation(topology, schedule, fit, most_words=most_words, at_once=at_once)
    there = np.flatnonzero(schedule.arc < topology.arcs)
    sent = step_messages(schedule, there, topology.arcs)
    loads = busiest_loads(sent, topology, schedule.denominator)
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
    *,
    most_words: int = MAX_WORDS,
    at_once: int = AT_ONCE,
) -> str | None:
    """The first in the order of steps; within a step rows come first, by their numbers.

    `fit` says which rows are playable; `sources` are the nodes whose shards are looked at, all
    hosts (or the root) unless told.
    """
    host = host_mask(topology)
    if schedule.root is not None and not (schedule.root < topology.n and host[schedule.root]):
        return f"root: node {schedule.root} is no host of the topology"
    if sources is None:
        sources = np.flatnonzero(host) if schedule.root is None else np.array([schedule.root])
    faulty = np.flatnonzero(~fit)
    first = None
    if len(faulty):
        first = int(faulty[np.argmin(schedule.step[faulty])])
    for part in _halves(schedule, fit):
        found = _half_violation(topology, schedule, part, host, sources, first, most_words, at_once)
        if found is not None:
            return found
    return None


def _halves(schedule: Schedule, fit: BoolArray) -> list[CollectiveHalf]:
    if schedule.turn is None:
        moves = schedule.collective in MOVING
        return [CollectiveHalf(rows=np.flatnonzero(fit), last=schedule.steps, moves=moves)]
    before = schedule.step <= schedule.turn
    return [
        CollectiveHalf(rows=np.flatnonzero(fit & before), last=schedule.turn, moves=True),
        CollectiveHalf(rows=np.flatnonzero(fit & ~before), last=schedule.steps, moves=False),
    ]


def _half_violation(
    topology: Topology,
    schedule: Schedule,
    part: CollectiveHalf,
    host: BoolArray,
    sources: Int64Array,
    faulty: int | None,
    most_words: int,
    at_once: int,
) -> str | None:
    """The first violation within a part; `faulty` is the first row that cannot be played."""
    about, arc, step, begin, end = contiguous_columns(schedule)
    by_step, _ = sort_row_numbers(part.rows, step, schedule.steps + 1)
    rows, start = sort_row_numbers(by_step, about, topology.n)
    _require_memory(topology, schedule, start, most_words)
    work_progress.tell(f"replaying {len(rows):,} rows")
    row, (source, node, first, beyond), done = -1, (-1, -1, 0, 0), 0
    for some in _sources_at_once(sources, start, at_once):
        if row < 0 and source < 0 and faulty is None:
            work_progress.count("replaying shards", done, len(sources))
        done += len(some)
        found = replay_shards(
            some, rows, start, topology.tail, topology.head, host, arc, step, begin, end,
            schedule.denominator, part.moves,
        )  # fmt: skip
        if found[0] >= 0 and (row < 0 or (step[found[0]], found[0]) < (step[row], row)):
            row = found[0]
        if source < 0:
            source, node, first, beyond = found[1:]
    fault = _first_fault(topology, schedule, part, faulty, row)
    if fault is not None:
        return fault
    if source < 0:
        return None
    piece = piece_text(first, beyond, schedule.denominator)
    return describe_wrong_end(node, source, piece, part.last, moves=part.moves)


def _sources_at_once(sources: Int64Array, start: Int64Array, at_once: int) -> list[Int64Array]:
    """The sources in pieces of some `at_once` rows each."""
    turn = np.cumsum(start[sources + 1] - start[sources]) // at_once
    return np.split(sources, np.flatnonzero(np.diff(turn)) + 1)


def _first_fault(
    topology: Topology, schedule: Schedule, part: CollectiveHalf, faulty: int | None, row: int
) -> str | None:
    """The first row that is wrong: not playable, without its piece, or too much for a switch."""
    found = []
    if row >= 0:
        found.append((row, describe_missing_piece(topology, schedule, row, moves=part.moves)))
    if faulty is not None and schedule.step[faulty] <= part.last:
        reason = row_fault(topology, schedule, faulty)
        found.append((faulty, describe_row(topology, schedule, faulty, reason)))
    crowded = first_switch_fault(topology, schedule, part.rows, moves=part.moves)
    if crowded >= 0:
        found.append((crowded, describe_switch_fault(topology, schedule, crowded, part.moves)))
    return min(found, key=lambda each: (schedule.step[each[0]], each[0]), default=(0, None))[1]


def _require_memory(
    topology: Topology, schedule: Schedule, start: Int64Array, most_words: int
) -> None:
    longest = int(np.diff(start).max())
    pieces = min(schedule.denominator, 2 * longest + 1)
    if (pieces // 64 + 1) * topology.n > most_words:
        raise Unsupported(
            f"{longest} rows of one source at {topology.n} nodes: their pieces take too much memory"
        )
    need = 8 * (pieces // 64 + 1) * topology.n
    require_memory(f"verify: the pieces of a shard at {topology.n} nodes", need)


def playable_rows(topology: Topology, schedule: Schedule) -> BoolArray:
    """Of each row, whether its arc exists and is no self-loop, and its source is a host."""
    proper = np.append(topology.tail != topology.head, False)
    host = np.append(host_mask(topology), False)
    arc = np.minimum(schedule.arc, topology.arcs)
    source = np.minimum(schedule.source, topology.n)
    fit: BoolArray = proper[arc] & host[source]
    return fit


def host_mask(topology: Topology) -> BoolArray:
    """Of each node, whether it is a host."""
    found = np.ones(topology.n, dtype=np.bool_)
    found[list(topology.switches)] = False
    return found


def row_fault(topology: Topology, schedule: Schedule, row: int) -> str:
    """Why a row cannot be played.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> astray = Schedule(source=[0], arc=[7], step=[1], begin=[0], end=[1])
    >>> row_fault(pair, astray, 0)
    'there is no arc 7'
    """
    arc = int(schedule.arc[row])
    if arc >= topology.arcs:
        return f"there is no arc {arc}"
    if topology.tail[arc] == topology.head[arc]:
        return "a self-loop carries nothing"
    return f"node {schedule.source[row]} is no host of the topology"


def describe_row(topology: Topology, schedule: Schedule, row: int, reason: str) -> str:
    """What a row does, and why it cannot.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> early = Schedule(source=[0], arc=[1], step=[1], begin=[0], end=[1], denominator=2)
    >>> describe_row(pair, early, 0, "node 1 does not hold it yet")
    'step 1, row 0: arc 1 [1, 0] with [0, 1/2) of the shard of node 0: node 1 does not hold it yet'
    """
    arc = int(schedule.arc[row])
    ends = f" [{topology.tail[arc]}, {topology.head[arc]}]" if arc < topology.arcs else ""
    piece = piece_text(int(schedule.begin[row]), int(schedule.end[row]), schedule.denominator)
    return (
        f"step {schedule.step[row]}, row {row}: arc {arc}{ends} with {piece} of the shard of "
        f"node {schedule.source[row]}: {reason}"
    )


def describe_missing_piece(topology: Topology, schedule: Schedule, row: int, *, moves: bool) -> str:
    """A row that sends what its tail does not hold."""
    node = topology.tail[schedule.arc[row]]
    reason = "has passed that on already" if moves else "does not hold all of that yet"
    return describe_row(topology, schedule, row, f"node {node} {reason}")


def describe_switch_fault(topology: Topology, schedule: Schedule, row: int, moves: bool) -> str:
    """A row that asks a switch for a copy, or a sum, that it cannot make."""
    ends = topology.head if moves else topology.tail
    reason = f"switch {ends[schedule.arc[row]]} {NO_SUM if moves else NO_COPY}"
    return describe_row(topology, schedule, row, reason)


def describe_wrong_end(node: int, source: int, piece: str, step: int, *, moves: bool) -> str:
    """A shard that is not whole when its collective ends.

    >>> describe_wrong_end(3, 0, "[0, 1/2)", 4, moves=False)
    'after step 4: node 3 lacks [0, 1/2) of the shard of node 0'
    """
    if moves:
        return (
            f"after step {step}: contributions to {piece} of the shard of node {source} are left "
            f"at node {node}"
        )
    return f"after step {step}: node {node} lacks {piece} of the shard of node {source}"


def piece_text(begin: int, end: int, denominator: int) -> str:
    """A piece in lowest terms.

    >>> piece_text(2, 4, 8)
    '[1/4, 1/2)'
    """
    return f"[{Fraction(begin, denominator)}, {Fraction(end, denominator)})"
