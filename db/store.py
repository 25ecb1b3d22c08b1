"""The Store: one database file, its typed reads, and the one way of writing it."""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from db.discovery_rows import (
    FindRow,
    WorkUnitRow,
    read_find_rows,
    read_leg_times,
    read_legs,
    write_find_rows,
)
from db.named_graphs import GraphOfOthers
from db.opening import (
    is_absent,
    is_read_only,
    name_file_in_errors,
    open_database,
    transaction,
    unusable_file,
)
from db.query_rows import MatchRow, read_match_rows, stored_words
from db.rating_rows import RatingQuestion, RatingRow, read_rating_rows, write_rating_rows
from db.reading import (
    Interval,
    Size,
    condition,
    is_searched,
    plain_bound,
    read_candidates,
    read_effort,
    read_engine,
    read_frontier,
    read_frontiers,
    read_named_graphs,
    read_pool,
    rows,
    sizes_where,
)
from db.reversal_rows import read_reversal, write_reversal
from db.rows import CandidateRow, FrontierRow, SizeRow
from db.selection import Selection
from db.throughput_rows import ThroughputRow, read_throughput_rows, write_throughput_row
from db.values import integer, now
from db.writing import write_candidates, write_or_keep
from generators.errors import InvalidInput

if TYPE_CHECKING:  # a look-up of a search needs none of these
    from db.forest_rows import ForestRow
    from db.plan_rows import PlanRow
    from db.schedule_rows import ScheduleRow
    from db.timetable_rows import TimetableRow
    from db.training_rows import StoredTraining

T = TypeVar("T")


