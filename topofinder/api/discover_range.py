"""Searches for Cayley digraphs at many sizes, which share the time by what they may gain.

In each turn the WAVE most promising sizes (topofinder.discovery.size_bandit) run a block of work
units each, all of them side by side. Which they are follows from what is stored, and not from the
number of workers: a search that was ended, or killed, goes on from there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import islice
from os import PathLike
from time import monotonic

from db.discovery_rows import WorkUnitRow
from db.store import Store
from generators.errors import InvalidInput
from topofinder.api.discover import (
    SECONDS,
    DiscoveryProgress,
    DiscoverySession,
    SearchLimits,
    Tell,
    discovery_session,
    jobs_of,
    run_units,
)
from topofinder.api.discover_known import known_rows
from topofinder.api.discover_status import DiscoveryStatus, deadline_place, describe_goals
from topofinder.api.shared.clusters import cluster_workers
from topofinder.api.shared.workloads import read_seconds
from topofinder.discovery.rounds import DiscoverySearch, WorkUnit
from topofinder.discovery.size_bandit import SizeGain, size_gap, work_of
from topofinder.model.candidate import LinkMode

WAVE = 8
"""Sizes that search side by side, whatever the number of workers."""

Block = tuple[DiscoverySearch, list[WorkUnit]]


@dataclass(slots=True)
class _SizeSearch:
    """One size of a range: its search, the blocks that are left of it, and its gap at first."""

    session: DiscoverySession
    blocks: Iterator[Block]
    first: float

    @property
    def gain(self) -> SizeGain:
        session = self.session
        done = work_of(session.goal.n, session.judged + session.before)
        return SizeGain(first=self.first, left=_gap(session), work=done)


def discover_range(
    sizes: Sequence[tuple[int, int]],
    links: LinkMode | str = LinkMode.SIMPLEX,
    *,
    both_ways: bool = False,
    time: float | str | None = None,
    trials: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    db: str | PathLike[str] | None = None,
    tell: Tell = lambda progress: None,
    backend: str | None = None,
    scheduler: str | None = None,
) -> DiscoveryStatus:
    """Search many sizes (n, d) as `discover` does one; `time` and `trials` are those of all.

    Time goes to the sizes that are expected to gain most. Returns how each size stands. Raises
    InvalidInput for sizes that are not searched and for options that cannot be read.

    >>> discover_range([(12, 2), (16, 4)], trials=30_000)
    DiscoveryStatus(sizes=2, judged=43170)
    """
    if not sizes:
        raise InvalidInput("sizes: one or more are needed")
    seconds = None if time is None else read_seconds(time)
    if time is None and trials is None:
        seconds = SECONDS
    limits = SearchLimits(seconds=seconds, trials=trials)
    own = jobs_of(jobs, backend)
    sessions = [
        discovery_session(n, d, links, both=both_ways, seed=seed, jobs=own, limits=limits)
        for n, d in dict.fromkeys(sizes)
    ]
    with (
        cluster_workers(backend, scheduler, own),
        Store(db if db is not None else ":memory:") as store,
    ):
        store.require_writable()
        _search_in_waves(store, sessions, limits, own, tell)
        return describe_goals(store, [session.goal for session in sessions], seed)


def _search_in_waves(
    store: Store, sessions: Sequence[DiscoverySession], limits: SearchLimits, jobs: int, tell: Tell
) -> None:
    started = monotonic()
    _note_deadline(store, sessions[0], limits)
    searches = [_open(store, session) for session in sessions]
    while searches and not limits.end_search(started, sum(one.session.judged for one in searches)):
        chosen = nlargest(WAVE, searches, key=lambda one: one.gain.expected)
        taken = [(one, block) for one in chosen for block in islice(one.blocks, 1)]
        ended = [one for one in chosen if all(one is not other for other, _ in taken)]
        searches = [one for one in searches if one not in ended]
        results = iter(run_units([unit for _, (_, units) in taken for unit in units], jobs))
        for one, (search, units) in taken:
            one.session.take(store, search, units, list(islice(results, len(units))))
            tell(_progress(sessions, one.session, limits.seconds_left(started)))


def _open(store: Store, session: DiscoverySession) -> _SizeSearch:
    """A search with all that is stored of it; its gap at first is that of what was known before."""
    goal = session.goal
    session.recall(store)
    known = [(row.steps, row.bandwidth) for row in known_rows(goal, store)]
    return _SizeSearch(session, _blocks(store, session), size_gap(goal, known))


def _blocks(store: Store, session: DiscoverySession) -> Iterator[Block]:
    """The blocks of a size, which is made ready for them when it is first chosen."""
    yield from session.blocks(store)


def _note_deadline(store: Store, session: DiscoverySession, limits: SearchLimits) -> None:
    """Let other processes know when the search will be over."""
    if limits.seconds is not None:
        goal, place = session.goal, deadline_place(limits.seconds)
        row = WorkUnitRow(
            n=goal.n, d=goal.d, links=goal.links.value, both=goal.both,
            seed=session.seed, place=place, judged=0,
        )  # fmt: skip
        store.save_finds([], [row])


def _progress(
    sessions: Sequence[DiscoverySession], last: DiscoverySession, left: float | None
) -> DiscoveryProgress:
    return DiscoveryProgress(
        judged=sum(session.judged for session in sessions),
        before=sum(session.before for session in sessions),
        group=f"N = {last.goal.n}, d = {last.goal.d}",
        best=tuple(last.rows),
        seconds_left=left,
    )


def _gap(session: DiscoverySession) -> float:
    return size_gap(session.goal, [(row.steps, row.bandwidth) for row in session.rows])
