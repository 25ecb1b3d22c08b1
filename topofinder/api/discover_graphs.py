"""Searches for lifts and grafts at one size, which are stored as they go, and resumed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from db.discovery_rows import FindRow, WorkUnitRow
from db.store import Store
from expansions.canonical import canonical
from expansions.parser import parse
from expansions.recipe import Line
from expansions.size import size
from generators.errors import InvalidInput
from topofinder.api.discover_known import PlainGraphs
from topofinder.api.discover_records import best_rows, evaluated_row, graph_row, is_better
from topofinder.discovery.goal import SearchGoal
from topofinder.discovery.grafts.trials import near_surpluses
from topofinder.discovery.kinds import GraphKind, kind_of
from topofinder.discovery.results import prove_costs
from topofinder.finder.discovery_legs import (
    CostedFind,
    DiscoveryLeg,
    leg_sizes,
    legs_of_turn,
    turn_of,
    turn_work,
)
from topofinder.finder.enumeration import PoolSize
from topofinder.finder.graft_bases import KnownBase
from topofinder.model.candidate import LinkMode

PAIR = 4_000_000
"""Nanoseconds of a million (list, node) pairs of Cayley digraphs, the unit of `SizeGain`."""


@dataclass(kw_only=True)
class GraphSession:
    """A search of one kind at one size, and at those whose line graphs it has.

    `plain` are the graphs of a search, which finds must beat. What legs find at sizes beside, to be
    grafted, is kept too where it beats what a search has there.
    """

    kind: GraphKind
    goal: SearchGoal
    seed: int
    plain: PlainGraphs
    judged: int = 0
    before: int = 0
    turn: int = 0
    rows: list[FindRow] = field(default_factory=list)

    @property
    def work(self) -> float:
        """What all turns have done, in the unit of `SizeGain`."""
        return sum(map(turn_work, range(self.turn))) / PAIR

    @property
    def size(self) -> PoolSize:
        """The size that is searched."""
        return self.goal.n, self.goal.d, self.goal.links

    def recall(self, store: Store) -> None:
        """Know the graphs that are stored, and how far earlier runs came."""
        own = self.goal
        known = store.finds(n=own.n, d=own.d, links=own.links.value)
        self.rows = best_rows([row for row in known if self._is_own(row)], own.both)
        done = store.legs(own.n, own.d, own.links.value, own.both, self.seed)
        legs = {place: at for place in done if (at := turn_of(place)) and at[0] is self.kind}
        self.before = sum(done[place] for place in legs)
        self.turn = 1 + max((turn for _, turn in legs.values()), default=-1)

    def blocks(self, store: Store) -> Iterator[tuple[None, list[DiscoveryLeg]]]:
        """The legs of each turn that is left, from what is stored by then."""
        if not leg_sizes(self.kind, *self.size):
            return
        for turn in count(self.turn):
            fewest = min((row.steps for row in self._known_rows(store, self.size, ())), default=0)
            own = self.kind, self.size, turn, self.seed
            yield None, legs_of_turn(*own, lambda at: _stored_bases(store, at), fewest)

    def take(
        self,
        store: Store,
        search: None,
        legs: Sequence[DiscoveryLeg],
        results: Iterable[tuple[int, list[CostedFind]]],
    ) -> None:
        """Prove what a turn has found that is better than all that is known, and store it."""
        done, fresh = list[WorkUnitRow](), list[FindRow]()
        for leg, (judged, finds) in zip(legs, results, strict=True):
            self.judged += judged
            trials = self.before + self.judged
            for find in finds:
                fresh += self._better_rows(store, find, trials, fresh)
            done.append(self._leg_row(leg, judged))
        for row in fresh:
            prove_costs(row.recipe, row.allgather, row.reduce_scatter)
        store.save_finds(fresh, done)
        self.turn = max(self.turn, legs[0].turn + 1)
        own = [row for row in fresh if row.n == self.goal.n and self._is_own(row)]
        self.rows = best_rows([*self.rows, *own], self.goal.both)

    def _is_own(self, row: FindRow) -> bool:
        return kind_of(row.recipe) is self.kind

    def _better_rows(
        self, store: Store, find: CostedFind, trials: int, fresh: list[FindRow]
    ) -> list[FindRow]:
        """The rows of a find, and of its line graph of the size asked for, if better than all."""
        nodes = size(find.recipe)
        row = graph_row(find, nodes, self.goal.links, self.seed, trials)
        if not is_better(row, self._known_rows(store, (*nodes, self.goal.links), fresh)):
            return []
        times = _line_times(nodes.n, self.goal) if row.n < self.goal.n else 0
        if not times:
            return [row]
        lined = str(canonical(Line(find.recipe, times)))
        more = evaluated_row(lined, row.base, self.goal.links, self.seed, trials)
        return [row, more] if is_better(more, self._known_rows(store, self.size, fresh)) else [row]

    def _known_rows(self, store: Store, at: PoolSize, fresh: Iterable[FindRow]) -> list[FindRow]:
        n, d, links = at
        own = [row for row in fresh if (row.n, row.d) == (n, d)]
        return [*self.plain.rows(*at), *store.finds(n=n, d=d, links=links.value), *own]

    def _leg_row(self, leg: DiscoveryLeg, judged: int) -> WorkUnitRow:
        goal = self.goal
        return WorkUnitRow(
            n=goal.n, d=goal.d, links=goal.links.value, both=goal.both,
            seed=self.seed, place=leg.place, judged=judged,
        )  # fmt: skip


def _line_times(n: int, goal: SearchGoal) -> int:
    """How often line graphs are taken from n nodes to those of the goal; 0 if never."""
    times = 0
    while n < goal.n and goal.links is LinkMode.SIMPLEX:
        n, times = n * goal.d, times + 1
    return times if n == goal.n else 0


def _stored_bases(store: Store, at: PoolSize) -> list[KnownBase]:
    """The finds at sizes beside one, to be grafted there; those of a newer topofinder are not."""
    n, d, links = at
    near = near_surpluses(d, duplex=links is LinkMode.DUPLEX)
    found = []
    for row in store.finds(n=(max(2, n + near[0]), n + near[-1]), d=d, links=links.value):
        if row.n != n:
            try:
                base = parse(row.recipe)
            except InvalidInput:
                continue
            found.append(KnownBase(recipe=base, forth=row.allgather, back=row.reduce_scatter))
    return found
