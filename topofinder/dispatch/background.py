"""One process in the background, which compiles kernels that were wanted, for the next time.

Requests are lines of a file in the user's cache folder: kernel and signature. Whoever adds some
starts a process that takes them; it holds a lock, so that there is never more than one of a user,
has no terminal, runs at the lowest priority, and ends when no request is left. Whatever goes wrong
here, no command fails, it is only slow once more.

TOPOFINDER_BACKGROUND=0 in the environment, or a cache that cannot be written, does without.
"""

import fcntl
import hashlib
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

VARIABLE = "TOPOFINDER_BACKGROUND"
ROOT = Path(__file__).resolve().parent.parent.parent
_PROGRAM = "from topofinder.dispatch.compile_requests import main; main()"

_asked: set[tuple[str, str]] = set()


def may_be_stored(function: Callable[..., Any]) -> bool:
    """Whether the cache on disk has a file of that kernel, whatever it was compiled for."""
    return any(file.exists() for file in index_files(function))


def index_files(function: Callable[..., Any]) -> tuple[Path, ...]:
    """Where numba lists what a kernel was compiled for, and from which code, if it ever was."""
    file = Path(function.__code__.co_filename)
    line = function.__code__.co_firstlineno
    version = f"py{sys.version_info[0]}{sys.version_info[1]}"
    name = f"{file.stem}.{function.__qualname__.replace('<', '').replace('>', '')}"
    index = f"{name}-{line}.{version}{getattr(sys, 'abiflags', '')}.nbi"
    return tuple(folder / index for folder in _cache_folders(file.parent))


def cache_root(folder: Path = ROOT) -> Path:
    """Where compiled kernels lie: NUMBA_CACHE_DIR, or beside the code where that is writable."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    return folder if os.access(folder, os.W_OK) else _user_cache() / "numba"


@cache
def _cache_folders(folder: Path) -> tuple[Path, ...]:
    root = cache_root(folder)
    if root == folder:
        return (folder / "__pycache__",)
    digest = hashlib.sha1(str(folder).encode(), usedforsecurity=False).hexdigest()
    return (root / f"{folder.name}_{digest}",)


def request(kernel: str, signature: str) -> None:
    """Ask for a kernel, once a process."""
    request_all([(kernel, signature)])


def request_all(wanted: Iterable[tuple[str, str]]) -> None:
    """Ask for kernels by signatures, each once a process."""
    fresh = [one for one in wanted if one not in _asked]
    if not fresh or not is_on():
        return
    _asked.update(fresh)
    with suppress(OSError):
        spool = spool_file()
        with spool.open("a", encoding="utf-8") as lines:
            lines.writelines(f"{kernel}\t{signature}\n" for kernel, signature in fresh)
        _start(spool)


def request_once(wanted: Iterable[tuple[str, str]], stamp: str) -> bool:
    """Ask for kernels, whose code has that `stamp`; whether the process is, or goes, at it.

    False where it has been asked for them and is done: it could not compile them.
    """
    with suppress(OSError):
        asked = spool_file().with_suffix(".asked")
        if asked.exists() and asked.read_text(encoding="utf-8") == stamp:
            return is_at_work()
        asked.write_text(stamp, encoding="utf-8")
        request_all(wanted)
        return True
    return False


def is_at_work() -> bool:
    """Whether requests wait to be taken, or are being worked on."""
    spool = spool_file()
    if spool.exists():
        return True
    with lock_file(spool).open("a") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def lock_file(spool: Path) -> Path:
    """What the one process holds while it compiles."""
    return spool.parent / "kernels.lock"


def is_on() -> bool:
    """Whether there may be a process in the background."""
    root = cache_root()
    place = next((folder for folder in (root, *root.parents) if folder.exists()), root)
    return os.environ.get(VARIABLE, "1") != "0" and place.is_dir() and os.access(place, os.W_OK)


def spool_file() -> Path:
    """The requests for this interpreter and this cache; its folder is made."""
    folder = _user_cache() / "topofinder"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    what = "\n".join((sys.executable, str(ROOT), str(cache_root())))
    return folder / f"kernels-{hashlib.sha256(what.encode()).hexdigest()[:16]}.txt"


def _start(spool: Path) -> None:
    """Start the process, without a terminal; nobody waits for it."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    os.posix_spawn(
        sys.executable,
        [sys.executable, "-P", "-c", _PROGRAM, str(spool)],
        os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        file_actions=nothing,
        setsid=True,
    )


def _user_cache() -> Path:
    chosen = os.environ.get("XDG_CACHE_HOME")
    return Path(chosen) if chosen else Path.home() / ".cache"
