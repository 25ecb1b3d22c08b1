"""G and a matching beside it: Match(G), one more circuit at every node, but for one of odd numbers.

Node v is joined to v + floor(n/2), for v below floor(n/2): of an odd number of nodes the last has a
port left. A schedule of G is one of Match(G) that leaves the new circuits alone: T_L is that of G,
and T_B takes the bandwidth of d ports for that of d + 1. Where G is bandwidth-optimal and n and
d + 1 are odd that is (d + 1)/d (n - 1)/n, the least that two-way circuits take. What the new
circuits save, the best BFB schedule of the graph itself tells.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from expansions.arc_order import require_equal_links, require_room
from expansions.cost import Cost
from expansions.lower_bounds import free_ports
from expansions.properties import properties
from expansions.recipe import Recipe
from expansions.register import CostedGraph, Expansion, Source, register_expansion
from expansions.size import Size, size
from generators.registry import GraphProperties
from generators.topology import Topology


def with_matching(topology: Topology) -> Topology:
    """Match(G): after the arcs of G those from v to v + floor(n/2), then those back.

    Raises InvalidInput for unequal links and for a result larger than a Topology can be.

    >>> with_matching(Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])).head.tolist()
    [1, 2, 0, 1, 0]
    """
    require_equal_links(topology)
    half = topology.n // 2
    require_room(topology.n, topology.arcs + 2 * half)
    low = np.arange(half, dtype=np.int32)
    return Topology(
        n=topology.n,
        tail=np.concatenate([topology.tail, low, low + half]),
        head=np.concatenate([topology.head, low + half, low]),
    )


def matching_cost(inner: CostedGraph) -> Cost:
    """What a schedule of G costs where one port of d + 1 is not used.

    >>> matching_cost(CostedGraph(Cost(4, Fraction(8, 9)), 9, 2))
    Cost(steps=4, bandwidth=Fraction(4, 3))
    """
    return Cost(inner.cost.steps, inner.cost.bandwidth * Fraction(inner.d + 1, inner.d))


def _properties(recipe: Recipe) -> GraphProperties:
    """A node more or less of equal degrees; new circuits are two-way, and no self-loops."""
    inner, n = properties(recipe), size(recipe).n
    regular = n % 2 == 0 if inner.regular else None
    return replace(inner, regular=regular, simple=None, transitive=None)


def _sources(n: int, d: int, duplex: bool) -> Iterator[Source]:
    """Where a port is left anyway, or all pairs are joined; elsewhere regular graphs are better."""
    if duplex and (free_ports(n, d) or d >= n) and d % 2 == 1 and d > 1:
        yield Source(n, d - 1, True)


register_expansion(
    Expansion(
        symbol="Match",
        title="with a matching",
        size=lambda inner: Size(inner.n, inner.d + 1),
        build=with_matching,
        cost=matching_cost,
        schedule=lambda inner: inner.schedule,
        properties=_properties,
        sources=_sources,
        letter="Mt",
        word="matching",
        place=8,
    )
)
