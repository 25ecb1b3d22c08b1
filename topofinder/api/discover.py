"""`topofinder discover`: a search for Cayley digraphs that is stored as it goes, and resumed."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count, islice
from os import PathLike
from time import monotonic
from typing import Any

from db.discovery_rows import FindRow, WorkUnitRow
from db.store import Store
from generators.cayley.notation import parse_group
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from reports.discovery import DiscoveryRecord, discovery_fields, discovery_text
from topofinder.api.discover_known import known_rows
from topofinder.api.discover_records import best_rows, find_of, find_row, line_row
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.clusters import cluster_workers
from topofinder.api.shared.workloads import read_seconds
from topofinder.discovery.goal import SearchGoal
from topofinder.discovery.results import DiscoveredGraph, prove_costs
from topofinder.discovery.rounds import DiscoverySearch, WorkUnit
from topofinder.model.candidate import LinkMode, cost_lower_bound

LOGGER = logging.getLogger("topofinder.discovery")

BLOCK = 8
"""Legs that are chosen together, from what is known then, and stored together."""

Tell = Callable[["DiscoveryProgress"], None]
UnitResult = tuple[int, list[DiscoveredGraph]]
"""Lists judged, and what was found."""
SECONDS = 60.0
MAX_JOBS = 1024
LARGEST_SEED = (1 << 63) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryProgress:
    """How far a search has come: lists judged, here and before, and the best that was found.

    `seconds_left` are those until its time is over, where it has one.
    """

    judged: int
    before: int
    group: str
    best: tuple[FindRow, ...]
    seconds_left: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchLimits:
    """When a search ends: after so many seconds or judged lists, or when nothing is left."""

    seconds: float | None = None
    trials: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and self.seconds <= 0:
            raise InvalidInput(f"time: more than 0 is needed, not {self.seconds:g} s")
        if self.trials is not None and self.trials < 1:
            raise InvalidInput(f"trials: 1 or more are needed, not {self.trials}")

    def seconds_left(self, started: float) -> float | None:
        """Seconds of a search that began at `started`, which are left; None without a time."""
        return None if self.seconds is None else max(0.0, self.seconds - (monotonic() - started))

    def end_search(self, started: float, judged: int) -> bool:
        """Whether a search is to end that began then and has judged so many lists."""
        late = self.seconds_left(started) == 0
        return late or (self.trials is not None and judged >= self.trials)


@dataclass(kw_only=True)
class DiscoverySession:
    """One search at one size: its own order, and that of base graphs whose line graphs fit."""

    goal: SearchGoal
    seed: int
    limits: SearchLimits
    jobs: int = 1
    group: str | None = None
    tell: Tell = lambda progress: None
    judged: int = 0
    before: int = 0
    rows: list[FindRow] = field(default_factory=list)
    _started: float = field(default_factory=monotonic)

    def run(self, db: str | PathLike[str] | None = None) -> None:
        """Search until a limit is met. `rows` are then the best finds of the size."""
        with ExitStack() as stack:
            store = stack.enter_context(Store(db if db is not None else ":memory:"))
            store.require_writable()
            self._started = monotonic()
            for search, units in self.blocks(store):
                self.take(store, search, units, run_units(units, self.jobs))
                if self.limits.end_search(self._started, self.judged):
                    break

    def blocks(self, store: Store) -> Iterator[tuple[DiscoverySearch, list[WorkUnit]]]:
        """Blocks of units that are not done, of each search in turn, until no group is left."""
        return self._blocks(self._searches(store))

    def recall(self, store: Store) -> None:
        """Know the best graphs of the size that are stored or shipped, and what was judged."""
        own = self.goal
        self._note(store.finds(n=own.n, d=own.d, links=own.links.value))
        self._note(known_rows(own, store, self.group))
        self.before = sum(sum(self._legs(store, goal).values()) for goal in self._goals())

    def _legs(self, store: Store, goal: SearchGoal) -> dict[str, int]:
        return store.legs(goal.n, goal.d, goal.links.value, goal.both, self.seed)

    def _searches(self, store: Store) -> list[tuple[DiscoverySearch, set[str]]]:
        """The search of each size, with what is stored of it, and its finished units of work."""
        found = []
        self.recall(store)
        for goal in self._goals():
            before = known_rows(goal, store, self.group)
            self._note(before)
            known = [*store.finds(n=goal.n, d=goal.d, links=goal.links.value), *before]
            done = self._legs(store, goal)
            finds = list(_readable(known))
            search = DiscoverySearch(goal, self.seed, finds, group=self.group)
            if goal.n != self.goal.n:
                self._keep(store, goal, search.finds)
            search.skip_groups(
                place.removeprefix("all ") for place in done if place.startswith("all ")
            )
            found.append((search, set(done)))
        self.tell(self._progress(""))
        return found

    def _goals(self) -> Iterator[SearchGoal]:
        yield self.goal
        n, d = self.goal.n, self.goal.d
        if self.group is None and self.goal.links is LinkMode.SIMPLEX and n % d == 0 and n // d > d:
            yield SearchGoal(n=n // d, d=d, both=self.goal.both)

    def _blocks(
        self, searches: list[tuple[DiscoverySearch, set[str]]]
    ) -> Iterator[tuple[DiscoverySearch, list[WorkUnit]]]:
        for turn in count():
            open_rounds = [(search, _units_left(search, turn, done)) for search, done in searches]
            busy = any(search.is_open for search, _ in searches)
            while open_rounds:
                for one in list(open_rounds):
                    block = list(islice(one[1], BLOCK))
                    if block:
                        yield one[0], block
                    else:
                        open_rounds.remove(one)
            if not busy:
                return

    def take(
        self,
        store: Store,
        search: DiscoverySearch,
        units: Sequence[WorkUnit],
        results: Iterable[UnitResult],
    ) -> None:
        """Prove what a block has found that is better than before, and store it with the units."""
        fresh: list[DiscoveredGraph] = []
        done: list[WorkUnitRow] = []
        for unit, (judged, finds) in zip(units, results, strict=True):
            self.judged += judged
            better = search.take_results(unit, finds)
            fresh += [find for find in better if find.group == unit.group]
            done.append(_unit_row(unit, judged))
        self._keep(store, search.goal, [find for find in fresh if find in search.finds], done)
        self.tell(self._progress(units[-1].group))

    def _keep(
        self,
        store: Store,
        goal: SearchGoal,
        finds: Iterable[DiscoveredGraph],
        units: Iterable[WorkUnitRow] = (),
    ) -> None:
        """Prove finds, and line graphs that have the size that is asked for, and store them."""
        rows = [find_row(goal, find) for find in finds]
        if goal.n != self.goal.n:
            rows += [line_row(goal, find) for find in finds]
        for row in rows:
            prove_costs(row.recipe, row.allgather, row.reduce_scatter)
        store.save_finds(rows, units)
        self._note(rows)

    def _note(self, rows: Iterable[FindRow]) -> None:
        own = [row for row in rows if row.n == self.goal.n]
        self.rows = best_rows([*self.rows, *own], self.goal.both)

    def _progress(self, group: str) -> DiscoveryProgress:
        return DiscoveryProgress(
            judged=self.judged,
            before=self.before,
            group=group,
            best=tuple(self.rows),
            seconds_left=self.limits.seconds_left(self._started),
        )


def run_units(units: Sequence[WorkUnit], jobs: int) -> Iterable[UnitResult]:
    """What units of work find, in their order: by threads, or by the backend of joblib's."""
    if jobs == 1:
        return map(WorkUnit.run, units)
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=jobs, prefer="threads")
    found: list[UnitResult] = parallel(delayed(unit.run)() for unit in units)
    return found


