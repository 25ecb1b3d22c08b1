"""Folders of files that are written whole or not at all, for formats of several files."""

import os
import secrets
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import write_whole


def write_folder(path: str | os.PathLike[str], files: Mapping[str, str | bytes]) -> None:
    """Write files into a folder, which appears when all are there.

    A folder that is there already is replaced, if it holds no file of another name. Raises
    InvalidInput where it does, for a missing parent and for a disk that refuses.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_folder(f"{folder}/trace", {"a.0.et": b"", "a.1.et": b""})
    ...     sorted(each.name for each in Path(f"{folder}/trace").iterdir())
    ['a.0.et', 'a.1.et']
    """
    target = Path(os.path.realpath(path))
    _require_place(path, target, files)
    beside = target.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        beside.mkdir()
        for name, content in files.items():
            write_whole(beside / name, content)
        if target.exists():
            old = target.parent / f".{secrets.token_hex(8)}.old"
            target.rename(old)
            beside.rename(target)
            shutil.rmtree(old)
        else:
            beside.rename(target)
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be written: {(error.strerror or '').lower()}") from None
    finally:
        with suppress(OSError):
            shutil.rmtree(beside)


def _require_place(
    path: str | os.PathLike[str], target: Path, files: Mapping[str, str | bytes]
) -> None:
    if not target.parent.is_dir():
        raise InvalidInput(f"{path}: there is no folder {Path(path).parent}")
    if target.exists() and not target.is_dir():
        raise InvalidInput(f"{path}: is a file, not a folder")
    if target.exists():
        other = sorted({each.name for each in target.iterdir()} - set(files))
        if other:
            raise InvalidInput(f"{path}: holds another file already: {excerpt(other[0])}")
