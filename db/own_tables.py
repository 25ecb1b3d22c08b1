"""Whether the tables of a stranger's file are those that topofinder makes.

A table may be a view that never ends, a column may be generated, a trigger may do anything. The
text of every table that is read must be the one of our schema, letter by letter.
"""

import sqlite3
from contextlib import closing

from db.schema import FINDS, REVERSALS, TABLES, THROUGHPUTS
from generators.errors import InvalidInput

LONGEST = 8 << 20
"""Bytes of the longest text or blob that is read."""


def require_own_tables(connection: sqlite3.Connection) -> None:
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
