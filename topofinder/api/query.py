"""`topofinder query`: the stored candidates for which filters hold, in order and priced.

Filters are exact, and so is every order: values are compared as fractions, not as they print.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex

from db.query_rows import MatchRow
from db.reading import Interval
from db.selection import Selection
from db.store import Store
from db.throughput_rows import ThroughputRow
from db.training_rows import TrainingRow
from db.values import integer
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from reports.query import (
    found_fields,
    query_csv,
    query_json,
    query_markdown,
    query_text,
    query_values,
    shown_columns,
)
from reports.query_columns import QueryColumn, column
from reports.query_row import FoundCandidate
from topofinder.api.query_filters import matching_families, sort_rows
from topofinder.api.query_pricing import Pricing
from topofinder.api.query_trainings import TrainingChoice, trained_candidates
from topofinder.api.query_workers import (
    after_failures,
    check_workers,
    query_workers,
    rate_missing,
)
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.frames import data_frame
from topofinder.api.shared.workloads import read_seconds
from topofinder.interrupts import end_early, gc_paused
from topofinder.model.workload import Workload

if TYPE_CHECKING:
    from pandas import DataFrame

UNIFORM = "uniform"
Ranges = int | Interval | Sequence[int | Interval] | None
RANGES_ARE = "a number, a pair (least, most), or a list of them"
NEEDS = {
    "workload": "a workload: --alpha, --size and --bandwidth",
    "throughput": "--with-throughput",
    "all-to-alls": "all-to-alls in the workload: --alltoall",
    "training": "a stored training: --train MODEL",
    "failures": "--with-failures",
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class QueryResult(Answer):
    """The rows that a query finds, in their order; a sequence of them.

    `columns` are those that tables and data frames have. `open` sizes are still to be trained on,
    as the time was over.
    """

    rows: tuple[FoundCandidate, ...]
    columns: tuple[QueryColumn, ...]
    open: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[FoundCandidate]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> FoundCandidate:
        return self.rows[place]

    def summary(self) -> dict[str, Any]:
        """How many rows there are, and how many sizes are left."""
        return {"rows": len(self.rows)} | ({"open": self.open} if self.open else {})

    def to_dict(self) -> list[dict[str, Any]]:
        """What `query --json` prints: the fields of every row."""
        return [found_fields(row) for row in self.rows]

    def to_json(self) -> str:
        """The text that `query --json` prints, a row a line."""
        return query_json(self.rows)

    def __str__(self) -> str:
        return query_text(self.rows, self.columns)

    def to_csv(self) -> str:
        """The text that `query --csv` prints."""
        return query_csv(self.rows, self.columns)

    def to_markdown(self) -> str:
        """The text that `query --markdown` prints."""
        return query_markdown(self.rows, self.columns)

    def table_rows(self) -> list[dict[str, Any]]:
        """A line for each row."""
        names = [each.name for each in self.columns]
        cells = zip(*(each.texts(self.rows) for each in self.columns), strict=True)
        return [dict(zip(names, line, strict=True)) for line in cells]

    def to_frame(self) -> "DataFrame":
        """The rows as a data frame; Unsupported where pandas is not installed."""
        return data_frame({each.name: query_values(each, self.rows) for each in self.columns})


def query(
    db: str | os.PathLike[str],
    *,
    n: Ranges = None,
    d: Ranges = None,
    links: str | None = None,
    family: str | None = None,
    method: str | None = None,
    recipe_contains: str | None = None,
    id: str | None = None,
    max_steps: int | None = None,
    max_bandwidth: Fraction | int | None = None,
    max_diameter: int | None = None,
    bandwidth_optimal: bool = False,
    moore_optimal: bool = False,
    exact: bool = False,
    everything: bool | None = None,
    workload: Workload | None = None,
    with_throughput: bool = False,
    with_failures: bool = False,
    train: str | os.PathLike[str] | None = None,
    alpha: str | None = None,
    bandwidth: str | None = None,
    training: str | None = None,
    backend: str | None = None,
    scheduler: str | None = None,
    time: float | str | None = None,
    sort: str | None = None,
    descending: bool = False,
    limit: int | None = None,
    columns: str | Sequence[str] | None = None,
) -> QueryResult:
    """The stored frontier members, or with `everything` all candidates, for which all of it holds.

    `n` and `d` are a number, an inclusive pair, or a list of such. `max_bandwidth` is in
    M/B, `id` how an identity begins, `family` a word for a base graph or a stored family, `sort`
    a column of `reports.query_columns`. Without `sort` the order is by size and cost; rows that
    have no value in the column come last. A `workload` gives times; `with_throughput`, or its
    all-to-alls, the stored throughputs. `with_failures` works out what the best known allreduce
    takes after any one failure, of MOST_RATED candidates at most, and leaves it out beyond
    MOST_FAILING hosts. `columns` are names of those that tables have.

    `train` is a model's name, or its table of layers: the candidates are those that a stored
    training of it rated, the quickest first, on the frontier or not. Where several are stored at a
    size, `alpha` ("10us"), `bandwidth` ("100Gbps") or how the id of the `training` begins choose.

    With a `backend` its workers work out what is asked for: failures, a candidate a task, and the
    trainings that stored sizes lack, for `alpha` and `bandwidth`, which this process stores. They
    are processes of this machine ("loky"), or a "dask" or "ray" cluster's, by the address of its
    `scheduler`. After `time`, seconds or a text such as "5min", or Ctrl-C, the rows are those of
    the trainings that are stored by then; a size that is begun is finished.

    Raises InvalidInput where no such training is stored, for a file that is missing or no database
    of topofinder, and for filters that mean nothing, naming the choices. Where nothing is found,
    the answer has no rows.

    >>> with Store(":memory:") as store:  # a fresh database holds nothing
    ...     select(store, Selection(n=((2, 2000),)))
    []
    """
    choice = _choice(train, alpha, bandwidth, training)
    check_workers(backend, choice, with_failures, time)
    seconds = None if time is None else read_seconds(time)
    asked = _Asked(
        workload=workload, rates=with_throughput, trained=choice is not None, failures=with_failures
    )
    listed = _columns(columns, asked)
    key = _sorted_by("iteration" if sort is None and choice else sort, asked)
    most, left = None if limit is None else integer("limit", limit), 0
    if not isinstance(max_bandwidth, int | Fraction | None):
        raise InvalidInput(
            f"max_bandwidth: an int or a Fraction is needed, not {excerpt(max_bandwidth)}"
        )
    with (
        gc_paused(),
        query_workers(backend, scheduler),
        Store(db, create=False) as store,
    ):
        wanted = Selection(
            n=_ranges("n", n),
            d=_ranges("d", d),
            links=links,
            families=None if family is None else matching_families(family, store.words("family")),
            method=None if method is None else _method(method, store.words("method")),
            recipe_contains=recipe_contains,
            id=id,
            max_steps=max_steps,
            max_diameter=max_diameter,
            bandwidth_optimal=bandwidth_optimal,
            moore_optimal=moore_optimal,
            exact=exact,
            frontier=choice is None if everything is None else not everything,
        )
        found = _with_names(store, select(store, wanted, workload, with_throughput, max_bandwidth))
        if choice is not None:
            with end_early() if backend is not None else nullcontext():
                if backend is not None:
                    left = rate_missing(store, wanted, choice, seconds)
                trained = choice.find(store, wanted)
            found = _with_iterations(found, trained_candidates(trained))
        if key is not None and key.needs == "failures":
            found = after_failures(found, by_workers=backend is not None)
        if key is not None:
            found = sort_rows(found, key, descending=descending)
        elif descending:
            found.reverse()
        shown = found[:most]
        if with_failures:
            shown = after_failures(shown, by_workers=backend is not None)
    if columns is None and any(row.name for row in shown):
        listed = _columns(None, replace(asked, named=True))
    return QueryResult(rows=tuple(shown), columns=tuple(listed), open=left)


def select(
    store: Store,
    wanted: Selection,
    workload: Workload | None = None,
    with_throughput: bool = False,
    max_bandwidth: Fraction | int | None = None,
) -> list[FoundCandidate]:
    """The candidates that are wanted, with what can be computed of them, by size and cost."""
    rows: Iterable[MatchRow] = store.matches(wanted)
    if max_bandwidth is not None:
        rows = [row for row in rows if row.bandwidth <= max_bandwidth]
    exchanges = workload is not None and bool(workload.exchanges)
    rates = _rates(store) if with_throughput or exchanges else {}
    if workload is None and not rates:
        return [FoundCandidate(row) for row in rows]
    price = Pricing.of(workload)
    return [price.price_row(row, rates.get(row.recipe)) for row in rows]


def _with_names(store: Store, found: list[FoundCandidate]) -> list[FoundCandidate]:
    """The rows with the names under which graphs were merged."""
    names = {
        (*size, one.recipe): one.name for size, some in store.named_graphs().items() for one in some
    }
    if not names:
        return found
    rows = ((one, (one.row.n, one.row.d, one.row.links, one.row.recipe)) for one in found)
    return [one._replace(name=names[key]) if key in names else one for one, key in rows]


def _ranges(name: str, wanted: object) -> tuple[Interval, ...] | None:
    """Inclusive pairs; a tuple of two numbers is a pair, other sequences are taken one by one.

    >>> _ranges("d", 4), _ranges("n", (2, 64)), _ranges("d", [2, 4]), _ranges("d", [2, (4, 8)])
    (((4, 4),), ((2, 64),), ((2, 2), (4, 4)), ((2, 2), (4, 8)))
    """
    if wanted is None:
        return None
    listed = isinstance(wanted, Sequence) and not isinstance(wanted, str)
    if listed and not (isinstance(wanted, tuple) and _pair(wanted)):
        return tuple(_interval(name, one) for one in wanted)  # type: ignore[attr-defined]
    return (_interval(name, wanted),)


def _interval(name: str, wanted: object) -> Interval:
    if isinstance(wanted, SupportsIndex):
        return index(wanted), index(wanted)
    pair = _pair(wanted)
    if pair is None:
        raise InvalidInput(f"{name}: {RANGES_ARE}, not {excerpt(wanted)}")
    return pair


def _pair(wanted: object) -> Interval | None:
    """Two numbers, or None for anything else."""
    if not isinstance(wanted, Sequence) or len(wanted) != 2:
        return None
    least, most = wanted
    if not (isinstance(least, SupportsIndex) and isinstance(most, SupportsIndex)):
        return None
    return index(least), index(most)


def _method(word: str, stored: list[str]) -> str:
    if stored and word not in stored:
        raise InvalidInput(
            f"method: no method {excerpt(word)}; the choices are {', '.join(stored)}"
        )
    return word


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What is asked to be known of candidates."""

    workload: Workload | None
    rates: bool
    trained: bool
    failures: bool = False
    named: bool = False

    @property
    def exchanges(self) -> bool:
        return self.workload is not None and bool(self.workload.exchanges)

    def require(self, key: QueryColumn, source: str) -> None:
        """Refuse a column of values that nobody asked to compute."""
        known = {
            None: True,
            "workload": self.workload is not None,
            "throughput": self.rates or self.exchanges,
            "training": self.trained,
            "failures": self.failures,
        }
        if not known.get(key.needs, self.exchanges):
            raise InvalidInput(f"{source}: column {key.name!r} needs {NEEDS[key.needs or '']}")


