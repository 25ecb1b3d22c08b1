"""Modified de Bruijn graphs DBJMod(d,n): loops and 2-cycles rewired to one cycle (figure 20).

Without its loops, which carry nothing, a de Bruijn graph leaves some ports idle; the rewired
graph is regular, loop-free and simple, and has a bandwidth-optimal allgather that is not BFB
(`topofinder.schedules.synthesis`). The cycles were searched for: see `families.modified_arcs`.
"""

from collections.abc import Iterator

import numpy as np

from generators.families.modified_arcs import rewired_cycle
from generators.registry import Arguments, BaseProperties, Family, register_family, require
from generators.topology import IntArray, Topology

DIAMETERS = {(2, 3): 3, (2, 4): 4, (3, 2): 2, (4, 2): 3}
"""The members there are, with their diameters."""


def modified_de_bruijn(d: int, n: int) -> Topology:
    """DBJMod(d,n): DBJ(d,n) less its loops and 2-cycles, plus one cycle through their nodes.

    For n = 2 the cycle, and so the graph, is kept by a rotation of the letters.

    >>> graph = modified_de_bruijn(2, 3)
    >>> graph.degree, graph.has_loops, graph.is_simple
    (2, False, True)
    """
    properties(d, n)
    cycle = rewired_cycle(d, n)
    arcs = kept_arcs(d, n) + list(zip(cycle, cycle[1:] + cycle[:1], strict=True))
    orbits = np.arange(d, dtype=np.int32) if n == 2 else None
    return Topology.from_arcs(d**n, sorted(arcs), orbits=orbits)


def kept_arcs(d: int, n: int) -> list[tuple[int, int]]:
    """The arcs [x, d x + a mod d^n] of DBJ(d,n) that are in no loop and no 2-cycle.

    >>> len(kept_arcs(2, 3))
    12
    """
    nodes = d**n
    arcs = {(x, (d * x + a) % nodes) for x in range(nodes) for a in range(d)}
    return sorted((x, y) for x, y in arcs if (y, x) not in arcs)


def letter_rotation(d: int, by: int) -> IntArray:
    """The automorphism of DBJ(d,2) that adds `by` to both letters mod d; shape (d^2,).

    >>> letter_rotation(2, 1).tolist()
    [3, 2, 1, 0]
    """
    first, second = np.divmod(np.arange(d * d), d)
    image: IntArray = ((first + by) % d * d + (second + by) % d).astype(np.int32)
    return image


def properties(d: int, n: int) -> BaseProperties:
    """Bandwidth-optimal, but not by BFB; reverse-symmetric for (2,3) only (table 9)."""
    choices = ", ".join(f"({d},{n})" for d, n in DIAMETERS)
    require((d, n) in DIAMETERS, f"DBJMod(d,n) is known for {choices}, not for ({d},{n})")
    return BaseProperties(
        n=d**n,
        d=d,
        regular=True,
        diameter=DIAMETERS[d, n],
        bandwidth_optimal=False,
        reverse_symmetric=(d, n) == (2, 3),
        bidirectional=False,
        simple=True,
        loop_free=True,
        transitive=False,
    )


def members(n: int, d: int) -> Iterator[Arguments]:
    """The DBJMod(d,k) with d^k = n that are known."""
    return ((d, k) for base, k in DIAMETERS if (base, base**k) == (d, n))


register_family(
    Family(
        name="DBJMod",
        title="modified de Bruijn graph",
        signature="DBJMod(d,n)",
        source="Zhao et al., figure 20 and table 9",
        build=modified_de_bruijn,
        properties=properties,
        members=members,
        samples=tuple(DIAMETERS),
    )
)
