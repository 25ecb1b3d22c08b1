"""Fabrics whose bandwidths are primes: the fewest trees that are optimal are as many as these."""

from collections.abc import Iterator
from itertools import count

from generators.topology import Topology

MAGNITUDES = (10, 10**3, 10**6, 10**9)
RING = [(i, (i + 1) % 6) for i in range(6)]
BOXES = [(i, 8 + i // 4) for i in range(8)] + [(i, 10) for i in range(8)]
SHAPES: dict[str, tuple[int, list[tuple[int, int]], tuple[int, ...]]] = {
    "chorded ring": (4, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], ()),
    "wheel": (6, [(i, (i + 1) % 5) for i in range(5)] + [(5, i) for i in range(5)], ()),
    "cube": (8, [(u, u ^ bit) for u in range(8) for bit in (1, 2, 4) if u < u ^ bit], ()),
    "star and ring": (7, [(i, 6) for i in range(6)] + RING, (6,)),
    "two boxes": (11, BOXES, (8, 9, 10)),
}
"""Nodes, two-way links, switches: of 4 to 8 hosts."""


def prime_fabrics() -> Iterator[tuple[str, Topology]]:
    """Every shape with bandwidths of each magnitude, from one to four times that."""
    for name, (n, links, switches) in SHAPES.items():
        for magnitude in MAGNITUDES:
            bandwidths = [
                next_prime(magnitude * (2 + (5 * i * i + 3 * i) % 7) // 2 + i)
                for i in range(len(links))
            ]
            yield f"{name}, {magnitude:.0e}", two_way(n, links, bandwidths, switches)


def two_way(
    n: int,
    links: list[tuple[int, int]],
    bandwidths: list[int],
    switches: tuple[int, ...] = (),
) -> Topology:
    """The network of these links, each with the same bandwidth both ways."""
    arcs = links + [(v, u) for u, v in links]
    return Topology.from_arcs(n, arcs, capacity=bandwidths * 2, switches=switches)


def next_prime(least: int) -> int:
    """The first prime that is not below.

    >>> next_prime(90)
    97
    """
    return next(number for number in count(least) if _is_prime(number))


def _is_prime(number: int) -> bool:
    if number < 4 or number % 2 == 0:
        return number in (2, 3)
    return all(number % factor for factor in range(3, int(number**0.5) + 1, 2))
