"""Degree expansion G*n: n copies of G, joined wherever G joins (definition 13).

Node (v, i), copy i of node v, is number v*n + i. Every arc [u, v] of G becomes the n^2 arcs
from all copies of u to all copies of v. N nodes of degree d become nN nodes of degree nd.
"""

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
        tail=placed(tail, places),
        head=placed(head, places),
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
