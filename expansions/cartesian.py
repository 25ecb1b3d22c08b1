"""Cartesian products and powers of graphs (definition 3), and their allgathers (definition 14).

Node (u_1, ..., u_k) is a number in mixed radix, the first factor most significant: for two
factors u_1*n_2 + u_2. An arc moves along one factor and leaves the other places as they are.

The allgather goes dimension by dimension: each shard is cut into as many parts as there are
dimensions. Part number i goes through the dimensions in order, beginning at the i-th and wrapping
round, so that at any step the parts keep to different dimensions. On a power all parts change
dimension at the same steps, and every arc is as busy as any other: theorem 12. On a product of
different graphs it is an allgather too, but dimensions may wait for one another; BFB is the
better choice there (theorem 13).
"""

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from expansions.arc_order import (
    as_orbits,
    places_by_tail,
    representatives,
    require_equal_links,
    require_room,
    scatter_values,
)
from expansions.canonical import power, product
from expansions.costs import power_cost, product_cost
from expansions.pieces import (
    Rows,
    common_denominator,
    join_rows,
    require_allgather,
    require_room_for,
    rows_in,
)
from expansions.properties import all_of, inherited_transitivity, properties
from expansions.recipe import Recipe
from expansions.register import Expansion, Source, register_expansion, require_few
from expansions.schedule import Schedule
from expansions.size import Size
from generators.divisors import divisors
from generators.errors import InvalidInput
from generators.registry import GraphProperties
from generators.topology import Int64Array, IntArray, Topology, Translation


def cartesian_product(*graphs: Topology) -> Topology:
    """G_1 x G_2 x ...: sizes multiply, degrees add.

    The arcs out of a node are those along the first factor, then the second, and so on. Raises
    InvalidInput without factors, for unequal links and for a result larger than a Topology can
    be. Source: definition 3.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> cartesian_product(ring, pair).head[:4].tolist()
    [2, 1, 3, 0]
    """
    _check(graphs)
    if len(graphs) == 1:
        return graphs[0]
    tail, head = _moves(graphs)
    places = places_by_tail(tail)
    n = prod(graph.n for graph in graphs)
    return Topology(
        n=n,
        tail=scatter_values(tail, places),
        head=scatter_values(head, places),
        translation=_translation(graphs),
        orbits=as_orbits(_orbit_nodes(graphs), n),
    )


def cartesian_power(topology: Topology, exponent: int) -> Topology:
    """G^k, the product of k = `exponent` graphs G.

    Raises InvalidInput for an exponent below 1, for unequal links and for a result larger than
    a Topology can be. Source: definition 3.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> cartesian_power(pair, 3).degree
    3
    """
    if exponent < 1:
        raise InvalidInput(f"exponent: at least 1, not {exponent}")
    return cartesian_product(*[topology] * exponent)


def product_arcs(*graphs: Topology) -> list[Int64Array]:
    """One array a factor: `[l, e, r]` is the arc of the product that moves along arc e.

    l numbers the places before the factor and r those after it, in mixed radix; the shape is
    (product of n before, arcs of the factor, product of n after). The map of schedules needs it.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> [array[0, 1, 0].item() for array in product_arcs(pair, pair)]
    [4, 3]
    """
    _check(graphs)
    places = places_by_tail(_moves(graphs)[0])
    shapes = [tail.shape for tail, _ in _moves_by_factor(graphs)]
    cuts = np.cumsum([prod(shape) for shape in shapes])[:-1]
    parts = np.split(places, cuts)
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def power_schedule(topology: Topology, schedule: Schedule, exponent: int) -> Schedule:
    """The schedule of G^k, numbered as `cartesian_power(topology, exponent)`.

    k times the steps, and T_B times N/(N - 1) (N^k - 1)/N^k (theorem 12, an equality). Raises
    InvalidInput as `product_schedule`, and for an exponent below 1.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> swap = Schedule(source=[0, 1], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 1])
    >>> power_schedule(pair, swap, 2).cost(cartesian_power(pair, 2))
    Cost(steps=2, bandwidth=Fraction(3, 4))
    """
    if exponent < 1:
        raise InvalidInput(f"exponent: at least 1, not {exponent}")
    return product_schedule([topology] * exponent, [schedule] * exponent)


