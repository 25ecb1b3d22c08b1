"""One line about a violation."""

from fractions import Fraction

from expansions.schedule import Schedule
from generators.topology import Topology


def at_row(topology: Topology, schedule: Schedule, row: int, reason: str) -> str:
    """What a row does, and why it cannot.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> early = Schedule(source=[0], arc=[1], step=[1], begin=[0], end=[1], denominator=2)
    >>> at_row(pair, early, 0, "node 1 does not hold it yet")
    'step 1, row 0: arc 1 [1, 0] with [0, 1/2) of the shard of node 0: node 1 does not hold it yet'
    """
    arc = int(schedule.arc[row])
    ends = f" [{topology.tail[arc]}, {topology.head[arc]}]" if arc < topology.arcs else ""
    piece = interval(int(schedule.begin[row]), int(schedule.end[row]), schedule.denominator)
    return (
        f"step {schedule.step[row]}, row {row}: arc {arc}{ends} with {piece} of the shard of "
        f"node {schedule.source[row]}: {reason}"
    )


def not_held(topology: Topology, schedule: Schedule, row: int, *, moves: bool) -> str:
    """A row that sends what its tail does not hold."""
    node = topology.tail[schedule.arc[row]]
    reason = "has passed that on already" if moves else "does not hold all of that yet"
    return at_row(topology, schedule, row, f"node {node} {reason}")


def ends_wrong(node: int, source: int, piece: str, step: int, *, moves: bool) -> str:
    """A shard that is not whole when its collective ends.

    >>> ends_wrong(3, 0, "[0, 1/2)", 4, moves=False)
    'after step 4: node 3 lacks [0, 1/2) of the shard of node 0'
    """
    if moves:
        return (
            f"after step {step}: contributions to {piece} of the shard of node {source} are left "
            f"at node {node}"
        )
    return f"after step {step}: node {node} lacks {piece} of the shard of node {source}"


def interval(begin: int, end: int, denominator: int) -> str:
    """A piece in lowest terms.

    >>> interval(2, 4, 8)
    '[1/4, 1/2)'
    """
    return f"[{Fraction(begin, denominator)}, {Fraction(end, denominator)})"
