"""Whether two databases say the same: every row of every table, but for the times of writing.

    python -m tools.compare_databases before.db after.db

prints how many rows of each table are in one of them only, and exits with 1 if any are. The
acceptance of whatever makes a sweep faster: the version before and the one after fill a database
each, and these are compared.
"""

import sqlite3
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

TIMES = {"created", "applied_at"}
"""Columns that say when a row was written."""


def table_names(connection: sqlite3.Connection) -> list[str]:
    """The tables of a database, in order of their names, but for SQLite's own."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    return [name for (name,) in connection.execute(query) if not name.startswith("sqlite_")]


def table_rows(connection: sqlite3.Connection, table: str) -> Counter[tuple[object, ...]]:
    """The rows of a table without their times, with the number of each."""
    info = connection.execute(f"PRAGMA table_info({table})")
    columns = ", ".join(column for _, column, *_ in info if column not in TIMES)
    return Counter(connection.execute(f"SELECT {columns} FROM {table}"))


def read_database(path: Path) -> dict[str, Counter[tuple[object, ...]]]:
    """The rows of every table."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        return {table: table_rows(connection, table) for table in table_names(connection)}


def differences(one: Path, other: Path) -> dict[str, tuple[int, int]]:
    """By table, how many rows are in the one database only, and in the other only."""
    first, second = read_database(one), read_database(other)
    found = {}
    for table in sorted({*first, *second}):
        left, right = first.get(table, Counter()), second.get(table, Counter())
        found[table] = ((left - right).total(), (right - left).total())
    return found


def main() -> int:
    """Print the differences; exit code 1 if there are any."""
    found = differences(*map(Path, sys.argv[1:3]))
    for table, (left, right) in found.items():
        print(f"{table:20} {left:8} {right:8}")
    return int(any(left or right for left, right in found.values()))


if __name__ == "__main__":
    sys.exit(main())
