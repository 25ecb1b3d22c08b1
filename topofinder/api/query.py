"""What `topofinder query` is asked for, and the stored candidates that answer it.

Filters are exact, and so is every order: values are compared as fractions, not as they print.
"""

import os
from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import index
from typing import SupportsIndex

from db.query_rows import MatchRow
from db.reading import Interval
from db.selection import Selection
from db.store import Store
from db.throughput_rows import ThroughputRow
from db.values import integer
from generators.errors import InvalidInput
from generators.shown import shown
from reports.query_columns import QueryColumn, column
from reports.query_row import FoundCandidate
from topofinder.api.family_words import matching
from topofinder.api.query_order import ordered
from topofinder.api.query_pricing import Pricing
from topofinder.model.workload import Workload

UNIFORM = "uniform"
Ranges = int | Interval | Sequence[int | Interval] | None
RANGES_ARE = "a number, a pair (least, most), or a list of them"
NEEDS = {
    "workload": "a workload: --alpha, --size and --bandwidth",
    "throughput": "--with-throughput",
    "all-to-alls": "all-to-alls in the workload: --alltoall",
}


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
) -> list[FoundCandidate]:
    """The stored frontier members, or with `everything` all candidates, for which all of it holds.

    `n` and `d` are a number, an inclusive pair, or a list of such. `max_bandwidth` is in
    M/B, `id` how an identity begins, `family` a word for a base graph or a stored family, `sort`
    a column of `reports.query_columns`. Without `sort` the order is by size and cost; rows that
    have no value in the column come last. A `workload` gives times; `with_throughput`, or its
    all-to-alls, the stored throughputs.

    Raises InvalidInput for a file that is missing or no database of topofinder, and for filters
    that mean nothing, naming the choices. Nothing found is an empty list.

    >>> with Store(":memory:") as store:  # a fresh database holds nothing
    ...     select(store, Selection(n=((2, 2000),)))
    []
    """
    key = _sorted_by(sort, workload, with_throughput)
    most = None if limit is None else integer("limit", limit)
    if not isinstance(max_bandwidth, int | Fraction | None):
        raise InvalidInput(
            f"max_bandwidth: an int or a Fraction is needed, not {shown(max_bandwidth)}"
        )
    with Store(db, create=False) as store:
        wanted = Selection(
            n=_ranges("n", n),
            d=_ranges("d", d),
            links=links,
            families=None if family is None else matching(family, store.words("family")),
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
        found = ordered(found, key, descending=descending)
    elif descending:
        found.reverse()
    return found[:most]


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
    return [price.found(row, rates.get(row.recipe)) for row in rows]


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
        raise InvalidInput(f"{name}: {RANGES_ARE}, not {shown(wanted)}")
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
        raise InvalidInput(f"method: no method {shown(word)}; the choices are {', '.join(stored)}")
    return word


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
