"""One codec for what is a header and flat arrays of integers: a compact .npz or a readable .json.

The header says how long every array is, so that a reader knows before it allocates any. It also
repeats what follows from the arrays (counts, hashes): a reader works that out anew and refuses a
file that contradicts itself, and one with a field that nothing reads. A kind of file says in a
`Container` what is its own; sizes, versions, keys and agreement are checked here, for every kind.
"""

import hashlib
import json
import logging
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from generators.files import FileError, open_bounded, read_bounded, write_pieces, write_whole
from generators.formats.archive import (
    MOST_ORDINARY_HEADER,
    ArrayRange,
    Content,
    archive_content,
    read_archive,
    write_archive,
)
from generators.formats.document import (
    MAX_JSON,
    MOST_TABLES,
    integers,
    parse_object,
    require_readable,
)

SUFFIXES = (".npz", ".json")
MAX_TEXT = 1 << 20
"""Entries of an array in a readable file at most, unless its kind says otherwise."""
MOST_VALUES = 1 << 23
"""Entries of all arrays of an ordinary .npz together, unless its kind says otherwise."""
_PIECE = 1 << 12
LOGGER = logging.getLogger("topofinder.files")
LIFTS = "--large, in Python large=True, lifts that"

Contents = TypeVar("Contents")
Header = Mapping[str, Any]
Arrays = Mapping[str, NDArray[Any]]
Lengths = Mapping[str, int]


def array_fields(header: Header, arrays: Arrays) -> str:
    """A document with one field on a line, so that a person can read it and a diff is short."""
    fields = {**header, **{name: array.tolist() for name, array in arrays.items()}}
    return "{\n" + ",\n".join(field_lines(fields)) + "\n}\n"


def read_array_fields(document: Header, lengths: Lengths) -> tuple[Arrays, Collection[str]]:
    """The arrays of such a document, and the names of the fields that hold them."""
    return {name: integers(document, name, count) for name, count in lengths.items()}, lengths


