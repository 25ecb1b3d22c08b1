"""Candidates as a query finds them: light rows, since a query may find all that are stored."""

import sqlite3
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from db.selection import Selection
from expansions.collective_costs import CountedCosts
from generators.errors import InvalidInput

_COLUMNS = (
    *("id", "recipe", "n", "d", "links", "method", "family", "steps", "bandwidth_num"),
    *("bandwidth_den", "rs_steps", "rs_bandwidth_num", "rs_bandwidth_den", "exact", "diameter"),
    *("bandwidth_optimal", "moore_optimal", "engine", "version"),
)
WORDS = ("family", "method", "links")
"""Columns with few different texts."""

_MEMBER = "m.n = c.n AND m.d = c.d AND m.links = c.links AND m.candidate = c.id"
_SIZE = "f.n = c.n AND f.d = c.d AND f.links = c.links"


class _MatchFields(NamedTuple):
    """What a tuple of `MatchRow` holds; a class that names its fields so can inherit no more."""

    id: str
    recipe: str
    n: int
    d: int
    links: str
    method: str
    family: str | None
    steps: int
    bandwidth: Fraction
    rs_steps: int
    rs_bandwidth: Fraction
    exact: bool
    diameter: int | None
    bandwidth_optimal: bool | None
    moore_optimal: bool | None
    engine: int
    version: str
    bound_steps: int | None
    on_frontier: bool


class MatchRow(_MatchFields, CountedCosts):
    """A candidate and its place: steps count alpha, bandwidths M/B, exactly.

    `bound_steps` is the least of its size, None where the size is not finished; `on_frontier` says
    whether it is a member of that size's frontier. The rest is as in `CandidateRow`.
    """

    __slots__ = ()


def read_match_rows(connection: sqlite3.Connection, wanted: Selection) -> Iterator[MatchRow]:
    """The candidates that are wanted, in no order. InvalidInput for a damaged row."""
    clause, values = wanted.condition()
    if wanted.frontier:
        joined = f"frontier_members m JOIN candidates c ON {_MEMBER} JOIN frontiers f ON {_SIZE}"
        listed = "1"
    else:
        joined = f"candidates c LEFT JOIN frontiers f ON {_SIZE}"
        listed = f"EXISTS (SELECT 1 FROM frontier_members m WHERE {_MEMBER})"
    columns = ", ".join(f"c.{name}" for name in _COLUMNS)
    query = f"SELECT {columns}, f.bound_steps, {listed} FROM {joined} {clause}"
    return map(_match, connection.execute(query, values))


def stored_words(connection: sqlite3.Connection, column: str) -> list[str]:
    """What occurs in one of the columns WORDS of the candidates, in order."""
    if column not in WORDS:
        raise InvalidInput(f"column: {', '.join(WORDS)} hold words, not {column!r}")
    query = f"SELECT DISTINCT {column} FROM candidates WHERE {column} IS NOT NULL"
    return sorted(str(word) for (word,) in connection.execute(query))


def _match(record: tuple[Any, ...]) -> MatchRow:
    steps, above, below, rs_steps, rs_above, rs_below, exact, diameter, best, moore = record[7:17]
    engine, version, bound, listed = record[17:]
    try:
        _require_types(tuple(map(type, record)))
        found = (
            *record[:7],
            steps,
            _ratio(above, below),
            rs_steps,
            _ratio(rs_above, rs_below),
            exact == 1,
            diameter,
            None if best is None else best == 1,
            True if moore or steps == bound else None if moore is None else False,
            engine,
            version,
            bound,
            listed == 1,
        )
        return MatchRow._make(found)
    except (TypeError, ValueError, ZeroDivisionError):
        raise InvalidInput(f"the candidate {str(record[1])[:200]!r} is damaged") from None


_TYPES = (str, str, int, int, str, str, str, *[int] * 6, int, int, int, int, int, str, int, int)
_OPTIONAL = {6, 14, 15, 16, 19}
"""Places of a record that may be NULL: family, diameter, both kinds of optimal, bound_steps."""


@lru_cache(maxsize=1 << 10)
def _require_types(types: tuple[type, ...]) -> None:
    """Refuse a record whose columns are not of the types that this program writes."""
    for place, (found, wanted) in enumerate(zip(types, _TYPES, strict=True)):
        if found is not wanted and not (found is type(None) and place in _OPTIONAL):
            raise TypeError(found)


@lru_cache(maxsize=1 << 15)
def _ratio(above: int, below: int) -> Fraction:
    """A stored fraction; few differ among many rows."""
    ratio = Fraction(above, below)
    if ratio < 0:
        raise ValueError(ratio)
    return ratio
