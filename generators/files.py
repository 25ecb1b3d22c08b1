"""Files read within a bound and written whole: a reader never meets half a file.

A new file is written beside the old one, flushed to the disk and then renamed over it, which
POSIX makes one indivisible step; whoever is killed half-way leaves the old file as it was.
"""

import io
import os
import stat
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, cast

from generators.errors import InvalidInput

MAX_BYTES = 256 << 20
"""Bytes of a compact file at most; files of text have lower limits of their own."""
MAX_LINE = 4 << 20
"""Characters of a line of text at most."""
MOST_LINES = 1 << 22
"""Lines of a text at most, empty ones among them."""
_PIECE = 1 << 16
_CHUNK = 1 << 18  # a read of the whole bound at once would allocate the whole bound


class FileError(InvalidInput):
    """What is wrong with a file before anything in it is read; with its name."""


class TextError(InvalidInput):
    """What is wrong with a text as such, whatever it says; without the name of the file."""


@contextmanager
def open_bounded(path: str | os.PathLike[str], limit: int = MAX_BYTES) -> Iterator[IO[bytes]]:
    """A file that is open for reading, of at most `limit` bytes unless it is a pipe.

    Raises FileError as `read_bounded`.
    """
    try:
        opened = open(path, "rb", opener=_open_at_once)  # noqa: SIM115
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: cannot be read: {_reason(error)}") from None
    with opened as file:
        try:
            status = os.fstat(file.fileno())
            _require_readable(path, status.st_mode)
            if status.st_size > limit:
                raise FileError(f"{path}: larger than {limit} bytes")
            os.set_blocking(file.fileno(), True)
            yield file
        except OSError as error:
            raise FileError(f"{path}: cannot be read: {_reason(error)}") from None


def read_bounded(path: str | os.PathLike[str], limit: int = MAX_BYTES) -> bytes:
    """The bytes of a file, or of what a shell pipes in as one, of at most `limit` bytes.

    Raises InvalidInput for a file that is missing, cannot be read or is too large, and for a
    folder, a device or a named pipe, at which a reader could wait for ever.
    """
    with open_bounded(path, limit) as file:
        content = io.BytesIO()
        while content.tell() <= limit and (chunk := file.read(_CHUNK)):
            content.write(chunk)
    if content.tell() > limit:
        raise FileError(f"{path}: larger than {limit} bytes")
    return content.getvalue()


def read_lines(
    path: str | os.PathLike[str],
    limit: int = MAX_BYTES,
    longest: int = MAX_LINE,
    most: int = MOST_LINES,
) -> Iterator[str]:
    """The lines of a UTF-8 text, with their ends, none of them above `longest` characters.

    The file is read piece by piece: one line at a time is in memory.

    Raises InvalidInput as `read_bounded`, and TextError for what is wrong with the text.
    """
    with open_bounded(path, limit) as file:
        pieces = _Pieces(file, limit)
        yield from _lines(pieces, longest, most)
        if pieces.taken > limit:
            raise FileError(f"{path}: larger than {limit} bytes")


