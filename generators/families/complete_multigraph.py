"""The complete multigraph MultiK(m,d): m nodes with more ports than others to be cabled to.

Every pair of nodes has q = floor(d / (m - 1)) two-way circuits. The r ports that are left of each
node go round in jumps: 1, -1, 2, -2, ..., and m/2 for an odd r where m is even; where both are odd
there is no such two-way graph, and the jumps are 1..r, one way. One step is enough, and in one step
an allgather cannot take less than d/(m q): some shard comes over q cables only.
"""

from collections.abc import Iterator

from generators.arrays import jump_graph
from generators.registry import Arguments, BaseProperties, Family, register_family, require
from generators.size_limits import require_buildable, require_name
from generators.topology import Topology


def complete_multigraph(m: int, d: int) -> Topology:
    """MultiK(m,d): all m - 1 jumps equally often, and some once more.

    >>> complete_multigraph(4, 4).head[:4].tolist()
    [1, 2, 3, 2]
    """
    require_buildable(properties(m, d))
    return jump_graph(m, listed_jumps(m, d))


def listed_jumps(m: int, d: int) -> list[int]:
    """The jumps of each node's arcs, in their order.

    >>> listed_jumps(4, 5)
    [1, 2, 3, 1, -1]
    """
    return [*range(1, m)] * (d // (m - 1)) + _spare_jumps(m, d % (m - 1))


def properties(m: int, d: int) -> BaseProperties:
    """One step; two-way where the ports that are left can be paired. v -> -v turns all arcs."""
    require(m >= 3, f"MultiK(m,d) needs m >= 3, not {m}")
    require(d >= m, f"MultiK(m,d) needs d >= m, not {d}")
    require_name(f"MultiK({m},{d})", m, d)
    left = d % (m - 1)
    return BaseProperties(
        n=m,
        d=d,
        regular=True,
        diameter=1,
        bandwidth_optimal=True if left == 0 else None,
        reverse_symmetric=True,
        bidirectional=m * left % 2 == 0,
        simple=False,
        loop_free=True,
        transitive=True,
    )


def members(n: int, d: int) -> Iterator[Arguments]:
    """MultiK(n,d) where ports are left; where none are it is K(n) with parallel links."""
    if n >= 3 and d >= n and d % (n - 1):
        yield (n, d)


def _spare_jumps(m: int, ports: int) -> list[int]:
    if m * ports % 2:
        return [*range(1, ports + 1)]
    jumps = [sign * jump for jump in range(1, ports // 2 + 1) for sign in (1, -1)]
    return [*jumps, m // 2] if ports % 2 else jumps


register_family(
    Family(
        name="MultiK",
        title="complete multigraph",
        signature="MultiK(m,d)",
        source="parallel cables between all pairs",
        build=complete_multigraph,
        properties=properties,
        members=members,
        samples=((3, 3), (3, 4), (3, 5), (4, 4), (4, 5), (4, 7), (5, 6), (5, 7), (8, 9), (9, 10)),
        published=False,
    )
)
