"""A seeded choice of links to fail, such as 5%: whole circuits, both directions at once."""

from fractions import Fraction

import numpy as np

from generators.topology import IntArray, Topology


def random_arcs(topology: Topology, share: Fraction, seed: int) -> IntArray:
    """The arcs of a share of all links, rounded to the nearest number of links (halves up).

    A link is an arc with one that leads back, where there is one; self-loops stay.

    >>> ring = Topology.from_arcs(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> len(random_arcs(ring, Fraction(1, 2), seed=1))
    2
    """
    links = _links(topology)
    count = int(share * len(links) + Fraction(1, 2))
    chosen = np.random.default_rng(seed).permutation(len(links))[:count]
    found = [arc for place in sorted(chosen.tolist()) for arc in links[place]]
    return np.array(sorted(found), dtype=np.int32)


def _links(topology: Topology) -> list[tuple[int, ...]]:
    """Arcs in pairs that lead there and back, in the order of their first arc."""
    waiting: dict[tuple[int, int], list[int]] = {}
    links: list[tuple[int, ...]] = []
    for arc, (u, v) in enumerate(zip(topology.tail.tolist(), topology.head.tolist(), strict=True)):
        if u == v:
            continue
        if waiting.get((v, u)):
            links.append((waiting[v, u].pop(0), arc))
        else:
            waiting.setdefault((u, v), []).append(arc)
    alone: list[tuple[int, ...]] = [(arc,) for arcs in waiting.values() for arc in arcs]
    return sorted(links + alone)