def field_lines(fields: Header) -> list[str]:
    """Each field of a document as a line, without what separates it from the next.

    >>> field_lines({"n": 2, "arcs": [[0, 1]]})
    ['"n": 2', '"arcs": [[0, 1]]']
    """
    return [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in fields.items()]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLayout:
    """How a document shows header and arrays: `write` gives its text.

    `read` gives the arrays of a document, which are as long as `lengths` says, and the names of
    the fields that hold them; it raises InvalidInput. All other fields are the header.
    """

    write: Callable[[Header, Arrays], str] = array_fields
    read: Callable[[Header, Lengths], tuple[Arrays, Collection[str]]] = read_array_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Container(Generic[Contents]):
    """A kind of file: how its contents become a header and arrays, and come back.

    `pack` gives the header, from `version` on, and the arrays. `lengths` says how long each array
    is that a header announces, and checks what it takes for that; `ranges` which entries it may
    have, as far as the header tells, and is asked of large archives only; `known` which fields it
    may have.
    `restore` makes the contents, and `agreed` the fields that follow from them. `text_counts` is
    what is counted before a text is made, where that is cheaper. At most `most_text` entries of an
    array are for JSON; `too_long` is what is said of more, with `to_writer` and `to_reader` after
    it.

    Of an ordinary .npz all arrays have at most `most_values` entries, as `values` counts them from
    the header, and `require_ordinary` refuses contents that would take long for another reason,
    those of a .json too.
    So a wrong file is refused in 2 seconds and 300 MB, whatever is in it. Whoever reads a large one
    asks for that.
    """

    format: str
    versions: tuple[int, ...]
    pack: Callable[[Contents], tuple[Header, Arrays]]
    lengths: Callable[[Header], Lengths]
    known: Callable[[Header], Collection[str]]
    restore: Callable[[Header, Arrays], Contents]
    agreed: Callable[[Contents], Mapping[str, object]]
    ranges: Callable[[Header], Mapping[str, ArrayRange]] = lambda header: {}
    layout: TextLayout = field(default_factory=TextLayout)
    text_counts: Callable[[Contents], Lengths] | None = None
    values: Callable[[Header, Lengths], int] = lambda header, lengths: sum(lengths.values())
    most_values: int = MOST_VALUES
    require_ordinary: Callable[[Contents], None] = lambda content: None
    most_text: int = MAX_TEXT
    too_long: str = "JSON is for at most {most}, not {count}"
    to_writer: str = "; write an .npz file"
    to_reader: str = ""

    def write(self, content: Contents, path: str | os.PathLike[str]) -> None:
        """Write an .npz or .json file, whole or not at all.

        That an .npz is above the ordinary limits is logged as a warning. Raises InvalidInput for
        another suffix, for more than the format is for and when the file cannot be written.
        """
        if container_suffix(path) == ".json":
            write_whole(path, self.text(content))
            return
        header, arrays = self.parts(content)
        write_pieces(path, lambda file: write_archive(file, header, arrays))
        try:
            self._require_ordinary(header, {name: len(array) for name, array in arrays.items()})
        except InvalidInput as error:
            LOGGER.warning("%s: written, but to be read only so: %s", path, error)

    def read(self, path: str | os.PathLike[str], *, large: bool = False) -> Contents:
        """Read an .npz or .json file; with `large` one above the ordinary limits too.

        Raises InvalidInput with one line naming the file and what is wrong with it.
        """
        if container_suffix(path) == ".json":
            return self.decode(path, read_bounded(path, MAX_JSON), large=large)
        with open_bounded(path) as file:
            return self.decode(path, file, large=large)

    def archive(self, content: Contents) -> bytes:
        """The bytes of an .npz; the same contents always give the same."""
        return archive_content(*self.parts(content))

    def text(self, content: Contents) -> str:
        """The text of a .json. Raises InvalidInput for more than JSON is for."""
        if self.text_counts is not None:
            self._require_text(self.text_counts(content), self.to_writer)
        header, arrays = self.parts(content)
        counts = {name: len(array) for name, array in arrays.items()}
        self._require_text(counts, self.to_writer)
        text = self.layout.write(header, arrays)
        require_readable(text, MOST_TABLES, "an .npz")
        return text

    def decode(
        self, source: str | os.PathLike[str], content: Content, *, large: bool = False
    ) -> Contents:
        """The contents of a file, by its bytes or open; `source` names it and has its suffix.

        Raises InvalidInput with one line for anything that is not such a file, whole and true.
        """
        suffix = container_suffix(source)
        try:
            if suffix == ".npz":
                return self._restore_archive(content, large)
            document = parse_object(
                content if isinstance(content, bytes) else content.read(), MOST_TABLES
            )
            del content  # what was parsed takes enough memory
            lengths = self._lengths(document)
            self._require_text(lengths, self.to_reader)
            arrays, beside = self.layout.read(document, lengths)
            header = {name: value for name, value in document.items() if name not in beside}
            if large:
                return self._restore_checked(header, arrays)
            return self._restore_checked(header, arrays, self.require_ordinary)
        except FileError:
            raise
        except (InvalidInput, Unsupported) as error:
            raise type(error)(f"{source}: {error}") from None

    def parts(self, content: Contents) -> tuple[dict[str, Any], Arrays]:
        """Everything a file says: the whole header, and the arrays."""
        header, arrays = self.pack(content)
        return {"format": self.format, **header}, arrays

    def _lengths(self, header: Header) -> dict[str, int]:
        """The arrays that must be there, and their lengths, from a header that is checked first."""
        said = header.get("format")
        if said != self.format:
            raise InvalidInput(f"format: {self.format} is needed, not {excerpt(said)}")
        require_version(header, *self.versions)
        return dict(self.lengths(header))

    def _restore_archive(self, content: Content, large: bool) -> Contents:
        if large:
            return self._restore_checked(*read_archive(content, self._lengths, self.ranges))
        header, arrays = read_archive(
            content, self._ordinary_lengths, most_header=MOST_ORDINARY_HEADER
        )
        return self._restore_checked(header, arrays, self.require_ordinary)

    def _ordinary_lengths(self, header: Header) -> dict[str, int]:
        """The same, of a file within the ordinary limits."""
        lengths = self._lengths(header)
        self._require_ordinary(header, lengths)
        return lengths

    def _require_ordinary(self, header: Header, lengths: Lengths) -> None:
        count = self.values(header, lengths)
        if count > self.most_values:
            raise InvalidInput(f"values: {count}, more than {self.most_values}; {LIFTS}")

    def _restore_checked(
        self,
        header: Header,
        arrays: Arrays,
        check: Callable[[Contents], None] = lambda content: None,
    ) -> Contents:
        require_known_fields(header, ("format", "version", *self.known(header)))
        content = self.restore(header, arrays)
        check(content)
        require_agreement(header, self.agreed(content))
        return content

    def _require_text(self, counts: Lengths, advice: str) -> None:
        for name, count in counts.items():
            if count > self.most_text:
                line = self.too_long.format(most=self.most_text, count=count)
                raise InvalidInput(f"{name}: {line}{advice}")


