"""Rings through all hosts: in their order, turned from box to box as NCCL does, or along links.

NCCL lays as many rings as a box has hosts, each of which leaves its boxes by another one, and
enters the next by the host of the same place: ring j has the hosts of every other box in the order
j, j + 1, ..., and of those between backwards. So rings share the links between boxes equally
(ForestColl, arXiv, section 5.3). Where hosts are linked directly, the order in a box, or that of
all, is a ring along links: by depth first with the fewest ways on first, in so many steps at most.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from generators.topology import Topology
from topofinder.forests.baselines.shortest_routes import (
    host_boxes,
    neighbour_pairs,
    pairwise_arcs,
)

MOST_STEPS = 20_000
"""Hosts that the search along links looks at."""


def ring_orders(topology: Topology) -> Iterator[list[list[int]]]:
    """Sets of rings, each a one-way order of the hosts counted from 0; most have both ways.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> next(ring_orders(ring))
    [[0, 1, 2], [0, 2, 1]]
    """
    count = topology.n - len(topology.switches)
    plain = list(range(count))
    yield _both_ways([plain])
    boxes = host_boxes(topology)
    if len(boxes[0]) > 1:
        for order in orders_inside(topology, boxes[0]):
            yield _both_ways([_ring_from(boxes, order, turn, True) for turn in range(len(order))])
            yield _both_ways([_ring_from(boxes, order, turn, False) for turn in range(len(order))])
    pairs = neighbour_pairs(topology)
    if len(pairs) < count * (count - 1):
        found = ring_along(count, pairs)
        if found is not None:
            yield _both_ways([found])
            yield [found]


def orders_inside(topology: Topology, box: list[int]) -> Iterator[list[int]]:
    """Places of a box in the order of a ring in it: along links, if that is found, and plainly."""
    hosts = np.delete(np.arange(topology.n), list(topology.switches))
    place = {int(hosts[host]): i for i, host in enumerate(box)}
    joined = {(place[u], place[v]) for u, v in pairwise_arcs(topology) if {u, v} <= place.keys()}
    found = ring_along(len(box), joined)
    if found is not None:
        yield found
    yield list(range(len(box)))


def _ring_from(boxes: list[list[int]], order: list[int], turn: int, back: bool) -> list[int]:
    """A ring that enters the first box at a turn; with `back`, every other box backwards."""
    forth = [*order[turn:], *order[:turn]]
    ways = (forth, forth[::-1] if back else forth)
    return [box[i] for number, box in enumerate(boxes) for i in ways[number % 2]]


def _both_ways(orders: Sequence[Sequence[int]]) -> list[list[int]]:
    return [list(each) for order in orders for each in (order, [order[0], *reversed(order[1:])])]


def ring_along(hosts: int, pairs: set[tuple[int, int]]) -> list[int] | None:
    """A ring of all hosts along pairs of neighbours; None where none is found.

    >>> ring_along(4, {(0, 2), (2, 1), (1, 3), (3, 0)})
    [0, 2, 1, 3]
    """
    ahead: list[list[int]] = [[] for _ in range(hosts)]
    for u, v in sorted(pairs):
        ahead[u].append(v)
    path, on_path, steps = [0], {0}, MOST_STEPS

    def ways_on(node: int) -> list[int]:
        fresh = [v for v in ahead[node] if v not in on_path]
        return sorted(fresh, key=lambda v: sum(w not in on_path for w in ahead[v]), reverse=True)

    waiting = [ways_on(0)]
    while waiting and steps:
        if len(path) == hosts and 0 in ahead[path[-1]]:
            return path
        if not waiting[-1]:
            waiting.pop()
            on_path.discard(path.pop())
            continue
        steps -= 1
        node = waiting[-1].pop()
        path.append(node)
        on_path.add(node)
        waiting.append(ways_on(node))
    return None
