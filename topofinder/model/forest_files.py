"""Forests in files: one way in and one way out, the suffix chooses the format."""

import os
from pathlib import Path

from generators.errors import InvalidInput
from generators.files import FileError, open_bounded, read_bounded, write_whole
from generators.formats.archive import archive_content, read_archive
from generators.formats.declared import declared_format
from generators.formats.document import MAX_JSON
from generators.formats.quantities import shown
from topofinder.model.forest import Forest
from topofinder.model.forest_header import FORMAT, header_and_arrays, lengths, restored
from topofinder.model.forest_text import read_text, text_content

SUFFIXES = (".npz", ".json")


def write_forest(saved: Forest, path: str | os.PathLike[str]) -> None:
    """Write a forest to an .npz or .json file, whole or not at all.

    Raises InvalidInput for another suffix, for too many edges (.json: 2^20, .npz: 2^26) and when
    the file cannot be written.
    """
    if require_suffix(path) == ".npz":
        write_whole(path, archive_content(*header_and_arrays(saved)))
    else:
        write_whole(path, text_content(saved))


def read_forest(path: str | os.PathLike[str]) -> Forest:
    """Read a forest from an .npz or .json file.

    Raises InvalidInput with one line naming the file and what is wrong with it.
    """
    suffix = require_suffix(path)
    try:
        if suffix == ".npz":
            with open_bounded(path) as file:
                return restored(*read_archive(file, lengths))
        return read_text(read_bounded(path, MAX_JSON))
    except FileError:
        raise
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


def is_forest(path: str | os.PathLike[str]) -> bool:
    """Whether the file says that it holds a forest."""
    return declared_format(path) == FORMAT


def require_suffix(path: str | os.PathLike[str]) -> str:
    """The suffix of a forest file. Raises InvalidInput for any other."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InvalidInput(f"{path}: suffix {shown(suffix)} is none of {', '.join(SUFFIXES)}")
    return suffix
