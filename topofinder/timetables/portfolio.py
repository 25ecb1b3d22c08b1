"""The quickest timetable of all makers: rounds, translated trees, events, routes of a forest.

Which maker is best depends on the links and on the size, so each that the links suit is tried with
growing numbers of chunks until that helps no more. What meets a bound ends the search. Collectives
that sum are made on the transpose and run backwards; an allreduce is two phases, or one set of
tasks in which the trees of both share the links.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain

import numpy as np

from expansions.collective import Collective
from generators.errors import InvalidInput, Unsupported
from topofinder.interrupts import is_ending
from topofinder.model.timetable import REDUCING, Timetable
from topofinder.simulation.timetables import tighten_timetable
from topofinder.timetables.bounds import (
    MOST_ARC_LOOKS,
    TimeBounds,
    allreduce_time_bound,
    timetable_bounds,
)
from topofinder.timetables.exchange import exchange_chunks
from topofinder.timetables.reverse import (
    has_shared_routes,
    join_phases,
    rename_arcs,
    reverse_timetable,
)
from topofinder.timetables.spreading import (
    Attempt,
    one_set_attempts,
    random_counts,
    soon_attempts,
    spreading_attempts,
)
from topofinder.timetables.task import TimedTask

PATIENCE = 2
"""Numbers of chunks that a maker may try in a row without gain."""
INTERRUPTED = "interrupted"
"""Why a maker made nothing that Ctrl-C ended."""
WORTH = Fraction(1, 500)
"""Less is no gain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What one maker reached: its name with the chunks, and seconds; or why it made nothing."""

    method: str
    seconds: Fraction | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Synthesis:
    """The quickest timetable, the bounds, and what every maker reached, in the order of trying."""

    timetable: Timetable
    bounds: TimeBounds
    trials: tuple[Trial, ...]

    @property
    def gap(self) -> Fraction | None:
        """How much longer than the best bound it takes, relatively; None without a bound."""
        best = self.bounds.any_chunks
        return self.timetable.seconds / best - 1 if best else None


class _Search:
    """The best so far, what was tried, and the bound that ends the search."""

    def __init__(self, task: TimedTask, bound: Fraction | None) -> None:
        self.task, self.bound = task, bound
        self.best: Timetable | None = None
        self.least: Fraction | None = None
        self.trials: list[Trial] = []
        self.refusals: list[Unsupported] = []

    @property
    def is_over(self) -> bool:
        """Whether nothing better is to be had, or the time is over and there is something."""
        if self.least is None:
            return False
        return self.least == self.bound or self.task.clock.is_over

    def run(self, attempts: Iterator[Attempt]) -> None:
        """Try one maker with growing numbers of chunks, until two in a row help it no more.

        The published algorithm is tried with all of its numbers.
        """
        idle, least = 0, None
        if self.is_over:  # before the first attempt is put together
            return
        for attempt in attempts:
            if self.is_over or (idle >= PATIENCE and self.task.matching != "random"):
                return
            seconds = self.attempt(attempt.method, attempt.make)
            gains = seconds is not None and (least is None or seconds < least * (1 - WORTH))
            idle = 0 if gains else idle + 1
            least = min((value for value in (least, seconds) if value is not None), default=None)

    def attempt(self, method: str, make: Callable[[], Timetable]) -> Fraction | None:
        """The seconds of what is made, None where nothing is; the quickest of all is kept."""
        try:
            made = replace(make(), method=method)
        except (Unsupported, KeyboardInterrupt) as stopped:
            if isinstance(stopped, KeyboardInterrupt) and not is_ending():
                raise
            error = stopped if isinstance(stopped, Unsupported) else Unsupported(INTERRUPTED)
            self.refusals.append(error)
            self.trials.append(Trial(method=method, seconds=None, reason=str(error)))
            return None
        seconds = made.seconds
        self.trials.append(Trial(method=method, seconds=seconds))
        if self.least is None or seconds < self.least:
            self.best, self.least = made, seconds
            self.task.clock.tell(f"{method}: {float(seconds):.6g} s")
        return seconds

    def result(self, bounds: TimeBounds) -> "Synthesis":
        """What was found. Raises what the first maker refused where none made anything."""
        if self.best is None:
            raise self.refusals[0] if self.refusals else Unsupported("timed: no maker fits")
        best = replace(self.best, bound=bounds.any_chunks, seed=self.task.seed)
        return Synthesis(timetable=best, bounds=bounds, trials=tuple(self.trials))


def synthesize(
    task: TimedTask, bounds: TimeBounds | None = None, *, beat: Fraction | None = None
) -> Synthesis:
    """The quickest timetable for a task, within its time; `bounds` are its own, where known.

    With `beat`, seconds that others take, an allreduce is made as one set of tasks first, and of
    two phases only where their bounds leave room below `beat` and below the best of that.

    Raises InvalidInput for topologies on which some host cannot be reached, Unsupported where no
    maker is implemented.

    >>> from generators.families.complete import complete
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> units = LinkUnits(latency=Fraction(1), rate=Fraction(1))
    >>> found = synthesize(TimedTask(topology=complete(4), collective=Collective.ALLREDUCE,
    ...     size=Fraction(12), units=units))
    >>> found.timetable.seconds, found.bounds.any_chunks
    (Fraction(7, 1), Fraction(7, 1))
    """
    if task.collective in REDUCING:
        found = synthesize(task.on_transpose(), bounds)
        return replace(found, timetable=run_backwards(found.timetable))
    bounds = bounds or task_bounds(task)
    search = _Search(task, bounds.any_chunks)
    if task.collective is not Collective.ALLREDUCE:
        for attempts in spreading_attempts(task):
            search.run(attempts)
        if search.best is None and task.clock.is_over:
            search.run(soon_attempts(task))
        return search.result(bounds)
    if beat is None:
        search.run(_two_phases(task))
    for attempts in one_set_attempts(task):
        search.run(attempts)
    if beat is not None and (search.least is None or _phases_bound(task) < min(beat, search.least)):
        search.run(_two_phases(task))
    if search.best is None and task.clock.is_over:
        search.run(_two_phases(task))
    return search.result(bounds)


def task_bounds(task: TimedTask, *, most_arc_looks: int = MOST_ARC_LOOKS) -> TimeBounds:
    """What no schedule of a task beats; those of a collective that sums are of the transpose's.

    `most_arc_looks` limits the nodes that are looked at for the release bound.
    """
    if task.collective in REDUCING:
        return task_bounds(task.on_transpose(), most_arc_looks=most_arc_looks)
    if task.exchange is not None:
        problem = exchange_chunks(task.topology, task.exchange, units=task.units, model=task.model)
        return timetable_bounds(problem, exchange=task.exchange.bound)
    problem = task.problem(task.chunks or 1)
    if task.collective is Collective.ALLREDUCE:
        return TimeBounds(cut=allreduce_time_bound(problem, most_arc_looks=most_arc_looks))
    return timetable_bounds(
        problem, whole_chunks=task.chunks is not None, most_arc_looks=most_arc_looks
    )


def _phases_bound(task: TimedTask) -> Fraction:
    """What both phases of an allreduce take at least, one after the other."""
    phases = (Collective.REDUCE_SCATTER, Collective.ALLGATHER)
    return sum((task_bounds(task.phase(each)).any_chunks for each in phases), Fraction())


def run_backwards(timetable: Timetable) -> Timetable:
    """A timetable reversed, and played anew where routes share links."""
    back = reverse_timetable(timetable)
    return tighten_timetable(back) if has_shared_routes(back) else back


def _two_phases(task: TimedTask) -> Iterator[Attempt]:
    """The best allgather, after a reduce-scatter of the same chunks.

    On two-way links that is the allgather itself run backwards; else each maker that suits it is
    tried. Chunks of forests' trees have different sizes in both directions, and cannot be joined.
    The published algorithm makes both phases anew with each number of chunks.
    """
    if task.matching == "random" and task.chunks is None:
        for count in random_counts(task):
            yield from _two_phases(replace(task, chunks=count))
        return
    made = synthesize(task.phase(Collective.ALLGATHER)).timetable
    if task.matching == "best":
        back = rename_arcs(reverse_timetable(made), task.topology)
        if back is not None:
            make = partial(_join_backwards, back, made)
            yield Attempt(method=f"two phases: {made.method}; {made.method}", make=make)
            return
    turned = replace(task.phase(Collective.REDUCE_SCATTER).on_transpose(), chunks=_count(made))
    soon = [soon_attempts(turned)] if task.clock.is_over else []
    for attempts in chain(soon, spreading_attempts(turned)):
        for attempt in attempts:
            make = partial(_join, attempt.make, made)
            yield Attempt(method=f"two phases: {attempt.method}; {made.method}", make=make)


def _count(made: Timetable) -> int:
    """Chunks of the host that has fewest."""
    counts = np.bincount(made.origin)
    return int(counts[counts > 0].min())


def _join(make: Callable[[], Timetable], spread: Timetable) -> Timetable:
    """An allreduce: what `make` makes on the transpose run backwards, then `spread`."""
    return _join_backwards(run_backwards(make()), spread)


def _join_backwards(back: Timetable, spread: Timetable) -> Timetable:
    """A reduce-scatter, then an allgather, each send as early as can be."""
    try:
        joined = join_phases(back, spread)
    except InvalidInput as error:
        raise Unsupported(f"two {error}") from None
    return tighten_timetable(joined)
