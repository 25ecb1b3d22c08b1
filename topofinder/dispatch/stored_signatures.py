"""The signatures that kernels are compiled for ahead of their use: `signatures.json`.

`python -m tools.kernel_signatures` writes the file from what commands call their kernels with.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from topofinder.dispatch import background
from topofinder.dispatch.code_stamp import code_stamp
from topofinder.dispatch.compile_requests import compile_request
from topofinder.dispatch.kernel import Kernel, mode

SIGNATURES_FILE = Path(__file__).with_name("signatures.json")


def stored_signatures() -> dict[str, list[str]]:
    """By kernel (`module:function`), the texts of `samples` that it is called with.

    >>> '["<i8:1C", "<i4:1C"]' in stored_signatures()["topofinder.kernels:hop_table"]
    True
    """
    found: dict[str, list[str]] = json.loads(SIGNATURES_FILE.read_text(encoding="utf-8"))
    return found


def are_compiled_later(kernels: Sequence[Kernel]) -> bool:
    """Whether some of these kernels are left to the process in the background, which is asked.

    False where all lie compiled on the disk, where there is no such process, and where it has
    ended without them.
    """
    if mode() != "auto" or not background.is_on():
        return False
    missing = [kernel for kernel in kernels if not is_stored(kernel)]
    if not missing:
        return False
    known = stored_signatures()
    wanted = [(one.name, text) for one in missing for text in known.get(one.name, ())]
    stamps = "\n".join(code_stamp(kernel.py_func) for kernel in kernels)
    return background.request_once(wanted, stamps)


def is_stored(kernel: Kernel) -> bool:
    """Whether a kernel lies on the disk, compiled from its code as it is now."""
    stamp = code_stamp(kernel.py_func).encode()
    for index in background.index_files(kernel.py_func):
        with suppress(OSError):
            if stamp in index.read_bytes():
                return True
    return False


def signatures_by_module() -> list[list[tuple[str, str]]]:
    """(kernel, signature) by module, the modules with most of them first: one piece of work each.

    Kernels of a module call each other: whoever compiles one has compiled much of the next.
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    for kernel, texts in stored_signatures().items():
        module = kernel.split(":")[0]
        groups.setdefault(module, []).extend((kernel, text) for text in texts)
    return sorted(groups.values(), key=lambda group: (-len(group), group))


def compile_group(group: list[tuple[str, str]]) -> tuple[int, int]:
    """Compile what is not compiled yet; how many were, and how many lay on the disk already."""
    compiled = sum(compile_request(*wanted) for wanted in group)
    return compiled, len(group) - compiled


def cache_path() -> Path:
    """The folder that numba keeps the code of this module's kernels in."""
    from topofinder.dispatch.numba_start import cache_folder

    return cache_folder(import_module("topofinder.kernels").hop_table.compiled)
