"""Shorter routes through switches for a forest whose trees stay as they are.

Edge splitting keeps the cuts and does not look at lengths: a route may go up and down a fabric
twice. Bundle after bundle, the longest first, is taken off the links and put on a shortest route
(Dijkstra's algorithm, by hops, then by load) among links that still have room; the rest stays where
it was. This never costs anything. Where other routes are forbidden, what is left of them is put on
the best permitted route whether it has room or not, and the links that get too full tell the time.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import heappop, heappush
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from generators.errors import Unsupported
from generators.topology import FloatArray
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import tree_capacities
from topofinder.forests.packed_forest import PackedForest
from topofinder.model.routing import Routing

MAX_SEARCHES = 1 << 17
"""Bundles times arcs up to which routes are shortened where they need not be, the longest first."""
PIECES = 8
"""Parts of a bundle that are put on forbidden links' substitutes one by one."""
Route = tuple[int, ...]
Cost = Callable[[int], Fraction | int | None]


def shorten_routes(
    forest: PackedForest, routing: Routing = Routing.ANY, clock: Clock = NO_LIMIT
) -> PackedForest:
    """The same trees on routes as short as room on the links allows.

    With another `routing` than `any` only its routes are left, and the trees may take longer.
    Raises Unsupported where there is no such route between two nodes.

    >>> from generators.topology import Topology
    >>> from topofinder.forests.build import pack_forest
    >>> from topofinder.forests.optimality.network import Network
    >>> pair = Topology.from_arcs(4, [(0, 2), (2, 0), (1, 3), (3, 1), (2, 3), (3, 2)],
    ...     switches=(2, 3))
    >>> shorten_routes(pack_forest(Network.of(pair))).route_start.tolist()
    [0, 3, 6]
    """
    if not forest.network.switches.size or int(np.diff(forest.route_start).max(initial=0)) < 3:
        return forest
    hops = _hop_table(forest.network)
    if routing is not Routing.UPDOWN and not _has_detours(forest, hops):
        return forest
    table = _RouteTable.of(forest, routing, hops)
    wrong = table.list_unwanted()
    if routing is Routing.ANY:
        wrong = wrong[: MAX_SEARCHES // forest.network.arcs]
    for bundle in wrong:
        if clock.is_over:
            break
        table.shorten(bundle)
    if routing is not Routing.ANY:
        for bundle in table.list_unwanted():
            table.force(bundle)
    return table.forest()


@dataclass(slots=True, eq=False)
class _RouteTable:
    """The routes of every logical arc with their amounts, and what is left of the links' room.

    `bundles[a]` maps the routes of logical arc a to amounts. `tier` is None where any shortest
    route will do. `hops[u, v]` is the least number of hops between compute nodes, by their places.
    """

    packed: PackedForest
    bundles: list[dict[Route, int]]
    room: list[int]
    leaving: list[list[tuple[int, int]]]
    tier: tuple[int, ...] | None
    hops: FloatArray

    @classmethod
    def of(cls, forest: PackedForest, routing: Routing, hops: FloatArray) -> "_RouteTable":
        network = forest.network
        room = tree_capacities(network, forest.inverse_tree)
        leaving: list[list[tuple[int, int]]] = [[] for _ in range(network.n)]
        for e, (u, v) in enumerate(zip(network.tail.tolist(), network.head.tolist(), strict=True)):
            leaving[u].append((e, v))
        arcs, bounds = forest.route.tolist(), forest.route_start.tolist()
        amounts, firsts = forest.amount.tolist(), forest.bundle_start.tolist()
        bundles: list[dict[Route, int]] = []
        for first, last in pairwise(firsts):
            bundles.append({})
            for b in range(first, last):
                route = tuple(arcs[bounds[b] : bounds[b + 1]])
                bundles[-1][route] = bundles[-1].get(route, 0) + amounts[b]
                for e in route:
                    room[e] -= amounts[b]
        tier = network.tiers if routing is Routing.UPDOWN else None
        return cls(forest, bundles, room, leaving, tier, hops)

    def list_unwanted(self) -> list[tuple[int, Route]]:
        """The bundles, by logical arc and route, that have a better route; the longest first."""
        found = [
            (a, route)
            for a, routes in enumerate(self.bundles)
            for route in routes
            if len(route) > 1 and self._is_unwanted(a, route)
        ]
        return sorted(found, key=lambda bundle: (-len(bundle[1]), bundle))

    def shorten(self, bundle: tuple[int, Route]) -> None:
        """Move as much of a bundle to shorter, or permitted, routes as there is room for."""
        a, route = bundle
        left = self._take(a, route)
        while left:
            found = self._search(a, lambda e: 1 if self.room[e] > 0 else None)
            if found is None or (self._permits(route) and len(found) >= len(route)):
                break
            amount = min(left, *(self.room[e] for e in found))
            self._put(a, found, amount)
            left -= amount
        if left:
            self._put(a, route, left)

    def force(self, bundle: tuple[int, Route]) -> None:
        """Move a bundle to the best permitted routes, full or not."""
        a, route = bundle
        left = self._take(a, route)
        piece = -(-left // PIECES)
        capacity = self.packed.network.capacity
        longest = len(capacity)
        while left:
            found = self._search(a, lambda e: longest + Fraction(-self.room[e], capacity[e]))
            if found is None:
                names = [self.packed.network.name(int(v)) for v in self._ends(a)]
                raise Unsupported(f"--routing: no up-down route from {names[0]} to {names[1]}")
            self._put(a, found, min(piece, left))
            left -= min(piece, left)

    def forest(self) -> PackedForest:
        """The forest on these routes; U grows where links are too full."""
        listed = [list(routes.items()) for routes in self.bundles]
        flat = [bundle for routes in listed for bundle in routes]
        network, tree = self.packed.network, self.packed.inverse_tree
        held = tree_capacities(network, tree)
        for e, room in enumerate(self.room):
            if room < 0:
                tree = max(tree, (held[e] - room) / (network.capacity[e] * network.unit))
        return replace(
            self.packed,
            inverse_tree=tree,
            bundle_start=np.cumsum([0, *map(len, listed)]).astype(np.int64),
            amount=np.array([amount for _, amount in flat], dtype=np.int64),
            route_start=np.cumsum([0, *(len(route) for route, _ in flat)]).astype(np.int64),
            route=np.array([e for route, _ in flat for e in route], dtype=np.int32),
        )

    def _is_unwanted(self, a: int, route: Route) -> bool:
        if self.tier is not None:
            return not self._permits(route)
        u, v = np.searchsorted(self.packed.network.compute, self._ends(a)).tolist()
        return bool(len(route) > self.hops[u, v])

    def _ends(self, a: int) -> tuple[int, int]:
        return int(self.packed.tail[a]), int(self.packed.head[a])

    def _permits(self, route: Route) -> bool:
        """Whether the route is no lower than before only once it has come down."""
        if self.tier is None:
            return True
        came_down = False
        for e in route:
            u, v = int(self.packed.network.tail[e]), int(self.packed.network.head[e])
            if came_down and self.tier[v] >= self.tier[u]:
                return False
            came_down = came_down or self.tier[v] <= self.tier[u]
        return True

    def _take(self, a: int, route: Route) -> int:
        amount = self.bundles[a].pop(route)
        for e in route:
            self.room[e] += amount
        return amount

    def _put(self, a: int, route: Route, amount: int) -> None:
        self.bundles[a][route] = self.bundles[a].get(route, 0) + amount
        for e in route:
            self.room[e] -= amount

    def _search(self, a: int, cost: Cost) -> Route | None:
        """The cheapest permitted route of a logical arc; arcs without a cost are not taken."""
        source, target = self._ends(a)
        best: dict[tuple[int, bool], Fraction | int] = {(source, False): 0}
        came: dict[tuple[int, bool], tuple[int, tuple[int, bool]]] = {}
        queue: list[tuple[Fraction | int, tuple[int, bool]]] = [(0, (source, False))]
        while queue:
            far, state = heappop(queue)
            if state[0] == target:
                return _route_back(came, state)
            if far > best[state] or (state[0] != source and self._is_host(state[0])):
                continue
            for e, after in self._steps(state):
                price = cost(e)
                if price is not None and far + price < best.get(after, far + price + 1):
                    best[after] = far + price
                    came[after] = e, state
                    heappush(queue, (far + price, after))
        return None

    def _is_host(self, node: int) -> bool:
        place = int(np.searchsorted(self.packed.network.compute, node))
        compute = self.packed.network.compute
        return place < len(compute) and int(compute[place]) == node

    def _steps(self, state: tuple[int, bool]) -> Iterator[tuple[int, tuple[int, bool]]]:
        """(arc, node and whether the route has come down) of every step that is permitted."""
        node, came_down = state
        for e, v in self.leaving[node]:
            if self.tier is None:
                yield e, (v, False)
            elif not came_down or self.tier[v] < self.tier[node]:
                yield e, (v, came_down or self.tier[v] <= self.tier[node])


def _hop_table(network: Network) -> FloatArray:
    """The least number of hops from compute node to compute node, through switches only.

    An arc into a compute node leads to a second node for it, which nothing leaves.
    """
    n, compute = network.n, network.compute
    ends = np.isin(network.head, compute)
    head = np.where(ends, network.head + n, network.head).astype(np.int32)  # as scipy 1.13 needs
    arcs = csr_array((np.ones(network.arcs), (network.tail, head)), shape=(2 * n, 2 * n))
    found: FloatArray = shortest_path(arcs, unweighted=True, indices=compute)[:, compute + n]
    return found


def _has_detours(forest: PackedForest, hops: FloatArray) -> bool:
    """Whether some route is longer than it must be."""
    compute = forest.network.compute
    least = hops[np.searchsorted(compute, forest.tail), np.searchsorted(compute, forest.head)]
    arc = np.repeat(np.arange(len(least)), np.diff(forest.bundle_start))
    return bool((np.diff(forest.route_start) > least[arc]).any())


def _route_back(
    came: dict[tuple[int, bool], tuple[int, tuple[int, bool]]], state: tuple[int, bool]
) -> Route:
    """The arcs by which a state was reached, in order."""
    route = []
    while state in came:
        e, state = came[state]
        route.append(e)
    return tuple(reversed(route))
