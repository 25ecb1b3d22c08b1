"""One way in and one way out: the suffix of a path chooses the format."""

import os
from pathlib import Path

from expansions.schedule_files.binary import binary_content, read_binary
from expansions.schedule_files.header import MAX_FILE_ROWS
from expansions.schedule_files.saved import SavedSchedule
from expansions.schedule_files.text import MAX_TEXT_ROWS, read_text, text_content
from generators.errors import InvalidInput
from generators.files import open_bounded, read_bounded, write_whole
from generators.formats.document import MAX_JSON
from generators.formats.quantities import shown

SUFFIXES = (".npz", ".json")


def write_schedule(saved: SavedSchedule, path: str | os.PathLike[str]) -> None:
    """Write a schedule to an .npz or .json file, whole or not at all.

    Raises InvalidInput for another suffix, for more rows than `most_rows` and when the file
    cannot be written.

    >>> import tempfile
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
    content = binary_content if _suffix(path) == ".npz" else text_content
    write_whole(path, content(saved))


def most_rows(path: str | os.PathLike[str]) -> int:
    """How many rows a file of that name holds at most; of a compact schedule, those of node 0.

    >>> most_rows("a.npz"), most_rows("a.json")
    (67108864, 1048576)
    """
    return MAX_FILE_ROWS if _suffix(path) == ".npz" else MAX_TEXT_ROWS


def read_schedule(path: str | os.PathLike[str]) -> SavedSchedule:
    """Read a schedule, whole or compact, from an .npz or .json file.

    Raises InvalidInput with one line naming the file and what is wrong with it.
    """
    if _suffix(path) == ".json":
        return read_text(str(path), read_bounded(path, MAX_JSON))
    with open_bounded(path) as file:
        return read_binary(str(path), file)


def _suffix(path: str | os.PathLike[str]) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InvalidInput(f"{path}: suffix {shown(suffix)} is none of {', '.join(SUFFIXES)}")
    return suffix
