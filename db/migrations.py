"""The migrations that bring a file of any age up to the present schema, by sqlite-utils.

A migration that is released is never changed: a new one follows it, and SCHEMA_VERSION grows.
"""

import sqlite3
from collections.abc import Iterator

from sqlite_utils import Database, Migrations

from db.schema import (
    APPLICATION_ID,
    FINDS,
    FORESTS,
    FRONTIER_VIEWS,
    PLANS,
    RATINGS,
    REVERSALS,
    SCHEDULES,
    SCHEMA_VERSION,
    TABLES,
    THROUGHPUTS,
    TIMETABLES,
    VIEWS,
)
from db.training_schema import TRAININGS

MIGRATIONS = Migrations("topofinder")
"""All migrations, oldest first."""


@MIGRATIONS()
def m001_candidates_and_frontiers(db: Database) -> None:
    """The tables and views of the first schema."""
    run_statements(db, TABLES)
    for name, select in VIEWS.items():
        db.create_view(name, select)


@MIGRATIONS()
def m002_schedules(db: Database) -> None:
    """The files of schedules that were made, with the hashes of their content."""
    run_statements(db, SCHEDULES)


@MIGRATIONS()
def m003_reversals(db: Database) -> None:
    """Isomorphisms from graphs to their transposes."""
    run_statements(db, REVERSALS)


@MIGRATIONS()
def m004_throughputs(db: Database) -> None:
    """Certified intervals of all-to-all throughput."""
    run_statements(db, THROUGHPUTS)


@MIGRATIONS()
def m005_finds(db: Database) -> None:
    """Cayley digraphs that a search found, and the legs of the search that are done."""
    run_statements(db, FINDS)


@MIGRATIONS()
def m006_forests(db: Database) -> None:
    """The files of forests that were made, with the rates they reach."""
    run_statements(db, FORESTS)


@MIGRATIONS()
def m007_plans(db: Database) -> None:
    """Plans of patch moves, with their moves."""
    run_statements(db, PLANS)


@MIGRATIONS()
def m008_frontier_views(db: Database) -> None:
    """Views with the distance from the bounds, and the best of each size."""
    for name, select in FRONTIER_VIEWS.items():
        db.create_view(name, select, replace=True)


@MIGRATIONS()
def m009_ratings(db: Database) -> None:
    """What workloads take on candidates by the best of several schedule methods."""
    run_statements(db, RATINGS)


@MIGRATIONS()
def m010_timetables(db: Database) -> None:
    """The files of timetables that were made, with the times they take."""
    run_statements(db, TIMETABLES)


@MIGRATIONS()
def m011_trainings(db: Database) -> None:
    """What an iteration of a model's training takes on the wirings of a size."""
    run_statements(db, TRAININGS)


def run_statements(db: Database, script: str) -> None:
    """Run the statements of a script in the transaction that is open.

    `executescript` of sqlite3 would end the transaction, and that of sqlite-utils looks for the
    end of a statement at every character: 20 ms for a new file, more than all else together.
    """
    for statement in split_statements(script):
        db.execute(statement)


def split_statements(script: str) -> Iterator[str]:
    """The statements of a script, each of which ends at the end of a line.

    >>> list(split_statements("SELECT 1;\\nSELECT ';\\n';\\n"))
    ['SELECT 1;\\n', "SELECT ';\\n';"]
    """
    statement = ""
    for line in script.strip().splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        yield statement


def migrate(connection: sqlite3.Connection) -> None:
    """Apply every pending migration and mark the file as ours.

    The caller holds the write transaction, so that a file has all of the schema or none of it.
    """
    MIGRATIONS.apply(Database(connection, execute_plugins=False))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
