"""Undirected graphs as symmetric 0/1 matrices, and the few ways in which table 8 makes them."""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TypeVar

import numpy as np

from generators.topology import BoolArray

Matrix = BoolArray
Label = TypeVar("Label")


def graph_by_rule(labels: Sequence[Label], adjacent: Callable[[Label, Label], bool]) -> Matrix:
    """The graph on `labels` whose edges a symmetric rule gives; shape (n, n).

    >>> graph_by_rule(range(4), lambda a, b: (a - b) % 2 == 1).sum()
    np.int64(8)
    """
    return np.array([[adjacent(a, b) for b in labels] for a in labels])


def bipartite(incident: Matrix) -> Matrix:
    """The incidence graph: the rows of `incident` are the first nodes, its columns the last.

    >>> bipartite(np.ones((2, 3), dtype=bool)).shape
    (5, 5)
    """
    rows, columns = incident.shape
    return np.block(
        [[np.zeros((rows, rows), bool), incident], [incident.T, np.zeros((columns, columns), bool)]]
    )


def edge_graph(adjacent: Matrix) -> Matrix:
    """The undirected line graph: edges are adjacent when they share a node.

    >>> edge_graph(~np.eye(4, dtype=bool)).shape
    (6, 6)
    """
    ends = np.stack(np.nonzero(np.triu(adjacent)), axis=1)
    meets: Matrix = (ends[:, None, :, None] == ends[None, :, None, :]).any(axis=(2, 3))
    np.fill_diagonal(meets, False)
    return meets


def odd_graph(k: int) -> Matrix:
    """O_k: the (k-1)-subsets of 2k-1 things, adjacent when disjoint; O_3 is Petersen's graph.

    >>> odd_graph(4).sum(axis=0).max()
    np.int64(4)
    """
    subsets = [set(subset) for subset in combinations(range(2 * k - 1), k - 1)]
    return graph_by_rule(subsets, set.isdisjoint)
