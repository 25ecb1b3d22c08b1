"""Slices of TPU v4 and v5p: blocks of 4 x 4 x 4 chips, joined to tori by optical circuit switches.

Sources: Jouppi et al., TPU v4, ISCA 2023, section 2 and table 4: six links of 50 GB/s a chip in
each direction; slices of whole blocks have wraparound links, and those of k x k x 2k and
k x 2k x 2k may be twisted (Google Cloud, TPU v4: where each dimension is a multiple of four).
Google Cloud, TPU v5p: 1200 GB/s a chip, both ways together, over six links.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from generators.fabrics.register import SwitchedFamily, register_fabric
from generators.fabrics.wiring import GIGABYTE
from generators.families.mesh import mesh
from generators.families.torus import torus
from generators.families.twisted_torus3 import twisted_torus3, twists_of
from generators.registry import require
from generators.size_limits import require_size
from generators.topology import Topology

BLOCK = 4
V4, V5P = 50, 100
"""GB/s of a link in each direction."""


def tpu_v4(x: int, y: int, z: int) -> Topology:
    """TPUv4(x,y,z): a torus where all widths are multiples of four, a mesh below.

    >>> tpu_v4(4, 4, 8).degree, tpu_v4(2, 2, 4).degree, tpu_v4(4, 4, 4).capacity[0]
    (6, 4, Fraction(50, 1))
    """
    return _slice("TPUv4", (x, y, z), V4)


def tpu_v5p(x: int, y: int, z: int) -> Topology:
    """TPUv5p(x,y,z): as TPUv4, with links of 100 GB/s.

    >>> tpu_v5p(4, 4, 4).n, tpu_v5p(4, 4, 4).capacity[0]
    (64, Fraction(100, 1))
    """
    return _slice("TPUv5p", (x, y, z), V5P)


def tpu_v4_twisted(x: int, y: int, z: int) -> Topology:
    """TPUv4Twisted(x,y,z): k x k x 2k or k x 2k x 2k chips, k a multiple of four.

    >>> tpu_v4_twisted(4, 8, 8).n, tpu_v4_twisted(4, 4, 8).degree
    (256, 6)
    """
    return _twisted_slice("TPUv4Twisted", (x, y, z), V4)


def tpu_v5p_twisted(x: int, y: int, z: int) -> Topology:
    """TPUv5pTwisted(x,y,z): as TPUv4Twisted, with links of 100 GB/s.

    >>> tpu_v5p_twisted(4, 4, 8).unit_rate
    Fraction(1000000000, 1)
    """
    return _twisted_slice("TPUv5pTwisted", (x, y, z), V5P)


def _slice(family: str, widths: tuple[int, int, int], rate: int) -> Topology:
    name = f"{family}({','.join(map(str, widths))})"
    whole = all(width % BLOCK == 0 for width in widths)
    fits = min(widths) >= 1 and all(width in (1, 2) or width % BLOCK == 0 for width in widths)
    require(fits, f"{name}: every width is 1, 2 or a multiple of {BLOCK}")
    small = all(width <= BLOCK for width in widths)
    require(whole or small, f"{name}: slices beyond {BLOCK} chips a side are whole blocks")
    require(max(widths) > 1, f"{name}: at least two chips are needed")
    require_size(name, widths[0] * widths[1] * widths[2], 6)
    return _named_slice(torus(*widths) if whole else mesh(*widths), widths, rate)


def _twisted_slice(family: str, widths: tuple[int, int, int], rate: int) -> Topology:
    name = f"{family}({','.join(map(str, widths))})"
    shape = twists_of(*widths)
    right = shape is not None and widths[0] >= BLOCK and widths[0] % BLOCK == 0
    require(right, f"{name}: the widths are k, k, 2k or k, 2k, 2k, k a multiple of {BLOCK}")
    require_size(name, widths[0] * widths[1] * widths[2], 6)
    assert shape is not None
    return _named_slice(twisted_torus3(*shape), widths, rate)


def _named_slice(topology: Topology, widths: tuple[int, int, int], rate: int) -> Topology:
    _, y, z = widths
    names = (f"chip{v // (y * z)}.{v // z % y}.{v % z}" for v in range(topology.n))
    capacity = (Fraction(rate),) * topology.arcs
    return replace(topology, names=tuple(names), capacity=capacity, unit_rate=GIGABYTE)


def _register(
    name: str, title: str, source: str, build: Callable[[int, int, int], Topology], twisted: bool
) -> None:
    straight = ((4, 4, 4), (1, 1, 2), (2, 2, 4), (4, 4, 8))
    register_fabric(
        SwitchedFamily(
            name=name,
            title=title,
            signature=f"{name}(x,y,z)",
            source=source,
            build=build,
            counts=(3,),
            samples=((4, 4, 8), (4, 8, 8)) if twisted else straight,
        )
    )


SOURCE_V4, SOURCE_V5P = "Jouppi et al., TPU v4, ISCA 2023", "Google Cloud, TPU v5p"
_register("TPUv4", "TPU v4 slice, a torus or a small mesh", SOURCE_V4, tpu_v4, False)
_register("TPUv4Twisted", "TPU v4 slice, a twisted torus", SOURCE_V4, tpu_v4_twisted, True)
_register("TPUv5p", "TPU v5p slice, a torus or a small mesh", SOURCE_V5P, tpu_v5p, False)
_register("TPUv5pTwisted", "TPU v5p slice, a twisted torus", SOURCE_V5P, tpu_v5p_twisted, True)
