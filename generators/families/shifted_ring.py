"""The shifted ring of TopoOpt: two rings over the same nodes, a baseline of degree 4.

It is offered for comparison (section 8.2) and never taken by the search.
"""

from math import gcd

from generators.arrays import jump_graph
from generators.registry import (
    BaseProperties,
    Family,
    no_searched_members,
    register_family,
    require,
)
from generators.size_limits import require_buildable, require_name
from generators.topology import Topology


def shifted_ring(n: int) -> Topology:
    """ShiftedRing(n): a two-way ring in the order 0, 1, 2... and one in the order 0, s, 2s...

    >>> shifted_ring(8).head[:4].tolist()
    [1, 7, 3, 5]
    """
    require_buildable(properties(n))
    s = ring_shift(n)
    return jump_graph(n, [1, -1, s, -s])


def ring_shift(n: int) -> int:
    """The largest s < n/2 that is coprime to n; 1, a doubled ring, for n = 3, 4 and 6.

    This is the shift whose mean distance, N/8, gives the all-to-all time of table 4.

    >>> [ring_shift(n) for n in (5, 6, 12, 1024)]
    [2, 1, 5, 511]
    """
    return next(s for s in range((n - 1) // 2, 0, -1) if gcd(s, n) == 1)


def properties(n: int) -> BaseProperties:
    """Bandwidth-optimal as a circulant with two jumps (appendix F.4), or as a doubled ring."""
    require(n >= 3, f"ShiftedRing(n) needs n >= 3, not {n}")
    require_name(f"ShiftedRing({n})", n, 4)
    return BaseProperties(
        n=n,
        d=4,
        regular=True,
        max_diameter=n // 2,
        bandwidth_optimal=True,
        reverse_symmetric=True,
        bidirectional=True,
        simple=ring_shift(n) > 1,
        loop_free=True,
        transitive=True,
    )


register_family(
    Family(
        name="ShiftedRing",
        title="shifted ring",
        signature="ShiftedRing(n)",
        source="Wang et al., TopoOpt (2023); Zhao et al., section 8.2",
        build=shifted_ring,
        properties=properties,
        members=no_searched_members,
        samples=((3,), (4,), (5,), (6,), (8,), (9,), (12,), (30,)),
        baseline=True,
    )
)
