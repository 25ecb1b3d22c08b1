"""How much memory there is, asked before work starts that may need more.

Whoever makes large arrays says beforehand how much they take, measured: better one line at once
than an hour of swapping, or the system that ends the process. `TOPOFINDER_MEMORY`, a size such as
`16GiB`, says how much commands may take where the system is not to be asked.
"""

import os
from contextlib import suppress
from pathlib import Path

from generators.errors import Unsupported

VARIABLE = "TOPOFINDER_MEMORY"
SMALL = 256 << 20
"""Bytes that are not asked about where the variable says nothing."""
_MEMINFO = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")


def require_memory(what: str, need: int, advice: str = "") -> None:
    """Refuse work that takes about `need` bytes where so many are not available.

    `what` is the work, as the beginning of a line, `advice` what takes less. Raises Unsupported.

    >>> require_memory("schedule: 6 rows", 450)
    """
    told = os.environ.get(VARIABLE)
    if not told and need <= SMALL:
        return
    free = memory_allowed(told) if told else available_memory()
    if free is None or need <= free:
        return
    advice = f"{advice}; " if advice else ""
    raise Unsupported(
        f"{what} would take about {memory_text(need)} of memory, and {memory_text(free)} are free; "
        f"{advice}{VARIABLE}={_rounded_up(need)} starts it all the same"
    )


def memory_allowed(text: str) -> int:
    """The bytes that the variable's text allows. Raises InvalidInput for what is no size."""
    from generators import quantities

    return int(quantities.size(text, VARIABLE))


def available_memory() -> int | None:
    """The bytes that this process may still take without swapping; None where that is unknown.

    The least of what the system, the control group (version 2) and the process's own limit leave.
    """
    left = [found for found in (_of_system(), _of_group(), _of_limit()) if found is not None]
    return max(min(left), 0) if left else None


def memory_text(count: int) -> str:
    """A number of bytes, rounded, for a person.

    >>> memory_text(5 << 29), memory_text(300 << 20)
    ('2.5 GiB', '300 MiB')
    """
    if count < 1 << 30:
        return f"{count / (1 << 20):.0f} MiB"
    return f"{count / (1 << 30):.1f} GiB"


def _rounded_up(count: int) -> str:
    unit, name = (1 << 20, "MiB") if count < 1 << 30 else (1 << 30, "GiB")
    return f"{-(-count // unit)}{name}"


def _of_system() -> int | None:
    with suppress(OSError, ValueError, IndexError):
        for line in _MEMINFO.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    return None


def _of_group() -> int | None:
    with suppress(OSError, ValueError):
        most = int((_GROUP / "memory.max").read_text(encoding="ascii"))
        return most - int((_GROUP / "memory.current").read_text(encoding="ascii"))
    return None


def _of_limit() -> int | None:
    with suppress(ImportError, OSError, ValueError, IndexError):
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most == resource.RLIM_INFINITY:
            return None
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        return most - used * resource.getpagesize()
    return None
