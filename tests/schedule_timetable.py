"""A step schedule written as a timetable: what a step carries begins when the step before ends.

Pieces become chunks of their own length; those of one link and step follow each other in the order
of rows. In the model `pipelined` a step then takes what its longest message takes, as with
barriers; in `occupied` every chunk pays its own latency.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from expansions.collective import Collective
from expansions.schedule import Schedule
from generators.errors import Unsupported
from generators.topology import Int64Array, IntArray, Topology
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.model.timetable import LAST_TICK, MAX_SENDS, Timetable

SUMMING = (Collective.REDUCE_SCATTER, Collective.REDUCE)


def timetable_of_schedule(
    topology: Topology,
    schedule: Schedule,
    *,
    alpha: Fraction,
    size: Fraction,
    node_bandwidth: Fraction,
    model: TimeModel = TimeModel.PIPELINED,
) -> Timetable:
    """The sends of a schedule of `size` bytes in all; parameters are those of `simulate`.

    The shards are cut at all ends of pieces, and a unit is the longest of which all chunks are
    multiples. Where a schedule brings a piece to a node twice, so does the timetable, which is then
    not valid. Raises Unsupported for switches, which hold what they
    pass on in a schedule but not in a timetable, and for too many sends or ticks.

    >>> ring = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> swap = Schedule(source=[0, 1], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 1])
    >>> swap = timetable_of_schedule(
    ...     ring, swap, alpha=1, size=Fraction(8), node_bandwidth=Fraction(2))
    >>> swap.begin.tolist(), swap.seconds
    ([0, 0], Fraction(3, 1))
    """
    if topology.switches:
        raise Unsupported("schedule: one through switches makes no timetable")
    rows = np.lexsort((schedule.arc, schedule.step))
    origin, amount, row, chunk = _cut_shards(topology, schedule, rows)
    unit_length = int(np.gcd.reduce(amount))
    amount //= unit_length
    empty = Timetable(
        topology=topology,
        collective=schedule.collective,
        chunk=np.zeros(0, np.int32),
        channel=np.zeros(0, np.int32),
        begin=np.zeros(0, np.int64),
        origin=origin,
        amount=amount,
        root=schedule.root,
        chunk_bytes=Fraction(size) * unit_length / (topology.n * schedule.denominator),
        units=LinkUnits(latency=alpha, rate=Fraction(node_bandwidth) / topology.degree),
        model=model,
    )
    step, arc = schedule.step[row].astype(np.int64), schedule.arc[row]
    late, unit = empty.channel_ticks()
    _require_time(late, unit, amount[chunk])
    sending = unit[arc] * amount[chunk]
    busy = sending + late[arc] if model is TimeModel.OCCUPIED else sending
    begin = _begins(step, arc.astype(np.int64), busy, late[arc] + sending)
    reducing = int(np.count_nonzero(step <= _turn(schedule)))
    return replace(empty, chunk=chunk, channel=arc, begin=begin, reducing=reducing)


def _turn(schedule: Schedule) -> int:
    """The last step at which rows carry partial sums."""
    if schedule.turn is not None:
        return schedule.turn
    return schedule.steps if schedule.collective in SUMMING else 0


def _cut_shards(
    topology: Topology, schedule: Schedule, rows: Int64Array
) -> tuple[IntArray, Int64Array, Int64Array, IntArray]:
    """(origin, amount) of every chunk, and (row, chunk) of every send, in the order of `rows`."""
    sources = range(topology.n) if schedule.root is None else [schedule.root]
    ends = []
    first = np.zeros(schedule.rows, dtype=np.int64)
    count = np.zeros(schedule.rows, dtype=np.int64)
    by_source = np.argsort(schedule.source, kind="stable")
    start = np.searchsorted(schedule.source[by_source], np.arange(topology.n + 1))
    chunks = 0
    for source in sources:
        own = by_source[start[source] : start[source + 1]]
        cut = np.unique([0, schedule.denominator, *schedule.begin[own], *schedule.end[own]])
        place = np.searchsorted(cut, schedule.begin[own])
        first[own] = chunks + place
        count[own] = np.searchsorted(cut, schedule.end[own]) - place
        chunks += len(cut) - 1
        ends.append(cut)
    if (sends := int(count.sum())) > MAX_SENDS:
        raise Unsupported(f"schedule: at most {MAX_SENDS} sends of a timetable, not {sends}")
    row = np.repeat(rows, count[rows])
    before = np.repeat(np.cumsum(count[rows]) - count[rows], count[rows])
    return (
        np.repeat(np.fromiter(sources, np.int32), [len(cut) - 1 for cut in ends]),
        np.concatenate([np.diff(cut) for cut in ends]),
        row,
        (first[row] + np.arange(sends) - before).astype(np.int32),
    )


def _require_time(late: Int64Array, unit: Int64Array, amount: Int64Array) -> None:
    """All messages one after the other must end before the last tick."""
    whole = int(amount.astype(object).sum()) * int(unit.max(initial=0))
    whole += len(amount) * int(late.max(initial=0))
    if whole >= LAST_TICK:
        raise Unsupported("schedule: it takes longer than 64 bits can count in ticks")


def _begins(step: Int64Array, arc: Int64Array, busy: Int64Array, taken: Int64Array) -> Int64Array:
    """When every send begins: its step has begun, and those before it on its arc have left.

    Sends are sorted by step and arc; each arrives `taken` ticks after it begins.
    """
    if not len(step):
        return np.zeros(0, dtype=np.int64)
    before = np.cumsum(busy) - busy
    message = np.flatnonzero((np.diff(step, prepend=0) != 0) | (np.diff(arc, prepend=-1) != 0))
    within = before - np.repeat(before[message], np.diff(message, append=len(step)))
    steps = np.flatnonzero(np.diff(step, prepend=0))
    lasts = np.maximum.reduceat(within + taken, steps)
    found: Int64Array = within + np.repeat(
        np.cumsum(lasts) - lasts, np.diff(steps, append=len(step))
    )
    return found
