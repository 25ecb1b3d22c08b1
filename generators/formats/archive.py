"""A header and flat arrays of integers in a numpy .npz, nothing pickled.

Member `header` is JSON as an array of bytes; the others are the arrays that the header announces,
each in the narrowest of four integer types. `numpy.load(path)` opens it without topofinder.
"""

import io
import json
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from generators.errors import InvalidInput, TopofinderError
from generators.excerpts import excerpt
from generators.files import MAX_BYTES
from generators.formats.document import memory_of, parse_object
from generators.memory import require_memory

MAX_HEADER = 16 << 20
"""Bytes of the header at most."""
MOST_HEADER = 160_000_000
"""Bytes that its values may take in memory, as `document.memory_of` tells."""
MOST_ORDINARY_HEADER = 64_000_000
"""The same for a file that nobody has called large."""
MOST_UNPACKED = 1 << 30
"""Bytes of all members at most once they are unpacked."""
MOST_MEMBERS = 64
FREE, MOST_RATIO = 16 << 20, 256
"""Members above FREE bytes in all unpack to at most so many times what they are packed; what
`archive_content` writes, with the quickest compression, stays below 230."""
_CHUNK = 1 << 20
WIDTHS: tuple[np.dtype[Any], ...] = tuple(map(np.dtype, ("|u1", "<u2", "<u4", "<i8")))
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENTRY = b"PK\x01\x02"
BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, KeyError, RuntimeError,
    NotImplementedError, OverflowError, SyntaxError, UserWarning, MemoryError,
)  # fmt: skip
"""What zipfile and numpy raise for files that are damaged."""

Header = dict[str, Any]
Content = bytes | IO[bytes]
"""What a file holds, or the file itself, open: of that only what is needed comes into memory."""
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayRange:
    """The entries that an array may have: from `least` to `most`, which is there if `reached`."""

    least: int = 0
    most: int
    reached: bool = False


UNPACKED = 4
"""How many times what it unpacks to a file takes while it is read and checked; measured."""

Ranges = Callable[[Header], Mapping[str, ArrayRange]]


