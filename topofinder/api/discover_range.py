"""Discoveries at many sizes, which share the time by what they may gain.

In each turn the WAVE most promising searches, of any kind and size, run a block of work each
(`topofinder.api.discover_waves`).
"""

from collections.abc import Iterable, Sequence
from os import PathLike

from db.discovery_rows import WorkUnitRow
from db.store import Store
from generators.errors import InvalidInput
from topofinder.api.discover_known import PlainGraphs
from topofinder.api.discover_limits import (
    SearchLimits,
    Tell,
    check_seed_and_jobs,
    jobs_of,
    read_limits,
)
from topofinder.api.discover_status import DiscoveryStatus, deadline_place, describe_goals
from topofinder.api.discover_waves import open_size, search_in_waves
from topofinder.api.shared.clusters import cluster_workers
from topofinder.discovery.goal import SearchGoal
from topofinder.discovery.kinds import read_kinds
from topofinder.model.candidate import LinkMode

WAVE = 8
"""Searches side by side, whatever the number of workers."""


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
    kind: str | Iterable[str] | None = None,
) -> DiscoveryStatus:
    """Search many sizes (n, d) as `discover` does one; `time` and `trials` are those of all.

    Time goes to the sizes and kinds that are expected to gain most. Returns how each size stands.
    Raises InvalidInput for sizes that are not searched and for options that cannot be read.

    >>> discover_range([(12, 2), (16, 4)], trials=30_000, kind="cayley")
    DiscoveryStatus(sizes=2, judged=43170)
    """
    if not sizes:
        raise InvalidInput("sizes: one or more are needed")
    limits, kinds = read_limits(time, trials), read_kinds(kind)
    check_seed_and_jobs(seed, jobs)
    own = jobs_of(jobs, backend)
    with (
        cluster_workers(backend, scheduler, own),
        Store(db if db is not None else ":memory:") as store,
    ):
        store.require_writable()
        plain = PlainGraphs(store)
        searches = [
            open_size(n, d, links, plain, kinds=kinds, both=both_ways, seed=seed)
            for n, d in dict.fromkeys(sizes)
        ]
        _note_deadline(store, searches[0].goal, seed, limits)
        search_in_waves(store, searches, limits, wave=WAVE, jobs=own, tell=tell)
        return describe_goals(store, [search.goal for search in searches], seed, plain)


def _note_deadline(store: Store, goal: SearchGoal, seed: int, limits: SearchLimits) -> None:
    """Let other processes know when the search will be over."""
    if limits.seconds is not None:
        row = WorkUnitRow(
            n=goal.n, d=goal.d, links=goal.links.value, both=goal.both,
            seed=seed, place=deadline_place(limits.seconds), judged=0,
        )  # fmt: skip
        store.save_finds([], [row])
