"""What was found by search for Diamond and the modified de Bruijn graphs, read from its file.

The published figures of these graphs are drawings (Zhao et al., figures 19 and 20). The file
holds graphs with every published property, found by

    python -m tools.find_modified_graphs

whose docstring says what was searched for and what decided between several.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any


def diamond_arcs() -> list[tuple[int, int]]:
    """The 16 arcs (tail, head) of Diamond.

    >>> len(diamond_arcs())
    16
    """
    return [(tail, head) for tail, head in _read_cycles()["Diamond"]]


def rewired_cycle(d: int, n: int) -> list[int]:
    """The cycle that takes the place of loops and 2-cycles in DBJ(d,n), as words read in base d.

    >>> sorted(rewired_cycle(2, 3))
    [0, 2, 5, 7]
    """
    return list(_read_cycles()[f"DBJMod({d},{n})"])


@cache
def _read_cycles() -> dict[str, Any]:
    source = files("generators") / "data" / "modified_graphs.json"
    found: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
    return found
