"""Degree expansion G*n: n copies of G, joined wherever G joins (definition 13), and its allgather.

Node (v, i), copy i of node v, is number v*n + i. Every arc [u, v] of G becomes the n^2 arcs
from all copies of u to all copies of v. N nodes of degree d become nN nodes of degree nd.

The allgather (definition 2) runs in the copies of G side by side; one last step collects the
shards of the other copies of a node: every in-neighbour holds them by then, so each of the
in-arcs brings an equal chunk.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import gcd

import numpy as np

from expansions.arc_order import (
    as_orbits,
    places_by_tail,
    representatives,
    require_equal_links,
    require_room,
    scatter_values,
)
from expansions.canonical import degree
from expansions.costs import degree_cost
from expansions.pieces import (
    Rows,
    common_denominator,
    join_rows,
    require_allgather,
    require_room_for,
    rows_in,
)
from expansions.properties import inherited_transitivity, properties
from expansions.recipe import Recipe
from expansions.register import Expansion, Source, register_expansion
from expansions.schedule import Schedule
from expansions.size import Size
from generators.arrays import csr_by_node
from generators.divisors import divisors
from generators.errors import InvalidInput
from generators.registry import GraphProperties
from generators.topology import Int64Array, IntArray, Topology, Translation


def degree_expansion(topology: Topology, copies: int) -> Topology:
    """G*n for n = `copies`.

    Raises InvalidInput when G has a self-loop, which theorem 11 excludes, for unequal links and
    for a result larger than a Topology can be. Source: definition 13.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> degree_expansion(pair, 2).head.tolist()
    [2, 3, 2, 3, 0, 1, 0, 1]
    """
    _check(topology, copies)
    if copies == 1:
        return topology
    tail, head = _all_pairs(topology, copies)
    places = places_by_tail(tail)
    n = topology.n * copies
    return Topology(
        n=n,
        tail=scatter_values(tail, places),
        head=scatter_values(head, places),
        translation=_translation(topology, copies),
        orbits=as_orbits(representatives(topology) * copies, n),
    )


def degree_arcs(topology: Topology, copies: int) -> Int64Array:
    """`[e, i, j]` is the arc of G*n from copy i of the tail of e to copy j of its head.

    Shape (arcs of G, n, n). The map of schedules needs it.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> int(degree_arcs(pair, 2)[1, 0, 1])
    5
    """
    return places_by_tail(_all_pairs(topology, copies)[0])


def degree_schedule(topology: Topology, schedule: Schedule, copies: int) -> Schedule:
    """The schedule of G*n, numbered as `degree_expansion(topology, copies)`.

    One step more, and T_B + (n - 1)/(nN) for a regular G (theorem 11, an equality). Raises
    InvalidInput as `degree_expansion` does, for another collective than an allgather, and when
    some node receives nothing.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> swap = Schedule(source=[0, 1], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 1])
    >>> degree_schedule(pair, swap, 2).cost(degree_expansion(pair, 2))
    Cost(steps=2, bandwidth=Fraction(3, 4))
    """
    require_allgather(schedule)
    schedule.require_fit(topology)
    _require_room(topology, schedule, copies)
    arcs = degree_arcs(topology, copies)
    if copies == 1:
        return schedule
    into = topology.in_degrees
    if not into.all():
        raise InvalidInput(f"not strongly connected: node {into.argmin()} receives nothing")
    chunks = common_denominator([copies * int(k) for k in np.unique(into)])
    whole = common_denominator([schedule.denominator, chunks])
    spread_out = _within_copies(rows_in(schedule, whole), arcs, copies)
    collected = _between_copies(topology, arcs, copies, whole, schedule.steps + 1)
    return join_rows([spread_out, collected], whole)


def _check(topology: Topology, copies: int) -> None:
    require_equal_links(topology)
    if copies < 1:
        raise InvalidInput(f"copies: at least 1, not {copies}")
    if topology.has_loops:
        node = int(topology.tail[topology.tail == topology.head][0])
        raise InvalidInput(
            f"G*n needs a graph without self-loops (theorem 11), but node {node} has one"
        )
    require_room(topology.n * copies, topology.arcs * copies * copies)


def _all_pairs(topology: Topology, copies: int) -> tuple[Int64Array, Int64Array]:
    """Tail and head of every arc (e, i, j); both of shape (arcs, n, n)."""
    i, j = np.indices((copies, copies))
    tail = topology.tail.astype(np.int64)[:, None, None] * copies + i
    head = topology.head.astype(np.int64)[:, None, None] * copies + j
    return tail, head


def _translation(topology: Topology, copies: int) -> Translation | None:
    """Translate G, and turn the copies by the same amount at every node."""
    inner = topology.translation
    if inner is None:
        return None

    def translate(u: int) -> IntArray:
        node, copy = divmod(u, copies)
        turned = (np.arange(copies) + copy) % copies
        return (inner(node)[:, None] * copies + turned).astype(np.int32).ravel()

    return translate


def _require_room(topology: Topology, schedule: Schedule, copies: int) -> None:
    if copies > 1:
        last = topology.arcs * copies * copies * (copies - 1)
        require_room_for(schedule.rows * copies * copies + last)


def _within_copies(rows: Rows, arcs: Int64Array, copies: int) -> Rows:
    """((v_j, C), (u_j, w_i), t) for all i, j: a shard stays in its copy but for the last hop."""
    shape = (len(rows.source), copies, copies)
    source = rows.source.astype(np.int64)[:, None, None] * copies + np.arange(copies)[:, None]
    return Rows(
        np.broadcast_to(source, shape).ravel(),
        arcs[rows.arc].ravel(),
        *(np.repeat(column, copies * copies) for column in rows[2:]),
    )


def _between_copies(
    topology: Topology, arcs: Int64Array, copies: int, whole: int, step: int
) -> Rows:
    """At the last step, chunk alpha of u_i's shard goes to u_j over the alpha-th in-arc of u_j."""
    e, copy, i, j = np.indices((topology.arcs, copies, copies, copies)).reshape(4, -1)
    apart = i != j
    e, copy, i, j = e[apart], copy[apart], i[apart], j[apart]
    u = topology.head[e].astype(np.int64)
    chunk = whole // (topology.in_degrees.astype(np.int64)[u] * copies)
    begin = (_rank(topology)[e] * copies + copy) * chunk
    late = np.full(len(e), step)
    return Rows(u * copies + i, arcs[e, copy, j], late, begin, begin + chunk)