def text_of(content: bytes) -> str:
    """The UTF-8 text in the bytes of a file, with or without a byte order mark.

    >>> text_of(b"\\xef\\xbb\\xbfring")
    'ring'
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise no_text(content, error.start) from None


def require_text(content: bytes) -> None:
    """Refuse what `text_of` refuses, without a copy of the whole."""
    decoder = getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(content), _CHUNK):
            decoder.decode(content[start : start + _CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        text_of(content)  # which knows the place


def no_text(content: bytes, at: int) -> TextError:
    """The exception to raise for a byte that is in no UTF-8 text."""
    line = content.count(b"\n", 0, at) + 1
    return TextError(f"line {line}: not UTF-8 text at byte {at}")


def blocks_of(
    content: bytes | IO[bytes], longest: int = MAX_LINE, limit: int = MAX_BYTES
) -> Iterator[tuple[int, str]]:
    """A UTF-8 text, or an open file of it, in pieces of whole lines.

    Each comes with how many lines there are before it. Raises TextError for a line of more than
    `longest` characters, more than MOST_LINES lines, more than `limit` bytes, and what is no UTF-8.

    >>> list(blocks_of(b"0 1\\r\\n1 0"))
    [(0, '0 1\\n1 0')]
    """
    file = io.BytesIO(content) if isinstance(content, bytes) else content
    pieces = _Pieces(file, limit)
    yield from _blocks(pieces, longest)
    if pieces.taken > limit:
        raise TextError(f"larger than {limit} bytes")


class _Pieces(io.BufferedIOBase):
    """A file that is read once, with how many bytes and line ends were taken from it.

    It ends soon after `limit` bytes, however much there is.
    """

    def __init__(self, file: IO[bytes], limit: int) -> None:
        self._file, self._limit = file, limit
        self.taken = self.ends = 0

    def readable(self) -> bool:
        return True

    def read1(self, size: int = -1, /) -> bytes:
        piece = self._file.read(_PIECE) if self.taken <= self._limit else b""
        self.taken += len(piece)
        self.ends += piece.count(b"\n")
        return piece

    def place(self, error: UnicodeDecodeError) -> TextError:
        """What is wrong; what the decoder was offered ends where the pieces taken end."""
        rest = error.object[error.start :]
        line = self.ends - rest.count(b"\n") + 1
        return TextError(f"line {line}: not UTF-8 text at byte {self.taken - len(rest)}")


def _lines(pieces: _Pieces, longest: int, most: int) -> Iterator[str]:
    lines = io.TextIOWrapper(cast("IO[bytes]", pieces), encoding="utf-8-sig")
    number = 0
    try:
        while line := lines.readline(longest + 1):
            number += 1
            if len(line) > longest:
                raise TextError(f"line {number}: longer than {longest} characters")
            if number > most:
                raise TextError(f"more than {most} lines")
            yield line
    except UnicodeDecodeError as error:
        raise pieces.place(error) from None


def _blocks(pieces: _Pieces, longest: int) -> Iterator[tuple[int, str]]:
    text = io.TextIOWrapper(cast("IO[bytes]", pieces), encoding="utf-8-sig")
    number = 0
    try:
        while block := text.read(min(_CHUNK, longest)):
            if block[-1] != "\n":
                block += text.readline(longest + 1)
            begin = block.rfind("\n", 0, len(block) - 1) + 1
            lines = block.count("\n", 0, begin) + 1
            if len(block) - begin > longest:
                raise TextError(f"line {number + lines}: longer than {longest} characters")
            if number + lines > MOST_LINES:
                raise TextError(f"more than {MOST_LINES} lines")
            yield number, block
            number += lines
    except UnicodeDecodeError as error:
        raise pieces.place(error) from None


def _open_at_once(path: str, flags: int) -> int:
    """Without waiting for the other end of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _require_readable(path: str | os.PathLike[str], mode: int) -> None:
    """Let through ordinary files, and pipes that have no name in any folder."""
    named = stat.S_ISFIFO(mode) and os.path.exists(os.path.realpath(path))  # noqa: PTH110
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or named:
        raise FileError(f"{path}: is a device or a named pipe, not a file")


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write text (as UTF-8) or bytes to a file, whole or not at all.

    The folder must exist; a link is followed; an old file gives the new one its permissions.
    Raises InvalidInput for a missing folder, a target that is no ordinary file, or a disk that
    refuses.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "ring.edges", "0 1\\n1 0\\n")
    ...     read_bounded(Path(folder) / "ring.edges")
    b'0 1\\n1 0\\n'
    """
    try:
        coded = content.encode("utf-8") if isinstance(content, str) else content
    except ValueError as error:
        raise InvalidInput(f"{path}: cannot be written: {_reason(error)}") from None
    write_pieces(path, lambda file: file.write(coded))


def write_pieces(path: str | os.PathLike[str], write: Callable[[IO[bytes]], object]) -> None:
    """The same for what is too large to be in memory at once: `write` writes to an open file.

    What it raises leaves the old file as it was.
    """
    try:
        target = _target(path)
        temporary = target.parent / f".{os.urandom(8).hex()}.tmp"
        try:
            _write(temporary, write)
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o777)
            temporary.replace(target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
        _flush_folder(target.parent)
    except InvalidInput:
        raise
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path}: cannot be written: {_reason(error)}") from None


def require_new(path: str | os.PathLike[str], field: str) -> None:
    """Raise InvalidInput where something is there already that people may have edited by hand.

    `field` is the option that names the file.
    """
    if os.path.lexists(path):
        raise InvalidInput(f"{field}: {path} is there already; --force writes over it")


def require_place(path: str | os.PathLike[str]) -> None:
    """Refuse, before the work that ends in it, a file that `write_whole` could not write.

    Nothing is made or changed. Raises InvalidInput as `write_whole` does.

    >>> require_place("/no/such/folder/a.json")
    Traceback (most recent call last):
    generators.errors.InvalidInput: /no/such/folder/a.json: there is no folder /no/such/folder
    """
    try:
        target = _target(path)
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise InvalidInput(f"{path}: its folder cannot be written")
    except InvalidInput:
        raise
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path}: cannot be written: {_reason(error)}") from None


def _target(path: str | os.PathLike[str]) -> Path:
    """The ordinary file, there or not, that `path` leads to."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InvalidInput(f"{path}: is a folder, not a file")
    if target.exists() and not target.is_file():
        raise InvalidInput(f"{path}: is a device or a pipe, not a file")
    if not target.parent.is_dir():
        raise InvalidInput(f"{path}: there is no folder {Path(path).parent}")
    return target


def _write(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    with path.open("xb") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    """Make the rename itself lasting, where the system lets a folder be opened."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _reason(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) else None
    return (text or str(error)).lower()
