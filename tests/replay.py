"""A schedule run row by row on plain dicts: slow, obvious, and independent of the library.

Pieces are counted in units of 1/denominator, so keep denominators small here.
"""

from collections import defaultdict

from expansions.schedule import Schedule
from generators.topology import Topology


class Wrong(Exception):  # noqa: N818 - reads as the sentence it raises
    """What the replay found wrong with a schedule."""


def replay(topology: Topology, schedule: Schedule) -> None:
    """Raise Wrong unless the schedule carries out its collective on the topology."""
    kind = str(schedule.collective)
    rows = _by_step(topology, schedule)
    if kind == "allreduce":
        _reduce(topology, schedule, rows, _hosts(topology), 1, schedule.turn)
        _gather(topology, schedule, rows, _hosts(topology), schedule.turn + 1, schedule.steps)
    elif kind in ("allgather", "broadcast"):
        shards = _hosts(topology) if kind == "allgather" else [schedule.root]
        _gather(topology, schedule, rows, shards, 1, schedule.steps)
    else:
        shards = _hosts(topology) if kind == "reduce-scatter" else [schedule.root]
        _reduce(topology, schedule, rows, shards, 1, schedule.steps)


def is_valid(topology: Topology, schedule: Schedule) -> bool:
    try:
        replay(topology, schedule)
    except Wrong:
        return False
    return True


def _by_step(topology: Topology, schedule: Schedule) -> dict[int, list]:
    """(tail, head, source, unit) of every unit that crosses an arc, by step."""
    rows = defaultdict(list)
    columns = (schedule.source, schedule.arc, schedule.step, schedule.begin, schedule.end)
    for source, arc, step, begin, end in zip(*(c.tolist() for c in columns), strict=True):
        if not (0 <= arc < topology.arcs and 0 <= source < topology.n):
            raise Wrong(f"no arc {arc} or no node {source}")
        u, w = int(topology.tail[arc]), int(topology.head[arc])
        if u == w:
            raise Wrong(f"arc {arc} is a self-loop")
        rows[step] += [(u, w, source, unit) for unit in range(begin, end)]
    return rows


def _hosts(topology: Topology) -> list[int]:
    return [node for node in range(topology.n) if node not in topology.switches]


def _gather(topology, schedule, rows, shards, first, last) -> None:
    held = {(v, v, unit) for v in shards for unit in range(schedule.denominator)}
    for step in range(first, last + 1):
        fresh = set()
        for u, w, source, unit in rows[step]:
            if (u, source, unit) not in held:
                raise Wrong(f"step {step}: {u} sends unit {unit} of {source} before it holds it")
            fresh.add((w, source, unit))
        held |= fresh
    for u in _hosts(topology):
        for v in shards:
            for unit in range(schedule.denominator):
                if (u, v, unit) not in held:
                    raise Wrong(f"{u} lacks unit {unit} of {v}")


def _reduce(topology, schedule, rows, shards, first, last) -> None:
    """Every node holds a partial sum; sending it hands it over, receiving adds it."""
    hosts = _hosts(topology)
    sums = {
        (u, v, unit): frozenset([u]) if u in hosts else frozenset()
        for v in shards
        for unit in range(schedule.denominator)
        for u in range(topology.n)
    }
    for step in range(first, last + 1):
        sent = set()
        for u, _, source, unit in rows[step]:
            if (u, source, unit) in sent or not sums[u, source, unit]:
                raise Wrong(f"step {step}: {u} has already handed over unit {unit} of {source}")
            sent.add((u, source, unit))
        handed = {key: sums[key] for key in sent}
        for key in sent:
            sums[key] = frozenset()
        for u, w, source, unit in rows[step]:
            if sums[w, source, unit] & handed[u, source, unit]:
                raise Wrong(f"step {step}: {w} counts a contribution to {source} twice")
            sums[w, source, unit] |= handed[u, source, unit]
    for v in shards:
        for unit in range(schedule.denominator):
            if sums[v, v, unit] != frozenset(hosts):
                raise Wrong(f"{v} lacks contributions to unit {unit} of its shard")