def _rank(topology: Topology) -> Int64Array:
    """The place of each arc among the arcs into its head."""
    start, order = csr_by_node(topology.head, topology.n)
    rank = np.empty(topology.arcs, dtype=np.int64)
    rank[order] = np.arange(topology.arcs)
    return rank - start[topology.head]


def _properties(recipe: Recipe, copies: int) -> GraphProperties:
    """[u_i, v_j] is as often an arc of G*n as [u, v] of G."""
    inner = properties(recipe)
    return replace(inner, transitive=inherited_transitivity(inner))


def _sources(n: int, d: int, duplex: bool) -> Iterator[Source]:
    for copies in divisors(gcd(n, d))[1:]:
        yield Source(n // copies, d // copies, duplex, (copies,))


register_expansion(
    Expansion(
        symbol="*",
        title="degree expansion",
        signature="G*k",
        numbers=("copies",),
        size=lambda inner, copies: Size(inner.n * copies, inner.d * copies),
        build=degree_expansion,
        cost=lambda inner, copies: degree_cost(inner.cost, inner.n, copies),
        schedule=lambda inner, copies: degree_schedule(inner.topology, inner.schedule, copies),
        diameter=lambda inner, copies: inner,
        covers=lambda recipe: bool(properties(recipe).regular),
        properties=_properties,
        make=degree,
        sources=_sources,
        letter="D",
        word="degree",
        place=2,
        published=True,
    )
)
