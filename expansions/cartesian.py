"""Cartesian products and powers of graphs (definition 3).

Node (u_1, ..., u_k) is a number in mixed radix, the first factor most significant: for two
factors u_1*n_2 + u_2. An arc moves along one factor and leaves the other places as they are.
"""

from math import prod

import numpy as np

from expansions.grouping import (
    as_orbits,
    placed,
    places_by_tail,
    representatives,
    require_equal_links,
    require_room,
)
from generators.errors import InvalidInput
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
        tail=placed(tail, places),
        head=placed(head, places),
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
