"""Which makers suit a task, and with how many chunks each is tried.

Equal links from host to host take rounds; unequal ones and switches take the routes of a forest,
list scheduled, whose trees are cut into ever more parts.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import islice

import numpy as np

from expansions.collective import Collective
from generators.errors import InvalidInput, Unsupported
from topofinder.forests.clock import Clock
from topofinder.model.forest import Forest
from topofinder.model.time_model import TimeModel
from topofinder.model.timetable import Timetable
from topofinder.model.tree_set import TreeSet
from topofinder.simulation.timetables import tighten_timetable
from topofinder.timetables.events import match_events, match_randomly
from topofinder.timetables.exchange import schedule_exchange
from topofinder.timetables.forest_routes import schedule_forest_routes
from topofinder.timetables.paths import joining_routes, switch_routes
from topofinder.timetables.problem import ChunkProblem, Sends
from topofinder.timetables.rounds import ChunkOrder, schedule_rounds
from topofinder.timetables.task import TimedTask
from topofinder.timetables.translated import schedule_translated

MOST_SENDS = 1 << 20
"""Sends that are made for one attempt, unless the number of chunks is given."""
MANY_SENDS = 1 << 16
"""Above so many a maker gets one seed and one order of chunks."""
MANY_ROUTES = 1 << 16
"""Above so many those of fewest links that join all hosts are enough to match chunks to."""
LARGEST_ONE_SET = 256
"""Nodes up to which both phases of an allreduce are scheduled as one set of tasks."""
MOST_TASKS = 1 << 18
"""Tree edges with all their parts that are list scheduled, unless the parts are given."""
SOON_SENDS, SOON_LOOKS = 1 << 24, 1 << 27
"""Sends in rounds, and chunks that events look at, which take some seconds."""
EVENT_COST = 32
"""How much longer a send takes to be matched at events than in rounds."""
RANDOM_SENDS = 1 << 14
"""Sends of the published algorithm with several chunks; twice as many where links are equal."""
MOST_RANDOM_CHUNKS = 64
COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
PARTS = (1, 4, 16, 64, 256)
ROOTED_PARTS = (*PARTS, 1024, 4096)
"""One root's trees are few, and as deep as the graph is wide: only many parts hide that."""
LARGEST_OVERLAP = 128
"""Nodes up to which trees are packed that leave room for the other phase of an allreduce."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A maker with everything that it needs; `method` is how its timetable is called."""

    method: str
    make: Callable[[], Timetable]


def spreading_attempts(task: TimedTask) -> Iterator[Iterator[Attempt]]:
    """For each maker that suits a collective that spreads, its attempts: few chunks first."""
    if task.collective is Collective.ALLTOALL:
        yield _exchange_attempts(task)
    elif task.matching == "random":
        yield _match_attempts(task, "random matching", match_randomly)
    elif task.has_equal_links:
        yield _round_attempts(task)
        if _is_cut_to_rounds(task) and task.hosts**2 * EVENT_COST <= MOST_SENDS:
            yield _match_attempts(task, "events", match_events)
        if task.root is not None:  # chunks of one root leave most links idle unless trees are dealt
            yield _forest_attempts(task, overlap=False)
    else:
        yield _forest_attempts(task, overlap=False)
        yield _match_attempts(task, "events", match_events)
        if task.hosts**2 <= MANY_SENDS:
            yield _match_attempts(task, "events, any holder", partial(match_events, nearest=False))


def soon_attempts(
    task: TimedTask, *, most_sends: int = SOON_SENDS, most_looks: int = SOON_LOOKS
) -> Iterator[Attempt]:
    """What is made in some seconds at most, whatever the time: for when that is over too early.

    One seed and as few chunks as can be: rounds where links are equal, events where they are not,
    and the paths of an all-to-all.
    """
    task = replace(task, clock=Clock(tell=task.clock.tell, short=True), tries=1)
    hosts, count = task.hosts, task.chunks or 1
    sends = count * hosts * (1 if task.root is not None else hosts)
    if task.exchange is not None:
        yield from islice(_exchange_attempts(task), count * len(task.exchange.arc) <= most_sends)
    elif task.has_equal_links and task.matching == "best":
        yield from islice(_round_attempts(task), sends <= most_sends)
    elif sends * hosts * count <= most_looks:
        match = match_randomly if task.matching == "random" else match_events
        name = "random matching" if task.matching == "random" else "events"
        yield from islice(_match_attempts(task, name, match), 1)


