"""Certificates as a compact .npz or, for small graphs, a readable .json."""

import json
import os
from pathlib import Path

from generators.errors import InvalidInput
from generators.files import FileError, open_bounded, read_bounded, write_whole
from generators.formats.archive import archive_content, read_archive
from generators.formats.declared import declared_format
from generators.formats.document import (
    MAX_JSON,
    MOST_TABLES,
    integers,
    parse_object,
    require_readable,
)
from generators.formats.quantities import shown
from topofinder.model.certificate import Certificate
from topofinder.model.certificate_header import FORMAT, header_and_arrays, lengths, restored

MAX_TEXT_ENTRIES = 1 << 20
SUFFIXES = (".npz", ".json")


def write_certificate(saved: Certificate, path: str | os.PathLike[str]) -> None:
    """Write a certificate to an .npz or .json file, whole or not at all.

    Raises InvalidInput for another suffix, for more numbers than the format is for (.json: 2^20
    in an array, .npz: 2^26) and when the file cannot be written.
    """
    content = _binary if require_suffix(path) == ".npz" else _text
    write_whole(path, content(saved))


def read_certificate(path: str | os.PathLike[str]) -> Certificate:
    """Read a certificate from an .npz or .json file.

    Raises InvalidInput with one line naming the file and what is wrong with it.
    """
    suffix = require_suffix(path)
    try:
        if suffix == ".npz":
            with open_bounded(path) as file:
                return restored(*read_archive(file, lengths))
        document = parse_object(read_bounded(path, MAX_JSON), MOST_TABLES)
        wanted = lengths(document)
        for name, count in wanted.items():
            _require_small(name, count)
        arrays = {name: integers(document, name, count) for name, count in wanted.items()}
        header = {name: value for name, value in document.items() if name not in arrays}
        return restored(header, arrays)
    except FileError:
        raise
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


def is_certificate(path: str | os.PathLike[str]) -> bool:
    """Whether a file says that it is a certificate; False too for one that cannot be read."""
    return declared_format(path) == FORMAT


def _binary(saved: Certificate) -> bytes:
    return archive_content(*header_and_arrays(saved))


def _text(saved: Certificate) -> str:
    """One field on a line, so that a person can read it and a diff is short."""
    header, arrays = header_and_arrays(saved)
    for name, array in arrays.items():
        _require_small(name, len(array))
    fields = header | {name: array.tolist() for name, array in arrays.items()}
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in fields.items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    require_readable(text, MOST_TABLES, "an .npz")
    return text


def _require_small(name: str, count: int) -> None:
    if count > MAX_TEXT_ENTRIES:
        most = f"at most {MAX_TEXT_ENTRIES} numbers"
        raise InvalidInput(f"{name}: JSON is for {most}, not {count}; use an .npz file")


def require_suffix(path: str | os.PathLike[str]) -> str:
    """The suffix of a certificate's file. Raises InvalidInput for any other."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InvalidInput(f"{path}: suffix {shown(suffix)} is none of {', '.join(SUFFIXES)}")
    return suffix
