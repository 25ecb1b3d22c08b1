"""`topofinder query`: the stored candidates for which filters hold, in order and priced.

Filters are exact, and so is every order: values are compared as fractions, not as they print.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex

from db.query_rows import MatchRow
from db.reading import Interval
from db.selection import Selection
from db.store import Store
from db.throughput_rows import ThroughputRow
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
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.frames import data_frame
from topofinder.interrupts import gc_paused
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
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class QueryResult(Answer):
    """The rows that a query finds, in their order; a sequence of them.

    `columns` are those that tables and data frames have.
    """

    rows: tuple[FoundCandidate, ...]
    columns: tuple[QueryColumn, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[FoundCandidate]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> FoundCandidate:
        return self.rows[place]

    def summary(self) -> dict[str, Any]:
        """How many rows there are."""
        return {"rows": len(self.rows)}

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
    everything: bool = False,
    workload: Workload | None = None,
    with_throughput: bool = False,
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
    all-to-alls, the stored throughputs. `columns` are names of those that tables have.

    Raises InvalidInput for a file that is missing or no database of topofinder, and for filters
    that mean nothing, naming the choices. Where nothing is found, the answer has no rows.

    >>> with Store(":memory:") as store:  # a fresh database holds nothing
    ...     select(store, Selection(n=((2, 2000),)))
    []
    """
    listed = _columns(columns, workload, with_throughput)
    key = _sorted_by(sort, workload, with_throughput)
    most = None if limit is None else integer("limit", limit)
    if not isinstance(max_bandwidth, int | Fraction | None):
        raise InvalidInput(
            f"max_bandwidth: an int or a Fraction is needed, not {excerpt(max_bandwidth)}"
        )
    with gc_paused(), Store(db, create=False) as store:
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
            frontier=not everything,
        )
        found = select(store, wanted, workload, with_throughput, max_bandwidth)
        if key is not None:
            found = sort_rows(found, key, descending=descending)
        elif descending:
            found.reverse()
    return QueryResult(rows=tuple(found[:most]), columns=tuple(listed))


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


def _columns(
    listed: str | Sequence[str] | None, workload: Workload | None, rates: bool
) -> list[QueryColumn]:
    """The columns that are listed, or those that fit what is computed."""
    if listed is None:
        exchanges = workload is not None and bool(workload.exchanges)
        return shown_columns(times=workload is not None, rates=rates, exchanges=exchanges)
    names = listed.split(",") if isinstance(listed, str) else listed
    chosen = [column(name.strip(), "--columns") for name in names]
    for each in chosen:
        require_known(each, workload, rates, "--columns")
    return chosen


def _sorted_by(name: str | None, workload: Workload | None, rates: bool) -> QueryColumn | None:
    """The column that rows are sorted by, which must hold something."""
    if name is None:
        return None
    key = column(name, "sort")
    require_known(key, workload, rates, "sort")
    return key


def require_known(key: QueryColumn, workload: Workload | None, rates: bool, source: str) -> None:
    """Refuse a column of values that nobody asked to compute."""
    exchanges = workload is not None and bool(workload.exchanges)
    known = {None: True, "workload": workload is not None, "throughput": rates or exchanges}
    if not known.get(key.needs, exchanges):
        raise InvalidInput(f"{source}: column {key.name!r} needs {NEEDS[key.needs or '']}")


def _rates(store: Store) -> dict[str, ThroughputRow]:
    """The stored intervals of the uniform all-to-all, by recipe."""
    rows = store.throughputs(demand=UNIFORM, left_out=lambda record, reason: None)
    return {row.recipe: row for row in rows if row.recipe}
