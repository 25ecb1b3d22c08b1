"""Points and lines of generalized polygons over GF(q), q prime, as 0/1 incidence matrices.

The plane PG(2,q), the symplectic quadrangle W(q) and the split Cayley hexagon H(q) have order
(q,q). The first two are read off a bilinear form; H(q) lives on the quadric
x0 x4 + x1 x5 + x2 x6 = x3^2 of PG(6,q), and its lines are those lines of the quadric whose
Plucker coordinates satisfy Tits' six equations (Tits 1959; Van Maldeghem, Generalized Polygons,
section 2.4.13).
"""

from itertools import product

import numpy as np

from generators.topology import BoolArray, Int64Array

Matrix = BoolArray
Vectors = Int64Array

TITS = ((1, 2, 3, 4), (5, 4, 3, 2), (2, 0, 3, 5), (6, 5, 3, 0), (0, 1, 3, 6), (4, 6, 3, 1))
"""Rows (i, j, k, l) say p_ij = p_kl, where p_ij = x_i y_j - x_j y_i."""


def projective_points(dimension: int, q: int) -> Vectors:
    """The points of PG(dimension, q), one vector each, its first non-zero entry 1.

    >>> len(projective_points(3, 3))
    40
    """
    vectors = product(range(q), repeat=dimension + 1)
    return np.array([v for v in vectors if next((x for x in v if x), 0) == 1])


def plane(q: int) -> Matrix:
    """PG(2,q): point x is on line y when x . y = 0; shape (points, lines).

    >>> plane(2).sum(axis=0).tolist()
    [3, 3, 3, 3, 3, 3, 3]
    """
    points = projective_points(2, q)
    incident: Matrix = points @ points.T % q == 0
    return incident


def quadrangle(q: int) -> Matrix:
    """W(q): the points of PG(3,q) and the lines that x0 y1 - x1 y0 + x2 y3 - x3 y2 kills.

    >>> quadrangle(2).shape
    (15, 15)
    """
    points = projective_points(3, q)
    turned = points[:, [1, 0, 3, 2]] * np.array([1, -1, 1, -1])
    return _lines(points @ turned.T % q == 0)


def hexagon(q: int) -> Matrix:
    """H(q): the points of the quadric Q(6,q) and the lines that Tits' equations pick.

    >>> hexagon(2).shape
    (63, 63)
    """
    points = projective_points(6, q)
    x = points[((points[:, :3] * points[:, 4:]).sum(axis=1) - points[:, 3] ** 2) % q == 0]
    # The polar form of the quadric: a line through two of its points lies on it when this is 0.
    polar = x[:, [4, 5, 6, 3, 0, 1, 2]] * np.array([1, 1, 1, -2, 1, 1, 1])
    collinear = x @ polar.T % q == 0
    for i, j, k, m in TITS:
        collinear &= (_plucker(x, i, j) - _plucker(x, k, m)) % q == 0
    return _lines(collinear)


def _plucker(x: Vectors, i: int, j: int) -> Vectors:
    """p_ij of the line through every two of the vectors; shape (points, points)."""
    product_: Vectors = np.outer(x[:, i], x[:, j])
    return product_ - product_.T


def _lines(collinear: Matrix) -> Matrix:
    """Points by lines, from which points are collinear; every triangle lies on one line."""
    one, other = np.nonzero(np.triu(collinear, 1))
    members: Matrix = np.unique(collinear[one] & collinear[other], axis=0).T
    return members
