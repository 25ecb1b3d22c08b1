"""What `topofinder query` is asked for, and the stored candidates that answer it.

Filters are exact, and so is every order: values are compared as fractions, not as they print.
"""

import os
from collections.abc import Iterable, Sequence
from fractions import Fraction

from db.match_rows import MatchRow
from db.reading import Interval
from db.selection import Selection
from db.store import Store
from db.throughput_rows import ThroughputRow
from generators.errors import InvalidInput
from reports.found import Found
from reports.query_columns import Column, column
from topofinder.family_words import matching
from topofinder.query_order import ordered
from topofinder.query_pricing import Pricing
from topofinder.workload import Workload

UNIFORM = "uniform"
Ranges = int | Interval | Sequence[Interval] | None
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
) -> list[Found]:
    """The stored frontier members, or with `everything` all candidates, for which all of it holds.

    `n` and `d` are a number, an inclusive pair, or a sequence of such pairs. `max_bandwidth` is in
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
    if limit is not None and limit < 0:
        raise InvalidInput(f"limit: 0 or more, not {limit}")
    with Store(db, create=False) as store:
        wanted = Selection(
            n=_ranges(n),
            d=_ranges(d),
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
    return found[:limit]


def select(
    store: Store,
    wanted: Selection,
    workload: Workload | None = None,
    with_throughput: bool = False,
    max_bandwidth: Fraction | int | None = None,
) -> list[Found]:
    """The candidates that are wanted, with what can be computed of them, by size and cost."""
    rows: Iterable[MatchRow] = store.matches(wanted)
    if max_bandwidth is not None:
        rows = [row for row in rows if row.bandwidth <= max_bandwidth]
    exchanges = workload is not None and bool(workload.exchanges)
    rates = _rates(store) if with_throughput or exchanges else {}
    if workload is None and not rates:
        return [Found(row) for row in rows]
    price = Pricing.of(workload)
    return [price.found(row, rates.get(row.recipe)) for row in rows]


def _ranges(wanted: Ranges) -> tuple[Interval, ...] | None:
    if wanted is None:
        return None
    if isinstance(wanted, int):
        return ((wanted, wanted),)
    if len(wanted) == 2 and isinstance(wanted[0], int):
        return ((wanted[0], wanted[1]),)  # type: ignore[return-value]
    return tuple(wanted)  # type: ignore[arg-type]


def _method(word: str, stored: list[str]) -> str:
    if stored and word not in stored:
        raise InvalidInput(f"method: no method {word!r}; the choices are {', '.join(stored)}")
    return word


def _sorted_by(name: str | None, workload: Workload | None, rates: bool) -> Column | None:
    """The column that rows are sorted by, which must hold something."""
    if name is None:
        return None
    key = column(name, "sort")
    require_known(key, workload, rates, "sort")
    return key


def require_known(key: Column, workload: Workload | None, rates: bool, source: str) -> None:
    """Refuse a column of values that nobody asked to compute."""
    exchanges = workload is not None and bool(workload.exchanges)
    known = {None: True, "workload": workload is not None, "throughput": rates or exchanges}
    if not known.get(key.needs, exchanges):
        raise InvalidInput(f"{source}: column {key.name!r} needs {NEEDS[key.needs or '']}")


def _rates(store: Store) -> dict[str, ThroughputRow]:
    """The stored intervals of the uniform all-to-all, by recipe."""
    return {row.recipe: row for row in store.throughputs(demand=UNIFORM) if row.recipe}
