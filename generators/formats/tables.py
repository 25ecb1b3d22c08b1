"""Rows of integers in a readable document, one a line: all of one length, or each of its own."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generators.errors import InvalidInput
from generators.formats.document import flat, kind
from generators.topology import Int64Array

TABLE_FIELDS = ("columns", "table")
"""The fields of a document that has a table."""
Columns = Mapping[str, NDArray[Any]]


def table_lines(names: Sequence[str], columns: Columns) -> list[str]:
    """The fields of a table, as lines of a document without what separates them.

    >>> print(*table_lines(["arc", "step"], {"step": np.array([5, 6]), "arc": np.array([1, 2])}),
    ...     sep=",\\n")
    "columns": ["arc", "step"],
    "table": [
    [1,5],
    [2,6]
    ]
    """
    table = np.stack([columns[name] for name in names], axis=1).tolist()
    return [f'"columns": {json.dumps(list(names))}', row_lines("table", table)]


def read_table(
    document: Mapping[str, Any], names: Sequence[str], count: int
) -> dict[str, Int64Array]:
    """The columns of a table of `count` rows. Raises InvalidInput naming the row that is wrong."""
    if document.get("columns") != list(names):
        raise InvalidInput(f"columns: {', '.join(names)}, not {kind(document.get('columns'))}")
    table = document.get("table")
    if not isinstance(table, list) or len(table) != count:
        raise InvalidInput(f"table: a list of {count} rows is needed, not {kind(table)}")
    _require_alike(table, names)
    places = range(len(names))
    return {names[at]: flat(names[at], [row[at] for row in table]) for at in places}


def _require_alike(table: list[Any], names: Sequence[str]) -> None:
    """Refuse a row that is no list of as many entries as there are names."""
    if set(map(type, table)) <= {list} and set(map(len, table)) <= {len(names)}:
        return
    for place, row in enumerate(table):
        if not isinstance(row, list) or len(row) != len(names):
            raise InvalidInput(f"table[{place}]: {', '.join(names)} are needed, not {kind(row)}")


def row_lines(name: str, rows: Sequence[Sequence[Any]]) -> str:
    """A field whose rows have a line each.

    >>> print(row_lines("routes", [[0, 1], [2]]))
    "routes": [
    [0,1],
    [2]
    ]
    """
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    return f'"{name}": [\n{lines}\n]'


def split_rows(values: NDArray[Any], start: NDArray[Any]) -> list[list[int]]:
    """Row i is `values[start[i]:start[i + 1]]`.

    >>> split_rows(np.array([4, 5, 6]), np.array([0, 1, 3]))
    [[4], [5, 6]]
    """
    return [piece.tolist() for piece in np.split(values, start[1:-1])] if len(start) > 1 else []


def join_rows(name: str, rows: list[Any], entries: int) -> tuple[Int64Array, Int64Array]:
    """The values of rows of any length, `entries` in all, and where each row starts.

    Raises InvalidInput naming the row that is no list, or the value that is no integer.

    >>> join_rows("routes", [[4], [5, 6]], 3)
    (array([4, 5, 6]), array([0, 1, 3]))
    """
    for place, row in enumerate(rows):
        if not isinstance(row, list):
            raise InvalidInput(f"{name}[{place}]: a list is needed, not {kind(row)}")
    values = [value for row in rows for value in row]
    if len(values) != entries:
        raise InvalidInput(f"{name}: {entries} entries in all are needed, not {len(values)}")
    start = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return flat(name, values), start


def require_rows(document: Mapping[str, Any], name: str, count: int) -> list[Any]:
    """A list of `count` entries. Raises InvalidInput.

    >>> require_rows({"trees": [[1], 2]}, "trees", 3)
    Traceback (most recent call last):
    ...
    generators.errors.InvalidInput: trees: a list of 3 is needed, not a list of 2
    """
    rows = document.get(name)
    if not isinstance(rows, list) or len(rows) != count:
        raise InvalidInput(f"{name}: a list of {count} is needed, not {kind(rows)}")
    return rows
