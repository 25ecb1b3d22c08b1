"""Twisted tori: the wraparound of the first dimension shifts the second.

Camara et al., "Twisted torus topologies for enhanced interconnection networks" (2010); TPU v4
uses a x 2a with a shift of a.

A search need not consider them. In a Cayley graph of an abelian group with two generators and
their inverses at most 2k^2 + 2k + 1 nodes lie within k steps, so the diameter is at least the m
of theorem 22, and C(n,{m,m+1}) reaches that m with a BW-optimal schedule.
"""

import numpy as np

from generators.registry import (
    Arguments,
    BaseProperties,
    Family,
    no_searched_members,
    register_family,
    require,
)
from generators.size_limits import require_buildable, require_name
from generators.topology import IntArray, Topology, Translation

_STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))


def twisted_torus(a: int, b: int, s: int) -> Topology:
    """TwistedTorus(a,b,s): node (i, j) is number i b + j; the step beyond (a-1, j) is (0, j+s).

    It is the Cayley graph of Z^2 modulo the lattice spanned by (a, -s) and (0, b).

    >>> twisted_torus(2, 4, 2).n, twisted_torus(2, 4, 2).degree
    (8, 4)
    """
    require_buildable(properties(a, b, s))
    nodes = np.arange(a * b)
    i, j = np.divmod(nodes, b)
    heads = [_number(i + di, j + dj, a, b, s) for di, dj in _STEPS]
    return Topology(
        n=a * b,
        tail=np.tile(nodes, 4).astype(np.int32),
        head=np.concatenate(heads),
        translation=_translation(a, b, s),
    )


def _number(i: IntArray, j: IntArray, a: int, b: int, s: int) -> IntArray:
    """The node at any integer point (i, j): each full turn of the first dimension adds s."""
    turns, row = np.divmod(i, a)
    node: IntArray = (row * b + (j + turns * (s % b)) % b).astype(np.int32)
    return node


def _translation(a: int, b: int, s: int) -> Translation:
    i, j = np.divmod(np.arange(a * b), b)

    def translate(u: int) -> IntArray:
        return _number(i + u // b, j + u % b, a, b, s)

    return translate


def properties(a: int, b: int, s: int) -> BaseProperties:
    """At most a/2 steps along the first dimension and b/2 along the second reach every node."""
    name = f"TwistedTorus({a},{b},{s})"
    require(a >= 1, f"{name} needs a width a >= 1, not {a}")
    require(b >= 2, f"{name} needs a width b >= 2, not {b}")
    require(a > 1 or s % b != 0, f"{name} joins every node to itself: a = 1 needs a twist")
    require_name(name, a * b, 4)
    i, j = np.array(_STEPS).T
    return BaseProperties(
        n=a * b,
        d=4,
        regular=True,
        max_diameter=a // 2 + b // 2,
        reverse_symmetric=True,
        bidirectional=True,
        simple=len(set(_number(i, j, a, b, s).tolist())) == 4,
        loop_free=True,
        transitive=True,
    )


def canonical(a: int, b: int, s: int) -> Arguments:
    """The twist as the lesser of s and -s modulo b: reflecting the second dimension swaps them.

    >>> canonical(4, 8, 13)
    (4, 8, 3)
    """
    return (a, b, min(s % b, -s % b)) if b >= 1 else (a, b, s)


register_family(
    Family(
        name="TwistedTorus",
        title="twisted torus",
        signature="TwistedTorus(a,b,s)",
        source="Camara et al. (2010)",
        build=twisted_torus,
        properties=properties,
        members=no_searched_members,  # never better than theorem 22's circulant, see above
        canonical=canonical,
        samples=((4, 8, 4), (2, 4, 2), (3, 6, 3), (1, 7, 2), (5, 5, 1), (2, 2, 1), (3, 3, 0)),
    )
)
