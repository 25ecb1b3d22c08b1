"""From rounded numbers to whole ones that prove a bound.

Lengths may be rounded as one likes. A flow must still deliver: what rounding takes from a node is
sent once more along a tree of shortest paths. Both may be given by rational numbers with a small
common denominator, which are then found, and no rounding is left.
"""

from fractions import Fraction
from math import frexp

import numpy as np
from numpy.typing import ArrayLike

from generators.topology import FloatArray, Int64Array
from topofinder.alltoall.solver.shortest_path_kernels import grow_tree
from topofinder.kernels import kernel

LENGTH_BITS = 33
LOAD_BITS = 52
NEAR = 3e-9
"""How near to a rational number a computed one must be, relative to itself or to 1."""
SURE = 0.01
"""How near to a whole number every value must be once multiplied, whatever NEAR allows."""
TERMS = 5000
"""The largest denominator looked for in one number."""


def round_lengths(lengths: FloatArray, farthest: float) -> Int64Array:
    """Lengths as whole numbers, so fine that `farthest` comes near to 33 bits; shape kept."""
    return _scale_to_integers(lengths, LENGTH_BITS - frexp(farthest)[1])


def load_scale(busiest: float) -> int:
    """A power of two that makes loads of up to `busiest` whole numbers of about 52 bits."""
    return max(LOAD_BITS - frexp(busiest)[1], 0)


def _scale_to_integers(values: FloatArray, exponent: int) -> Int64Array:
    return np.rint(np.ldexp(values, exponent)).astype(np.int64)


def common_denominator(values: ArrayLike, limit: int = 1 << 30) -> int | None:
    """The least q up to `limit` found such that q times every value is nearly whole.

    >>> common_denominator([0.5, 1 / 3, 2.0])
    6
    """
    q = 1
    for row in np.atleast_2d(np.asarray(values, dtype=np.float64)):
        for value in np.unique(np.round(row, 9)).tolist():
            if not _is_whole(value, q):
                q *= Fraction(value * q).limit_denominator(TERMS).denominator
                if q > limit or not _is_whole(value, q):
                    return None
    return q


def _is_whole(value: float, q: int) -> bool:
    """Whether q times a computed value is nearly whole."""
    allowed = min(NEAR * q * max(abs(value), 1.0), SURE)
    return abs(value * q - round(value * q)) <= allowed


@kernel
def round_flows(sources, net, wanted, rows, out, scale):  # type: ignore[no-untyped-def]
    """Fill out[k], int64 (m,), with scale * rows[k] rounded, and mended where it delivers too
    little: every node t then gets at least scale * wanted[k, t].

    `rows` is float64 (k, m), `wanted` int64 (k, n). What is lacking is sent along a tree of
    fewest hops.
    """
    n, m = wanted.shape[1], len(net.tail)
    ones = np.ones(m, np.int64)
    distance, parent = np.empty(n, np.int64), np.empty(n, np.int64)
    order, net_in = np.empty(n, np.int64), np.empty(n, np.int64)
    keys, nodes = np.empty(m + 1, np.int64), np.empty(m + 1, np.int64)
    for k in range(len(sources)):
        grow_tree(sources[k], net, ones, distance, parent, order, keys, nodes)
        for v in range(n):
            net_in[v] = -scale * wanted[k, v]
        for e in range(m):
            out[k, e] = np.int64(np.rint(max(rows[k, e], 0.0) * scale))
            net_in[net.head[e]] += out[k, e]
            net_in[net.tail[e]] -= out[k, e]
        for place in range(n - 1, 0, -1):
            v = order[place]
            if net_in[v] < 0:
                out[k, parent[v]] -= net_in[v]
                net_in[net.tail[parent[v]]] += net_in[v]
