"""Searches of several kinds and sizes share the time by what each may gain.

In each turn the most promising searches (topofinder.discovery.size_bandit) run a block of work
each, all of them side by side. Which they are follows from what is stored, and not from the number
of workers: a discovery that was ended, or killed, goes on from there. A size that meets its bounds
is done with.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import islice
from time import monotonic
from typing import Any, Protocol

from db.discovery_rows import FindRow
from db.store import Store
from topofinder.api.discover_graphs import GraphSession
from topofinder.api.discover_known import PlainGraphs
from topofinder.api.discover_limits import (
    DiscoveryProgress,
    RunnableUnit,
    SearchLimits,
    Tell,
    run_units,
)
from topofinder.api.discover_records import best_rows
from topofinder.api.discover_session import discovery_session, search_goal
from topofinder.discovery.goal import SearchGoal
from topofinder.discovery.kinds import GraphKind
from topofinder.discovery.size_bandit import SizeGain, size_gap
from topofinder.model.candidate import LinkMode

Block = tuple[Any, Sequence[Any]]


class Session(Protocol):
    """A search of one kind at one size."""

    goal: SearchGoal
    judged: int
    before: int
    rows: list[FindRow]

    @property
    def work(self) -> float:
        """What is done, in the unit of `SizeGain`."""

    def recall(self, store: Store) -> None:
        """Know what is stored of it."""

    def blocks(self, store: Store) -> Iterator[Block]:
        """The blocks of work that are left, each made when it is asked for."""

    def take(self, store: Store, search: Any, units: Any, results: Any) -> None:
        """Store what a block has found, and that it is done."""


@dataclass(slots=True)
class SizeSearch:
    """The searches at one size, of several kinds, and what a plain search has there."""

    goal: SearchGoal
    plain: list[FindRow]
    sessions: list[Session]

    @property
    def judged(self) -> int:
        """Graphs judged by this run."""
        return sum(session.judged for session in self.sessions)

    @property
    def before(self) -> int:
        """Graphs judged by earlier runs."""
        return sum(session.before for session in self.sessions)

    @property
    def rows(self) -> list[FindRow]:
        """The best graphs of the size, those of a plain search first among equals."""
        return self.best(row for session in self.sessions for row in session.rows)

    def best(self, rows: Iterable[FindRow]) -> list[FindRow]:
        """The best of these and of what a plain search has."""
        return best_rows([*rows, *self.plain], self.goal.both, {row.recipe for row in self.plain})

    def gap(self, rows: Iterable[FindRow]) -> float:
        """How far the best of some graphs are above the bounds."""
        both = self.goal.both
        costs = [
            (row.steps, (row.bandwidth + row.rs_bandwidth) / 2 if both else row.bandwidth)
            for row in self.best(rows)
        ]
        return size_gap(self.goal, costs)


@dataclass(slots=True)
class Arm:
    """One session among those that share the time, the blocks that are left of it, and its gain."""

    size: SizeSearch
    session: Session
    blocks: Iterator[Block]

    @property
    def gain(self) -> SizeGain:
        """What the next unit of work is expected to gain."""
        first = self.size.gap(())
        return SizeGain(
            first=first,
            left=self.size.gap(self.size.rows),
            work=self.session.work,
            closed=first - self.size.gap(self.session.rows),
        )


def open_size(
    n: int,
    d: int,
    links: LinkMode | str,
    plain: PlainGraphs,
    *,
    kinds: Sequence[GraphKind],
    both: bool = False,
    group: str | None = None,
    seed: int = 0,
) -> SizeSearch:
    """The searches of these kinds at a size. Raises InvalidInput as `discover` does."""
    goal = search_goal(n, d, links, both=both)
    sessions: list[Session] = [
        discovery_session(n, d, links, both=both, group=group, seed=seed)
        if kind is GraphKind.CAYLEY
        else GraphSession(kind=kind, goal=goal, seed=seed, plain=plain)
        for kind in kinds
    ]
    return SizeSearch(goal=goal, plain=plain.rows(n, d, goal.links), sessions=sessions)


def search_in_waves(
    store: Store,
    sizes: Sequence[SizeSearch],
    limits: SearchLimits,
    *,
    wave: int = 1,
    jobs: int = 1,
    tell: Tell = lambda progress: None,
) -> None:
    """Search until a limit is met or nothing is left, `wave` sessions side by side."""
    started = monotonic()
    arms = [arm for size in sizes for arm in _arms(store, size)]
    tell(_progress(sizes, sizes[0], "", limits, started))
    while not limits.end_search(started, sum(size.judged for size in sizes)):
        arms = [arm for arm in arms if arm.gain.left]
        chosen = nlargest(wave, arms, key=lambda arm: arm.gain.expected)
        taken = [(arm, block) for arm in chosen for block in islice(arm.blocks, 1)]
        ended = [arm for arm in chosen if all(arm is not other for other, _ in taken)]
        arms = [arm for arm in arms if all(arm is not other for other in ended)]
        if not chosen:
            return
        units: list[RunnableUnit] = [unit for _, (_, block) in taken for unit in block]
        results = iter(run_units(units, jobs))
        for arm, (search, block) in taken:
            arm.session.take(store, search, block, islice(results, len(block)))
            tell(_progress(sizes, arm.size, block[-1].place, limits, started))


def _arms(store: Store, size: SizeSearch) -> Iterator[Arm]:
    for session in size.sessions:
        session.recall(store)
        yield Arm(size, session, _blocks(store, session))


def _blocks(store: Store, session: Session) -> Iterator[Block]:
    """The blocks of a session, which is made ready for them when it is first chosen."""
    yield from session.blocks(store)


def _progress(
    sizes: Sequence[SizeSearch], last: SizeSearch, place: str, limits: SearchLimits, started: float
) -> DiscoveryProgress:
    goal = last.goal
    at = place.partition(" ")[2] if place[:1].isdigit() or place.startswith("all ") else place
    return DiscoveryProgress(
        judged=sum(size.judged for size in sizes),
        before=sum(size.before for size in sizes),
        group=at if len(sizes) == 1 else f"N = {goal.n}, d = {goal.d}",
        best=tuple(last.rows),
        seconds_left=limits.seconds_left(started),
    )
