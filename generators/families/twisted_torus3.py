"""Twisted tori of three dimensions: a wraparound shifts the dimensions after it.

Camara et al., "Twisted torus topologies for enhanced interconnection networks" (2010). TPU v4
slices of k x k x 2k chips are TwistedTorus3(k,k,2k,0,k,k), the face-centred cubic lattice modulo
2k, those of k x 2k x 2k TwistedTorus3(k,2k,2k,k,k,0), the body-centred one: every wraparound of a
short dimension goes half-way round the long ones (Jouppi et al., TPU v4, ISCA 2023, section 2.8).

A search need not consider them: it has tori, circulants and Cayley digraphs of six ports.
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
from generators.topology import Int64Array, IntArray, Topology, Translation

Shape = tuple[int, int, int, int, int, int]
_STEPS = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)])


def twisted_torus3(a: int, b: int, c: int, s: int, t: int, u: int) -> Topology:
    """TwistedTorus3(a,b,c,s,t,u): the step beyond (a-1, j, k) is (0, j+s, k+t), and that beyond
    (i, b-1, k) is (i, 0, k+u).

    Node (i, j, k) is number (i b + j) c + k. It is the Cayley graph of Z^3 modulo the lattice
    spanned by (a, -s, -t), (0, b, -u) and (0, 0, c).

    >>> twisted_torus3(4, 4, 8, 0, 4, 4).n, twisted_torus3(2, 4, 4, 2, 2, 0).degree
    (128, 6)
    """
    shape = (a, b, c, s, t, u)
    require_buildable(properties(*shape))
    points = _points(np.arange(a * b * c), shape)
    return Topology(
        n=a * b * c,
        tail=np.tile(np.arange(a * b * c, dtype=np.int32), len(_STEPS)),
        head=np.concatenate([_number(points + step, shape) for step in _STEPS]),
        translation=_translation(points, shape),
    )


def twists_of(a: int, b: int, c: int) -> Shape | None:
    """The twisted torus of k x k x 2k or k x 2k x 2k chips; None for other widths.

    >>> twists_of(4, 4, 8), twists_of(4, 8, 8), twists_of(4, 4, 4)
    ((4, 4, 8, 0, 4, 4), (4, 8, 8, 4, 4, 0), None)
    """
    if c != 2 * a:
        return None
    return {a: (a, b, c, 0, a, a), c: (a, b, c, a, a, 0)}.get(b)


def _points(nodes: Int64Array, shape: Shape) -> Int64Array:
    """The point (i, j, k) of every node; shape (nodes, 3)."""
    return np.stack(np.unravel_index(nodes, shape[:3]), axis=-1).astype(np.int64)


def _number(points: Int64Array, shape: Shape) -> IntArray:
    """The node at any integer points of shape (..., 3): each full turn adds its shifts."""
    a, b, c, s, t, u = shape
    turns, i = np.divmod(points[..., 0], a)
    more, j = np.divmod(points[..., 1] + turns * s, b)
    k = (points[..., 2] + turns * t + more * u) % c
    node: IntArray = ((i * b + j) * c + k).astype(np.int32)
    return node


def _translation(points: Int64Array, shape: Shape) -> Translation:
    def translate(u: int) -> IntArray:
        return _number(points + points[u], shape)

    return translate


def properties(a: int, b: int, c: int, s: int, t: int, u: int) -> BaseProperties:
    """At most half a turn along every dimension reaches every node."""
    shape = (a, b, c, s, t, u)
    name = f"TwistedTorus3({','.join(map(str, shape))})"
    require(min(a, b, c) >= 2, f"{name}: every width must be at least 2")
    require_name(name, a * b * c, len(_STEPS))
    return BaseProperties(
        n=a * b * c,
        d=len(_STEPS),
        regular=True,
        max_diameter=a // 2 + b // 2 + c // 2,
        reverse_symmetric=True,
        bidirectional=True,
        simple=len(set(_number(_STEPS, _reduced_shape(*shape)).tolist())) == len(_STEPS),
        loop_free=True,
        transitive=True,
    )


def _reduced_shape(a: int, b: int, c: int, s: int, t: int, u: int) -> Shape:
    turns, shift = divmod(s, b)
    return (a, b, c, shift, (t + turns * u) % c, u % c)


def canonical(a: int, b: int, c: int, s: int, t: int, u: int) -> Arguments:
    """The same lattice with shifts below the widths: whole turns of a later dimension go.

    >>> canonical(4, 4, 8, 4, 4, 4), canonical(4, 4, 8, -4, 20, 4)
    ((4, 4, 8, 0, 0, 4), (4, 4, 8, 0, 0, 4))
    """
    return _reduced_shape(a, b, c, s, t, u) if min(a, b, c) >= 1 else (a, b, c, s, t, u)


register_family(
    Family(
        name="TwistedTorus3",
        title="twisted torus of three dimensions",
        signature="TwistedTorus3(a,b,c,s,t,u)",
        source="Camara et al. (2010)",
        build=twisted_torus3,
        properties=properties,
        members=no_searched_members,
        canonical=canonical,
        samples=(
            (2, 2, 4, 0, 2, 2),
            (2, 4, 4, 2, 2, 0),
            (3, 3, 6, 0, 3, 3),
            (3, 4, 5, 1, 2, 3),
            (3, 3, 3, 0, 0, 0),
        ),
    )
)
