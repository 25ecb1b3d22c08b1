"""Which of our formats a file says it has, so that one command can take several kinds."""

import os
import re
from pathlib import Path

from generators.errors import InvalidInput
from generators.files import open_bounded, read_bounded
from generators.formats.archive import read_header_text
from generators.formats.document import MAX_JSON

_FORMAT = re.compile(rb'"format"\s*+:\s*+"([a-z-]+)"')
"""Only one object of a file has such a field, and a quote within a text is escaped."""


def declared_format(path: str | os.PathLike[str]) -> str | None:
    """The field `format` of an .npz or .json file; None where there is none to read.

    Nothing else of the file is checked, and nothing parsed: whoever reads it for good says what is
    wrong with it.

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
                content = read_header_text(file)
        elif suffix == ".json":
            content = read_bounded(path, MAX_JSON)
        else:
            return None
    except InvalidInput:
        return None
    found = _FORMAT.search(content)
    return None if found is None else found[1].decode()
