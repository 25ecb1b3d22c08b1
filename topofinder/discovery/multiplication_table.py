"""The multiplication table of a group as right multiplications, and what tells groups apart."""

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from generators.cayley import Group
from generators.topology import Int64Array
from topofinder.kernels import kernel, mix64

Columns = NDArray[np.int16]


def columns_of(group: Group) -> Columns:
    """`[s, x]` is x s; int16 of shape (order, order), for orders below 2^15.

    Rows of the standard generators are multiplied out along words, one gather a row.

    >>> from generators.cayley import parse_group
    >>> columns_of(parse_group("Z4"))[3].tolist()
    [3, 0, 1, 2]
    """
    own = np.array([group.times(s) for s in group.generators], dtype=np.int16)
    table = np.empty((group.order, group.order), dtype=np.int16)
    _multiply_out(own, table)
    return table


@kernel
def _multiply_out(own, table):  # type: ignore[no-untyped-def]
    """Fill the table breadth-first: x (s g) = (x s) g for the generators g, rows of `own`."""
    n = table.shape[0]
    known, queue = np.zeros(n, np.bool_), np.zeros(n, np.int64)
    for x in range(n):
        table[0, x] = x
    known[0] = True
    done, filled = 0, 1
    while done < filled:
        s = queue[done]
        done += 1
        for g in range(own.shape[0]):
            product = own[g, s]
            if not known[product]:
                known[product], queue[filled] = True, product
                filled += 1
                for x in range(n):
                    table[product, x] = own[g, table[s, x]]


def inverses_of(columns: Columns) -> Int64Array:
    """The inverse of every element; shape (order,)."""
    found: Int64Array = np.argmin(columns, axis=1).astype(np.int64)
    return found


def fingerprint(columns: Columns) -> bytes:
    """A digest that isomorphic groups share and others seldom do.

    Elements are coloured by order, size of the centralizer and number of square and cube roots;
    then twice each colour is refined by the pairs of colours of y and x y over all y.

    >>> from generators.cayley import parse_group
    >>> texts = ("Z8", "Z4xZ2", "D4", "Dic2", "Z4:Z2[3]")
    >>> prints = [fingerprint(columns_of(parse_group(text))) for text in texts]
    >>> len(set(prints)), prints[2] == prints[4]
    (4, True)
    """
    colours = _coloured(columns)
    for _ in range(2):
        colours = _refined(columns, colours)
    return blake2b(np.sort(colours).tobytes(), digest_size=16).digest()


@kernel
def _coloured(columns):  # type: ignore[no-untyped-def]
    """A colour for order, centralizer size, square roots and cube roots; uint64, (n,)."""
    n = columns.shape[0]
    counts = np.zeros((n, 4), np.uint64)
    for s in range(n):
        power, order = np.int64(s), 1
        while power != 0:
            power = np.int64(columns[s, power])
            order += 1
        counts[s, 0] = np.uint64(order)
        for x in range(n):
            counts[s, 1] += np.uint64(columns[s, x] == columns[x, s])
        square = np.int64(columns[s, s])
        counts[square, 2] += np.uint64(1)
        counts[np.int64(columns[s, square]), 3] += np.uint64(1)
    colours = np.zeros(n, np.uint64)
    for s in range(n):
        for k in range(4):
            colours[s] = mix64(colours[s] * np.uint64(3) + counts[s, k] + np.uint64(1))
    return colours


@kernel
def _refined(columns, colours):  # type: ignore[no-untyped-def]
    """Each colour with the sum over y of a hash of the colours of y and x y."""
    n = columns.shape[0]
    found = np.empty(n, np.uint64)
    for s in range(n):
        total = np.uint64(0)
        for x in range(n):
            total += mix64(colours[x] * np.uint64(5) + colours[np.int64(columns[s, x])])
        found[s] = mix64(colours[s] * np.uint64(7) + total)
    return found