def _readable(rows: Iterable[FindRow]) -> Iterator[DiscoveredGraph]:
    """The finds among rows that are no line graphs; those of a newer topofinder may be unknown."""
    for row in rows:
        if row.recipe == row.base:
            try:
                yield find_of(row)
            except InvalidInput:
                LOGGER.warning("finds: %s is not known here; it is kept", excerpt(row.recipe))


def _units_left(search: DiscoverySearch, turn: int, done: set[str]) -> Iterator[WorkUnit]:
    """The units of a round that no earlier run has done."""
    return (unit for unit in search.work_units(turn) if unit.place not in done)


def _unit_row(unit: WorkUnit, judged: int) -> WorkUnitRow:
    goal = unit.goal
    return WorkUnitRow(
        n=goal.n,
        d=goal.d,
        links=goal.links.value,
        both=goal.both,
        seed=unit.seed,
        place=unit.place,
        judged=judged,
    )


def discovery_session(
    n: int,
    d: int,
    links: LinkMode | str = LinkMode.SIMPLEX,
    *,
    both: bool = False,
    group: str | None = None,
    seed: int = 0,
    jobs: int = 1,
    limits: SearchLimits | None = None,
) -> DiscoverySession:
    """A search that is ready to run.

    Raises InvalidInput for sizes that are not searched, a group of another order, a seed that does
    not fit 63 bits, and 0 jobs.

    >>> short = discovery_session(16, 4, seed=1, limits=SearchLimits(trials=1000))
    >>> short.run()
    >>> [(row.steps, str(row.bandwidth)) for row in short.rows]
    [(2, '1'), (3, '15/16')]
    """
    if links not in set(LinkMode):
        raise InvalidInput(f"links: simplex or duplex, not {excerpt(str(links))}")
    if not 0 <= seed <= LARGEST_SEED:
        raise InvalidInput(f"seed: 0 to 2**63 - 1, not {excerpt(seed)}")
    if jobs == 0 or abs(jobs) > MAX_JOBS:
        told = f"1 to {MAX_JOBS} threads, or -1 for all cores"
        raise InvalidInput(f"jobs: {told}, not {excerpt(jobs)}")
    goal = SearchGoal(n=n, d=d, links=LinkMode(links), both=both)
    if group is not None:
        known = parse_group(group)
        if known.order != n:
            raise InvalidInput(f"group: {known} has {known.order} elements, not {n}")
        group = str(known)
    return DiscoverySession(
        goal=goal, seed=seed, limits=limits or SearchLimits(), jobs=jobs, group=group
    )


