"""Trees that branch at switches, told by routes from host to host.

A switch that trees had to reach like a node becomes a stop of routes again: what left it leaves the
nearest host above. Hops up to the switch are then on several routes of a tree; `with_multicast`
marks all but the first as spared.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from topofinder.model.tree_set import TreeSet

Route = tuple[int, ...]


def contract_switches(trees: TreeSet, switches: frozenset[int]) -> TreeSet:
    """The same trees with edges between other nodes only; branches that end in a switch go.

    >>> from fractions import Fraction
    >>> star = TreeSet(k=1, root=[0], copies=[1], start=[0, 3], route=[0, 1, 2],
    ...     route_start=[0, 2, 4, 6], node=[0, 3, 3, 1, 3, 2], cut=[0],
    ...     optimum=Fraction(1), time=Fraction(1))
    >>> flat = contract_switches(star, frozenset({3}))
    >>> flat.node.tolist(), flat.route_start.tolist(), flat.route.tolist()
    ([0, 3, 1, 0, 3, 2], [0, 3, 6], [0, 1])
    """
    nodes, bounds = trees.node.tolist(), trees.route_start.tolist()
    known = [tuple(nodes[a:b]) for a, b in pairwise(bounds)]
    number: dict[Route, int] = {}
    route: list[int] = []
    start = [0]
    uses, edges = trees.start.tolist(), trees.route.tolist()
    for first, last in pairwise(uses):
        way: dict[int, Route] = {}
        for edge in edges[first:last]:
            stops = known[edge]
            stops = way.get(stops[0], stops[:1]) + stops[1:]
            if stops[-1] in switches:
                way[stops[-1]] = stops
            else:
                route.append(number.setdefault(stops, len(number)))
        start.append(len(route))
    return replace(
        trees,
        start=np.array(start, dtype=np.int64),
        route=np.array(route, dtype=np.int32),
        route_start=np.cumsum([0, *map(len, number)], dtype=np.int64),
        node=np.array([stop for stops in number for stop in stops], dtype=np.int32),
        skip=None,
    )
