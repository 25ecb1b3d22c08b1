"""What a workload takes on candidates by the best of all schedule methods, pruned by exact bounds.

BFB costs are known before anything is built, so the least of them is a time to beat. A candidate
that a bound excludes (its farthest host, the bytes that every host receives, and once it is built
the cut and release bounds of timed schedules) is not scheduled by other methods.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import starmap, takewhile
from typing import Protocol

from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from generators.topology import Topology
from topofinder.finder.pipeline_rating import (
    LARGEST_PIPELINED,
    least_pipeline_seconds,
    pipelined_bfb_seconds,
)
from topofinder.finder.side_by_side import Results
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.model.workload import (
    COSTED,
    NAMED_RATING_METHODS,
    RATING_METHODS,
    CostedCollectives,
)
from topofinder.progress import work_progress
from topofinder.simulation.forest_times import forest_seconds
from topofinder.timetables.bounds import TimeBounds, tree_allreduce_bound
from topofinder.timetables.portfolio import synthesize, task_bounds
from topofinder.timetables.task import TimedTask

LARGEST_TIMED = 4096
"""Hosts up to which candidates are scheduled by other methods than BFB."""
LARGEST_JOINED = 128
"""Hosts up to which both phases of an allreduce are scheduled together."""
MOST_ARC_LOOKS = 1 << 18
"""Arcs that are looked at for the bounds of a rating, about; those of some nodes hold as well."""
LARGEST_FOREST = 256
"""Hosts up to which a forest is packed for a rating."""


class RatedCandidate(CostedCollectives, Protocol):
    """What a rating must know of a candidate; its costs are by BFB, or what expansions map."""

    @property
    def recipe(self) -> str:
        """Its name."""

    @property
    def n(self) -> int:
        """Hosts."""

    @property
    def d(self) -> int:
        """Ports of a host."""

    @property
    def diameter(self) -> int | None:
        """Hops between the farthest hosts, where known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingTask:
    """A collective of `size` bytes; `alpha` seconds a hop, `bandwidth` bytes a second of a host.

    Raises InvalidInput for methods that are unknown or none.
    """

    collective: Collective
    alpha: Fraction
    size: Fraction
    bandwidth: Fraction
    model: TimeModel = TimeModel.PIPELINED
    methods: tuple[str, ...] = RATING_METHODS
    clock: Clock = NO_LIMIT

    def __post_init__(self) -> None:
        if not self.methods or set(self.methods) - set(NAMED_RATING_METHODS):
            wrong = next((name for name in self.methods if name not in NAMED_RATING_METHODS), "")
            raise InvalidInput(
                f"--methods: some of {', '.join(NAMED_RATING_METHODS)}, not {excerpt(wrong)}"
            )
        if self.collective not in COSTED:
            raise InvalidInput(f"--collective: {', '.join(COSTED)}, not {self.collective}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """The quickest method for a candidate, its seconds, and what no schedule on it can beat."""

    recipe: str
    method: str
    seconds: Fraction
    bound: Fraction

    @property
    def gap(self) -> Fraction:
        """How much longer than the bound it takes, relatively."""
        return self.seconds / self.bound - 1 if self.bound else Fraction()


def rate_candidates(
    task: RatingTask,
    members: Sequence[RatedCandidate],
    others: Iterable[RatedCandidate] = (),
    results: Results = starmap,
) -> dict[str, Rating]:
    """The ratings of all members, and of those others that may be quicker than all of them.

    Ratings come in the order of their seconds. Of a recipe with several costs that of the quickest
    counts. `results` works them out, by workers perhaps: the ratings are the same.
    """
    found, first = dict[str, Rating](), quickest_rows(task, members)
    work_progress.count("ratings of members", 0, len(first))
    for rating in results(rate_candidate, ((task, row) for row in first.values())):
        found[rating.recipe] = rating
        work_progress.count("ratings of members", len(found), len(first))
    rest = [row for recipe, row in quickest_rows(task, others).items() if recipe not in found]
    least = min((rating.seconds for rating in found.values()), default=None)
    for rating in _ratings_of_others(task, rest, least, results):
        found[rating.recipe] = rating
    return dict(sorted(found.items(), key=lambda item: (item[1].seconds, item[0])))


def _ratings_of_others(
    task: RatingTask, rows: Sequence[RatedCandidate], least: Fraction | None, results: Results
) -> Iterator[Rating]:
    """Ratings of what may take less than `least` seconds, and than all that were rated before.

    Of those that bounds do not tell apart, the ones that BFB is quickest on come first, which
    mostly turn out quickest. Workers rate ahead, against the least of then: as soon as one is
    quicker the rest is asked for again, so that each is rated against what came before it.
    """
    rest = sorted(rows, key=lambda row: (least_time(task, row), bfb_seconds(task, row)))
    done, goes_on = 0, True
    while goes_on:
        beat, goes_on = least, False
        open_rows = rest[done:] if beat is None else _rows_below(task, rest[done:], beat)
        for rating in results(rate_candidate_below, ((task, row, beat) for row in open_rows)):
            work_progress.count("ratings of others", done, len(rest))
            done += 1
            if rating is None:
                continue
            yield rating
            if beat is None or rating.seconds < beat:
                least, goes_on = rating.seconds, True
                break


def _rows_below(
    task: RatingTask, rows: Sequence[RatedCandidate], beat: Fraction
) -> list[RatedCandidate]:
    """Those, of rows by the time that they take at least, that may take less than `beat`."""
    return list(takewhile(lambda row: least_time(task, row) < beat, rows))


def quickest_rows(task: RatingTask, rows: Iterable[RatedCandidate]) -> dict[str, RatedCandidate]:
    """Of each recipe the row that takes least by BFB, or by what expansions map."""
    found: dict[str, RatedCandidate] = {}
    for row in rows:
        other = found.setdefault(row.recipe, row)
        if bfb_seconds(task, row) < bfb_seconds(task, other):
            found[row.recipe] = row
    return found


def least_time(task: RatingTask, row: RatedCandidate) -> Fraction:
    """What no schedule beats on any graph with that number of hosts, ports and that diameter.

    Of N shards of s seconds at a host's full rate, N - 1 have to come (or go) over its ports. In
    an allgather at most 1 + d + ... + d^(k-1) hosts are less than k hops away (Moore), so that the
    other shards begin to come after k latencies. An allreduce moves twice as much (Patarasuk and
    Yuan, 2009); a contribution travels from the host farthest from another one to that one.
    """
    shard = task.size / row.n / task.bandwidth
    hops = row.diameter or 1
    if task.collective is Collective.ALLREDUCE:
        return max(task.alpha + 2 * (row.n - 1) * shard, hops * task.alpha + shard)
    least, near, layer = Fraction(), 1, 1
    for k in range(1, hops + 1):
        least = max(least, k * task.alpha + max(row.n - near, 1) * shard)
        layer *= row.d
        near = min(near + layer, row.n)
        if near == row.n:
            return max(least, hops * task.alpha + shard)
    return least


def rate_candidate(task: RatingTask, row: RatedCandidate) -> Rating:
    """The best of the methods for one candidate.

    Raises InvalidInput for a candidate that cannot be built.
    """
    rating = rate_candidate_below(task, row, None)
    assert rating is not None, "nothing is excluded without a time to beat"
    return rating


def rate_candidate_below(
    task: RatingTask, row: RatedCandidate, beat: Fraction | None
) -> Rating | None:
    """The same; None where it is found that no method takes less than `beat` seconds.

    Bounds tell so, or the time of one phase of an allreduce with the bounds of the other.
    """
    best = Rating(
        recipe=row.recipe,
        method="bfb",
        seconds=bfb_seconds(task, row),
        bound=least_time(task, row),
    )
    if task.methods == ("bfb",) or row.n > LARGEST_TIMED:
        return best
    topology = build(parse(row.recipe))
    parts = _timed_parts(task, topology)
    takes_forest = "forest" in task.methods and row.n <= LARGEST_FOREST
    # A forest runs both phases of an allreduce at once: bounds of each alone do not exclude it.
    at_once = takes_forest and len(parts) > 1
    known = _part_bounds(task, row, parts, None if at_once else beat)
    if known is None:
        return None
    best = replace(best, bound=max(best.bound, _any_bound(task, topology, known)))
    if beat is not None and best.bound >= beat:
        return None
    limit = best.seconds if beat is None else min(best.seconds, beat)
    if _trees_bound(task, parts) >= limit:  # timetables and forests are made of trees
        return best if beat is None or best.seconds < beat else None
    if "timed" in task.methods:
        timed = _rate_timed(parts, known, None if takes_forest else beat, limit)
        if timed is None:  # it takes `beat` at least, but steps may take less
            best = _with_pipeline(task, row, topology, best)
            return best if beat is None or best.seconds < beat else None
        best = _quicker(best, *timed)
    if takes_forest and best.seconds > best.bound:
        best = _quicker(best, *_rate_forest(task, topology))
    return _with_pipeline(task, row, topology, best)


def quickest_method(
    task: RatingTask, topology: Topology, seconds: Fraction
) -> tuple[str, Fraction]:
    """The best of the methods, and its seconds, on links with capacities where BFB takes `seconds`.

    `task.bandwidth` is then that of d links of capacity 1.
    """
    best = Rating(recipe="", method="bfb", seconds=seconds, bound=Fraction())
    if "timed" in task.methods and topology.n <= LARGEST_TIMED:
        parts = _timed_parts(task, topology)
        known = [task_bounds(part, most_arc_looks=MOST_ARC_LOOKS) for part in parts]
        timed = _rate_timed(parts, known, None, seconds)
        best = best if timed is None else _quicker(best, *timed)
    if "forest" in task.methods and topology.n <= LARGEST_FOREST:
        best = _quicker(best, *_rate_forest(task, topology))
    if "pipeline" in task.methods and topology.n <= LARGEST_PIPELINED:
        best = _quicker(best, *_rate_pipeline(task, topology))
    return best.method, best.seconds


def bfb_seconds(task: RatingTask, row: RatedCandidate) -> Fraction:
    """What BFB, or what expansions map, takes in steps."""
    cost = {
        Collective.ALLGATHER: row.allgather,
        Collective.REDUCE_SCATTER: row.reduce_scatter,
        Collective.ALLREDUCE: row.allreduce,
    }[task.collective]
    return cost.runtime(task.alpha, task.size, task.bandwidth)


def _with_pipeline(
    task: RatingTask, row: RatedCandidate, topology: Topology, best: Rating
) -> Rating:
    """The same or, where that can be and is quicker, BFB in parts as a pipeline."""
    if not {"bfb", "pipeline"} & set(task.methods) or row.n > LARGEST_PIPELINED:
        return best
    times = {"alpha": task.alpha, "size": task.size, "node_bandwidth": task.bandwidth}
    if best.seconds <= least_pipeline_seconds(task.collective, row.n, row.diameter, **times):
        return best
    return _quicker(best, *_rate_pipeline(task, topology))


def _rate_pipeline(task: RatingTask, topology: Topology) -> tuple[str, Fraction]:
    """Method and seconds of BFB in the best parts, by program (14) where links are unequal.

    One part is the graph's own BFB, which may be quicker than what expansions map.
    """
    times = {"alpha": task.alpha, "size": task.size, "node_bandwidth": task.bandwidth}
    parts, seconds = pipelined_bfb_seconds(topology, task.collective, **times)
    if set(parts) == {1}:
        return "bfb", seconds
    counts = " and ".join(map(str, dict.fromkeys(parts)))
    return f"bfb, pipeline of {counts}", seconds


def _quicker(best: Rating, method: str, seconds: Fraction | None) -> Rating:
    """The better of two methods."""
    if seconds is None or seconds >= best.seconds:
        return best
    return replace(best, method=method, seconds=seconds)


def _timed_parts(task: RatingTask, topology: Topology) -> list[TimedTask]:
    """What is scheduled: on many hosts an allreduce is its phases one after the other."""
    if task.collective is Collective.ALLREDUCE and topology.n > LARGEST_JOINED:
        whole = _timed_task(task, topology)
        return [whole.phase(Collective.REDUCE_SCATTER), whole.phase(Collective.ALLGATHER)]
    return [_timed_task(task, topology)]


def _timed_task(task: RatingTask, topology: Topology) -> TimedTask:
    return TimedTask(
        topology=topology,
        collective=task.collective,
        size=task.size,
        units=LinkUnits(latency=task.alpha, rate=task.bandwidth / topology.degree),
        model=task.model,
        tries=1,
        clock=task.clock,
    )


def _any_bound(task: RatingTask, topology: Topology, known: Sequence[TimeBounds]) -> Fraction:
    """What no schedule beats, also one that overlaps the phases of an allreduce."""
    if len(known) == 1:
        return known[0].any_chunks
    return task_bounds(_timed_task(task, topology), most_arc_looks=MOST_ARC_LOOKS).any_chunks


def _trees_bound(task: RatingTask, parts: Sequence[TimedTask]) -> Fraction:
    """What no allreduce by trees takes less than, where both phases are scheduled together."""
    if task.collective is not Collective.ALLREDUCE or len(parts) > 1:
        return Fraction()
    return tree_allreduce_bound(parts[0].problem(1))


def _part_bounds(
    task: RatingTask, row: RatedCandidate, parts: Sequence[TimedTask], beat: Fraction | None
) -> list[TimeBounds] | None:
    """The bounds of all parts; None as soon as they exclude that all take less than `beat`.

    A part without bounds as yet takes what it takes at least on any graph.
    """
    found: list[TimeBounds] = []
    for place, part in enumerate(parts, start=1):
        found.append(task_bounds(part, most_arc_looks=MOST_ARC_LOOKS))
        rest = (replace(task, collective=other.collective) for other in parts[place:])
        least = sum((each.any_chunks for each in found), Fraction())
        least += sum((least_time(other, row) for other in rest), Fraction())
        if beat is not None and least >= beat:
            return None
    return found


def _rate_timed(
    parts: Sequence[TimedTask],
    known: Sequence[TimeBounds],
    beat: Fraction | None,
    limit: Fraction,
) -> tuple[str, Fraction | None] | None:
    """Method and seconds of timed schedules; no seconds where no maker fits.

    Two phases of which bounds tell that they take `limit` or more are left out where one set of
    tasks is made. None as soon as the parts that are made, and the bounds of the others, exclude
    less than `beat`.
    """
    names: dict[str, None] = {}
    seconds, rest = Fraction(), sum((each.any_chunks for each in known), Fraction())
    for part, bounds in zip(parts, known, strict=True):
        try:
            made = synthesize(part, bounds, beat=limit).timetable
        except Unsupported:
            return "", None
        names[made.method or ""] = None
        seconds, rest = seconds + made.seconds, rest - bounds.any_chunks
        if beat is not None and seconds + rest >= beat:
            return None
    return f"timed: {'; '.join(names)}", seconds


def _rate_forest(task: RatingTask, topology: Topology) -> tuple[str, Fraction | None]:
    """Method and seconds of a forest whose chunks are pipelined, phases apart or at once."""
    from topofinder.forests.collectives.make_forest import ForestOptions, make_forest

    options = ForestOptions(collective=task.collective, clock=task.clock)
    try:
        made = make_forest(topology, options)
    except (InvalidInput, Unsupported):
        return "", None
    unit = task.size / made.total / (task.bandwidth / topology.degree)
    found = forest_seconds(made, unit, task.alpha)
    return ("", None) if found is None else ("forest", found.least(task.model))
