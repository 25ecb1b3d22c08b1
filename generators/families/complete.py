"""Complete graphs K_m and complete bipartite graphs K_{d,d}: both bounds met at once (table 9)."""

from collections.abc import Iterator

from generators.arrays import jump_graph
from generators.registry import Arguments, BaseProperties, Family, register_family, require
from generators.size_limits import require_buildable, require_name
from generators.topology import Topology


def complete(m: int, other: int | None = None) -> Topology:
    """K(m), every node joined to every other; or K(d,d), every even node to every odd one.

    Nodes of K(d,d) are numbered so that the graph is a circulant: [u, v] is an arc exactly when
    v - u is odd.

    >>> complete(5).degree, complete(4, 4).n
    (4, 8)
    """
    require_buildable(properties(m, other))
    if other is None:
        return jump_graph(m, range(1, m))
    return jump_graph(2 * m, range(1, 2 * m, 2))


def properties(m: int, other: int | None = None) -> BaseProperties:
    """Bandwidth- and Moore-optimal: K_m in one step, K_{d,d} in two."""
    if other is None:
        require(m >= 2, f"K(m) needs m >= 2, not {m}")
    else:
        require(m == other, f"K(a,b) needs a = b to be regular, not K({m},{other})")
        require(m >= 1, f"K(d,d) needs d >= 1, not {m}")
    n, d = (m, m - 1) if other is None else (2 * m, m)
    require_name(f"K({m})" if other is None else f"K({m},{m})", n, d)
    return BaseProperties(
        n=n,
        d=d,
        regular=True,
        diameter=1 if d == n - 1 else 2,
        bandwidth_optimal=True,
        reverse_symmetric=True,
        bidirectional=True,
        simple=True,
        loop_free=True,
        transitive=True,
    )


def members(n: int, d: int) -> Iterator[Arguments]:
    """K(n) for d = n - 1 and K(d,d) for n = 2d; K(1,1) is K(2)."""
    if d == n - 1:
        yield (n,)
    elif n == 2 * d:
        yield (d, d)


register_family(
    Family(
        name="K",
        title="complete graph, complete bipartite graph",
        signature="K(m), K(d,d)",
        source="Zhao et al., table 9",
        build=complete,
        properties=properties,
        members=members,
        samples=((2,), (3,), (5,), (9,), (1, 1), (2, 2), (3, 3), (4, 4), (8, 8)),
    )
)
