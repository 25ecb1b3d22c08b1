"""Verification of compact schedules: one source is replayed, its symmetry carries it to all.

An automorphism carries a valid broadcast from node 0 to a valid broadcast from its image; so the
rows of all nodes are valid when those of node 0 are and there is an automorphism to every node
(the same for reductions). What arcs carry is added up over all of them.
"""

from fractions import Fraction

import numpy as np

from expansions.translated import Translated
from generators.topology import Topology
from topofinder.verification.faults import playable
from topofinder.verification.peaks import Peaks, peaks
from topofinder.verification.schedule_loads import busiest, messages
from topofinder.verification.schedules import first_violation, least_shards
from topofinder.verification.symmetry import Symmetry, symmetry
from topofinder.verification.verdict import ScheduleVerdict


def verify_translated(topology: Topology, schedule: Translated) -> ScheduleVerdict:
    """Check the symmetry arc by arc and replay node 0; what `verify` says of the expansion.

    Without a valid symmetry there are no rows but those of node 0: `bandwidth` is then theirs.
    Raises Unsupported when a shard is cut so finely that its replay takes above 2 GiB.

    >>> from expansions.schedule import Schedule
    >>> from expansions.translations import translations_of
    >>> from generators.arrays import jump_graph
    >>> ring = jump_graph(3, [1])
    >>> rows = Schedule(source=[0, 0], arc=[0, 1], step=[1, 2], begin=[0, 0], end=[1, 1])
    >>> verify_translated(ring, Translated(rows, translations_of(ring)))
    ScheduleVerdict(steps=2, bandwidth=Fraction(2, 3), redundant=Fraction(0, 1), violation=None)
    """
    origin, denominator = schedule.origin, schedule.denominator
    moved = symmetry_of(topology, schedule)
    violation: str | None
    sent = messages(origin, np.flatnonzero(origin.arc < topology.arcs), topology.arcs)
    if isinstance(moved, str):
        violation, loads = moved, busiest(sent, topology, denominator)
    else:
        fit = playable(topology, origin)
        violation = first_violation(topology, origin, fit, np.zeros(1, dtype=np.int64))
        loads = peaks(topology, origin, moved).loads(topology, denominator)
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


def symmetry_of(topology: Topology, schedule: Translated) -> Symmetry | str:
    """The symmetry of a compact schedule, or one line on why it has none."""
    if topology.switches:
        return "a symmetry is one of hosts, but the topology has switches"
    words = schedule.translations
    return symmetry(topology, words.images, words.parent, words.by)


def peaks_of(topology: Topology, schedule: Translated) -> Peaks | str:
    """What the busiest arcs carry, or one line on why there is no symmetry."""
    moved = symmetry_of(topology, schedule)
    return moved if isinstance(moved, str) else peaks(topology, schedule.origin, moved)
