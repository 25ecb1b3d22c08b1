"""The best number of parts for a step schedule that is run as a pipeline.

With barriers between rounds, the time of p parts is that of a pipeline whose depths are the steps
(`topofinder.simulation.pipeline`): exact for every p, and least at a p that is found without trying
all. One part is the schedule itself, so that the best is never slower.
"""

from dataclasses import dataclass
from fractions import Fraction

from expansions.collective import total_size
from expansions.compact_schedule import CompactSchedule
from expansions.schedule import Schedule
from generators.errors import Unsupported
from generators.topology import Topology
from topofinder.schedules.pipelined_steps import most_parts, step_phases
from topofinder.simulation.chunk_count import best_chunks
from topofinder.simulation.pipeline import Pipeline

MOST_CELLS = 1 << 25
"""Loads, arcs times steps, that are looked at."""
TRIED = 64
"""Parts up to which every number is tried where the best number is out of reach."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartsChoice:
    """The parts of each phase, their exact seconds, and those without a pipeline."""

    parts: tuple[int, ...]
    seconds: Fraction
    without: Fraction


def step_pipelines(topology: Topology, schedule: Schedule | CompactSchedule) -> list[Pipeline]:
    """The pipelines of a schedule's phases, in shards.

    A compact schedule is expanded. Raises Unsupported where it is too large to look at.

    >>> from generators.arrays import jump_graph
    >>> rows = Schedule(source=[0, 0], arc=[0, 1], step=[1, 2], begin=[0, 0], end=[1, 1])
    >>> [str(step_pipelines(jump_graph(3, [1]), rows)[0].seconds(p)) for p in (1, 2, 4)]
    ['2', '3/2', '5/4']
    """
    if schedule.rows > MOST_CELLS or topology.arcs * schedule.steps > MOST_CELLS:
        raise Unsupported(f"pipeline: {schedule.rows} rows are too many to weigh")
    rows = schedule.expand(topology) if isinstance(schedule, CompactSchedule) else schedule
    found = []
    for first, last in step_phases(rows):
        here = (rows.step > first) & (rows.step <= last)
        length = (rows.end - rows.begin)[here]
        found.append(
            Pipeline.from_steps(
                topology, rows.step[here] - first, rows.arc[here], length, rows.denominator
            )
        )
    return found


def pipeline_seconds(
    topology: Topology,
    schedule: Schedule | CompactSchedule,
    parts: tuple[int, ...],
    *,
    alpha: Fraction,
    size: Fraction,
    node_bandwidth: Fraction,
) -> Fraction:
    """What so many parts take, with a barrier after every round; `size` is as in `best_parts`."""
    unit = _shard_seconds(topology, schedule, size, node_bandwidth)
    phases = zip(step_pipelines(topology, schedule), parts, strict=True)
    return sum((each.seconds(count, unit, alpha) for each, count in phases), Fraction())


def best_parts(
    topology: Topology,
    schedule: Schedule | CompactSchedule,
    *,
    alpha: Fraction,
    size: Fraction,
    node_bandwidth: Fraction,
    most_rows: int | None = None,
) -> PartsChoice:
    """The parts that take the least time for a collective of `size` bytes; of equals the fewest.

    `alpha` is in seconds a hop, `node_bandwidth` in bytes a second of a host. Where the best
    number is beyond `most_parts` (links without latency want ever more), the best of all up to
    TRIED, of powers of two and of that limit is taken.

    >>> from generators.arrays import jump_graph
    >>> line = Schedule(source=[0, 0], arc=[0, 1], step=[1, 2], begin=[0, 0], end=[1, 1],
    ...                 collective="broadcast", root=0)
    >>> one = {"alpha": Fraction(1), "size": Fraction(100), "node_bandwidth": Fraction(1)}
    >>> best_parts(jump_graph(3, [1]), line, **one)
    PartsChoice(parts=(10,), seconds=Fraction(121, 1), without=Fraction(202, 1))
    """
    unit = _shard_seconds(topology, schedule, size, node_bandwidth)
    most = most_parts(schedule, most_rows)
    chosen = [_best(each, unit, alpha, most) for each in step_pipelines(topology, schedule)]
    return PartsChoice(
        parts=tuple(count for count, _, _ in chosen),
        seconds=sum((seconds for _, seconds, _ in chosen), Fraction()),
        without=sum((alone for _, _, alone in chosen), Fraction()),
    )


def _shard_seconds(
    topology: Topology,
    schedule: Schedule | CompactSchedule,
    size: Fraction,
    node_bandwidth: Fraction,
) -> Fraction:
    """Of a shard on a link of capacity 1."""
    hosts = max(topology.n - len(topology.switches), 1)
    whole = total_size(schedule.collective, size, topology.n)
    return Fraction(whole * topology.degree, hosts * node_bandwidth)


def _best(
    pipeline: Pipeline, unit: Fraction, alpha: Fraction, most: int
) -> tuple[int, Fraction, Fraction]:
    """Parts, their seconds, and the seconds of one part."""
    if not pipeline.depth:
        return 1, Fraction(), Fraction()
    alone = pipeline.seconds(1, unit, alpha)
    found = best_chunks(pipeline, unit, alpha)
    if found is None or found[0] > most:
        powers = {1 << k for k in range(most.bit_length())}
        counts = {*range(1, min(most, TRIED) + 1), *powers, most}
        seconds, count = min((pipeline.seconds(c, unit, alpha), c) for c in counts if c <= most)
        return count, seconds, alone
    return found[0], found[1], alone
