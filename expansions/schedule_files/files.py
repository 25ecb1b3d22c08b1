"""Schedules in files, with the topology they run on: one binary format, one readable.

The readable one is for small schedules: JSON, a header field a line and a row a line.
"""

import os
from collections.abc import Collection

from expansions.schedule import COLUMNS
from expansions.schedule_files import header
from expansions.schedule_files.digest import COMPACT_VERSION, ORDER, VERSION
from expansions.schedule_files.header import MAX_FILE_ROWS
from expansions.schedule_files.saved import SavedSchedule
from generators.formats.container import (
    Arrays,
    Container,
    Header,
    Lengths,
    TextLayout,
    container_suffix,
    field_lines,
)
from generators.formats.document import integers
from generators.formats.tables import TABLE_FIELDS, read_table, table_lines

MAX_TEXT_ROWS = 1 << 20


def write_schedule(saved: SavedSchedule, path: str | os.PathLike[str]) -> None:
    """Write a schedule to an .npz or .json file, whole or not at all.

    Raises InvalidInput for another suffix, for more rows than `most_rows` and when the file
    cannot be written.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from expansions.schedule import Schedule
    >>> from generators.topology import Topology
    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> swap = Schedule(source=[0, 1], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 1])
    >>> saved = SavedSchedule(topology=pair, schedule=swap, recipe="K(2)")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_schedule(saved, Path(folder) / "swap.npz")
    ...     again = read_schedule(Path(folder) / "swap.npz")
    >>> again.recipe, again.digest == saved.digest, again.cost
    ('K(2)', True, Cost(steps=1, bandwidth=Fraction(1, 2)))
    """
    SCHEDULE_FILES.write(saved, path)


def most_rows(path: str | os.PathLike[str]) -> int:
    """How many rows a file of that name holds at most; of a compact schedule, those of node 0.

    >>> most_rows("a.npz"), most_rows("a.json")
    (67108864, 1048576)
    """
    return MAX_FILE_ROWS if container_suffix(path) == ".npz" else MAX_TEXT_ROWS


def read_schedule(path: str | os.PathLike[str], *, large: bool = False) -> SavedSchedule:
    """Read a schedule, whole or compact, from an .npz or .json file.

    With `large` the file may be above the ordinary limits. Raises InvalidInput with one line
    naming the file and what is wrong with it.
    """
    return SCHEDULE_FILES.read(path, large=large)


def _table_text(fields: Header, arrays: Arrays) -> str:
    graph = {name: array.tolist() for name, array in arrays.items() if name not in COLUMNS}
    lines = [*field_lines({**fields, **graph}), *table_lines(ORDER, arrays)]
    return "{\n" + ",\n".join(lines) + "}\n"


def _read_table(document: Header, lengths: Lengths) -> tuple[Arrays, Collection[str]]:
    table = read_table(document, ORDER, lengths["step"])
    graph = [name for name in lengths if name not in COLUMNS]
    arrays = {name: integers(document, name, lengths[name]) for name in graph}
    return arrays | table, {*graph, *TABLE_FIELDS}


SCHEDULE_FILES = Container(
    format="topofinder-schedule",
    versions=(VERSION, COMPACT_VERSION),
    pack=header.pack,
    lengths=header.lengths,
    ranges=header.ranges,
    values=header.values,
    most_values=header.MOST_VALUES,
    require_ordinary=header.require_ordinary,
    known=header.known_fields,
    restore=header.restore,
    agreed=header.agreed_fields,
    layout=TextLayout(write=_table_text, read=_read_table),
    text_counts=lambda saved: {"rows": saved.stored_rows, "arcs": saved.topology.arcs},
    most_text=MAX_TEXT_ROWS,
)
