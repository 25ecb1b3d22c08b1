"""Schedules from the kernels: every shard in a given number of equal pieces at each step.

Every receiver's busiest in-link carries as few pieces as possible (`schedules.bfb.routing`).
Where one receiver speaks for all, its rows are made once and carried to the others.
"""

from collections.abc import Sequence
from math import lcm

from expansions.schedule import MAX_DENOMINATOR, Schedule
from generators.errors import Unsupported
from generators.topology import Topology
from topofinder.schedules.bfb.gathering import gather
from topofinder.schedules.bfb.in_arcs import in_arcs
from topofinder.schedules.bfb.symmetric import spread

MAX_ROWS = 1 << 28
"""Rows that a schedule may need at least; as many take 7 GiB."""


def all_rows(topology: Topology, pieces: Sequence[int]) -> Schedule:
    """The allgather of all nodes, pieces[t - 1] equal pieces a shard at step t.

    There are as many steps as the longest distance. Rows come step after step and, within a
    step, receiver after receiver. Raises Unsupported when n(n - 1) is beyond MAX_ROWS.

    >>> from generators.families.complete import complete
    >>> all_rows(complete(3), [2]).rows
    6
    """
    if not pieces:
        return Schedule(source=[], arc=[], step=[], begin=[], end=[])  # type: ignore[arg-type]
    if topology.n * (topology.n - 1) > MAX_ROWS:
        raise Unsupported(f"rows: {topology.n} nodes need more than {MAX_ROWS} in a schedule")
    denominator, neighbours = common_denominator(pieces), in_arcs(topology)
    if topology.translation is not None:
        columns = spread(topology, pieces, denominator, neighbours)
    else:
        columns = gather(topology.n, pieces, denominator, neighbours)
    source, arc, step, begin, end = columns
    return Schedule(
        source=source, arc=arc, step=step, begin=begin, end=end, denominator=denominator
    )


def common_denominator(pieces: Sequence[int]) -> int:
    """The least common multiple of the numbers of pieces; Unsupported beyond 64 bits.

    >>> common_denominator([4, 6])
    12
    """
    denominator = lcm(*pieces)
    if denominator > MAX_DENOMINATOR:
        raise Unsupported(f"denominator: exact pieces need {denominator}, beyond 64 bits")
    return denominator
