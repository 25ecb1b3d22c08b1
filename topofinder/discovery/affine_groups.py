"""Elementary abelian groups Z_p^k extended by cyclic groups that act linearly.

A matrix over the field of p elements is similar to one of companion blocks (rational canonical
form), so that block matrices stand for all actions of a cyclic group. A companion matrix of a
primitive polynomial turns all vectors but 0 in one cycle: the group is AGL(1, p^k) or a part of it.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np

from generators.cayley.group import Group
from generators.cayley.notation import parse_group
from generators.topology import Int64Array
from topofinder.discovery.group_families import factorization, partitions

LARGEST_SPACE = 1 << 10
"""Vectors of the largest space that is acted upon."""

MOST_BLOCKS = 512
"""Block matrices of a space that are looked at."""


def affine_groups(n: int) -> Iterator[Group]:
    """Groups Z_p^k:Z_m of order n with k >= 2, one for each kind of action that is told apart.

    Actions of large order come first, the groups furthest from abelian; then large spaces.

    >>> [str(group) for group in affine_groups(36)]
    ['Z3^2:Z4[(0,1),(2,0)]', 'Z2^2:Z9[(0,1),(1,1)]', 'Z3^2:Z4[(0,1),(1,0)]', 'Z3^2:Z4[(2,0),(0,2)]']
    """
    spaces = [
        (p, k)
        for p, most in factorization(n)
        for k in range(2, most + 1)
        if p**k <= min(LARGEST_SPACE, n // 2)
    ]
    actions = [one for p, k in spaces for one in _cyclic_actions(p, k, n // p**k)]
    for _, _, text in sorted(actions, key=lambda one: (-one[0], -one[1])):
        yield parse_group(text)


def _cyclic_actions(p: int, k: int, m: int) -> Iterator[tuple[int, int, str]]:
    """Orders of actions of Z_m, the size of the space, and the text of the group."""
    seen: set[tuple[object, ...]] = set()
    for matrix in _block_matrices(p, k):
        order = _matrix_order(matrix, p, m)
        mark = _cyclic_mark(matrix, p, order) if order > 1 else ()
        if mark and mark not in seen:
            seen.add(mark)
            images = ",".join(f"({','.join(map(str, row))})" for row in matrix.tolist())
            yield order, p**k, f"Z{p}^{k}:Z{m}[{images}]"


def _block_matrices(p: int, k: int) -> Iterator[Int64Array]:
    """Invertible matrices of companion blocks, row i the image of vector i of the base."""
    count = 0
    for sizes in partitions(k):
        for lowest in product(*(product(range(p), repeat=size) for size in sizes)):
            if all(part[0] for part in lowest) and count < MOST_BLOCKS:
                count += 1
                yield _companion_blocks(lowest, k)


def _companion_blocks(lowest: tuple[tuple[int, ...], ...], k: int) -> Int64Array:
    """Blocks side by side: each carries a base vector to the next, its last to `lowest`."""
    matrix, at = np.zeros((k, k), np.int64), 0
    for part in lowest:
        end = at + len(part)
        matrix[np.arange(at, end - 1), np.arange(at + 1, end)] = 1
        matrix[end - 1, at:end] = part
        at = end
    return matrix


def _matrix_order(matrix: Int64Array, p: int, m: int) -> int:
    """The order of a matrix if it divides m, else 0."""
    power = matrix
    for order in range(1, m + 1):
        if np.array_equal(power, np.eye(len(matrix), dtype=np.int64)):
            return order if m % order == 0 else 0
        power = power @ matrix % p
    return 0


def _cyclic_mark(matrix: Int64Array, p: int, order: int) -> tuple[object, ...]:
    """What matrices share whose cyclic groups are similar: ranks and traces of powers."""
    powers = [np.eye(len(matrix), dtype=np.int64)]
    for _ in range(1, order):
        powers.append(powers[-1] @ matrix % p)
    one = powers[0]
    fixed = tuple(_rank((power - one) % p, p) for power in powers)
    traces = [int(np.trace(power)) % p for power in powers]
    turns = (tuple(traces[j * i % order] for i in range(order)) for j in range(1, order))
    same = min((turn for j, turn in enumerate(turns, 1) if np.gcd(j, order) == 1), default=())
    return order, fixed, same


def _rank(matrix: Int64Array, p: int) -> int:
    rows, rank = matrix.copy(), 0
    for column in range(rows.shape[1]):
        found = np.flatnonzero(rows[rank:, column])
        if len(found):
            rows[[rank, rank + found[0]]] = rows[[rank + found[0], rank]]
            rows[rank] = rows[rank] * pow(int(rows[rank, column]), -1, p) % p
            others = np.arange(len(rows)) != rank
            rows[others] = (rows[others] - rows[others, column, None] * rows[rank]) % p
            rank += 1
            if rank == len(rows):
                break
    return rank
