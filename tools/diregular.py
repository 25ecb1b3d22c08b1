"""Enumerates the loop-free simple digraphs of 8 nodes and degree 2 of small diameter."""

from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from generators.topology import BoolArray, Int64Array

N = 8
PAIRS = [[pair for pair in combinations(range(N), 2) if u not in pair] for u in range(N)]


def small_digraphs(diameter: int, most: int) -> list[list[tuple[int, int]]]:
    """One digraph of each isomorphism class with that diameter or less, as lists of arcs.

    `most` bounds the sum of all distances. Node 0 sends to 1 and 2 without loss of generality.
    """
    rows: list[tuple[tuple[int, int], ...]] = []
    _extend([(1, 2)], 0b110, 0, rows)
    heads = np.array(rows)
    adjacency = np.zeros((len(rows), N, N), dtype=np.int8)
    for port in range(2):
        adjacency[np.arange(len(rows))[:, None], np.arange(N), heads[:, :, port]] = 1
    total, reached = _distance_sum(adjacency, diameter)
    return _classes(heads[reached & (total <= most)])


def _extend(
    chosen: list[tuple[int, int]], once: int, twice: int, rows: list[tuple[tuple[int, int], ...]]
) -> None:
    """Choose heads for one more node; `once`, `twice` are bitsets of nodes with 1, 2 in-arcs."""
    if len(chosen) == N:
        rows.append(tuple(chosen))
        return
    for a, b in PAIRS[len(chosen)]:
        both = 1 << a | 1 << b
        if not twice & both:
            _extend([*chosen, (a, b)], once | both, twice | (once & both), rows)


def _distance_sum(adjacency: NDArray[np.int8], diameter: int) -> tuple[Int64Array, BoolArray]:
    """For every digraph, the sum of distances and whether all are at most `diameter`."""
    step = adjacency | np.eye(N, dtype=np.int8)
    ball, total = np.eye(N, dtype=np.int8), np.zeros(len(adjacency), dtype=np.int64)
    for _ in range(diameter):
        total += N * N - ball.sum(axis=(-2, -1), dtype=np.int64)  # pairs still out of reach
        ball = (np.matmul(ball, step) > 0).astype(np.int8)
    return total, ball.all(axis=(1, 2))


def _classes(heads: Int64Array) -> list[list[tuple[int, int]]]:
    """The first of every isomorphism class: all relabellings of a digraph found are struck off."""
    relabel = np.array(list(permutations(range(N))), dtype=np.uint64)
    seen: set[int] = set()
    classes = []
    for row in heads.tolist():
        arcs = [(u, v) for u, pair in enumerate(row) for v in pair]
        codes = np.zeros(len(relabel), dtype=np.uint64)
        if int(sum(1 << (N * u + v) for u, v in arcs)) in seen:
            continue
        for u, v in arcs:
            codes |= np.uint64(1) << (np.uint64(N) * relabel[:, u] + relabel[:, v])
        seen.update(codes.tolist())
        classes.append(arcs)
    return classes
