"""The signatures that kernels are compiled for ahead of their use: `signatures.json`.

`python -m tools.kernel_signatures` writes the file from what commands call their kernels with.
"""

import json
from importlib import import_module
from pathlib import Path

from topofinder.dispatch.compile_requests import compile_request

SIGNATURES_FILE = Path(__file__).with_name("signatures.json")


def stored_signatures() -> dict[str, list[str]]:
    """By kernel (`module:function`), the texts of `samples` that it is called with.

    >>> '["<i8:1C", "<i4:1C"]' in stored_signatures()["topofinder.kernels:hop_table"]
    True
    """
    found: dict[str, list[str]] = json.loads(SIGNATURES_FILE.read_text(encoding="utf-8"))
    return found


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
