"""`topofinder discover`: searches at one size that are stored as they go, and resumed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from db.discovery_rows import FindRow
from db.store import Store
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from reports.discovery import DiscoveryRecord, discovery_fields, discovery_text
from topofinder.api.discover_known import PlainGraphs, save_shown
from topofinder.api.discover_limits import (
    DiscoveryProgress,
    Tell,
    check_seed_and_jobs,
    jobs_of,
    read_limits,
)
from topofinder.api.discover_session import search_goal
from topofinder.api.discover_waves import SizeSearch, open_size, search_in_waves
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.clusters import cluster_workers
from topofinder.discovery.kinds import GraphKind, kind_of, read_kinds
from topofinder.model.candidate import LinkMode, cost_lower_bound

__all__ = ["Discovery", "DiscoveryProgress", "Tell", "discover"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Discovery(Answer):
    """What a search has found by the time it ended; `record` holds its size and counts."""

    record: DiscoveryRecord

    @property
    def finds(self) -> tuple[FindRow, ...]:
        """The best graphs of the size, fewest steps first."""
        return tuple(self.record.finds)

    def summary(self) -> dict[str, Any]:
        """The size, the graphs that were judged, and how many are the best."""
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
    kind: str | Iterable[str] | None = None,
) -> Discovery:
    """Search for graphs with smaller T_L and T_B than a search finds.

    They are of one or more kinds: "cayley" digraphs by groups and generator sets, "lifts" by groups
    and "grafts", with graphs from random starts among these; without a `kind`, of all, which share
    the time by what each may gain. It ends after `time` (seconds, or a text such as "5min"; 60 s
    where nothing is said), after so many `trials`, graphs that are judged, or where the bounds are
    met; started again with the same `db`, it goes on. `both_ways` weighs reduce-scatter as much as
    allgather; `group` is the only one to search, for Cayley digraphs. `tell` hears how far it is.
    With a `backend` its workers judge, as in `sweep`. Raises InvalidInput for sizes that are
    not searched and for options that cannot be read.

    >>> discover(16, 4, seed=1, trials=1000, kind="cayley")
    Discovery(n=16, d=4, judged=24480, finds=2)
    """
    limits, kinds = read_limits(time, trials), _kinds_of(kind, group)
    check_seed_and_jobs(seed, jobs)
    search_goal(n, d, links, both=both_ways)
    own = jobs_of(jobs, backend)
    with (
        cluster_workers(backend, scheduler, own),
        Store(db if db is not None else ":memory:") as store,
    ):
        store.require_writable()
        plain = PlainGraphs(store)
        size = open_size(
            n, d, links, plain, kinds=kinds, both=both_ways, group=group, seed=seed
        )  # fmt: skip
        search_in_waves(store, [size], limits, jobs=own, tell=tell)
        ids = save_shown(store, plain, size.goal, size.rows)
    return Discovery(record=_describe(size, kinds, seed, ids))


def _kinds_of(kind: str | Iterable[str] | None, group: str | None) -> Sequence[GraphKind]:
    """The kinds that are asked for; of a group, Cayley digraphs alone."""
    if group is None:
        return read_kinds(kind)
    if kind is not None and GraphKind.CAYLEY not in read_kinds(kind):
        raise InvalidInput(f"group: {excerpt(group)} is of Cayley digraphs, which kind leaves out")
    return (GraphKind.CAYLEY,)


def _describe(
    size: SizeSearch, kinds: Sequence[GraphKind], seed: int, ids: dict[str, str]
) -> DiscoveryRecord:
    """What a search found, by the time it ended."""
    goal, plain = size.goal, {row.recipe for row in size.plain}
    return DiscoveryRecord(
        n=goal.n,
        d=goal.d,
        links=goal.links.value,
        both=goal.both,
        seed=seed,
        kinds=tuple(kind.value for kind in kinds),
        bound=cost_lower_bound(goal.n, goal.d, goal.links),
        judged=size.judged,
        judged_before=size.before,
        finds=tuple(size.rows),
        sources={
            row.recipe: "search" if row.recipe in plain else kind_of(row.recipe).value
            for row in size.rows
        },
        ids=ids,
    )
