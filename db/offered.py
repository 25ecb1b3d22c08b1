"""What a database offers to another: read row by row, so that one bad row spoils no other."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from db.discovery_rows import FindRow, find_row_of
from db.identity import candidate_id
from db.reading import AT, Size, read_frontier, read_pool, rows
from db.reversal_rows import read_reversal
from db.rows import SizeRow
from db.throughput_rows import ThroughputRow, subject_of, throughput_row_of
from db.training_rows import StoredTraining, read_trainings
from generators.errors import InvalidInput, TopofinderError
from generators.excerpts import excerpt

Record = TypeVar("Record")
Wanted = Callable[[int, int, str | None], bool]
"""Whether a size n, d, links is to be merged; links are None where a row has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """What rows must pass to be merged: each raises InvalidInput with the reason.

    Trainings cannot be checked; they are taken along only from a database that is trusted.
    """

    size: Callable[[SizeRow], None] = lambda row: None
    throughput: Callable[[ThroughputRow], None] = lambda row: None
    find: Callable[[FindRow], None] = lambda row: None
    reversal: Callable[[str, str, Sequence[int]], None] = lambda topology, recipe, image: None
    with_trainings: bool = False


MOST_REFUSED = 200
"""Rows that are left out and told; a file with more is refused as a whole."""


