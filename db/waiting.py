"""Locks that other processes hold: told once, and waited for, but not for ever.

SQLite's own wait cannot be told of, and Ctrl-C is only heeded when it ends. So each try is short,
and the waiting is done here. What there is to tell goes to the logger of this package; the command
line prints it (topofinder.cli.remarks).
"""

import logging
import sqlite3
import time

LOGGER = logging.getLogger("topofinder.db")

BUSY_SECONDS = 60.0
"""How long to wait for another process that writes."""

MOMENT = 1.0
"""Seconds of waiting of which nobody is told."""

TRY = 0.1
"""Seconds that SQLite itself waits in one try."""


def execute_patiently(connection: sqlite3.Connection, statement: str) -> None:
    """Execute a statement that takes a lock, waiting for whoever holds it.

    Raises sqlite3.OperationalError when the lock is held for longer than BUSY_SECONDS.

    >>> execute_patiently(sqlite3.connect(":memory:"), "BEGIN IMMEDIATE")
    """
    started, told = time.monotonic(), False
    while True:
        try:
            connection.execute(statement).fetchone()
            return
        except sqlite3.OperationalError as error:
            if not _is_busy(error):
                raise
            waited = time.monotonic() - started
            if waited >= BUSY_SECONDS:
                held = f"is locked: another process has held it for {BUSY_SECONDS:g} s"
                raise sqlite3.OperationalError(held) from None
        if not told and waited >= min(MOMENT, BUSY_SECONDS / 2):
            told = True
            LOGGER.warning(
                "database %r: waiting for another process, up to %g s",
                _file(connection),
                BUSY_SECONDS,
            )
        time.sleep(0.01)  # some locks make SQLite return at once


def _is_busy(error: sqlite3.OperationalError) -> bool:
    """Whether another connection is in the way, in any of the ways that SQLite tells apart."""
    return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY


def _file(connection: sqlite3.Connection) -> str:
    """The file of a connection's database, in full."""
    return str(connection.execute("PRAGMA database_list").fetchone()[2])