class Store:
    """A topofinder database, open for the length of a `with` block.

    `path` may be `:memory:`. A missing file is created unless `create` is false. A file that
    cannot be written is opened for reading. Everything refused is InvalidInput naming the file.

    >>> with Store(":memory:") as store:
    ...     store.frontier(1024, 4, "duplex")
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True) -> None:
        self.path = os.fsdecode(path)
        self.create = create
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> "Store":
        if self._connection is not None:
            raise unusable_file(self.path, "is open already")
        self._connection = open_database(self.path, self.create)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, for queries of one's own; it opens no transaction by itself."""
        if self._connection is None:
            raise unusable_file(self.path, "is not open")
        return self._connection

    @property
    def read_only(self) -> bool:
        """Whether the file can be read but not written."""
        return is_read_only(self.connection)

    def save_or_keep(self, batch: Iterable[SizeRow]) -> list[tuple[SizeRow, str]]:
        """Save finished sizes, but leave alone what a newer engine stored or what cannot be read.

        Those that were not saved are given back, each with the reason. One transaction: on any
        error nothing is saved. Saving again what is stored changes nothing; another answer of the
        same engine raises InvalidInput, and a newer engine replaces an older one.
        """
        sizes = list(batch)
        with self._write_transaction() as connection:
            return write_or_keep(connection, sizes, now())

    def require_writable(self) -> None:
        """Wait until the file can be written; InvalidInput, in a line, where that is in vain."""
        with self._write_transaction():
            pass

    def frontier(self, n: int, d: int, links: str, engine: int | None = None) -> FrontierRow | None:
        """The frontier of a size, `None` if it is not finished (by `engine`, where given)."""
        return self._read(read_frontier, n, d, links, engine)

    def frontiers(
        self,
        *,
        n: int | Interval | None = None,
        d: int | Interval | None = None,
        links: str | None = None,
        engine: int | None = None,
    ) -> list[FrontierRow]:
        """All stored frontiers, ordered by n, d and links; a pair (least, most) is inclusive."""
        where = sizes_where(n, d, links, engine)
        with self._transaction("DEFERRED") as connection:
            return read_frontiers(connection, where)

    def engine(self, n: int, d: int, links: str) -> int | None:
        """The engine that found the stored frontier of a size, `None` if it is not finished."""
        return self._read(read_engine, n, d, links, None)

    def effort(self, n: int, d: int, links: str) -> int:
        """How long lifts were looked for at a stored size, 0 where it is not finished."""
        return self._read(read_effort, n, d, links, None) or 0

    def pool(
        self, n: int, d: int, links: str, engine: int | None = None
    ) -> tuple[CandidateRow, ...] | None:
        """The candidates kept for further expansion, `None` if no pool of the size is stored."""
        return self._read(read_pool, n, d, links, engine)

    def finished_sizes(
        self, links: str, engine: int | None = None, *, pooled: bool = False, effort: int = 0
    ) -> set[tuple[int, int]]:
        """The sizes (n, d) whose frontier is stored, those with as much `effort`, or a pool."""
        clause, values = condition("f", {"links": links, "engine": plain_bound("engine", engine)})
        clause += " AND f.pool_size IS NOT NULL" if pooled else ""
        with self._transaction("DEFERRED") as connection:
            found = rows(connection, f"SELECT f.* FROM frontiers f {clause}", values)
            done = [row for row in found if is_searched(row, effort)]
            return {(row["n"], row["d"]) for row in done}

    def newer(self, links: str, engine: int) -> set[tuple[int, int]]:
        """The sizes (n, d) whose frontier is stored from an engine newer than this one."""
        query = "SELECT f.n, f.d FROM frontiers f WHERE f.links = ? AND f.engine > ?"
        with self._transaction("DEFERRED") as connection:
            return set(connection.execute(query, (links, engine)).fetchall())

    def named_graphs(self) -> dict[Size, tuple[GraphOfOthers, ...]]:
        """The graphs that were merged by name, by size."""
        with self._transaction("DEFERRED") as connection:
            return read_named_graphs(connection)

    def identities(self, n: int, d: int, links: str) -> frozenset[str]:
        """The ids of the candidates that are stored at a size."""
        query = "SELECT c.id FROM candidates c WHERE c.n = ? AND c.d = ? AND c.links = ?"
        with self._transaction("DEFERRED") as connection:
            return frozenset(id for (id,) in connection.execute(query, (n, d, links)))

    def candidates(
        self,
        *,
        n: int | Interval | None = None,
        d: int | Interval | None = None,
        links: str | None = None,
        recipe: str | None = None,
        method: str | None = None,
        engine: int | None = None,
        left_out: Callable[[int, str], None] | None = None,
    ) -> list[CandidateRow]:
        """All stored candidates, ordered by size, steps, bandwidth, recipe and method.

        One that cannot be read is left out where `left_out` takes its n and the reason.
        """
        where = sizes_where(n, d, links, engine) | {"recipe": recipe, "method": method}
        with self._transaction("DEFERRED") as connection:
            return read_candidates(connection, where, left_out)

    def matches(self, wanted: Selection) -> list[MatchRow]:
        """The candidates that are wanted, by size, steps, bandwidth, recipe and method."""
        with self._transaction("DEFERRED") as connection:
            found = list(read_match_rows(connection, wanted))
        key = attrgetter("n", "d", "links", "steps", "bandwidth", "recipe", "method")
        return sorted(found, key=key)

    def save_candidates(self, found: Iterable[CandidateRow]) -> None:
        """Save candidates that are in no frontier; InvalidInput where one is stored otherwise."""
        with self._write_transaction() as connection:
            write_candidates(connection, found, now())

    def words(self, column: str) -> list[str]:
        """What occurs in the column `family`, `method` or `links` of the candidates."""
        with self._transaction("DEFERRED") as connection:
            return stored_words(connection, column)

    def save_schedule(self, row: "ScheduleRow") -> None:
        """Save what a schedule file holds, in place of what was known of the file at that path."""
        from db.schedule_rows import write_schedule_row

        with self._write_transaction() as connection:
            write_schedule_row(connection, row, now())

    def save_reversal(self, topology: str, recipe: str | None, image: Sequence[int]) -> None:
        """Save an isomorphism from a graph, named by its hash, to its transpose."""
        with self._write_transaction() as connection:
            write_reversal(connection, topology, recipe, image, now())

    def reversal(self, topology: str) -> list[int] | None:
        """The image of each node under the isomorphism that is stored for a graph's hash."""
        with self._transaction("DEFERRED") as connection:
            return read_reversal(connection, topology)

    def save_forest(self, row: "ForestRow") -> None:
        """Save what a forest file holds, in place of what was known of the file at that path."""
        from db.forest_rows import write_forest_row

        with self._write_transaction() as connection:
            write_forest_row(connection, row, now())

    def save_timetable(self, row: "TimetableRow") -> None:
        """Save what a timetable file holds, in place of what was known of the file at that path."""
        from db.timetable_rows import write_timetable_row

        with self._write_transaction() as connection:
            write_timetable_row(connection, row, now())

    def save_plan(self, row: "PlanRow") -> None:
        """Save a plan of patch moves; one with the same content is replaced."""
        from db.plan_rows import write_plan_row

        with self._write_transaction() as connection:
            write_plan_row(connection, row, now())

    def plans(self, *, recipe: str | None = None, before: str | None = None) -> "list[PlanRow]":
        """The plans that are known, with their moves, by size, target and number of moves."""
        from db.plan_rows import read_plan_rows

        with self._transaction("DEFERRED") as connection:
            return list(read_plan_rows(connection, {"recipe": recipe, "before": before}))

    def save_throughput(self, row: ThroughputRow) -> None:
        """Save an interval; what is stored of the same graph and demand only gets narrower."""
        with self._write_transaction() as connection:
            write_throughput_row(connection, row, now())

    def throughputs(
        self,
        *,
        recipe: str | None = None,
        topology: str | None = None,
        demand: str | None = None,
        n: int | Interval | None = None,
        d: int | Interval | None = None,
        left_out: Callable[[sqlite3.Row, str], None] | None = None,
    ) -> list[ThroughputRow]:
        """The certified intervals that are known, by size, recipe, graph and demand.

        One that cannot be read is left out where `left_out` takes its record and the reason.
        """
        where = sizes_where(n, d, None, None)
        where |= {"recipe": recipe, "topology": topology, "demand": demand}
        with self._transaction("DEFERRED") as connection:
            return list(read_throughput_rows(connection, where, left_out))

    def save_ratings(self, ratings: Iterable[RatingRow]) -> None:
        """Save the ratings of a workload in one transaction, in place of those for its question."""
        with self._write_transaction() as connection:
            write_rating_rows(connection, ratings, now())

    def ratings(self, question: RatingQuestion, apart: Sequence[str] = ()) -> list[RatingRow]:
        """The ratings that are known for a question, whatever the fields `apart` from the rest
        are, the quickest first."""
        with self._transaction("DEFERRED") as connection:
            return read_rating_rows(connection, question, apart)

    def save_training(self, found: "StoredTraining") -> bool:
        """Save a training in one transaction; False where a newer engine's answer is kept."""
        from db.training_rows import write_training

        with self._write_transaction() as connection:
            return write_training(connection, found, now())

    def trainings(
        self,
        *,
        n: int | Interval | None = None,
        d: int | Interval | None = None,
        links: str | None = None,
        model: str | None = None,
        id: str | None = None,
        left_out: Callable[[sqlite3.Row, str], None] | None = None,
    ) -> "list[StoredTraining]":
        """The trainings that are known, by model, size and id; `left_out` as for throughputs."""
        from db.training_rows import read_trainings

        where = sizes_where(n, d, links, None) | {"model": model, "id": id}
        with self._transaction("DEFERRED") as connection:
            return list(read_trainings(connection, where, left_out))

    def save_finds(self, finds: Iterable[FindRow], legs: Iterable[WorkUnitRow] = ()) -> None:
        """Save what a search found, and legs that are done, in one transaction."""
        with self._write_transaction() as connection:
            write_find_rows(connection, finds, legs, now())

    def finds(
        self,
        *,
        n: int | Interval | None = None,
        d: int | Interval | None = None,
        links: str | None = None,
    ) -> list[FindRow]:
        """What searches found, by size, cost and recipe."""
        with self._transaction("DEFERRED") as connection:
            return list(read_find_rows(connection, sizes_where(n, d, links, None)))

    def legs(self, n: int, d: int, links: str, both: bool, seed: int) -> dict[str, int]:
        """The legs of a search that are done, by place, with the graphs that each judged."""
        where = sizes_where(n, d, links, None) | {"both": int(both), "seed": integer("seed", seed)}
        with self._transaction("DEFERRED") as connection:
            return read_legs(connection, where)

    def leg_times(self) -> list[tuple[WorkUnitRow, str]]:
        """The finished legs of all searches, by size, each with when it was stored."""
        with self._transaction("DEFERRED") as connection:
            return read_leg_times(connection)

    @contextmanager
    def _write_transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction that writes; InvalidInput where the file cannot be written."""
        if self.read_only:
            raise unusable_file(self.path, "cannot be written")
        with self._transaction("IMMEDIATE") as connection:
            yield connection

    def _read(
        self,
        read: Callable[[sqlite3.Connection, Size], T],
        n: int,
        d: int,
        links: str,
        engine: int | None,
    ) -> T | None:
        """What is stored of a size, `None` if it is not there or from another engine."""
        size = integer("n", n), integer("d", d), links
        with self._transaction("DEFERRED") as connection:
            if engine not in (None, read_engine(connection, size)):
                return None
            return read(connection, size)

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[sqlite3.Connection]:
        """A transaction whose errors, ours or SQLite's, are one line that names the file."""
        connection = self.connection
        with name_file_in_errors(self.path):
            try:
                with transaction(connection, kind):
                    yield connection
            except InvalidInput as error:
                raise type(error)(str(unusable_file(self.path, str(error)))) from error


def is_ready(path: str | os.PathLike[str]) -> bool:
    """Whether a database can be written, or made; asked before the work, and nothing is made.

    Waits for another process that writes. False for a file that can only be read. Raises
    InvalidInput in one line for one that cannot be used, or stays locked.

    >>> is_ready(":memory:")
    True
    """
    if is_absent(os.fsdecode(path)):
        return True
    with Store(path) as store:
        if not store.read_only:
            store.require_writable()
        return not store.read_only
