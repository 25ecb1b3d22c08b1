"""Open a database file, create it, or refuse it with one line that names it.

Nothing is written to a file before it is known to be ours. Several processes may open a file
that does not exist yet: the first to take the write lock makes the tables, the others wait.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from db.schema import APPLICATION_ID, SCHEMA_VERSION
from db.waiting import TRY, execute_patiently
from generators.errors import InvalidInput

MEMORY = ":memory:"
"""The path of a database that lives as long as its connection."""

TAKES_LOCK = "SELECT 1 FROM sqlite_master LIMIT 1"
"""What makes a transaction that reads take its lock, which it then keeps."""

LEAST_PAGE = 512
"""Bytes of the smallest page that SQLite writes."""


class Unavailable(InvalidInput):
    """A database that cannot be read or written now: locked, full, torn, or not permitted."""


class ReplacementRefused(InvalidInput):
    """What is stored is from a newer engine, or cannot be read: nothing may take its place."""


def open_database(path: str, create: bool) -> sqlite3.Connection:
    """A connection to the topofinder database at `path`, with its schema up to date.

    A missing or empty file is made into one when `create` is true. A file or folder that cannot
    be written is opened for reading. Raises InvalidInput with one line that names the file.
    """
    with name_file_in_errors(path):
        connection = _connect(path, create)
        try:
            _prepare(connection, path, create or path == MEMORY)
        except BaseException:
            connection.close()
            raise
        return connection


def is_absent(path: str) -> bool:
    """Whether there is no file yet, or an empty one, where a database can be made.

    Raises InvalidInput with one line that names the file where none can be made. Makes nothing.
    """
    with name_file_in_errors(path):
        file = Path(path)
        if path == MEMORY or (file.exists() and file.stat().st_size):
            return False
        _check_file(path, create=True)
        if file.exists() and not os.access(file, os.W_OK):
            raise unusable_file(path, "cannot be written")
        return True


@contextmanager
def name_file_in_errors(path: str) -> Iterator[None]:
    """Turn an error of SQLite or of the file system into Unavailable that names the file."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise Unavailable(_line(path, str(error))) from error
    except OSError as error:
        raise Unavailable(_line(path, error.strerror or str(error))) from error


@contextmanager
def transaction(connection: sqlite3.Connection, kind: str) -> Iterator[None]:
    """One transaction: IMMEDIATE to write, DEFERRED to read one state. Rolled back on any error.

    Whoever holds the lock that it needs is waited for here, and nowhere inside.
    """
    execute_patiently(connection, f"BEGIN {kind}")
    try:
        if kind == "DEFERRED":
            execute_patiently(connection, TAKES_LOCK)
        yield
        execute_patiently(connection, "COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def unusable_file(path: str, reason: str) -> InvalidInput:
    """The error for a file that cannot be used.

    >>> unusable_file("/srv", "is a folder")
    InvalidInput("database '/srv': is a folder")
    """
    return InvalidInput(_line(path, reason))


def _line(path: str, reason: str) -> str:
    return f"database {path!r}: {reason}"


def _connect(path: str, create: bool) -> sqlite3.Connection:
    """A connection without implicit transactions, and with no trust in what a file contains."""
    address = MEMORY
    if path != MEMORY:
        _check_file(path, create)
        address = f"{Path(path).resolve().as_uri()}?{_access(Path(path))}"
    connection = sqlite3.connect(address, timeout=TRY, isolation_level=None, uri=True)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(f"PRAGMA query_only = {int('mode=ro' in address)}")
    return connection


def _check_file(path: str, create: bool) -> None:
    if "\0" in path:
        raise unusable_file(path, "is no file name")
    file = Path(path)
    if file.is_dir():
        raise unusable_file(path, "is a folder, not a database")
    if not file.parent.is_dir():
        raise unusable_file(path, f"its folder {str(file.parent)!r} does not exist")
    if not file.exists():
        if not create:
            raise unusable_file(path, "does not exist")
        if not os.access(file.parent, os.W_OK | os.X_OK):
            raise unusable_file(path, "its folder cannot be written")
    elif not file.is_file():
        raise unusable_file(path, "is no regular file")
    elif not os.access(file, os.R_OK):
        raise unusable_file(path, "cannot be read")
    # SQLite takes a file shorter than its least page for an empty one, and would write over it.
    elif 0 < file.stat().st_size < LEAST_PAGE:
        raise unusable_file(path, "file is not a database")


def _access(file: Path) -> str:
    """How to open the file: to create, to write, to read, or as one that nobody can change."""
    if not file.exists():
        return "mode=rwc"
    if os.access(file, os.W_OK) and os.access(file.parent, os.W_OK):
        return "mode=rw"
    # A reader of a WAL file writes an index beside it. Without a log and without the right to
    # write there, nothing is lost by taking the file as it is.
    logged = file.with_name(file.name + "-wal").exists()
    return "mode=ro" if logged else "mode=ro&immutable=1"


def _prepare(connection: sqlite3.Connection, path: str, create: bool) -> None:
    """Refuse what is not ours, apply pending migrations, and turn write-ahead logging on."""
    with transaction(connection, "DEFERRED"):
        pending = _needs_migration(connection, path, create)
    if pending:
        # Imported here, not above: sqlite-utils takes 0.2 s, which a file in use need not wait.
        from db.migrations import migrate

        with transaction(connection, "IMMEDIATE"):
            # Another process may have made the tables while this one waited for the lock.
            if _needs_migration(connection, path, create):
                migrate(connection)
    if path != MEMORY and not is_read_only(connection):
        _log_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")


def _needs_migration(connection: sqlite3.Connection, path: str, create: bool) -> bool:
    """Whether migrations are to be applied; refuses a file that is not ours or is too new."""
    mark = _number(connection, "PRAGMA application_id")
    version = _number(connection, "PRAGMA user_version")
    if not mark and not version and not _number(connection, "SELECT count(*) FROM sqlite_master"):
        if not create or is_read_only(connection):
            raise unusable_file(path, "is empty")
        return True
    if mark != APPLICATION_ID:
        raise unusable_file(path, "is an SQLite database of another program")
    if version > SCHEMA_VERSION:
        known = f"schema {version}; this one knows {SCHEMA_VERSION}"
        raise unusable_file(path, f"was written by a newer topofinder ({known})")
    if version < SCHEMA_VERSION and is_read_only(connection):
        raise unusable_file(path, f"has the older schema {version} and cannot be written")
    return version < SCHEMA_VERSION


def is_read_only(connection: sqlite3.Connection) -> bool:
    """Whether the database was opened for reading only."""
    return bool(_number(connection, "PRAGMA query_only"))


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Set write-ahead logging, waiting for others."""
    execute_patiently(connection, "PRAGMA journal_mode = WAL")


def _number(connection: sqlite3.Connection, query: str) -> int:
    """The single integer that a query gives."""
    (number,) = connection.execute(query).fetchone()
    return int(number)
