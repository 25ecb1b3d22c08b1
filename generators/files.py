"""Files read within a bound and written whole: a reader never meets half a file.

A new file is written beside the old one, flushed to the disk and then renamed over it, which
POSIX makes one indivisible step; whoever is killed half-way leaves the old file as it was.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from generators.errors import InvalidInput

MAX_BYTES = 256 << 20
_CHUNK = 1 << 18  # a read of the whole bound at once would allocate the whole bound


def read_bounded(path: str | os.PathLike[str], limit: int = MAX_BYTES) -> bytes:
    """The bytes of a file of at most `limit` bytes; a pipe or device is read no further.

    Raises InvalidInput for a file that is missing, cannot be read or is too large.
    """
    try:
        with Path(path).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            content = bytearray()
            while max(size, len(content)) <= limit and (chunk := file.read(_CHUNK)):
                content += chunk
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path}: cannot be read: {_reason(error)}") from None
    if max(size, len(content)) > limit:
        raise InvalidInput(f"{path}: larger than {limit} bytes")
    return bytes(content)


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
        target = _target(path)
        temporary = target.parent / f".{secrets.token_hex(8)}.tmp"
        try:
            _write(temporary, coded)
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


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
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
