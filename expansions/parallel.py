"""Parallel links: G||k has k cables in the place of every arc of G, and degree k d.

Every schedule of G is one of G||k: each piece goes in k equal parts, one over each cable. At each
step a cable carries the k-th part, at the k-th part of a link's share of a node's bandwidth: T_L
and T_B are those of G. The best BFB schedule of G||k costs no less: the sets P of theorem 19 whose
ratio is largest hold all cables of an arc or none, so that every load is the k-th part too.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from expansions.arc_order import require_equal_links, require_room
from expansions.canonical import parallel
from expansions.pieces import common_denominator, require_allgather, require_room_for
from expansions.properties import properties
from expansions.recipe import Recipe
from expansions.register import Expansion, Source, register_expansion
from expansions.schedule import Schedule
from expansions.size import Size
from generators.divisors import divisors
from generators.errors import InvalidInput
from generators.registry import GraphProperties
from generators.topology import Topology


def parallel_links(topology: Topology, cables: int) -> Topology:
    """G||k for k = `cables`; arc e k + i is cable i of arc e.

    Raises InvalidInput for less than one cable, for unequal links and for a result larger than a
    Topology can be.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> parallel_links(pair, 2).head.tolist()
    [1, 1, 0, 0]
    """
    _check(topology, cables)
    return Topology(
        n=topology.n,
        tail=np.repeat(topology.tail, cables),
        head=np.repeat(topology.head, cables),
        translation=topology.translation,
        orbits=topology.orbits,
    )


def parallel_schedule(topology: Topology, schedule: Schedule, cables: int) -> Schedule:
    """The schedule of G||k, numbered as `parallel_links(topology, cables)`, at the same cost.

    Raises InvalidInput as `parallel_links` does, for another collective than an allgather, and
    for a schedule that does not fit the graph.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> swap = Schedule(source=[0, 1], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 1])
    >>> parallel_schedule(pair, swap, 2).cost(parallel_links(pair, 2))
    Cost(steps=1, bandwidth=Fraction(1, 2))
    """
    require_allgather(schedule)
    schedule.require_fit(topology)
    _check(topology, cables)
    require_room_for(schedule.rows * cables)
    cable = np.tile(np.arange(cables), schedule.rows)
    length = np.repeat(schedule.end - schedule.begin, cables)
    begin = np.repeat(schedule.begin, cables) * cables + cable * length
    return Schedule(
        source=np.repeat(schedule.source, cables),
        arc=np.repeat(schedule.arc.astype(np.int64), cables) * cables + cable,
        step=np.repeat(schedule.step, cables),
        begin=begin,
        end=begin + length,
        denominator=common_denominator([schedule.denominator * cables]),
    )


def _check(topology: Topology, cables: int) -> None:
    require_equal_links(topology)
    if cables < 1:
        raise InvalidInput(f"cables: at least 1, not {cables}")
    require_room(topology.n, topology.arcs * cables)


def _properties(recipe: Recipe, cables: int) -> GraphProperties:
    """Whether arcs return, and where they lead, is as in G; two cables are parallel."""
    return replace(properties(recipe), simple=False)


def _sources(n: int, d: int, duplex: bool) -> Iterator[Source]:
    """By prime numbers of cables: pools hold what has parallel links already."""
    for cables in divisors(d)[1:]:
        if len(divisors(cables)) == 2:
            yield Source(n, d // cables, duplex, (cables,))


register_expansion(
    Expansion(
        symbol="||",
        title="parallel links",
        signature="G||k",
        numbers=("cables",),
        size=lambda inner, cables: Size(inner.n, inner.d * cables),
        build=parallel_links,
        cost=lambda inner, cables: inner.cost,
        schedule=lambda inner, cables: parallel_schedule(inner.topology, inner.schedule, cables),
        keeps_bfb=True,
        diameter=lambda inner, cables: inner,
        properties=_properties,
        make=parallel,
        sources=_sources,
        letter="M",
        word="parallel links",
        place=7,
    )
)
