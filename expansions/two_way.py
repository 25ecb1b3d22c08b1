"""The two-way version of a graph: G together with its transpose (appendix A.6).

Its allgather sends half of each shard over G and half over the transpose.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from expansions import canonical
from expansions.arc_order import require_equal_links, require_room
from expansions.pieces import require_allgather, share, side_by_side
from expansions.properties import inherited_transitivity, properties
from expansions.recipe import Recipe
from expansions.register import Expansion, ScheduledGraph, Source, register_expansion
from expansions.schedule import Schedule
from expansions.size import Size, size
from generators.registry import GraphProperties
from generators.topology import Topology


def two_way(topology: Topology) -> Topology:
    """Bi(G): every arc of G, and every arc turned round; degree d becomes 2d.

    Arc e + arcs(G) is arc e turned round, so the two make one two-way circuit. Every
    automorphism of G is one of its transpose, hence of Bi(G): translation and orbits are those
    of G. Raises InvalidInput for unequal links. Source: Zhao et al., appendix A.6.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> two_way(ring).head.tolist()
    [1, 2, 0, 0, 1, 2]
    """
    require_equal_links(topology)
    require_room(topology.n, 2 * topology.arcs)
    return Topology(
        n=topology.n,
        tail=np.concatenate([topology.tail, topology.head]),
        head=np.concatenate([topology.head, topology.tail]),
        translation=topology.translation,
        orbits=topology.orbits,
    )


def two_way_schedule(topology: Topology, schedule: Schedule, transposed: Schedule) -> Schedule:
    """The schedule of Bi(G), numbered as `two_way(topology)`.

    `schedule` is an allgather on G and `transposed` one on `topology.transpose()`, whose arc e
    is arc e turned round. Each step waits for the slower half: where the two cost the same step
    by step, that is the cost on Bi(G) too. Raises InvalidInput for other collectives and for
    schedules that do not fit.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> there = Schedule(source=[0, 1, 2] * 2, arc=[0, 1, 2, 1, 2, 0], step=[1] * 3 + [2] * 3,
    ...                  begin=[0] * 6, end=[1] * 6)
    >>> back = replace(there, arc=[2, 0, 1, 1, 2, 0])
    >>> two_way_schedule(ring, there, back).cost(two_way(ring))
    Cost(steps=2, bandwidth=Fraction(2, 3))
    """
    require_equal_links(topology)
    for half in (schedule, transposed):
        require_allgather(half)
        half.require_fit(topology)
    turned = replace(transposed, arc=transposed.arc + topology.arcs)
    return side_by_side([share(schedule, 0, 2), share(turned, 1, 2)])


def _schedule(inner: ScheduledGraph) -> Schedule:
    return two_way_schedule(inner.topology, inner.schedule, inner.make_transposed())


def _properties(recipe: Recipe) -> GraphProperties:
    """Bi(G): an arc is parallel to the one that returns, and a self-loop to itself.

    Degrees of a graph that is not two-way may become equal, since arcs in and out add up.
    """
    inner, (n, d) = properties(recipe), size(recipe)
    doubled = inner.bidirectional or inner.simple is False or inner.loop_free is False
    one_way_ring = d == 1 and n > 2
    return GraphProperties(
        regular=inner.regular if inner.regular or inner.bidirectional else None,
        bidirectional=True,
        simple=False if doubled else True if one_way_ring else None,
        loop_free=inner.loop_free,
        transitive=inherited_transitivity(inner),
    )


def _sources(n: int, d: int, duplex: bool) -> Iterator[Source]:
    if d % 2 == 0:
        yield Source(n, d // 2, False, published=duplex)


register_expansion(
    Expansion(
        symbol="Bi",
        title="two-way version",
        signature="Bi(G)",
        size=lambda inner: Size(inner.n, 2 * inner.d),
        build=two_way,
        cost=lambda inner: inner.cost,
        schedule=_schedule,
        properties=_properties,
        make=canonical.two_way,
        sources=_sources,
        letter="Bi",
        word="two-way",
        place=5,
        published=True,
    )
)