def archive_content(header: Header, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes of the file; the same header and arrays, all 0 or more, always give the same."""
    content = io.BytesIO()
    write_archive(content, header, arrays)
    return content.getvalue()


def write_archive(file: IO[bytes], header: Header, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write those bytes to an open file, in pieces.

    Arrays may be maps of files that are larger than memory. Raises InvalidInput for a header that
    no reader takes.
    """
    text = json.dumps(header).encode("ascii")
    if len(text) > MAX_HEADER or memory_of(text) > MOST_HEADER:
        raise InvalidInput(f"names: too long for a header of {MAX_HEADER} bytes")
    # Level 1: arrays in canonical order are so regular that more effort gains little.
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        store_array(archive, "header", np.frombuffer(text, dtype=np.uint8))
        for name, array in arrays.items():
            store_array(archive, name, array)


def read_archive(
    content: Content,
    lengths: Callable[[Header], dict[str, int]],
    ranges: Ranges = lambda header: {},
    *,
    free: int = FREE,
    most_header: int = MOST_HEADER,
) -> tuple[Header, Arrays]:
    """The header and the arrays; `lengths` checks a header and tells how long each array is.

    What unpacks to more than `free` bytes is looked through before arrays are made: a small file
    may announce large ones, and entries beyond `ranges` are refused then.
    Raises InvalidInput with one line for anything that is not such a file, whole and true.
    """
    with opened_archive(content) as archive:
        _require_likely(archive)
        header = _header(archive, most_header)
        wanted = lengths(header)
        _require_members(archive, {"header", *wanted})
        unpacked = sum(member.file_size for member in archive.infolist())
        require_memory(f"arrays of {unpacked} bytes", UNPACKED * unpacked)
        if unpacked > free:
            for name, range_ in ranges(header).items():
                if name in wanted:
                    _require_range(archive, name, wanted[name], range_)
        return header, {name: read_member(archive, name, count) for name, count in wanted.items()}


def read_header_text(content: Content) -> bytes:
    """The JSON of the header alone. Raises InvalidInput for anything that has none."""
    with opened_archive(content) as archive:
        return _header_text(archive)


@contextmanager
def opened_archive(content: Content) -> Iterator[zipfile.ZipFile]:
    """The archive in bytes or in an open file; what is broken in it is InvalidInput, one line.

    Nothing is unpacked here, but for an archive of more than MOST_MEMBERS members, or of one
    that is packed in an unusual way, nothing ever is.
    """
    try:
        file = io.BytesIO(content) if isinstance(content, bytes) else content
        if not file.seekable():
            file = io.BytesIO(file.read(MAX_BYTES))
        if _entries(file) > MOST_MEMBERS:
            raise InvalidInput(f"members: more than {MOST_MEMBERS}")
        with zipfile.ZipFile(file) as archive:
            for member in archive.infolist():
                if member.compress_type not in _METHODS or member.flag_bits & 1:
                    raise InvalidInput(f"{excerpt(member.filename)}: only plain deflation is read")
            yield archive
    except TopofinderError:
        raise
    except BROKEN as error:
        raise InvalidInput(f"no whole .npz file: {excerpt(str(error))}") from None


def _entries(file: IO[bytes]) -> int:
    """How many members the archive has at most, without a look at what is said of them."""
    found, kept = 0, b""
    while piece := file.read(_CHUNK):
        found += (kept + piece).count(_ENTRY)
        kept = piece[1 - len(_ENTRY) :]
    file.seek(0)
    return found


def store_array(
    archive: zipfile.ZipFile, name: str, array: NDArray[Any], *, packed: bool = True
) -> None:
    """A member with the array, all 0 or more, in the first type of WIDTHS that holds it."""
    pieces = [array[at : at + _CHUNK] for at in range(0, len(array), _CHUNK)]
    largest = max((int(piece.max()) for piece in pieces), default=0)
    width = next(width for width in WIDTHS if largest <= np.iinfo(width).max)
    shape = {"descr": width.str, "fortran_order": False, "shape": array.shape}
    target = f"{name}.npy" if packed else zipfile.ZipInfo(f"{name}.npy")
    with archive.open(target, "w", force_zip64=True) as member:
        npy.write_array_header_1_0(member, shape)
        for piece in pieces:
            member.write(piece.astype(width).tobytes())


def _require_members(archive: zipfile.ZipFile, wanted: set[str]) -> None:
    found = sorted(archive.namelist())
    if found != sorted(f"{name}.npy" for name in wanted):
        raise InvalidInput(f"members: {', '.join(sorted(wanted))} are needed, not {excerpt(found)}")


def _require_likely(archive: zipfile.ZipFile) -> None:
    """Refuse, by its directory, what unpacks to more than `archive_content` ever packs."""
    unpacked = sum(member.file_size for member in archive.infolist())
    packed = sum(member.compress_size for member in archive.infolist())
    if unpacked > MOST_UNPACKED or unpacked > max(FREE, MOST_RATIO * packed):
        raise InvalidInput(f"members: {packed} bytes that unpack to {unpacked} are not read")


def _header(archive: zipfile.ZipFile, most: int = MOST_HEADER) -> Header:
    try:
        return parse_object(_header_text(archive), most)
    except InvalidInput as error:
        raise InvalidInput(f"header: {error}") from None


def _header_text(archive: zipfile.ZipFile) -> bytes:
    return read_member(archive, "header", None).tobytes()


def read_member(archive: zipfile.ZipFile, name: str, count: int | None) -> NDArray[Any]:
    """One member; its type and length are checked before anything of that size is made."""
    with _opened_array(archive, name, count) as (member, found, kind):
        return fill_array(member, np.empty(found, dtype=kind), name)


def _require_range(archive: zipfile.ZipFile, name: str, count: int, wanted: ArrayRange) -> None:
    """Refuse an array with an entry out of range; no array is made of it."""
    largest = 0
    with _opened_array(archive, name, count) as (member, _, kind):
        while len(piece := member.read(_CHUNK)) >= kind.itemsize:
            values = np.frombuffer(piece, dtype=kind, count=len(piece) // kind.itemsize)
            low, high = int(values.min()), int(values.max())
            if low < wanted.least or high > wanted.most:
                wrong = low if low < wanted.least else high
                told = f"{wrong} is not in {wanted.least}..{wanted.most}"
                raise InvalidInput(f"{name}: {told}")
            largest = max(largest, high)
    if wanted.reached and largest != wanted.most:
        raise InvalidInput(f"{name}: up to {largest}, but the header says {wanted.most}")


@contextmanager
def _opened_array(
    archive: zipfile.ZipFile, name: str, count: int | None
) -> Iterator[tuple[IO[bytes], int, np.dtype[Any]]]:
    """The entries of a member, how many there are, and their type; both are checked."""
    declared = archive.getinfo(f"{name}.npy").file_size
    with archive.open(f"{name}.npy") as member, warnings.catch_warnings():
        warnings.simplefilter("error")
        if npy.read_magic(member) != (1, 0):
            raise InvalidInput(f"{name}: the .npy version is not 1.0")
        shape, _, kind = npy.read_array_header_1_0(member)
        kinds = WIDTHS if count is not None else WIDTHS[:1]
        if kind not in kinds:
            raise InvalidInput(f"{name}: {', '.join(k.str for k in kinds)} needed, not {kind.str}")
        if count is None:
            count = shape[0] if len(shape) == 1 and 0 <= shape[0] <= MAX_HEADER else 0
        if shape != (count,):
            raise InvalidInput(f"{name}: the shape {excerpt(shape)} is not what the header says")
        if declared - member.tell() != count * kind.itemsize:
            raise InvalidInput(f"{name}: not exactly {count} values")
        yield member, count, kind


def fill_array(member: IO[bytes], array: NDArray[Any], name: str) -> NDArray[Any]:
    """The array with the bytes that are left of a member, which must be as many."""
    room = array.view(np.uint8).data
    at = 0
    while chunk := member.read(_CHUNK):
        if len(chunk) > len(room) - at:
            break
        room[at : at + len(chunk)] = chunk
        at += len(chunk)
    if chunk or at != len(room):
        raise InvalidInput(f"{name}: not exactly {array.size} values")
    return array