def _columns(listed: str | Sequence[str] | None, asked: _Asked) -> list[QueryColumn]:
    """The columns that are listed, or those that fit what is computed."""
    if listed is None:
        return shown_columns(
            times=asked.workload is not None,
            rates=asked.rates,
            exchanges=asked.exchanges,
            trained=asked.trained,
            failures=asked.failures,
            named=asked.named,
        )
    names = listed.split(",") if isinstance(listed, str) else listed
    chosen = [column(name.strip(), "--columns") for name in names]
    for each in chosen:
        asked.require(each, "--columns")
    return chosen


def _sorted_by(name: str | None, asked: _Asked) -> QueryColumn | None:
    """The column that rows are sorted by, which must hold something."""
    if name is None:
        return None
    key = column(name, "sort")
    asked.require(key, "sort")
    return key


def _choice(
    train: str | os.PathLike[str] | None,
    alpha: str | None,
    bandwidth: str | None,
    training: str | None,
) -> TrainingChoice | None:
    """Which training is asked for; what chooses among trainings needs a model."""
    if train is not None:
        return TrainingChoice(model=train, alpha=alpha, bandwidth=bandwidth, id=training)
    given = {"alpha": alpha, "bandwidth": bandwidth, "training": training}
    for name in (name for name, value in given.items() if value is not None):
        raise InvalidInput(f"{name}: chooses among trainings, which needs a model: train")
    return None


def _with_iterations(
    found: Iterable[FoundCandidate], known: Mapping[str, tuple[str, TrainingRow]]
) -> list[FoundCandidate]:
    """Those candidates that a training rated, with their iterations."""
    return [
        one._replace(training=known[one.row.id][0], iteration=known[one.row.id][1])
        for one in found
        if one.row.id in known
    ]


def _rates(store: Store) -> dict[str, ThroughputRow]:
    """The stored intervals of the uniform all-to-all, by recipe."""
    rows = store.throughputs(demand=UNIFORM, left_out=lambda record, reason: None)
    return {row.recipe: row for row in rows if row.recipe}
