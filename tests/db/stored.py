"""Rows of files as a test reads them back: column by column, by path."""

import sqlite3
from dataclasses import fields
from fractions import Fraction
from typing import Any, TypeVar

from db.store import Store

Row = TypeVar("Row")


def stored_rows(store: Store, table: str, kind: type[Row]) -> list[Row]:
    """All rows of a table as objects of their kind; fractions have two columns or are text."""
    cursor = store.connection.cursor()
    cursor.row_factory = sqlite3.Row
    return [
        kind(**{each.name: _value(dict(record), each.name) for each in fields(kind)})  # type: ignore[arg-type]
        for record in cursor.execute(f"SELECT * FROM {table} ORDER BY path")
    ]


def _value(record: dict[str, Any], name: str) -> Any:
    if f"{name}_num" in record:
        above, below = record[f"{name}_num"], record[f"{name}_den"]
        return None if above is None else Fraction(int(above), int(below))
    return Fraction(record[name]) if name in ("alpha", "rate", "size") else record[name]
