"""A replay on plain dicts and Fractions that finds the first violation: slow and obvious.

Contributions of a reduce-scatter are sets of nodes that travel, so that nothing rests on the
library's argument that empty nodes mean complete sums.
"""

from fractions import Fraction
from typing import NamedTuple

from expansions.schedule import Schedule
from generators.topology import Topology

MOVING = ("reduce-scatter", "reduce")


class Row(NamedTuple):
    number: int
    source: int
    arc: int
    step: int
    cells: range


class Found(NamedTuple):
    """`where`: None, or how the line about the first violation begins; `piece`: what it names."""

    where: str | None
    piece: str | None
    steps: int
    bandwidth: Fraction
    sent: Fraction


def rows_of(schedule: Schedule) -> tuple[list[Row], list[int]]:
    """Rows in order of step and number, and the ends of the elementary pieces (cells)."""
    begin, end = schedule.begin.tolist(), schedule.end.tolist()
    ends = sorted({0, schedule.denominator, *begin, *end})
    at = {value: cell for cell, value in enumerate(ends)}
    rows = [
        Row(number, source, arc, step, range(at[begin[number]], at[end[number]]))
        for number, (source, arc, step) in enumerate(
            zip(
                schedule.source.tolist(), schedule.arc.tolist(), schedule.step.tolist(), strict=True
            )
        )
    ]
    return sorted(rows, key=lambda row: (row.step, row.number)), ends


def judge(topology: Topology, schedule: Schedule) -> Found:
    """What an honest reader of the definitions says of a schedule."""
    rows, ends = rows_of(schedule)
    where, piece = _first_violation(topology, schedule, rows, ends)
    loads: dict = {}
    for row in rows:
        if row.arc < topology.arcs:
            share = Fraction(
                int(schedule.end[row.number]) - int(schedule.begin[row.number]),
                schedule.denominator,
            )
            loads.setdefault(row.step, {}).setdefault(row.arc, []).append(share)
    capacity = topology.capacity or (1,) * topology.arcs
    total = sum(
        (max(sum(many) / capacity[arc] for arc, many in arcs.items()) for arcs in loads.values()),
        Fraction(),
    )
    count = topology.n - len(topology.switches)
    sent = sum(share for arcs in loads.values() for many in arcs.values() for share in many)
    steps = max((row.step for row in rows), default=0)
    return Found(where, piece, steps, Fraction(topology.degree, count) * total, Fraction(sent))


def _first_violation(topology, schedule, rows, ends):
    kind = str(schedule.collective)
    if kind != "allreduce":
        return _play(topology, schedule, rows, ends, schedule.steps, kind in MOVING)
    early = [row for row in rows if row.step <= schedule.turn]
    late = [row for row in rows if row.step > schedule.turn]
    found = _play(topology, schedule, early, ends, schedule.turn, True)
    return found if found[0] else _play(topology, schedule, late, ends, schedule.steps, False)


def _play(topology, schedule, rows, ends, last, moves):
    hosts = [u for u in range(topology.n) if u not in topology.switches]
    sources = hosts if schedule.root is None else [schedule.root]
    held = {
        (u, v, cell): {u} if (u in hosts if moves else u == v) else set()
        for u in range(topology.n)
        for v in sources
        for cell in range(len(ends) - 1)
    }
    arriving, now = [], 0
    for row in rows:
        if row.step > now:
            for key, what in arriving:
                held[key] |= what
            arriving, now = [], row.step
        here = f"step {row.step}, row {row.number}: arc {row.arc}"
        if row.arc >= topology.arcs or row.source not in sources:
            return here, None
        u, w = int(topology.tail[row.arc]), int(topology.head[row.arc])
        if u == w or not all(held[u, row.source, cell] for cell in row.cells):
            return here, None
        for cell in row.cells:
            arriving.append(((w, row.source, cell), set(held[u, row.source, cell])))
            if moves:
                held[u, row.source, cell] = set()
    for key, what in arriving:
        held[key] |= what
    return _at_last(topology, schedule, held, hosts, sources, ends, last, moves)


def _at_last(topology, schedule, held, hosts, sources, ends, last, moves):
    for v in sources:
        cells = range(len(ends) - 1)
        if moves:
            whole = all(held[v, v, cell] == set(hosts) for cell in cells)
            nodes = [u for u in range(topology.n) if u != v]
            bad = {u: [cell for cell in cells if held[u, v, cell]] for u in nodes}
            assert whole == (not any(bad.values()))
        else:
            bad = {u: [cell for cell in cells if not held[u, v, cell]] for u in hosts}
        for u, wrong in bad.items():
            if wrong:
                beyond = next(c for c in range(wrong[0], len(ends)) if c not in wrong)
                first, after = (
                    Fraction(ends[cell], schedule.denominator) for cell in (wrong[0], beyond)
                )
                return f"after step {last}: ", f"node {u}|[{first}, {after})|of node {v}"
    return None, None
