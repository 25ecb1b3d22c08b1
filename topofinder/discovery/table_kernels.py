"""Kernels on multiplication tables of groups: filling one, and colouring its elements.

In plain Python whole rows are taken at a time, so that small groups wait for no compiler.
"""

from typing import Any

import numpy as np

from topofinder.kernels import hash_neighbours, kernel, mix64


def _multiply_rows(own, table):  # type: ignore[no-untyped-def]
    """`multiply_out`, a row of the table at a time."""
    table[0] = np.arange(table.shape[0])
    known, queue = {0}, [0]
    for s in queue:
        for row in own:
            product = int(row[s])
            if product not in known:
                known.add(product)
                queue.append(product)
                table[product] = row[table[s]]


def _mix_words(word: Any) -> Any:
    """`mix64` of every word of an array."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


def _colour_together(columns):  # type: ignore[no-untyped-def]
    """`colour_elements`, of all elements at once."""
    n = len(columns)
    own = np.arange(n)
    order, power = np.ones(n, np.int64), own.copy()
    while power.any():
        order += power != 0
        power = np.where(power != 0, columns[own, power], 0)
    square = columns[own, own]
    cube = columns[own, square]
    counts = (
        order,
        (columns == columns.T).sum(axis=1),
        np.bincount(square, minlength=n),
        np.bincount(cube, minlength=n),
    )
    colours = np.zeros(n, np.uint64)
    for count in counts:
        colours = _mix_words(colours * np.uint64(3) + count.astype(np.uint64) + np.uint64(1))
    return colours


def _refine_together(columns, colours):  # type: ignore[no-untyped-def]
    """`refine_elements`, of all elements at once."""
    met = _mix_words(colours[columns] ^ (colours * np.uint64(5))[None, :])
    return _mix_words(colours * np.uint64(7) + met.sum(axis=1, dtype=np.uint64))


@kernel(python=_multiply_rows)
def multiply_out(own, table):  # type: ignore[no-untyped-def]
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


@kernel(python=_colour_together)
def colour_elements(columns):  # type: ignore[no-untyped-def]
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


@kernel(python=_refine_together)
def refine_elements(columns, colours):  # type: ignore[no-untyped-def]
    """A round of colour refinement on the table: s meets x s along an arc of x's colour.

    Returns the new colours, uint64 of shape (n,).
    """
    n = columns.shape[0]
    found, label = np.empty(n, np.uint64), np.empty(n, np.uint64)
    for x in range(n):
        label[x] = colours[x] * np.uint64(5)
    for s in range(n):
        total = hash_neighbours(columns[s], label, 0, n, colours, np.uint64(0))
        found[s] = mix64(colours[s] * np.uint64(7) + total)
    return found
