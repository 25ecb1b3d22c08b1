"""Kernels on multiplication tables of groups: filling one, and colouring its elements."""

import numpy as np

from topofinder.kernels import hash_neighbours, kernel, mix64


@kernel
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


@kernel
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


@kernel
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