def one_set_attempts(task: TimedTask) -> Iterator[Iterator[Attempt]]:
    """Attempts at an allreduce in which the trees of both phases share the links."""
    if task.matching == "random":
        return
    if task.topology.n <= LARGEST_ONE_SET:
        from topofinder.forests.collectives.make_forest import is_two_way

        shares = task.topology.n <= LARGEST_OVERLAP and is_two_way(task.topology)
        yield _forest_attempts(task, overlap=shares)


def chunk_counts(task: TimedTask, sends_a_chunk: int) -> list[int]:
    """Numbers of chunks a shard that are worth a try, few first.

    Among them is the smallest that fills the in-links of the node that has fewest in every round: c
    such that c (N - 1) is a multiple of its in-degree.

    >>> from generators.families.complete import complete
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> units = LinkUnits(latency=Fraction(1), rate=Fraction(1))
    >>> task = TimedTask(topology=complete(8), collective=Collective.ALLGATHER, size=Fraction(8),
    ...     units=units)
    >>> chunk_counts(task, 1 << 18)
    [1, 2, 4]
    """
    if task.chunks is not None:
        return [task.chunks]
    fewest = int(np.delete(task.topology.in_degrees, list(task.topology.switches)).min())
    even = fewest // int(np.gcd(fewest, max(task.hosts - 1, 1)))
    counts = sorted({*COUNTS, max(even, 1)})
    return [count for count in counts if count == 1 or count * sends_a_chunk <= MOST_SENDS]


def _round_attempts(task: TimedTask) -> Iterator[Attempt]:
    """Rounds: of one node's trees, translated, where that can be; else of all."""
    shards = 1 if task.collective.is_rooted else task.hosts
    alike = task.root is None and task.weights is None and task.topology.translation is not None
    for count in chunk_counts(task, task.hosts if alike else shards * task.hosts):
        many = f"{count} chunk{'s' if count > 1 else ''}"
        if alike:
            yield Attempt(method=f"translated, {many}", make=partial(_best_translated, task, count))
        if not alike or shards * task.hosts * count <= MANY_SENDS:
            make = partial(_best_rounds, task, count, shards * task.hosts)
            yield Attempt(method=f"rounds, {many}", make=make)


def _best_translated(task: TimedTask, count: int) -> Timetable:
    """The quickest of some seeds."""
    problem = task.problem(count)
    seeds = range(task.seed, task.seed + task.tries)
    makes = (partial(schedule_translated, problem, seed=seed, clock=task.clock) for seed in seeds)
    return _tighten_rounds(task, _quickest(problem, makes, task.clock))


def _best_rounds(task: TimedTask, count: int, sends_a_chunk: int) -> Timetable:
    """The quickest of some orders and seeds for one number of chunks."""
    problem = task.problem(count)
    orders = [ChunkOrder.LEVELS, ChunkOrder.FULL, ChunkOrder.SCARCE, ChunkOrder.RARE]
    seeds = range(task.seed, task.seed + task.tries)
    if count * sends_a_chunk > MANY_SENDS:
        orders, seeds = orders[:1], seeds[:1]
    makes = (
        partial(schedule_rounds, problem, seed=seed, order=order, clock=task.clock)
        for order in orders
        for seed in seeds
    )
    return _tighten_rounds(task, _quickest(problem, makes, task.clock))


def _quickest(
    problem: ChunkProblem, makes: Iterable[Callable[[], Sends]], clock: Clock
) -> Timetable:
    """The quickest of what is made until the time is over; one at least, or its refusal."""
    best: Timetable | None = None
    for make in makes:
        if best is not None and clock.is_over:
            break
        try:
            made = problem.timetable(make())
        except (Unsupported, KeyboardInterrupt):
            if best is None or not clock.is_over:
                raise
            break
        if best is None or made.makespan < best.makespan:
            best = made
    assert best is not None, "there is a seed"
    return best


def _tighten_rounds(task: TimedTask, made: Timetable) -> Timetable:
    """The same sends as early as can be, where rounds let a chunk wait that is there."""
    return tighten_timetable(made) if _is_cut_to_rounds(task) else made


def _is_cut_to_rounds(task: TimedTask) -> bool:
    """Whether links are free while a latency passes, so that rounds count it in their own lengths.

    It may be whole rounds with some numbers of chunks; nothing is lost by looking then.
    """
    return task.model is TimeModel.PIPELINED and task.units.latency > 0


