"""Meshes: tori without the wraparound. Not regular: nodes at the border leave ports unused."""

from math import prod

import numpy as np

from generators.families.torus import ports, require_widths
from generators.mixed_radix import coordinates, numbers
from generators.registry import BaseProperties, Family, no_searched_members, register_family
from generators.size_limits import require_buildable
from generators.topology import IntArray, Topology


def mesh(*widths: int) -> Topology:
    """Mesh(a,b,...): two-way circuits between nodes that differ by one along one dimension.

    >>> mesh(3).tail.tolist(), mesh(3).head.tolist()
    ([0, 1, 1, 2], [1, 2, 0, 1])
    """
    require_buildable(properties(*widths))
    wide = [width for width in widths if width > 1]
    vectors, tails, heads = coordinates(wide), [], []
    for axis, width in zip(np.eye(len(wide), dtype=np.int64), wide, strict=True):
        inner = vectors[vectors @ axis < width - 1]
        low, high = numbers(inner, wide), numbers(inner + axis, wide)
        tails += [low, high]
        heads += [high, low]
    return Topology(
        n=len(vectors),
        tail=np.concatenate(tails),
        head=np.concatenate(heads),
        orbits=_corner(wide),
    )


def properties(*widths: int) -> BaseProperties:
    """A hypercube when no width is above 2.

    Otherwise never bandwidth-optimal: a corner receives on fewer than d arcs.
    """
    require_widths("Mesh", widths)
    cube = max(widths) == 2
    return BaseProperties(
        n=prod(widths),
        d=ports(widths),
        regular=cube,
        diameter=sum(width - 1 for width in widths),
        bandwidth_optimal=cube,
        reverse_symmetric=True,
        bidirectional=True,
        simple=True,
        loop_free=True,
        transitive=cube,
    )


def _corner(wide: list[int]) -> IntArray:
    """Every node can be reflected into the corner at 0, at most half way along each dimension."""
    halves = [(width + 1) // 2 for width in wide]
    return numbers(coordinates(halves), wide)


register_family(
    Family(
        name="Mesh",
        title="mesh",
        signature="Mesh(a,b,...)",
        source="a torus without its wraparound circuits",
        build=mesh,
        properties=properties,
        members=no_searched_members,
        samples=((2,), (2, 2), (5,), (3, 3), (2, 3, 4), (1, 4), (6, 5)),
    )
)
