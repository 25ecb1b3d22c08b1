"""In-network multicast: hops that bring a switch what it has already carry nothing.

Source: ForestColl (NSDI 2026), section 5.6. A tree is walked from its root; where a route passes a
switch that multicasts and that an earlier route of the same tree has passed, the message is taken
from there. In-trees, which run in the transposed graph, spare what combining switches make
needless. Where trees were packed to switches as to nodes, `contract_switches` tells them by routes
from host to host again, whose hops up to the switch are then on several routes of a tree.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.forests.collectives.route_kernels import multicast_skips
from topofinder.model.tree_set import TreeSet

Route = tuple[int, ...]


def skip_multicast_hops(trees: TreeSet, topology: Topology) -> TreeSet:
    """The same trees, sparing what the topology's switches that multicast make needless.

    For in-trees pass the transpose, whose switches multicast where the topology's combine.

    >>> from fractions import Fraction
    >>> star = Topology.from_arcs(4, [(0, 3), (3, 1), (1, 3), (3, 2)],
    ...     switches=(3,), multicast=(3,))
    >>> chain = TreeSet(k=1, root=[0], copies=[1], start=[0, 2], route=[0, 1],
    ...     route_start=[0, 3, 6], node=[0, 3, 1, 1, 3, 2], cut=[0],
    ...     optimum=Fraction(1), time=Fraction(1))
    >>> skip_multicast_hops(chain, star).multicast_skips.tolist()
    [0, 1]
    """
    if trees.uses and int(trees.node.max()) >= topology.n:
        raise InvalidInput(f"node: {trees.node.max()} is not in 0..{topology.n - 1}")
    able = np.zeros(topology.n, dtype=np.bool_)
    able[list(topology.multicast)] = True
    if not able.any():
        return replace(trees, skip=None) if trees.multicast_skips.any() else trees
    holds = np.full(topology.n, -1, dtype=np.int64)
    skip = multicast_skips(trees.start, trees.route, trees.route_start, trees.node, able, holds)
    return replace(trees, skip=skip)


def contract_switches(trees: TreeSet, switches: frozenset[int]) -> TreeSet:
    """The same trees with edges between other nodes only; branches that end in a switch go.

    What left a switch leaves the nearest other node above.

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
        listed = _join_at_switches((known[edge] for edge in edges[first:last]), switches)
        route += [number.setdefault(stops, len(number)) for stops in listed]
        start.append(len(route))
    return replace(
        trees,
        start=np.array(start, dtype=np.int64),
        route=np.array(route, dtype=np.int32),
        route_start=np.cumsum([0, *map(len, number)], dtype=np.int64),
        node=np.array([stop for stops in number for stop in stops], dtype=np.int32),
        skip=None,
    )


def _join_at_switches(routes: Iterable[Route], switches: frozenset[int]) -> Iterator[Route]:
    """The routes of one tree to other nodes, from the nearest such node above."""
    way: dict[int, Route] = {}
    for stops in routes:
        whole = way.get(stops[0], stops[:1]) + stops[1:]
        if whole[-1] in switches:
            way[whole[-1]] = whole
        else:
            yield whole
