"""The readable format, for small schedules: JSON, a header field a line and a row a line."""

import json
from typing import Any

import numpy as np

from expansions.schedule import COLUMNS
from expansions.schedule_files.canonical_rows import ORDER
from expansions.schedule_files.header import header_and_arrays, lengths, restored
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from generators.formats.document import (
    MOST_TABLES,
    flat,
    integers,
    kind,
    parse_object,
    require_readable,
)
from generators.topology import Int64Array

MAX_TEXT_ROWS = 1 << 20


def text_content(saved: SavedSchedule) -> str:
    """The document. Raises InvalidInput for more than MAX_TEXT_ROWS rows or arcs."""
    _require_few("rows", saved.stored_rows)
    _require_few("arcs", saved.topology.arcs)
    header, arrays = header_and_arrays(saved)
    for name, array in arrays.items():
        _require_few(name, len(array))
    graph = {name: array.tolist() for name, array in arrays.items() if name not in COLUMNS}
    table = np.stack([arrays[name] for name in ORDER], axis=1).tolist()
    fields = header | graph | {"columns": list(ORDER)}
    lines = [f"{json.dumps(name)}: {json.dumps(value)}," for name, value in fields.items()]
    rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in table)
    text = "\n".join(["{", *lines, '"table": [', rows, "]}"]) + "\n"
    require_readable(text, MOST_TABLES, "an .npz")
    return text


def _require_few(name: str, count: int) -> None:
    if count > MAX_TEXT_ROWS:
        raise InvalidInput(
            f"{name}: JSON is for at most {MAX_TEXT_ROWS}, not {count}; write an .npz file"
        )


def read_text(source: str, content: bytes) -> SavedSchedule:
    """The schedule in a document; `source` names it in messages.

    Raises InvalidInput with one line naming the field and what is wrong with it.
    """
    try:
        document = parse_object(content, MOST_TABLES)
        wanted = lengths(document)
        if document.get("columns") != list(ORDER):
            raise InvalidInput(f"columns: {', '.join(ORDER)}, not {kind(document.get('columns'))}")
        for name, count in wanted.items():
            if count > MAX_TEXT_ROWS:
                raise InvalidInput(f"{name}: JSON is for at most {MAX_TEXT_ROWS}, not {count}")
        graph = [name for name in wanted if name not in COLUMNS]
        arrays = {name: integers(document, name, wanted[name]) for name in graph}
        arrays |= _table(document, wanted["step"])
        beside = {*graph, "columns", "table"}
        header = {name: value for name, value in document.items() if name not in beside}
        return restored(header, arrays)
    except InvalidInput as error:
        raise InvalidInput(f"{source}: {error}") from None


def _table(document: dict[str, Any], rows: int) -> dict[str, Int64Array]:
    """The columns of the rows."""
    table = document.get("table")
    if not isinstance(table, list) or len(table) != rows:
        raise InvalidInput(f"table: a list of {rows} rows is needed, not {kind(table)}")
    for place, row in enumerate(table):
        if not isinstance(row, list) or len(row) != len(ORDER):
            raise InvalidInput(f"table[{place}]: {', '.join(ORDER)} are needed, not {kind(row)}")
    columns = list(zip(*table, strict=True)) or [()] * len(ORDER)
    return {name: flat(name, list(c)) for name, c in zip(ORDER, columns, strict=True)}
