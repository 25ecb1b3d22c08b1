"""A search for Cayley digraphs at one size, which is stored as it goes, and resumed."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice

from db.discovery_rows import FindRow, WorkUnitRow
from db.store import Store
from generators.cayley.catalogue import shipped_digraphs
from generators.cayley.notation import parse_group
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.api.discover_known import known_rows
from topofinder.api.discover_records import best_rows, find_of, find_row, line_row
from topofinder.discovery.goal import SearchGoal
from topofinder.discovery.kinds import GraphKind, kind_of
from topofinder.discovery.results import DiscoveredGraph, prove_costs
from topofinder.discovery.rounds import DiscoverySearch, WorkUnit
from topofinder.discovery.size_bandit import work_of
from topofinder.finder.discovery_legs import turn_of
from topofinder.model.candidate import LinkMode

LOGGER = logging.getLogger("topofinder.discovery")

BLOCK = 8
"""Legs that are chosen together, from what is known then, and stored together."""
CATALOGUED = 2000.0
"""Work that counts as done where the catalogue has digraphs: its search went on for longer."""

UnitResult = tuple[int, list[DiscoveredGraph]]
"""Lists judged, and what was found."""


@dataclass(kw_only=True)
class DiscoverySession:
    """One search at one size: its own order, and that of base graphs whose line graphs fit."""

    goal: SearchGoal
    seed: int
    group: str | None = None
    judged: int = 0
    before: int = 0
    rows: list[FindRow] = field(default_factory=list)

    @property
    def work(self) -> float:
        """What is done, in the unit of `SizeGain`: what the catalogue took counts."""
        done = work_of(self.goal.n, self.judged + self.before)
        return done + (CATALOGUED if any(shipped_digraphs(self.goal.n, self.goal.d)) else 0)

    def blocks(self, store: Store) -> Iterator[tuple[DiscoverySearch, list[WorkUnit]]]:
        """Blocks of units that are not done, of each search in turn, until no group is left."""
        return self._blocks(self._searches(store))

    def recall(self, store: Store) -> None:
        """Know the best graphs of the size that are stored or shipped, and what was judged."""
        own = self.goal
        self._note(_cayley_finds(store, own))
        self._note(known_rows(own, store, self.group))
        self.before = sum(sum(self._legs(store, goal).values()) for goal in self._goals())

    def _legs(self, store: Store, goal: SearchGoal) -> dict[str, int]:
        found = store.legs(goal.n, goal.d, goal.links.value, goal.both, self.seed)
        return {place: judged for place, judged in found.items() if turn_of(place) is None}

    def _searches(self, store: Store) -> list[tuple[DiscoverySearch, set[str]]]:
        """The search of each size, with what is stored of it, and its finished units of work."""
        found = []
        self.recall(store)
        for goal in self._goals():
            before = known_rows(goal, store, self.group)
            self._note(before)
            known = [*_cayley_finds(store, goal), *before]
            done = self._legs(store, goal)
            finds = list(_readable(known))
            search = DiscoverySearch(goal, self.seed, finds, group=self.group)
            if goal.n != self.goal.n:
                self._keep(store, goal, search.finds)
            search.skip_groups(
                place.removeprefix("all ") for place in done if place.startswith("all ")
            )
            found.append((search, set(done)))
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


def _cayley_finds(store: Store, goal: SearchGoal) -> list[FindRow]:
    """The Cayley digraphs that are stored of a size, and line graphs of some."""
    found = store.finds(n=goal.n, d=goal.d, links=goal.links.value)
    return [row for row in found if kind_of(row.recipe) is GraphKind.CAYLEY]


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
) -> DiscoverySession:
    """A search that is ready to run.

    Raises InvalidInput for sizes that are not searched, and for a group of another order.

    >>> discovery_session(16, 4, group="Z4 : Z4[3]").group
    'Z4:Z4[3]'
    """
    goal = search_goal(n, d, links, both=both)
    if group is not None:
        known = parse_group(group)
        if known.order != n:
            raise InvalidInput(f"group: {known} has {known.order} elements, not {n}")
        group = str(known)
    return DiscoverySession(goal=goal, seed=seed, group=group)


def search_goal(n: int, d: int, links: LinkMode | str, *, both: bool) -> SearchGoal:
    """What is searched for at a size; InvalidInput for sizes that are not searched."""
    if links not in set(LinkMode):
        raise InvalidInput(f"links: simplex or duplex, not {excerpt(str(links))}")
    return SearchGoal(n=n, d=d, links=LinkMode(links), both=both)
