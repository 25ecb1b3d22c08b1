"""The shipped jump sets: of each n up to MOST_TABLED, jumps of circulants of small diameter.

`tools/find_jump_sets.py` found them and wrote generators/data/jump_sets.npz; the tests prove each
anew (tests/generators/test_jump_sets.py).
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

MOST_TABLED = 2000
"""Nodes that shipped jump sets have at most."""
EVEN = range(3, 9)
"""How many jumps the sets without n/2 have."""
HALF = range(2, 4)
"""How many jumps, n/2 apart, the sets with n/2 have."""


@dataclass(frozen=True, slots=True)
class JumpSet:
    """Jumps between 1 and n/2, ascending, and the diameter of their circulant in hops."""

    jumps: tuple[int, ...]
    diameter: int


def jump_set(n: int, k: int, half: bool = False) -> JumpSet | None:
    """The shipped set of k two-way jumps for Z_n, with n/2 as one more where `half` says so.

    None if there is none: n above 2000, fewer than k two-way jumps to choose from, k outside
    `EVEN` (`HALF` with n/2), or n odd with `half`.

    >>> jump_set(55, 3).diameter, len(jump_set(20, 3, half=True).jumps), jump_set(6, 3)
    (3, 4, None)
    """
    smallest, step = (2 * k + 2, 2) if half else (2 * k + 1, 1)
    row, between = divmod(n - smallest, step)
    if k not in (HALF if half else EVEN) or row < 0 or between:
        return None
    jumps, diameter = _table(k, half)
    if row >= len(jumps):
        return None
    chosen = tuple(jumps[row].tolist()) + ((n // 2,) if half else ())
    return JumpSet(chosen, int(diameter[row]))


@cache
def _table(k: int, half: bool) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """Jumps, shape (sizes, k), and diameters, shape (sizes,), read when first asked for."""
    name = f"{'half' if half else 'even'}{k}"
    source = files("generators") / "data" / "jump_sets.npz"
    with source.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return arrays[name], arrays[f"{name}_diameter"]
