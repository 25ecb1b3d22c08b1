"""A sweep over real sizes that child processes run, and all that it leaves in a database."""

import sqlite3
from contextlib import closing
from pathlib import Path

from topofinder.api.sweep import fill_sizes

SIZES = [(n, d) for n in range(2, 73) for d in (2, 3, 4)]
WANTED = set(SIZES)
TABLES = ("candidates", "frontiers", "frontier_members", "pool_members")


def swept(path: str, jobs: int = 1, block: int = 7, links: str = "simplex") -> int:
    """Sweep SIZES, storing a few at a time, so that there are many moments to be killed at."""
    return fill_sizes(SIZES, links, path, jobs=jobs, block=block, alone=0, block_work=10_000)


def contents(path: Path) -> list[tuple[object, ...]]:
    """Every row of every table, but for the column that says when it was written."""
    found: list[tuple[object, ...]] = []
    with closing(sqlite3.connect(path)) as connection:
        for table in TABLES:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            named = ", ".join(column for column in columns if column != "created")
            found += sorted(connection.execute(f"SELECT '{table}', {named} FROM {table}"), key=repr)
    return found