def _match_attempts(task: TimedTask, name: str, match: Callable[..., Sends]) -> Iterator[Attempt]:
    """Chunks matched to channels at events, the best of some seeds; through switches by routes."""
    routes = None
    if task.topology.switches:
        routes = joining_routes(task.topology, switch_routes(task.topology), MANY_ROUTES)

    def make(count: int) -> Timetable:
        problem = task.problem(count)
        if routes is not None:
            problem = problem.with_routes(*routes)
        tries = task.tries if len(problem.origin) * task.hosts <= MANY_SENDS else 1
        seeds = range(task.seed, task.seed + tries)
        makes = (partial(match, problem, seed=seed, clock=task.clock) for seed in seeds)
        return _quickest(problem, makes, task.clock)

    for count in _match_counts(task):
        yield Attempt(
            method=f"{name}, {count} chunk{'s' if count > 1 else ''}", make=partial(make, count)
        )


def _match_counts(task: TimedTask) -> list[int]:
    if task.matching == "random":
        return random_counts(task)
    shards = 1 if task.collective.is_rooted else task.hosts
    return chunk_counts(task, shards * task.hosts * EVENT_COST)


def random_counts(task: TimedTask) -> list[int]:
    """Numbers of chunks a shard that the published algorithm is tried with: powers of two.

    TACOS does not say how many chunks it makes, nor when more do not help: all are tried.

    >>> from generators.families.complete import complete
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> units = LinkUnits(latency=Fraction(1), rate=Fraction(1))
    >>> random_counts(TimedTask(topology=complete(64), collective=Collective.ALLGATHER,
    ...     size=Fraction(8), units=units, matching="random"))
    [1, 2, 4, 8]
    """
    if task.chunks is not None:
        return [task.chunks]
    shards = 1 if task.collective.is_rooted else task.hosts
    most = 2 * RANDOM_SENDS if task.has_equal_links else RANDOM_SENDS
    counts = [1]
    while counts[-1] < MOST_RANDOM_CHUNKS and 2 * counts[-1] * shards * task.hosts <= most:
        counts.append(2 * counts[-1])
    return counts


def _exchange_attempts(task: TimedTask) -> Iterator[Attempt]:
    """The paths of a flow, with the amount of each cut into ever more parts."""
    exchange = task.exchange
    assert exchange is not None, "a task of an all-to-all has one"

    def make(parts: int) -> Timetable:
        problem, sends = schedule_exchange(
            task.topology, exchange, units=task.units, model=task.model, parts=parts,
            seed=task.seed, clock=task.clock,
        )  # fmt: skip
        return problem.timetable(sends)

    for parts in COUNTS if task.chunks is None else (task.chunks,):
        if parts == 1 or parts * len(exchange.arc) <= MOST_SENDS:
            method = f"paths, {parts} part{'s' if parts > 1 else ''} each"
            yield Attempt(method=method, make=partial(make, parts))


def _forest_attempts(task: TimedTask, *, overlap: bool) -> Iterator[Attempt]:
    """Routes of one forest, its trees cut into ever more parts."""
    made: list[Forest] = []

    def make(parts: int) -> Timetable:
        if not made:
            made.append(_forest(task, overlap))
        problem, sends = schedule_forest_routes(
            made[0], size=task.size, units=task.units, model=task.model, parts=parts,
            seed=task.seed, clock=task.clock,
        )  # fmt: skip
        return problem.timetable(sends)

    counts, most = (PARTS, MOST_TASKS) if task.root is None else (ROOTED_PARTS, MOST_SENDS)
    for parts in counts if task.chunks is None else (task.chunks,):
        if parts * sum(_edges(phase.trees) for each in made for phase in each.phases) > most:
            return
        method = f"forest, {parts} part{'s' if parts > 1 else ''} a tree"
        yield Attempt(method=method, make=partial(make, parts))


def _edges(trees: TreeSet) -> int:
    """Tree edges, copies counted."""
    return int((trees.copies.astype(object) * np.diff(trees.start)).sum())


def _forest(task: TimedTask, overlap: bool) -> Forest:
    """Raises Unsupported for links that no forest is packed on, as those with more in than out."""
    from topofinder.forests.collectives.make_forest import ForestOptions, make_forest

    options = ForestOptions(
        collective=task.collective,
        root=task.root,
        weights=None if task.weights is None else tuple(map(Fraction, task.weights)),
        overlap=overlap,
        clock=task.clock,
    )
    try:
        return make_forest(task.topology, options)
    except InvalidInput as error:
        raise Unsupported(f"forest: {error}") from None
