"""Columns as the kernels take them, and counting sorts of rows."""

# mypy: disallow-untyped-decorators=False

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from expansions.schedule import Schedule


def columns(schedule: Schedule) -> tuple[NDArray[Any], ...]:
    """Columns (source, arc, step, begin, end), copied only where they are strided.

    Kernels are then compiled for one layout only.

    >>> rows = np.array([(0, 0, 1, 0, 1), (1, 1, 1, 0, 1)]).T
    >>> names = ("source", "arc", "step", "begin", "end")
    >>> swap = Schedule(**dict(zip(names, rows, strict=True)))
    >>> swap.end.flags.c_contiguous, columns(swap)[4].flags.c_contiguous
    (False, True)
    """
    found = []
    for name in ("source", "arc", "step", "begin", "end"):
        view = np.ascontiguousarray(getattr(schedule, name)).view()
        view.setflags(write=False)
        found.append(view)
    return tuple(found)


@njit(cache=True, nogil=True)
def sorted_by(rows, key, keys):  # type: ignore[no-untyped-def]
    """Sort row numbers by key[row], in 0..keys - 1; rows of one key stay in order.

    Returns (ordered, start): those of key k are ordered[start[k]:start[k + 1]]. Sums are of rows.
    """
    start = np.zeros(keys + 1, np.int64)
    for row in rows:
        start[key[row] + 1] += 1
    for k in range(keys):
        start[k + 1] += start[k]
    free, ordered = start.copy(), np.empty_like(rows)
    for row in rows:
        ordered[free[key[row]]] = row
        free[key[row]] += 1
    return ordered, start
