"""Twisted hypercubes: two parallel edges exchanged for a diameter of n - 1.

Esfahanian, Ni and Sagan, "The twisted n-cube with application to multiprocessing" (1991).
"""

from collections.abc import Iterator

import numpy as np

from generators.families.hamming import hypercube
from generators.registry import Arguments, BaseProperties, Family, register_family, require
from generators.size_limits import require_buildable, require_exponent, require_name
from generators.topology import Topology


def twisted_cube(n: int) -> Topology:
    """TwistedQ(n): Q(n) whose edges 0-1 and 2-3 are replaced by the diagonals 0-3 and 1-2.

    >>> twisted_cube(3).n, twisted_cube(3).degree
    (8, 3)
    """
    require_buildable(properties(n))
    cube = hypercube(n)
    tail, head = cube.tail, cube.head.copy()
    twisted = (tail < 4) & (head == tail ^ 1)
    head[twisted] = tail[twisted] ^ 3
    # Permuting the upper bits and flipping either lower one keep the exchanged 4-cycle.
    orbits = 4 * ((1 << np.arange(n - 1, dtype=np.int32)) - 1)
    return Topology(n=cube.n, tail=tail, head=head, orbits=orbits.astype(np.int32))


def properties(n: int) -> BaseProperties:
    """Diameter n - 1; at n = 3 also bandwidth-optimal (appendix A.1), larger ones are not known."""
    require(n >= 3, f"TwistedQ(n) needs n >= 3, not {n}")
    require_exponent(f"TwistedQ({n})", n)
    require_name(f"TwistedQ({n})", 1 << n, n)
    return BaseProperties(
        n=1 << n,
        d=n,
        regular=True,
        diameter=n - 1,
        bandwidth_optimal=True if n == 3 else None,
        reverse_symmetric=True,
        bidirectional=True,
        simple=True,
        loop_free=True,
    )


def members(n: int, d: int) -> Iterator[Arguments]:
    """TwistedQ(d) for n = 2^d."""
    if d >= 3 and n.bit_length() == d + 1 and n == 1 << d:
        yield (d,)


register_family(
    Family(
        name="TwistedQ",
        title="twisted hypercube",
        signature="TwistedQ(n)",
        source="Esfahanian et al. (1991)",
        build=twisted_cube,
        properties=properties,
        members=members,
        samples=((3,), (4,), (5,), (6,)),
    )
)
