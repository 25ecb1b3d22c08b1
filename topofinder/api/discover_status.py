"""How discoveries stand: what is judged at each size, how fast, and the best."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from os import PathLike
from typing import Any

from db.discovery_rows import WorkUnitRow
from db.store import Store
from generators.errors import InvalidInput
from reports.discovery_status import SizeStatus, StatusRecord, status_fields, status_text
from topofinder.api.discover_known import PlainGraphs, known_rows
from topofinder.api.discover_records import best_rows
from topofinder.api.shared.answer import Answer
from topofinder.discovery.goal import SearchGoal
from topofinder.discovery.kinds import GraphKind
from topofinder.finder.discovery_legs import turn_of
from topofinder.model.candidate import LinkMode, cost_lower_bound

RECENT = timedelta(minutes=10)
"""The rate is that of so long before the last leg was stored."""
UNTIL = "until "
STAMP = "%Y-%m-%dT%H:%M:%SZ"

Leg = tuple[WorkUnitRow, datetime]
Search = tuple[int, int, str, bool, int]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DiscoveryStatus(Answer):
    """How each size of a search, or of a database, stands."""

    record: StatusRecord

    def summary(self) -> dict[str, Any]:
        """How many sizes there are, and the graphs that were judged in all."""
        return {"sizes": len(self.record.sizes), "judged": self.record.judged}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `--json` prints."""
        return status_fields(self.record)

    def __str__(self) -> str:
        return status_text(self.record)

    def table_rows(self) -> list[dict[str, Any]]:
        """A line for each size."""
        names = ("n", "d", "links", "judged")
        return [{name: size[name] for name in names} for size in self.to_dict()["sizes"]]


def discovery_status(
    db: str | PathLike[str] = "topofinder.db", sizes: Iterable[tuple[int, int]] | None = None
) -> DiscoveryStatus:
    """How the searches that a database holds stand, of all sizes or some.

    Other processes may be searching meanwhile. The rate is that of the last ten minutes in which
    something was stored; the time left, that of a search of many sizes which has a time. Raises
    InvalidInput where no search is stored.
    """
    wanted = None if sizes is None else set(sizes)
    with Store(db, create=False) as store:
        legs = _stored_legs(store)
        chosen = [leg for leg in legs if wanted is None or (leg[0].n, leg[0].d) in wanted]
        searches = dict.fromkeys(
            _search_of(row) for row, _ in chosen if not row.place.startswith(UNTIL)
        )
        if not searches:
            raise InvalidInput(f"database {str(db)!r}: no discovery is stored of these sizes")
        return DiscoveryStatus(record=_record(store, list(searches), chosen, legs))


def describe_goals(
    store: Store, goals: Sequence[SearchGoal], seed: int, plain: PlainGraphs
) -> DiscoveryStatus:
    """How the sizes of a search stand, without what depends on the clock.

    The best graphs are those of a plain search, too.
    """
    searches = [(goal.n, goal.d, goal.links.value, goal.both, seed) for goal in goals]
    own = set(searches)
    legs = [leg for leg in _stored_legs(store) if _search_of(leg[0]) in own]
    return DiscoveryStatus(record=_record(store, searches, legs, (), plain))


def deadline_place(seconds: float) -> str:
    """The leg under which it is stored when a search will be over."""
    return UNTIL + (datetime.now(UTC) + timedelta(seconds=seconds)).strftime(STAMP)


def _record(
    store: Store,
    searches: Sequence[Search],
    legs: Sequence[Leg],
    timed: Sequence[Leg],
    plain: PlainGraphs | None = None,
) -> StatusRecord:
    """The record of some searches by their legs; rates and time left from those that are timed."""
    judged = {search: dict.fromkeys(GraphKind, 0) for search in searches}
    for row, _ in legs:
        if _search_of(row) in judged:
            judged[_search_of(row)][_kind_of_leg(row)] += row.judged
    rates = recent_rates(timed)
    return StatusRecord(
        sizes=tuple(
            _size(store, search, judged[search], rates.get(search), plain) for search in searches
        ),
        seconds_left=_seconds_left(timed),
    )


def _kind_of_leg(row: WorkUnitRow) -> GraphKind:
    turn = turn_of(row.place)
    return turn[0] if turn else GraphKind.CAYLEY


def _size(
    store: Store,
    search: Search,
    judged: Mapping[GraphKind, int],
    rate: float | None,
    plain: PlainGraphs | None,
) -> SizeStatus:
    n, d, links, both, seed = search
    goal = SearchGoal(n=n, d=d, links=LinkMode(links), both=both)
    known = plain.rows(n, d, goal.links) if plain else known_rows(goal, store)
    best = best_rows([*store.finds(n=n, d=d, links=links), *known], both)
    return SizeStatus(
        n=n, d=d, links=links, both=both, seed=seed, rate=rate, best=tuple(best),
        judged_by_kind={kind.value: count for kind, count in judged.items()},
        bound=cost_lower_bound(n, d, goal.links),
    )  # fmt: skip


def recent_rates(legs: Sequence[Leg]) -> dict[Search, float]:
    """Graphs a second of each search, over the RECENT time before the last leg was stored."""
    times = [time for _, time in legs]
    recent = [leg for leg in legs if leg[1] > max(times) - RECENT]
    first = min((time for _, time in recent), default=None)
    if first is None or not (span := (max(times) - first).total_seconds()):
        return {}
    found: dict[Search, float] = defaultdict(float)
    for row, time in recent:
        if time > first:
            found[_search_of(row)] += row.judged / span
    return dict(found)


def _seconds_left(legs: Iterable[Leg]) -> float | None:
    """Seconds until the last of the searches is over that are running, None without one."""
    ends = [
        _moment(row.place.removeprefix(UNTIL)) for row, _ in legs if row.place.startswith(UNTIL)
    ]
    left = (max(ends) - datetime.now(UTC)).total_seconds() if ends else 0
    return left if left > 0 else None


def _stored_legs(store: Store) -> list[Leg]:
    return [(row, _moment(created)) for row, created in store.leg_times()]


def _moment(stamp: str) -> datetime:
    try:
        return datetime.strptime(stamp, STAMP).replace(tzinfo=UTC)
    except ValueError:  # of a newer topofinder
        return datetime.min.replace(tzinfo=UTC)


def _search_of(row: WorkUnitRow) -> Search:
    return row.n, row.d, row.links, row.both, row.seed
