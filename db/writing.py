"""Save finished sizes. Every function is called inside one write transaction.

A size that is stored already is compared, not written again: saving twice changes nothing, and a
different answer of the same engine is an error. A newer engine replaces what an older one found,
and of one engine the search with more effort; a search with less changes nothing. Nor does one
without a graph that stands there by name.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

from db.opening import ReplacementRefused
from db.reading import AT, Size, read_engine, read_frontier, read_pool, rows
from db.records import Record, candidate_record, candidate_row, frontier_record
from db.rows import CandidateRow, FrontierRow, SizeRow
from generators.errors import InvalidInput

CHUNK = 500
"""Identities asked for in one query; SQLite allows 999 parameters by default."""


def write_or_keep(
    connection: sqlite3.Connection, batch: Sequence[SizeRow], created: str
) -> list[tuple[SizeRow, str]]:
    """Save the sizes of a batch but for those in whose place something else must be kept.

    These are given back, each with the reason. InvalidInput for another answer of one engine.
    """
    try:
        with savepoint(connection):
            write_sizes(connection, batch, created)
        return []
    except ReplacementRefused:
        return [(size, kept) for size in batch if (kept := _save_size(connection, size, created))]


def _save_size(connection: sqlite3.Connection, size: SizeRow, created: str) -> str | None:
    """Save one size, or tell why what is stored must be kept."""
    try:
        with savepoint(connection):
            write_sizes(connection, [size], created)
    except ReplacementRefused as error:
        return str(error)
    return None


def write_sizes(connection: sqlite3.Connection, batch: Sequence[SizeRow], created: str) -> None:
    """Save the sizes of a batch; `created` stamps the rows that carry no time of their own."""
    fresh = [size for size in _once(batch) if _supersedes(connection, size)]
    found = [row for size in fresh for row in (*_members(size), *_pool(size))]
    _write_candidates(connection, _distinct(found), created)
    connection.executemany(f"DELETE FROM frontiers WHERE {AT}", map(_key, fresh))
    _insert(connection, "frontiers", [_head(size, created) for size in fresh])
    for table, members in (("frontier_members", _members), ("pool_members", _pool)):
        ranked = [record for size in fresh for record in _ranks(size, members(size))]
        _insert(connection, table, ranked)


@contextmanager
def savepoint(connection: sqlite3.Connection) -> Iterator[None]:
    """A part of a transaction that is undone on any error."""
    connection.execute("SAVEPOINT part")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK TO part")
        connection.execute("RELEASE part")
        raise
    connection.execute("RELEASE part")


def _insert(
    connection: sqlite3.Connection, table: str, records: Sequence[Record], then: str = ""
) -> None:
    """Insert records that all have the same columns, in an order that the first one sets."""
    if not records:
        return
    columns = list(records[0])
    names, values = ", ".join(columns), ", ".join(f":{column}" for column in columns)
    connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({values}) {then}", records)


def _once(batch: Sequence[SizeRow]) -> Iterator[SizeRow]:
    """The sizes of a batch, each once; a size that occurs twice must say the same twice."""
    seen: dict[Size, SizeRow] = {}
    for size in batch:
        if seen.setdefault(_key(size), size) != size:
            raise InvalidInput(f"{_name(size)} is offered twice, with different content")
    yield from seen.values()


def _supersedes(connection: sqlite3.Connection, size: SizeRow) -> bool:
    """Whether a size is to be written: it is new, from a newer engine, or has the first pool."""
    offered, engine = size.frontier, read_engine(connection, _key(size))
    if engine is None or engine < offered.engine:
        return True
    if engine > offered.engine:
        raise ReplacementRefused(
            f"{_name(size)} is stored from engine {engine}, newer than {offered.engine}"
        )
    stored, pool = _answer(connection, size)
    if stored == offered and size.pool in (None, pool):
        return False
    lost, gained = (
        set(stored.graphs) - set(offered.graphs),
        set(offered.graphs) - set(stored.graphs),
    )
    if lost or gained or stored.effort != offered.effort:
        return not lost and (stored.effort, 0) < (offered.effort, len(gained))
    if stored != offered or pool is not None:
        _distinct([*stored.members, *(pool or ()), *_members(size), *_pool(size)])
        raise InvalidInput(f"{_name(size)} is stored with another {_difference(stored, offered)}")
    return True


def _answer(
    connection: sqlite3.Connection, size: SizeRow
) -> tuple[FrontierRow, tuple[CandidateRow, ...] | None]:
    """The stored frontier and pool of a size that is there."""
    try:
        stored = read_frontier(connection, _key(size))
        pool = read_pool(connection, _key(size))
    except InvalidInput as error:
        raise ReplacementRefused(f"{_name(size)} is stored, but cannot be read: {error}") from error
    if stored is None:
        raise ReplacementRefused(f"{_name(size)} is gone")
    return stored, pool


def _difference(stored: FrontierRow, offered: FrontierRow) -> str:
    """What differs between two answers for one size."""
    names = ("parameters", "bound_steps", "bound_bandwidth", "members")
    return next((name for name in names if getattr(stored, name) != getattr(offered, name)), "pool")


def _distinct(found: list[CandidateRow]) -> dict[str, CandidateRow]:
    """Candidates by identity; one that occurs twice must say the same twice."""
    distinct: dict[str, CandidateRow] = {}
    for row in found:
        if distinct.setdefault(row.id, row) != row:
            _conflict(distinct[row.id], row)
    return distinct


def write_candidates(
    connection: sqlite3.Connection, found: Iterable[CandidateRow], created: str
) -> None:
    """Insert candidates that are in no frontier; one that is there must say the same."""
    _write_candidates(connection, _distinct(list(found)), created)


def _write_candidates(
    connection: sqlite3.Connection,
    offered: dict[str, CandidateRow],
    created: str,
) -> None:
    """Insert what is new, and update what an older engine left."""
    stored = _stored_candidates(connection, offered)
    for key, old in stored.items():
        if old != offered[key]:
            if old.engine > offered[key].engine:
                newer = f"is stored from engine {old.engine}, newer than {offered[key].engine}"
                raise ReplacementRefused(f"{_title(offered[key])} {newer}")
            if old.engine == offered[key].engine:
                _conflict(old, offered[key])
    changed = [row for key, row in offered.items() if stored.get(key) != row]
    records = [_with_time(candidate_record(row), created) for row in changed]
    names = [name for name in (records[0] if records else ()) if name != "id"]
    renewed = ", ".join(f"{name} = excluded.{name}" for name in names)
    _insert(connection, "candidates", records, f"ON CONFLICT (id) DO UPDATE SET {renewed}")


def _stored_candidates(
    connection: sqlite3.Connection, offered: dict[str, CandidateRow]
) -> dict[str, CandidateRow]:
    """The candidates that are stored already, by identity."""
    pending = iter(offered)
    found: dict[str, CandidateRow] = {}
    while chunk := list(islice(pending, CHUNK)):
        marks = ",".join("?" * len(chunk))
        query = f"SELECT * FROM candidates WHERE id IN ({marks})"
        for record in rows(connection, query, chunk):
            found[record["id"]] = _read_candidate(record, offered[record["id"]])
    return found


def _read_candidate(record: sqlite3.Row, offered: CandidateRow) -> CandidateRow:
    try:
        return candidate_row(record)
    except InvalidInput as error:
        raise ReplacementRefused(
            f"{_title(offered)} is stored, but cannot be read: {error}"
        ) from error


def _conflict(stored: CandidateRow, offered: CandidateRow) -> None:
    """Refuse a second description of one candidate, naming the first field that differs."""
    for name in offered.__slots__:
        old, new = getattr(stored, name), getattr(offered, name)
        if old != new and name not in ("version", "created"):
            raise InvalidInput(
                f"{_title(offered)}: {name} is stored as {old!s:.60}, offered as {new!s:.60}"
            )


def _title(row: CandidateRow) -> str:
    return f"{row.recipe} by {row.method} at n {row.n}, d {row.d}, {row.links}"


def _head(size: SizeRow, created: str) -> Record:
    pool_size = None if size.pool is None else len(size.pool)
    return _with_time(frontier_record(size.frontier, pool_size), created)


def _members(size: SizeRow) -> Sequence[CandidateRow]:
    return size.frontier.members


def _pool(size: SizeRow) -> Sequence[CandidateRow]:
    return size.pool or ()


def _ranks(size: SizeRow, members: Sequence[CandidateRow]) -> Iterator[Record]:
    n, d, links = _key(size)
    for rank, row in enumerate(members):
        yield {"n": n, "d": d, "links": links, "rank": rank, "candidate": row.id}


def _with_time(record: Record, created: str) -> Record:
    return record | {"created": record["created"] or created}


def _key(size: SizeRow) -> Size:
    return size.frontier.n, size.frontier.d, size.frontier.links


def _name(size: SizeRow) -> str:
    n, d, links = _key(size)
    return f"n {n}, d {d}, {links}"
