"""`topofinder discover` without its printing: a search that is stored as it goes, and resumed."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count, islice
from os import PathLike
from time import monotonic

from db.discovery_rows import FindRow, LegRow
from db.store import Store
from generators.errors import InvalidInput
from generators.formats.quantities import shown
from topofinder.api.discover_records import best_rows, find_of, find_row, line_row
from topofinder.discovery.goal import SearchGoal
from topofinder.discovery.results import DiscoveredGraph, prove_costs
from topofinder.discovery.rounds import DiscoverySearch, WorkUnit
from topofinder.model.candidate import LinkMode

LOGGER = logging.getLogger("topofinder.discovery")

BLOCK = 8
"""Legs that are chosen together, from what is known then, and stored together."""

Tell = Callable[["Progress"], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a search has come: lists judged, here and before, and the best that was found."""

    judged: int
    before: int
    group: str
    best: tuple[FindRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a search ends: after so many seconds or judged lists, or when nothing is left."""

    seconds: float | None = None
    trials: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and self.seconds <= 0:
            raise InvalidInput(f"time: more than 0 is needed, not {self.seconds:g} s")
        if self.trials is not None and self.trials < 1:
            raise InvalidInput(f"trials: 1 or more are needed, not {self.trials}")


@dataclass(kw_only=True)
class Session:
    """One search at one size: its own order, and that of base graphs whose line graphs fit."""

    goal: SearchGoal
    seed: int
    limits: Limits
    jobs: int = 1
    group: str | None = None
    tell: Tell = lambda progress: None
    judged: int = 0
    before: int = 0
    rows: list[FindRow] = field(default_factory=list)

    def run(self, db: str | PathLike[str] | None = None) -> None:
        """Search until a limit is met. `rows` are then the best finds of the size."""
        with ExitStack() as stack:
            store = stack.enter_context(Store(db if db is not None else ":memory:"))
            store.require_writable()
            started = monotonic()
            for search, units in self._blocks(self._searches(store)):
                self._take(store, search, units)
                if self._over(monotonic() - started):
                    break

    def _searches(self, store: Store) -> list[tuple[DiscoverySearch, set[str]]]:
        """The search of each size, with what is stored of it, and its finished units of work."""
        found = []
        self._note(store.finds(n=self.goal.n, d=self.goal.d, links=self.goal.links.value))
        for goal in self._goals():
            known = store.finds(n=goal.n, d=goal.d, links=goal.links.value)
            done = store.legs(goal.n, goal.d, goal.links.value, goal.both, self.seed)
            self.before += sum(done.values())
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
        """Blocks of units that are not done, of each search in turn, until no group is left."""
        for turn in count():
            open_rounds = [(search, _left(search, turn, done)) for search, done in searches]
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

    def _take(self, store: Store, search: DiscoverySearch, units: list[WorkUnit]) -> None:
        """Run a block, prove what is better than before, and store it with the units."""
        fresh: list[DiscoveredGraph] = []
        done: list[LegRow] = []
        for unit, (judged, finds) in zip(units, self._run(units), strict=True):
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
        units: Iterable[LegRow] = (),
    ) -> None:
        """Prove finds, and line graphs that have the size that is asked for, and store them."""
        rows = [find_row(goal, find) for find in finds]
        if goal.n != self.goal.n:
            rows += [line_row(goal, find) for find in finds]
        for row in rows:
            prove_costs(row.recipe, row.allgather, row.reduce_scatter)
        store.save_finds(rows, units)
        self._note(rows)

    def _run(self, units: list[WorkUnit]) -> Iterable[tuple[int, list[DiscoveredGraph]]]:
        if self.jobs == 1:
            return map(WorkUnit.run, units)
        from joblib import Parallel, delayed

        parallel = Parallel(n_jobs=self.jobs, prefer="threads")
        found: list[tuple[int, list[DiscoveredGraph]]] = parallel(
            delayed(unit.run)() for unit in units
        )
        return found

    def _note(self, rows: Iterable[FindRow]) -> None:
        own = [row for row in rows if row.n == self.goal.n]
        self.rows = best_rows([*self.rows, *own], self.goal.both)

    def _progress(self, group: str) -> Progress:
        return Progress(judged=self.judged, before=self.before, group=group, best=tuple(self.rows))

    def _over(self, seconds: float) -> bool:
        limits = self.limits
        late = limits.seconds is not None and seconds >= limits.seconds
        return late or (limits.trials is not None and self.judged >= limits.trials)


def _readable(rows: Iterable[FindRow]) -> Iterator[DiscoveredGraph]:
    """The finds among rows that are no line graphs; those of a newer topofinder may be unknown."""
    for row in rows:
        if row.recipe == row.base:
            try:
                yield find_of(row)
            except InvalidInput:
                LOGGER.warning("finds: %s is not known here; it is kept", shown(row.recipe))


def _left(search: DiscoverySearch, turn: int, done: set[str]) -> Iterator[WorkUnit]:
    """The units of a round that no earlier run has done."""
    return (unit for unit in search.work_units(turn) if unit.place not in done)


def _unit_row(unit: WorkUnit, judged: int) -> LegRow:
    goal = unit.goal
    return LegRow(
        n=goal.n,
        d=goal.d,
        links=goal.links.value,
        both=goal.both,
        seed=unit.seed,
        place=unit.place,
        judged=judged,
    )
