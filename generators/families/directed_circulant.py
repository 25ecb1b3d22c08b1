"""The directed circulant DirC(d): d + 2 nodes, both bounds met at once (table 9)."""

from collections.abc import Iterator

from generators.arrays import jump_graph
from generators.registry import Arguments, BaseProperties, Family, register_family, require
from generators.size_limits import require_size
from generators.topology import Topology


def directed_circulant(d: int) -> Topology:
    """DirC(d): Z_{d+2} with the jumps 1..d, all but one; DirC(1) is the one-way ring of three.

    >>> directed_circulant(4).n, directed_circulant(4).degree
    (6, 4)
    """
    properties(d)
    return jump_graph(d + 2, range(1, d + 1))


def properties(d: int) -> BaseProperties:
    """Bandwidth- and Moore-optimal: the one node that is left comes over all d arcs at step 2."""
    require(d >= 1, f"DirC(d) needs d >= 1, not {d}")
    require_size(f"DirC({d})", d + 2, d)
    return BaseProperties(
        n=d + 2,
        d=d,
        regular=True,
        diameter=2,
        bandwidth_optimal=True,
        reverse_symmetric=True,
        bidirectional=False,
        simple=True,
        loop_free=True,
        transitive=True,
    )


def members(n: int, d: int) -> Iterator[Arguments]:
    """DirC(d) for n = d + 2."""
    if n == d + 2:
        yield (d,)


register_family(
    Family(
        name="DirC",
        title="directed circulant",
        signature="DirC(d)",
        source="Zhao et al., table 9",
        build=directed_circulant,
        properties=properties,
        members=members,
        samples=((1,), (2,), (3,), (4,), (8,)),
    )
)