def product_schedule(graphs: Sequence[Topology], schedules: Sequence[Schedule]) -> Schedule:
    """The schedule of G_1 x G_2 x ..., numbered as `cartesian_product(*graphs)`.

    Raises InvalidInput when there are not as many schedules as graphs, for other collectives
    than allgathers, for unequal links, and for schedules that do not fit their graphs.
    """
    _check_schedules(graphs, schedules)
    if len(graphs) == 1:
        return schedules[0]
    arcs = product_arcs(*graphs)
    factors = len(graphs)
    unit = common_denominator(schedule.denominator for schedule in schedules)
    whole = common_denominator([unit * factors])
    parts = []
    for part in range(factors):
        order = [(part + place) % factors for place in range(factors)]
        late = 0
        for place, dimension in enumerate(order):
            schedule = schedules[dimension]
            rows = rows_in(schedule, unit)
            spread_out = _phase(graphs, rows, arcs[dimension], order, place)
            parts.append(
                spread_out._replace(
                    step=spread_out.step + late,
                    begin=spread_out.begin + part * unit,
                    end=spread_out.end + part * unit,
                )
            )
            late += schedule.steps
    return join_rows(parts, whole)


def _check(graphs: tuple[Topology, ...]) -> None:
    if not graphs:
        raise InvalidInput("graphs: a product has at least one factor, not 0")
    for graph in graphs:
        require_equal_links(graph)
    n = prod(graph.n for graph in graphs)
    require_room(n, sum(n // graph.n * graph.arcs for graph in graphs))


def _moves(graphs: tuple[Topology, ...]) -> tuple[Int64Array, Int64Array]:
    """Tail and head of every arc, factor by factor; both of shape (arcs,)."""
    tails, heads = zip(*_moves_by_factor(graphs), strict=True)
    return np.concatenate([t.ravel() for t in tails]), np.concatenate([h.ravel() for h in heads])


def _moves_by_factor(
    graphs: tuple[Topology, ...],
) -> list[tuple[Int64Array, Int64Array]]:
    """For every factor: tail and head of the arcs (l, e, r) along it."""
    sizes = [graph.n for graph in graphs]
    moves = []
    for place, graph in enumerate(graphs):
        left, right = prod(sizes[:place]), prod(sizes[place + 1 :])
        start = np.arange(left)[:, None, None] * (graph.n * right) + np.arange(right)
        tail = start + graph.tail.astype(np.int64)[:, None] * right
        head = start + graph.head.astype(np.int64)[:, None] * right
        moves.append((tail, head))
    return moves


def _orbit_nodes(graphs: tuple[Topology, ...]) -> Int64Array:
    """Representatives of the factors, combined; in order of rank where a factor repeats.

    Automorphisms of the factors act place by place, and equal factors may be exchanged: every
    node can be carried to one whose places are representatives, with ranks that do not fall
    among neighbours that are one and the same graph.
    """
    nodes = rank = np.zeros(1, dtype=np.int64)
    for place, graph in enumerate(graphs):
        known = representatives(graph)
        before, now = np.indices((len(nodes), len(known))).reshape(2, -1)
        if place > 0 and graph is graphs[place - 1]:
            kept = rank[before] <= now
            before, now = before[kept], now[kept]
        nodes, rank = nodes[before] * graph.n + known[now], now
    return nodes


def _translation(graphs: tuple[Topology, ...]) -> Translation | None:
    """Translate every factor by its own place of u."""
    translations = [graph.translation for graph in graphs if graph.translation is not None]
    if len(translations) < len(graphs):
        return None
    sizes = [graph.n for graph in graphs]

    def translate(u: int) -> IntArray:
        image = np.zeros(1, dtype=np.int64)
        for one, n, place in zip(translations, sizes, _places(u, sizes), strict=True):
            image = (image[:, None] * n + one(place)).ravel()
        return image.astype(np.int32)

    return translate


def _places(u: int, sizes: list[int]) -> list[int]:
    """The digits of u in mixed radix, the most significant first."""
    places = []
    for n in reversed(sizes):
        u, place = divmod(u, n)
        places.append(place)
    return places[::-1]


def _check_schedules(graphs: Sequence[Topology], schedules: Sequence[Schedule]) -> None:
    if not graphs or len(graphs) != len(schedules):
        raise InvalidInput(f"schedules: {len(schedules)} for {len(graphs)} graphs")
    for graph, schedule in zip(graphs, schedules, strict=True):
        require_allgather(schedule)
        schedule.require_fit(graph)
    n = prod(graph.n for graph in graphs)
    # A node takes every other node's shard in pieces: rows grow with the square of the nodes.
    ways = [n * n * s.rows // (g.n * g.n) for g, s in zip(graphs, schedules, strict=True)]
    if len(graphs) > 1:
        require_room_for(sum(ways))


def _phase(
    graphs: Sequence[Topology], rows: Rows, arcs: Int64Array, order: list[int], place: int
) -> Rows:
    """The rows of one part while it goes through dimension order[place].

    ((x, w, z), C), ((y, u, z), (y, v, z)) for every row ((w, C), (u, v)) of the factor: x is the
    source's place in the dimensions that are done, y the holder's, and z the place of both in
    those to come. Arrays below have the axes (x, y, z, row).
    """
    dimension = order[place]
    done = _offsets(graphs, order[:place])
    ahead = _offsets(graphs, order[place + 1 :])
    stride = prod(graph.n for graph in graphs[dimension + 1 :])
    holder = done[:, None, None] + ahead[:, None]
    left, right = np.divmod(holder, graphs[dimension].n * stride)
    arc = arcs[left, rows.arc, right]
    source = done[:, None, None] + ahead[:, None] + rows.source.astype(np.int64) * stride
    shape = (len(done), *arc.shape)
    return Rows(
        np.broadcast_to(source[:, None], shape).ravel(),
        *(np.broadcast_to(column, shape).ravel() for column in (arc, *rows[2:])),
    )


def _offsets(graphs: Sequence[Topology], dimensions: list[int]) -> Int64Array:
    """What the places in these dimensions, all combinations, add to the number of a node."""
    offsets = np.zeros(1, dtype=np.int64)
    for dimension in dimensions:
        stride = prod(graph.n for graph in graphs[dimension + 1 :])
        offsets = (offsets[:, None] + np.arange(graphs[dimension].n) * stride).ravel()
    return offsets


def _power_size(inner: Size, exponent: int) -> Size:
    require_few("exponent", exponent)
    return Size(inner.n**exponent, inner.d * exponent)


def _product_size(*factors: Size) -> Size:
    return Size(prod(factor.n for factor in factors), sum(factor.d for factor in factors))


def _properties(*factors: GraphProperties) -> GraphProperties:
    """An arc moves along one factor, and is as often there as in the factor: only self-loops of
    two factors are parallel.
    """
    loop_free = all_of(factor.loop_free for factor in factors)
    looped = [factor.loop_free for factor in factors if not factor.loop_free]
    simple = all_of(factor.simple for factor in factors)
    if len(looped) > 1 and simple is not False:
        simple = False if looped.count(False) > 1 else None
    return GraphProperties(
        regular=all_of(factor.regular for factor in factors),
        bidirectional=all_of(factor.bidirectional for factor in factors),
        simple=simple,
        loop_free=loop_free,
        transitive=all_of(map(inherited_transitivity, factors)) or None,
    )


def _power_properties(recipe: Recipe, exponent: int) -> GraphProperties:
    return _properties(*[properties(recipe)] * 2)


def _power_sources(n: int, d: int, duplex: bool) -> Iterator[Source]:
    for exponent in divisors(d)[1:]:
        root = round(n ** (1 / exponent))
        if root**exponent == n:
            yield Source(root, d // exponent, duplex, (exponent,))


register_expansion(
    Expansion(
        symbol="^",
        title="Cartesian power",
        signature="G^k",
        numbers=("exponent",),
        size=_power_size,
        build=cartesian_power,
        cost=lambda inner, exponent: power_cost(inner.cost, inner.n, exponent),
        schedule=lambda inner, exponent: power_schedule(inner.topology, inner.schedule, exponent),
        diameter=lambda inner, exponent: inner * exponent,
        keeps_bfb=True,
        properties=_power_properties,
        make=power,
        sources=_power_sources,
        letter="P",
        word="power",
        place=3,
        published=True,
    )
)
register_expansion(
    Expansion(
        symbol="x",
        title="Cartesian product",
        signature="G x H",
        arity=None,
        size=_product_size,
        build=cartesian_product,
        cost=lambda *factors: product_cost(
            [factor.cost for factor in factors], prod(factor.n for factor in factors)
        ),
        properties=lambda *factors: _properties(*map(properties, factors)),
        make=lambda *factors: product(factors),
        letter="C",
        word="product",
        place=4,
        published=True,
    )
)
