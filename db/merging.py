"""Bring what one database holds into another: what is new is added, what is equal stays as it is.

Two unequal results of the same engine are a conflict: the stored one stays, and the conflict is
told. Of different engines the newer wins, as it does when a size is saved. All of a merge is one
transaction. Schedules, forests, timetables and plans stay behind, since their rows name files of
one machine. Trainings are taken only from a file that is trusted, such as one's own.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import islice

from db.discovery_rows import FindRow, read_find_rows, write_find_rows
from db.offered import Checks, Offer, Wanted
from db.opening import name_file_in_errors, transaction, unusable_file
from db.ordinary import MergeLimits, require_ordinary
from db.reading import Size
from db.reversal_rows import read_reversal, write_reversal
from db.rows import SizeRow
from db.schema import FINDS, REVERSALS, TABLES, THROUGHPUTS
from db.store import Store
from db.throughput_rows import ThroughputRow, read_throughput_rows, write_throughput_row
from db.training_rows import write_training
from db.values import now
from db.writing import savepoint, write_sizes
from generators.errors import InvalidInput

CHUNK = 200
"""Sizes that are written at once; they are written one by one where some of them conflict."""


@dataclass(slots=True, kw_only=True)
class MergeCounts:
    """What a merge did: sizes by outcome, other rows that were added, and a line a conflict.

    `older` counts sizes that the target has from a newer engine. `throughputs` counts intervals
    that were added or got narrower. `refused` has a line for each row that cannot be, or that this
    program cannot check; nothing of it is stored. `left` counts the sizes and rows that were not
    looked at, for want of time.
    """

    added: int = 0
    same: int = 0
    replaced: int = 0
    older: int = 0
    throughputs: int = 0
    finds: int = 0
    reversals: int = 0
    trainings: int = 0
    left: int = 0
    conflicts: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def merge(
    source: Store,
    target: Store,
    wanted: Wanted = lambda n, d, links: True,
    checks: Checks = Checks(),
    limits: MergeLimits | None = None,
    tell: Callable[[int, int], None] = lambda done, total: None,
    is_over: Callable[[], bool] = lambda: False,
) -> MergeCounts:
    """Merge what is wanted of an open database into another one; on any error, nothing.

    Rows that cannot be read, or do not pass the checks, are left out and told. Raises InvalidInput
    that names the file for tables that are not ours, a target that cannot be written, more wrong
    rows than are told, and where it is beyond `limits`. As soon as it `is_over`, what was looked at
    until then is merged.

    >>> with Store(":memory:") as source, Store(":memory:") as target:
    ...     merge(source, target).added
    0
    """
    if target.read_only:
        raise unusable_file(target.path, "cannot be written")
    with _name_file_in_errors(target):
        target.require_writable()
    with _name_file_in_errors(source), transaction(source.connection, "DEFERRED"):
        require_own_tables(source.connection, source.path, limits)
        offered = Offer(source.connection, wanted, checks, tell=tell, is_over=is_over)
        with _name_file_in_errors(target), transaction(target.connection, "IMMEDIATE"):
            return _merge_offer(offered, target.connection)


@contextmanager
def _name_file_in_errors(store: Store) -> Iterator[None]:
    """Errors name the file; one that names a file already is left as it is."""
    with name_file_in_errors(store.path):
        try:
            yield
        except InvalidInput as error:
            if str(error).startswith("database "):
                raise
            raise unusable_file(store.path, str(error)) from error


def _merge_offer(offered: Offer, target: sqlite3.Connection) -> MergeCounts:
    told, created = MergeCounts(refused=offered.refused, left=offered.left), now()
    _merge_sizes(offered.sizes, target, told, created)
    for rate in offered.throughputs:
        _merge_throughput(rate, target, told, created)
    for find in offered.finds:
        _merge_find(find, target, told, created)
    for topology, recipe, image in offered.reversals:
        if image and read_reversal(target, topology) is None:
            write_reversal(target, topology, recipe, image, created)
            told.reversals += 1
    for training in offered.trainings:
        told.trainings += write_training(target, training, created)
    return told


def _merge_sizes(
    sizes: Iterable[SizeRow], target: sqlite3.Connection, told: MergeCounts, created: str
) -> None:
    query = "SELECT n, d, links, engine FROM frontiers"
    engines: dict[Size, int] = {(n, d, links): e for n, d, links, e in target.execute(query)}
    pending = iter(sizes)
    while chunk := list(islice(pending, CHUNK)):
        fit = [size for size in chunk if engines.get(_size(size), 0) <= size.frontier.engine]
        told.older += len(chunk) - len(fit)
        if _write_sizes(fit, target, created) is None:
            for size in fit:
                _count(size, engines, told)
            continue
        for size in fit:
            conflict = _write_sizes([size], target, created)
            if conflict is None:
                _count(size, engines, told)
            else:
                told.conflicts.append(conflict)


def _write_sizes(sizes: list[SizeRow], target: sqlite3.Connection, created: str) -> str | None:
    """Write sizes all together, or none of them and say why."""
    try:
        with savepoint(target):
            write_sizes(target, sizes, created)
    except InvalidInput as error:
        return str(error)
    return None


def _count(size: SizeRow, engines: dict[Size, int], told: MergeCounts) -> None:
    stored = engines.get(_size(size))
    if stored is None:
        told.added += 1
    elif stored < size.frontier.engine:
        told.replaced += 1
    else:
        told.same += 1


def _size(size: SizeRow) -> Size:
    return size.frontier.n, size.frontier.d, size.frontier.links


def _merge_throughput(
    row: ThroughputRow, target: sqlite3.Connection, told: MergeCounts, created: str
) -> None:
    subject = row.recipe or row.topology
    for stored in read_throughput_rows(target, {"subject": subject, "demand": row.demand}):
        if stored.topology != row.topology:
            told.conflicts.append(
                f"throughput of {subject} for {row.demand}: the graph is stored as "
                f"{stored.topology[:8]}, offered as {row.topology[:8]}"
            )
            return
    before = target.total_changes
    try:
        write_throughput_row(target, row, created)
    except InvalidInput as error:
        told.conflicts.append(str(error))
        return
    told.throughputs += target.total_changes > before


def _merge_find(row: FindRow, target: sqlite3.Connection, told: MergeCounts, created: str) -> None:
    where = {"recipe": row.recipe, "links": row.links}
    for stored in read_find_rows(target, dict(where)):
        costs = [(each.n, each.d, each.allgather, each.reduce_scatter) for each in (stored, row)]
        if costs[0] != costs[1]:
            told.conflicts.append(f"find {row.recipe}, {row.links}: another cost is stored")
        return
    write_find_rows(target, [row], (), created)
    told.finds += 1


LONGEST = 8 << 20
"""Bytes of the longest text or blob that is read."""


def require_own_tables(
    connection: sqlite3.Connection, path: str, limits: MergeLimits | None = None
) -> None:
    """Refuse a file whose tables of sizes, throughputs, finds or reversals are not ours.

    Raises InvalidInput for these, for triggers, and for a file that is damaged inside.
    """
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    told = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
    for name, text in _own_tables().items():
        if told.get(name) != text:
            raise InvalidInput(f"its table {name} is not one of topofinder's")
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
        raise InvalidInput(f"has a trigger, which topofinder makes none of: {str(name)!r:.60}")
    if limits is not None:
        require_ordinary(connection, path, limits)
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise InvalidInput(f"is damaged: {' '.join(str(found).split())}")


def _own_tables() -> dict[str, str]:
    """The text of each table, as SQLite keeps it."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for script in (TABLES, THROUGHPUTS, FINDS, REVERSALS):
            connection.executescript(script)
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
        return dict(connection.execute(query))
