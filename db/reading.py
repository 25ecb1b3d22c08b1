"""Typed reads. Every function reads one state of the file: call it inside one transaction."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from typing import Any

from db.named_graphs import GRAPHS, GraphOfOthers
from db.records import candidate_row, frontier_row
from db.rows import CandidateRow, FrontierRow
from db.values import integer
from generators.errors import InvalidInput

Interval = tuple[int, int]
Bound = int | str | Interval | None
Where = dict[str, Bound]
Size = tuple[int, int, str]

AT = "n = ? AND d = ? AND links = ?"
"""The condition that picks one size."""

_size = itemgetter("n", "d", "links")


def read_frontier(connection: sqlite3.Connection, size: Size) -> FrontierRow | None:
    """The stored frontier of a size."""
    head = _head(connection, size)
    if head is None:
        return None
    return _frontier(head, rows(connection, _members("frontier_members"), size))


def read_pool(connection: sqlite3.Connection, size: Size) -> tuple[CandidateRow, ...] | None:
    """The stored pool of a size, `None` where none is kept."""
    head = _head(connection, size)
    if head is None or head["pool_size"] is None:
        return None
    pool = tuple(map(candidate_row, rows(connection, _members("pool_members"), size)))
    _complete("pool", size, head["pool_size"], len(pool))
    return pool


def read_engine(connection: sqlite3.Connection, size: Size) -> int | None:
    """The engine that a stored size is from, `None` where the size is not finished."""
    head = _head(connection, size)
    return None if head is None else integer("engine", head["engine"])


def read_effort(connection: sqlite3.Connection, size: Size) -> int:
    """How long lifts were looked for at a stored size, 0 where it is not finished."""
    head = _head(connection, size)
    return 0 if head is None else stored_effort(head)


def stored_effort(head: sqlite3.Row) -> int:
    """The same of a record of `frontiers`; InvalidInput if it is damaged."""
    if head["parameters"] == "{}":
        return 0
    return frontier_row(head, ()).effort


def read_named_graphs(connection: sqlite3.Connection) -> dict[Size, tuple[GraphOfOthers, ...]]:
    """The graphs that were merged by name, by size; none of damaged records."""
    query = "SELECT * FROM frontiers f WHERE instr(f.parameters, ?) ORDER BY n, d, links"
    found = {}
    for head in rows(connection, query, [f'"{GRAPHS}"']):
        with suppress(InvalidInput):
            found[_size(head)] = frontier_row(head, ()).graphs
    return found


def is_searched(head: sqlite3.Row, effort: int) -> bool:
    """Whether a size was searched with as much effort; a damaged record, which is kept, counts."""
    try:
        return not effort or stored_effort(head) >= effort
    except InvalidInput:
        return True


def read_frontiers(connection: sqlite3.Connection, where: Where) -> list[FrontierRow]:
    """All stored frontiers that agree with `where`, ordered by n, d and links."""
    clause, values = condition("f", where)
    heads = f"SELECT * FROM frontiers f {clause} ORDER BY n, d, links"
    joined = (
        "SELECT c.* FROM frontiers f JOIN frontier_members m USING (n, d, links)"
        f" JOIN candidates c ON c.id = m.candidate {clause} ORDER BY m.n, m.d, m.links, m.rank"
    )
    groups = groupby(rows(connection, joined, values), key=_size)
    members = {size: list(group) for size, group in groups}
    return [
        _frontier(head, members.get(_size(head), [])) for head in rows(connection, heads, values)
    ]


def read_candidates(
    connection: sqlite3.Connection,
    where: Where,
    left_out: Callable[[int, str], None] | None = None,
) -> list[CandidateRow]:
    """All stored candidates that agree with `where`, by size, cost, recipe and method.

    One that cannot be read is left out where `left_out` takes its n and the reason.
    """
    clause, values = condition("c", where)
    found: list[CandidateRow] = []
    for record in rows(connection, f"SELECT * FROM candidates c {clause}", values):
        try:
            found.append(candidate_row(record))
        except InvalidInput as error:
            if left_out is None:
                raise
            left_out(record["n"], str(error))
    return sorted(found, key=_order)


def condition(table: str, where: Where) -> tuple[str, list[int | str]]:
    """A WHERE clause with bound parameters; a pair bounds a column from both sides.

    >>> condition("c", {"n": (2, 64), "d": None, "links": "duplex"})
    ('WHERE c.n BETWEEN ? AND ? AND c.links = ?', [2, 64, 'duplex'])
    """
    terms: list[str] = []
    values: list[int | str] = []
    for column, bound in where.items():
        if isinstance(bound, tuple):
            terms.append(f"{table}.{column} BETWEEN ? AND ?")
            values.extend(bound)
        elif bound is not None:
            terms.append(f"{table}.{column} = ?")
            values.append(bound)
    return ("WHERE " + " AND ".join(terms) if terms else ""), values


def rows(
    connection: sqlite3.Connection, query: str, values: Sequence[Any] = ()
) -> Iterator[sqlite3.Row]:
    """The rows of a query, whose columns are read by name."""
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    return cursor.execute(query, values)


def _head(connection: sqlite3.Connection, size: Size) -> sqlite3.Row | None:
    return next(rows(connection, f"SELECT * FROM frontiers WHERE {AT}", size), None)


def _members(table: str) -> str:
    join = f"{table} m JOIN candidates c ON c.id = m.candidate"
    return f"SELECT c.* FROM {join} WHERE m.n = ? AND m.d = ? AND m.links = ? ORDER BY m.rank"


def _frontier(head: sqlite3.Row, members: Iterator[sqlite3.Row] | list[sqlite3.Row]) -> FrontierRow:
    row = frontier_row(head, members)
    _complete("frontier", _size(head), head["frontier_size"], len(row.members))
    return row


def _complete(name: str, size: Size, stated: int, found: int) -> None:
    """Refuse a size of which members are missing: the file was changed by something else."""
    if stated != found:
        raise InvalidInput(f"{name} of {size} has {found} of its {stated} members")


def _order(row: CandidateRow) -> tuple[Any, ...]:
    return row.n, row.d, row.links, row.steps, row.bandwidth, row.recipe, row.method


def sizes_where(
    n: int | Interval | None, d: int | Interval | None, links: str | None, engine: int | None
) -> Where:
    """The conditions that every table takes, with numpy's integers made plain."""
    where: Where = {name: plain_bound(name, value) for name, value in (("n", n), ("d", d))}
    return where | {"links": links, "engine": plain_bound("engine", engine)}


def plain_bound(name: str, value: int | Interval | None) -> int | Interval | None:
    """A filter with numpy's integers made plain."""
    if isinstance(value, tuple):
        return integer(name, value[0]), integer(name, value[1])
    return None if value is None else integer(name, value)
