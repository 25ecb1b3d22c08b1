"""Tori: Cartesian products of two-way rings, of any number of dimensions.

A width of 3 or more is a two-way ring and takes two ports. A width of 2 is one two-way circuit
and takes one port: no circuit is doubled. A width of 1 takes no port.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import prod

import numpy as np

from generators.divisors import divisors
from generators.limits import LARGEST_BUILT
from generators.mixed_radix import vector_jump_graph
from generators.registry import Arguments, BaseProperties, Family, register_family, require
from generators.size_limits import require_buildable, require_name
from generators.topology import Topology


def torus(*widths: int) -> Topology:
    """Torus(a,b,...): each node joined to the next and the last along every dimension.

    Nodes are numbered with the first dimension most significant.

    >>> torus(3, 4).degree, torus(2, 3).degree, torus(1, 3).degree
    (4, 3, 2)
    """
    require_buildable(properties(*widths))
    wide = [width for width in widths if width > 1]
    jumps = []
    for axis, width in zip(np.eye(len(wide), dtype=np.int64), wide, strict=True):
        jumps += [axis] if width == 2 else [axis, -axis]
    return vector_jump_graph(wide, jumps)


def ports(widths: tuple[int, ...]) -> int:
    """Ports of an inner node: two for a width of 3 or more, one for 2, none for 1.

    >>> ports((1, 2, 3))
    3
    """
    return sum(min(width, 3) - 1 for width in widths)


def require_widths(name: str, widths: tuple[int, ...]) -> None:
    """Refuse widths below 1, a product of 1, and sizes that cannot be built."""
    recipe = f"{name}({','.join(map(str, widths))})"
    require(min(widths, default=1) >= 1, f"{recipe}: every width must be at least 1")
    require(max(widths, default=1) >= 2, f"{recipe}: some width must be at least 2")
    require_name(recipe, prod(widths), ports(widths))


def properties(*widths: int) -> BaseProperties:
    """Bandwidth-optimal as a product of rings and K(2), which are (theorem 13)."""
    require_widths("Torus", widths)
    return BaseProperties(
        n=prod(widths),
        d=ports(widths),
        regular=True,
        diameter=sum(width // 2 for width in widths),
        bandwidth_optimal=True,
        reverse_symmetric=True,
        bidirectional=True,
        simple=True,
        loop_free=True,
        transitive=True,
    )


def members(n: int, d: int) -> Iterator[Arguments]:
    """Every way to write n as two or more widths >= 2, in ascending order, that takes d ports.

    One dimension is left to BiRing(2,n). Of more than LARGEST_BUILT nodes one of least diameter:
    there may be very many ways, and all are bandwidth-optimal.
    """
    if n > LARGEST_BUILT:
        least = _least_torus(n, d)
        if least is not None and len(least[1]) > 1:
            yield least[1]
        return
    for widths, taken in _factorisations(n):
        if taken == d:
            yield widths


@lru_cache(maxsize=1 << 16)
def _least_torus(n: int, d: int) -> tuple[int, tuple[int, ...]] | None:
    """The least diameter of the tori of n nodes with d ports, and its widths, ascending."""
    if n == 1 or d < 1:
        return (0, ()) if n == 1 and d == 0 else None
    least: tuple[int, tuple[int, ...]] | None = None
    for width in divisors(n)[1:]:
        if least is not None and width // 2 > least[0]:
            break
        rest = _least_torus(n // width, d - ports((width,)))
        if rest is not None:
            found = (width // 2 + rest[0], tuple(sorted((width, *rest[1]))))
            least = found if least is None else min(least, found)
    return least


@lru_cache(maxsize=1 << 12)
def _factorisations(n: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    """The ways to write n as two or more widths, each with the ports that it takes."""
    found = (widths for widths in _ascending_factors(n, 2) if len(widths) >= 2)
    return tuple((widths, ports(widths)) for widths in found)


def _ascending_factors(n: int, least: int) -> Iterator[tuple[int, ...]]:
    """Factorisations of n into ascending factors of at least `least`."""
    if n >= least:
        yield (n,)
    factor = least
    while factor * factor <= n:
        if n % factor == 0:
            yield from ((factor, *rest) for rest in _ascending_factors(n // factor, factor))
        factor += 1


register_family(
    Family(
        name="Torus",
        title="torus",
        signature="Torus(a,b,...)",
        source="Zhao et al., theorem 13",
        build=torus,
        properties=properties,
        members=members,
        samples=((2,), (5,), (2, 2), (2, 3), (3, 3), (3, 2, 3), (4, 5), (1, 6), (2, 2, 4), (6, 6)),
    )
)
