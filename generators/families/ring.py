"""Rings with parallel arcs: two-way BiRing(d,m) and one-way UniRing(d,m), bandwidth-optimal."""

from collections.abc import Iterator

from generators.arrays import jump_graph
from generators.registry import Arguments, BaseProperties, Family, register_family, require
from generators.size_limits import require_buildable, require_name
from generators.topology import Topology


def two_way_ring(d: int, m: int) -> Topology:
    """BiRing(d,m): m nodes in a ring, d/2 parallel arcs to either neighbour.

    >>> two_way_ring(2, 3).head.tolist()
    [1, 2, 2, 0, 0, 1]
    """
    require_buildable(two_way_properties(d, m))
    return jump_graph(m, [1, -1] * (d // 2))


def one_way_ring(d: int, m: int) -> Topology:
    """UniRing(d,m): m nodes in a ring, d parallel arcs to the next; UniRing(1,2) is K(2).

    >>> one_way_ring(1, 4).head.tolist()
    [1, 2, 3, 0]
    """
    require_buildable(one_way_properties(d, m))
    return jump_graph(m, [1] * d)


def two_way_properties(d: int, m: int) -> BaseProperties:
    """Bandwidth-optimal by a BFB schedule of floor(m/2) steps (appendix F.1)."""
    require(d >= 2 and d % 2 == 0, f"BiRing(d,m) needs an even d >= 2, not {d}")
    require(m >= 3, f"BiRing(d,m) needs m >= 3, not {m}")
    require_name(f"BiRing({d},{m})", m, d)
    return BaseProperties(
        n=m,
        d=d,
        regular=True,
        diameter=m // 2,
        bandwidth_optimal=True,
        reverse_symmetric=True,
        bidirectional=True,
        simple=d == 2,
        loop_free=True,
        transitive=True,
    )


def one_way_properties(d: int, m: int) -> BaseProperties:
    """Bandwidth-optimal: one shard arrives at each step, split over all d arcs."""
    require(d >= 1, f"UniRing(d,m) needs d >= 1, not {d}")
    require(m >= 2, f"UniRing(d,m) needs m >= 2, not {m}")
    require_name(f"UniRing({d},{m})", m, d)
    return BaseProperties(
        n=m,
        d=d,
        regular=True,
        diameter=m - 1,
        bandwidth_optimal=True,
        reverse_symmetric=True,
        bidirectional=m == 2,
        simple=d == 1,
        loop_free=True,
        transitive=True,
    )


def two_way_members(n: int, d: int) -> Iterator[Arguments]:
    """BiRing(d,n) for even d."""
    if n >= 3 and d >= 2 and d % 2 == 0:
        yield (d, n)


def one_way_members(n: int, d: int) -> Iterator[Arguments]:
    """UniRing(d,n) for every n >= 2."""
    if n >= 2 and d >= 1:
        yield (d, n)


register_family(
    Family(
        name="BiRing",
        title="two-way ring",
        signature="BiRing(d,m)",
        source="Zhao et al., table 9 and appendix F.1",
        build=two_way_ring,
        properties=two_way_properties,
        members=two_way_members,
        samples=((2, 3), (2, 4), (2, 5), (2, 8), (4, 3), (4, 6), (6, 5), (8, 9)),
    )
)
register_family(
    Family(
        name="UniRing",
        title="one-way ring",
        signature="UniRing(d,m)",
        source="Zhao et al., table 9",
        build=one_way_ring,
        properties=one_way_properties,
        members=one_way_members,
        samples=((1, 2), (1, 3), (1, 8), (2, 2), (2, 5), (3, 2), (4, 7)),
    )
)
