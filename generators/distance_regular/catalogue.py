"""The fifteen distance-regular graphs of degree 4 of the paper's table 8, each by construction.

Brouwer and Koolen (1999) show that these, K5 and K4,4 are all, but for a possible other hexagon
of order (3,3); K5 and K4,4 are in `generators.families.complete`. Every one but the quadrangle's is
vertex-transitive, which the tests prove by automorphisms that they find.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

import numpy as np

from generators.distance_regular.polygons import hexagon, plane, quadrangle
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


@dataclass(frozen=True, slots=True)
class Entry:
    """One graph: its short name, title, size, diameter, orbit representatives and maker."""

    name: str
    title: str
    n: int
    diameter: int
    make: Callable[[], Matrix]
    orbits: tuple[int, ...] = (0,)


def octahedron() -> Matrix:
    """J(4,2): six nodes, each adjacent to all but its opposite."""
    return graph_by_rule(range(6), lambda a, b: (a - b) % 3 != 0)


def paley() -> Matrix:
    """The 3 x 3 rook's graph H(2,3), which is Paley's graph on GF(9)."""
    return graph_by_rule(range(9), lambda a, b: (a // 3 == b // 3) != (a % 3 == b % 3))


def crown() -> Matrix:
    """K5,5 without a perfect matching."""
    return bipartite(~np.eye(5, dtype=bool))


def biplane() -> Matrix:
    """The distance-3 graph of Heawood's: a point and a line are joined when not incident."""
    return bipartite(~plane(2))


def cube() -> Matrix:
    """The 4-cube: words of four bits that differ in one."""
    return graph_by_rule(range(16), lambda a, b: (a ^ b).bit_count() == 1)


def affine() -> Matrix:
    """AG(2,4) without a parallel class: (x, y) is on (m, b) when y = m x + b in GF(4)."""

    def times(a: int, b: int) -> int:
        # Non-zero elements of GF(4) are powers of 2, with 3 = 2^2: exponents add mod 3.
        power, exponent = (1, 2, 3), {1: 0, 2: 1, 3: 2}
        return power[(exponent[a] + exponent[b]) % 3] if a and b else 0

    pairs = [(first, second) for first in range(4) for second in range(4)]
    return bipartite(np.array([[y == times(m, x) ^ b for m, b in pairs] for x, y in pairs]))


def doubled_odd() -> Matrix:
    """D(O4), the bipartite double of O4: 3-subsets of seven things, and their complements."""
    return bipartite(odd_graph(4))


CATALOGUE = (
    Entry("octahedron", "octahedron J(4,2)", 6, 2, octahedron),
    Entry("paley9", "Paley graph P9 = H(2,3)", 9, 2, paley),
    Entry("crown5", "K5,5 minus a perfect matching", 10, 3, crown),
    Entry("heawood3", "distance-3 graph of the Heawood graph", 14, 3, biplane),
    Entry("LPetersen", "line graph of the Petersen graph", 15, 3, lambda: edge_graph(odd_graph(3))),
    Entry("Q4", "4-cube Q4 = H(4,2)", 16, 4, cube),
    Entry(
        "LHeawood",
        "line graph of the Heawood graph",
        21,
        3,
        lambda: edge_graph(bipartite(plane(2))),
    ),
    Entry("PG23", "incidence graph of PG(2,3)", 26, 3, lambda: bipartite(plane(3))),
    Entry("AG24", "incidence graph of AG(2,4) minus a parallel class", 32, 4, affine),
    Entry("O4", "odd graph O4", 35, 3, lambda: odd_graph(4)),
    Entry(
        "LTutte8",
        "line graph of Tutte's 8-cage",
        45,
        4,
        lambda: edge_graph(bipartite(quadrangle(2))),
    ),
    Entry("DO4", "doubled odd graph D(O4)", 70, 7, doubled_odd),
    Entry(
        # W(3) is not self-dual: points and lines are two orbits.
        "GQ33",
        "incidence graph of GQ(3,3)",
        80,
        4,
        lambda: bipartite(quadrangle(3)),
        (0, 40),
    ),
    Entry(
        "LTutte12",
        "line graph of Tutte's 12-cage",
        189,
        6,
        lambda: edge_graph(bipartite(hexagon(2))),
    ),
    Entry("GH33", "incidence graph of GH(3,3)", 728, 6, lambda: bipartite(hexagon(3))),
)
"""The graphs of table 8, by size."""
