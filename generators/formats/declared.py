"""Which of our formats a file says it has, so that one command can take several kinds."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from generators.errors import InvalidInput
from generators.files import MAX_BYTES, read_bounded
from generators.formats.archive import Header, read_header
from generators.formats.document import MAX_JSON, MOST_TABLES, parse_object


def read_saved(path: str | os.PathLike[str]) -> bytes:
    """The bytes of an .npz or .json file, within the limit of its kind."""
    return read_bounded(path, MAX_JSON if Path(path).suffix.lower() == ".json" else MAX_BYTES)


def declared_format(path: str | os.PathLike[str]) -> str | None:
    """The field `format` of an .npz or .json file; None where there is none to read.

    Nothing else of the file is checked: whoever reads it for good says what is wrong with it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.json"
    ...     _ = path.write_text('{"format": "topofinder-schedule"}')
    ...     declared_format(path), declared_format(path.with_suffix(".npz"))
    ('topofinder-schedule', None)
    """
    readers: dict[str, Callable[[bytes], Header]] = {
        ".npz": read_header,
        ".json": partial(parse_object, most=MOST_TABLES),
    }
    read = readers.get(Path(path).suffix.lower())
    if read is None:
        return None
    try:
        header = read(read_saved(path))
    except InvalidInput:
        return None
    found = header.get("format")
    return found if isinstance(found, str) else None