def describe_discovery(search: DiscoverySession) -> DiscoveryRecord:
    """What a search found, by the time it ended."""
    goal = search.goal
    return DiscoveryRecord(
        n=goal.n,
        d=goal.d,
        links=goal.links.value,
        both=goal.both,
        seed=search.seed,
        bound=cost_lower_bound(goal.n, goal.d, goal.links),
        judged=search.judged,
        judged_before=search.before,
        finds=tuple(search.rows),
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Discovery(Answer):
    """What a search has found by the time it ended; `record` holds its size and counts."""

    record: DiscoveryRecord

    @property
    def finds(self) -> tuple[FindRow, ...]:
        """The best graphs of the size, fewest steps first."""
        return tuple(self.record.finds)

    def summary(self) -> dict[str, Any]:
        """The size, the lists that were judged, and how many graphs are the best."""
        record = self.record
        return {"n": record.n, "d": record.d, "judged": record.judged, "finds": len(record.finds)}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `discover --json` prints."""
        return discovery_fields(self.record)

    def __str__(self) -> str:
        return discovery_text(self.record)

    def table_rows(self) -> list[dict[str, Any]]:
        """A line for each graph."""
        names = ("recipe", "steps", "bandwidth", "trials")
        return [{name: find[name] for name in names} for find in self.to_dict()["finds"]]


def jobs_of(jobs: int, backend: str | None) -> int:
    """Workers of a search: all that a backend has, unless more than one was asked for."""
    return -1 if jobs == 1 and backend is not None else jobs


def discover(
    n: int,
    d: int,
    links: LinkMode | str = LinkMode.SIMPLEX,
    *,
    both_ways: bool = False,
    group: str | None = None,
    time: float | str | None = None,
    trials: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    db: str | PathLike[str] | None = None,
    tell: Tell = lambda progress: None,
    backend: str | None = None,
    scheduler: str | None = None,
) -> Discovery:
    """Search groups and generator sets for Cayley digraphs with smaller T_L and T_B.

    It ends after `time` (seconds, or a text such as "5min"; 60 s where nothing is said) or so many
    `trials` of generator lists; started again with the same `db`, it goes on. `both_ways` weighs
    reduce-scatter as much as allgather; `group` is the only one to search. `tell` hears how far it
    is. With a `backend` its workers judge, as in `sweep`. Raises InvalidInput for sizes that are
    not searched and for options that cannot be read.

    >>> discover(16, 4, seed=1, trials=1000)
    Discovery(n=16, d=4, judged=24480, finds=2)
    """
    seconds = None if time is None else read_seconds(time)
    if time is None and trials is None:
        seconds = SECONDS
    search = discovery_session(
        n, d, links,
        both=both_ways, group=group, seed=seed, jobs=jobs_of(jobs, backend),
        limits=SearchLimits(seconds=seconds, trials=trials),
    )  # fmt: skip
    search.tell = tell
    with cluster_workers(backend, scheduler, jobs_of(jobs, backend)):
        search.run(db)
    return Discovery(record=describe_discovery(search))
