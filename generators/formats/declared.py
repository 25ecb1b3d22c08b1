"""Which of our formats a file says it has, so that one command can take several kinds."""

import os
import re
from pathlib import Path

from generators.errors import InvalidInput
from generators.files import open_bounded, read_bounded
from generators.formats.archive import read_header
from generators.formats.document import MAX_JSON, MOST_TABLES, parse_object

_FIRST = re.compile(rb'(?:\xef\xbb\xbf)?\s*+\{\s*+"format"\s*+:\s*+"([a-z-]+)"')
"""Where the format comes first, as topofinder writes it, the rest need not be parsed twice."""


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
    suffix = Path(path).suffix.lower()
    try:
        if suffix == ".npz":
            with open_bounded(path) as file:
                header = read_header(file)
        elif suffix == ".json":
            content = read_bounded(path, MAX_JSON)
            if begun := _FIRST.match(content):
                return begun[1].decode()
            header = parse_object(content, MOST_TABLES)
        else:
            return None
    except InvalidInput:
        return None
    found = header.get("format")
    return found if isinstance(found, str) else None