def container_suffix(path: str | os.PathLike[str]) -> str:
    """The suffix of such a file. Raises InvalidInput for any other."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InvalidInput(f"{path}: suffix {excerpt(suffix)} is none of {', '.join(SUFFIXES)}")
    return suffix


def content_hash(described: Mapping[str, Any], arrays: Iterable[NDArray[Any]]) -> str:
    """SHA-256, in hexadecimal, of canonical JSON and then of the arrays.

    Arrays follow as little-endian integers of their own width.

    >>> content_hash({"version": 1}, [np.arange(3)])[:8]
    '69b031a8'
    """
    found = hashlib.sha256()
    for piece in _canonical_pieces(described):
        found.update(piece.encode("ascii"))
    for array in arrays:
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        found.update(np.ascontiguousarray(little).data)
    return found.hexdigest()


def _canonical_pieces(described: Mapping[str, Any]) -> Iterator[str]:
    """The text `json.dumps(described, sort_keys=True)`, of long lists piece by piece."""
    between = "{"
    for name in sorted(described):
        value = described[name]
        yield f"{between}{json.dumps(name)}: "
        between = ", "
        if not (isinstance(value, list) and len(value) > _PIECE):
            yield json.dumps(value, sort_keys=True)
            continue
        for at in range(0, len(value), _PIECE):
            piece = json.dumps(value[at : at + _PIECE], sort_keys=True)
            yield ("[" if at == 0 else ", ") + piece[1:-1]
        yield "]"
    yield "}" if described else "{}"


def require_version(header: Header, *known: int) -> int:
    """The version of a file. Raises InvalidInput for one that is not among the `known`."""
    version = header.get("version")
    if type(version) is not int or version not in known:
        listed = " or ".join(map(str, known))
        raise InvalidInput(f"version: {listed} can be read, not {excerpt(version)}")
    return version


def require_integer(header: Header, name: str, least: int, most: int) -> int:
    """An integer of the header. Raises InvalidInput when it is missing or out of range."""
    value = header.get(name)
    if type(value) is not int or not least <= value <= most:
        raise InvalidInput(f"{name}: an integer in {least}..{most} is needed, not {excerpt(value)}")
    return value


def require_known_fields(header: Header, known: Collection[str], within: str = "") -> None:
    """Refuse a field that is none of `known`: it would be passed over, and what it claims too.

    `within` names the object that has the fields, for the message. Raises InvalidInput.

    >>> require_known_fields({"n": 2, "vertices": 2}, ["n"])
    Traceback (most recent call last):
    ...
    generators.errors.InvalidInput: 'vertices': such files have no such field
    """
    for name in header:
        if name not in known:
            raise InvalidInput(f"{within}{excerpt(name)}: such files have no such field")


def require_agreement(header: Header, found: Mapping[str, object]) -> None:
    """Refuse a field that is missing or says something else than the contents: `found` by name.

    Types are compared too: 1.0 and true are not 1. Raises InvalidInput.

    >>> require_agreement({"steps": 2.0}, {"steps": 2})
    Traceback (most recent call last):
    ...
    generators.errors.InvalidInput: steps: the file says 2.0, but what it holds gives 2
    """
    for name, value in found.items():
        said = header.get(name)
        if type(said) is not type(value) or said != value:
            told = excerpt(value) if isinstance(value, str) and len(value) > 100 else value
            raise InvalidInput(
                f"{name}: the file says {excerpt(said)}, but what it holds gives {told}"
            )