class Offer:
    """All that a database offers, read and checked before anything is written.

    `refused` has a line for each row, or size, that is left out, with the reason. Raises
    InvalidInput as soon as these are more than `most_refused`; what is cheap to see is looked at in
    all candidates first. `tell` hears how many sizes are read, and of how many.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        wanted: Wanted,
        checks: Checks,
        most_refused: int = MOST_REFUSED,
        tell: Callable[[int, int], None] = lambda done, total: None,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self._connection, self._wanted, self._checks = connection, wanted, checks
        self._most_refused = most_refused
        self._tell, self._is_over = tell, is_over
        self.left = 0
        self.refused: list[str] = []
        self._require_named_rows()
        self.sizes = list(self._sizes())
        self.throughputs = list(self._throughputs())
        self.finds = list(self._finds())
        self.reversals = list(self._reversals())
        self.trainings = list(self._trainings()) if checks.with_trainings else []

    def _require_named_rows(self) -> None:
        """Refuse a file with many candidates under other identities than their own."""
        wrong = 0
        query = "SELECT id, recipe, links, method FROM candidates"
        for key, recipe, links, method in self._connection.execute(query):
            named = all(type(word) is str for word in (recipe, links, method))
            wrong += not named or key != candidate_id(recipe, links, method)
            if wrong > self._most_refused:
                told = f"such as candidate {_short(recipe)}: the id {excerpt(key)} is not its hash"
                raise InvalidInput(f"has more than {self._most_refused} wrong rows, {told}")

    def _sizes(self) -> Iterator[SizeRow]:
        query = "SELECT n, d, links FROM frontiers ORDER BY n, d, links"
        (total,) = self._connection.execute("SELECT count(*) FROM frontiers").fetchone()
        for done, record in enumerate(self._in_time(self._connection.execute(query))):
            self._tell(done, total)
            try:
                if self._wanted(*_plain(record)):
                    row = _size(self._connection, _plain(record))
                    self._checks.size(row)
                    yield row
            except TopofinderError as error:
                n, d, links = (_short(value) for value in record)
                self._refuse(f"n {n}, d {d}, {links}", error)

    def _throughputs(self) -> Iterator[ThroughputRow]:
        query = "SELECT * FROM throughputs ORDER BY subject, demand"
        for record in self._in_time(rows(self._connection, query)):
            try:
                row = throughput_row_of(record)
                if record["subject"] != subject_of(row):
                    raise InvalidInput(f"its subject is stored as {excerpt(record['subject'])}")
                if self._wanted(row.n, row.d, None):
                    self._checks.throughput(row)
                    yield row
            except TopofinderError as error:
                named = f"{_short(record['subject'])} for {_short(record['demand'])}"
                self._refuse(f"throughput of {named}", error)

    def _finds(self) -> Iterator[FindRow]:
        query = "SELECT * FROM finds ORDER BY recipe, links"
        for record in self._in_time(rows(self._connection, query)):
            try:
                row = find_row_of(record)
                if self._wanted(row.n, row.d, row.links):
                    self._checks.find(row)
                    yield row
            except TopofinderError as error:
                self._refuse(f"find {_short(record['recipe'])}", error)

    def _reversals(self) -> Iterator[tuple[str, str, list[int]]]:
        """Those of graphs on the frontiers that are merged."""
        known = {member.recipe for size in self.sizes for member in size.frontier.members}
        query = "SELECT topology, recipe FROM reversals ORDER BY topology"
        for topology, recipe in self._in_time(self._connection.execute(query)):
            if recipe not in known:
                continue
            try:
                image = read_reversal(self._connection, topology) or []
                self._checks.reversal(topology, recipe, image)
                yield topology, recipe, image
            except TopofinderError as error:
                self._refuse(f"reversal of {_short(recipe)}", error)

    def _trainings(self) -> Iterator[StoredTraining]:
        def refuse(record: sqlite3.Row, reason: str) -> None:
            self._refuse(f"training {_short(record['id'])}", InvalidInput(reason))

        for found in read_trainings(self._connection, {}, refuse):
            asked = found.question
            if self._wanted(asked.n, asked.d, asked.links):
                yield found

    def _in_time(self, records: Iterable[Record]) -> Iterator[Record]:
        """The records, until it is over; those that are left are counted."""
        pending = iter(records)
        for record in pending:
            if self._is_over():
                self.left += 1 + sum(1 for _ in pending)
                return
            yield record

    def _refuse(self, name: str, error: TopofinderError) -> None:
        line = f"{name}: {error}".replace("\n", " ")
        if len(self.refused) == self._most_refused:
            raise InvalidInput(f"has more than {self._most_refused} wrong rows, such as {line}")
        self.refused.append(line)


def _size(connection: sqlite3.Connection, size: Size) -> SizeRow:
    """A size with its members, whose identities must be the hashes of what they are."""
    frontier = read_frontier(connection, size)
    if frontier is None:
        raise InvalidInput("is not stored under its own numbers")
    _require_identities(connection, size)
    for table in ("frontier_members", "pool_members"):
        ranks = connection.execute(f"SELECT rank FROM {table} WHERE {AT} ORDER BY rank", size)
        if [rank for (rank,) in ranks] != list(range(_count(connection, table, size))):
            raise InvalidInput(f"ranks of {table} are not 0, 1, 2 and so on")
    return SizeRow(frontier=frontier, pool=read_pool(connection, size))


def _require_identities(connection: sqlite3.Connection, size: Size) -> None:
    for table in ("frontier_members", "pool_members"):
        query = (
            f"SELECT c.id, c.recipe, c.links, c.method FROM {table} m JOIN candidates c"
            " ON c.id = m.candidate WHERE m.n = ? AND m.d = ? AND m.links = ?"
        )
        for key, recipe, links, method in connection.execute(query, size):
            if key != candidate_id(recipe, links, method):
                raise InvalidInput(f"the id {excerpt(key)} is not the hash of {excerpt(recipe)}")


def _count(connection: sqlite3.Connection, table: str, size: Size) -> int:
    (count,) = connection.execute(f"SELECT count(*) FROM {table} WHERE {AT}", size).fetchone()
    return int(count)


def _plain(record: tuple[Any, ...]) -> Size:
    n, d, links = record
    if type(n) is not int or type(d) is not int or type(links) is not str:
        raise InvalidInput("n and d must be integers")
    return n, d, links


def _short(value: object) -> str:
    return value if isinstance(value, str) and len(value) <= 60 else excerpt(value)
