"""Verification of compact schedules: one source is replayed, its symmetry carries it to all.

An automorphism carries a valid broadcast from node 0 to a valid broadcast from its image; so the
rows of all nodes are valid when those of node 0 are and there is an automorphism to every node
(the same for reductions). What arcs carry is added up over all of them. Only the images of some
rows of one step are held at a time: one look-up makes the images for a node of those for its
parent.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from expansions.compact_schedule import CompactSchedule
from expansions.schedule import Schedule
from generators.limbs import sum_exactly
from generators.topology import Int64Array, IntArray, Topology
from topofinder.progress import work_progress
from topofinder.verification.schedule_loads import Messages, busiest_loads, step_messages
from topofinder.verification.schedules import (
    ScheduleVerdict,
    first_violation,
    least_shards,
    playable_rows,
)
from topofinder.verification.symmetry import Symmetry, check_symmetry
from topofinder.verification.symmetry_kernels import add_images

CELLS = 1 << 20
"""Images of arcs that are held at a time (4 MiB)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeakLoads:
    """The most that any arc carries, for all nodes together, in 1/denominator of a shard.

    `most[t - 1][k]` is that at step t among the arcs that are like arc `like[k]`, with the same
    capacity and latency.
    """

    most: tuple[tuple[int, ...], ...]
    like: tuple[int, ...]

    def loads(self, topology: Topology, denominator: int) -> tuple[Fraction, ...]:
        """The largest load of each step's arcs, in shards a link unit."""
        capacity = topology.capacity or (Fraction(1),) * topology.arcs
        return tuple(
            max(
                Fraction(amount, denominator) / capacity[arc]
                for amount, arc in zip(step, self.like, strict=True)
            )
            for step in self.most
        )


def verify_compact_schedule(topology: Topology, schedule: CompactSchedule) -> ScheduleVerdict:
    """Check the symmetry arc by arc and replay node 0: what `verify_schedule` says of all rows.

    Without a valid symmetry there are no rows but those of node 0: `bandwidth` is then theirs.
    Raises Unsupported when a shard is cut so finely that its replay takes above 2 GiB.

    >>> from expansions.schedule import Schedule
    >>> from expansions.automorphisms import automorphisms_of
    >>> from generators.arrays import jump_graph
    >>> ring = jump_graph(3, [1])
    >>> rows = Schedule(source=[0, 0], arc=[0, 1], step=[1, 2], begin=[0, 0], end=[1, 1])
    >>> verify_compact_schedule(ring, CompactSchedule(rows, automorphisms_of(ring)))
    ScheduleVerdict(steps=2, bandwidth=Fraction(2, 3), redundant=Fraction(0, 1), violation=None)
    """
    origin, denominator = schedule.origin, schedule.denominator
    moved = schedule_symmetry(topology, schedule)
    violation: str | None
    sent = step_messages(origin, np.flatnonzero(origin.arc < topology.arcs), topology.arcs)
    if isinstance(moved, str):
        violation, loads = moved, busiest_loads(sent, topology, denominator)
    else:
        fit = playable_rows(topology, origin)
        violation = first_violation(topology, origin, fit, np.zeros(1, dtype=np.int64))
        loads = symmetric_peak_loads(topology, origin, moved).loads(topology, denominator)
    redundant = None
    if violation is None:
        every = topology.n * Fraction(int(sent.amount.sum()), denominator)
        redundant = every - least_shards(origin, topology.n)
    return ScheduleVerdict(
        steps=origin.steps,
        bandwidth=Fraction(topology.degree, topology.n) * sum(loads, Fraction()),
        redundant=redundant,
        violation=violation,
    )


def schedule_symmetry(topology: Topology, schedule: CompactSchedule) -> Symmetry | str:
    """The symmetry of a compact schedule, or one line on why it has none."""
    if topology.switches:
        return "a symmetry is one of hosts, but the topology has switches"
    words = schedule.translations
    return check_symmetry(topology, words.images, words.parent, words.by)


def peak_loads(
    topology: Topology, schedule: CompactSchedule, cells: int = CELLS
) -> PeakLoads | str:
    """What the busiest arcs carry, or one line on why there is no symmetry.

    At most `cells` images of arcs are held at a time.
    """
    moved = schedule_symmetry(topology, schedule)
    return (
        moved
        if isinstance(moved, str)
        else symmetric_peak_loads(topology, schedule.origin, moved, cells)
    )


def symmetric_peak_loads(
    topology: Topology, origin: Schedule, symmetry: Symmetry, cells: int = CELLS
) -> PeakLoads:
    """The peaks of a schedule whose rows about node 0 are `origin`; rows on no arc are left out.

    >>> from topofinder.verification.symmetry import check_symmetry
    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> turn = check_symmetry(ring, np.array([[1, 2, 0]]), np.array([0, 0, 1]), np.array([0, 0, 0]))
    >>> both = Schedule(source=[0, 0], arc=[0, 1], step=[1, 2], begin=[0, 0], end=[1, 1])
    >>> symmetric_peak_loads(ring, both, turn).most
    ((1,), (1,))
    """
    kind, like = _arc_kinds(topology)
    sent = step_messages(origin, np.flatnonzero(origin.arc < topology.arcs), topology.arcs)
    ends = np.searchsorted(sent.step, np.arange(1, origin.steps + 2))
    most = []
    for step, (first, last) in enumerate(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)):
        work_progress.count("loads of steps", step, origin.steps)
        carried = _arc_totals(topology.arcs, sent, first, last, symmetry, cells)
        found = np.zeros(len(like), dtype=carried.dtype)
        np.maximum.at(found, kind, carried)
        most.append(tuple(map(int, found)))
    return PeakLoads(most=tuple(most), like=like)


def _arc_kinds(topology: Topology) -> tuple[Int64Array, tuple[int, ...]]:
    """The kind of each arc, by capacity and latency, and an arc of each kind."""
    known: dict[tuple[object, object], int] = {}
    kind = np.zeros(topology.arcs, dtype=np.int64)
    like: list[int] = []
    if topology.capacity is None and topology.latency is None:
        return kind, (0,)
    capacity = topology.capacity or (None,) * topology.arcs
    latency = topology.latency or (None,) * topology.arcs
    for arc, values in enumerate(zip(capacity, latency, strict=True)):
        if values not in known:
            known[values] = len(like)
            like.append(arc)
        kind[arc] = known[values]
    return kind, tuple(like)


def _arc_totals(
    arcs: int, sent: Messages, first: int, last: int, symmetry: Symmetry, cells: int
) -> NDArray[Any]:
    """What each arc carries of the messages first to last - 1 and their images; shape (arcs,)."""
    # Messages of one step are on different arcs, and a translation permutes the arcs: an arc gets
    # at most one of them for each node.
    streamed = partial(_add_all_images, arcs, sent.arc[first:last], symmetry, cells)
    return sum_exactly(sent.amount[first:last], len(symmetry.order), streamed)


def _add_all_images(
    arcs: int, points: IntArray, symmetry: Symmetry, cells: int, amount: Int64Array
) -> Int64Array:
    total = np.zeros(arcs, dtype=np.int64)
    n = len(symmetry.order)
    width = min(max(1, cells // n), max(1, len(points)))
    table = np.empty((n, width), dtype=np.int32)
    parent, by = (np.ascontiguousarray(a, dtype=np.int64) for a in (symmetry.parent, symmetry.by))
    for at in range(0, len(points), width):
        some = slice(at, at + width)
        add_images(
            symmetry.order, parent, by, symmetry.maps, points[some], amount[some], table, total
        )
    return total
