"""What the routes of a forest ask of a network: their kind, and that they cannot block one another.

A switch that holds a message until the next link is free can deadlock where links wait for one
another in a circle. There is none if the channel dependency graph, from each link to those that
some route takes next, has no cycle (Dally and Seitz, IEEE Transactions on Computers C-36, 1987,
theorem 1). Where it has some, a set of dependencies is found whose removal leaves none; a message
that goes on to the next virtual channel whenever it passes one of these follows an order of all
virtual channels. So one channel more than a route has such dependencies at most is enough.

Hosts take messages in, so that routes end there. Routes of in-trees are read backwards, as messages
run, and both phases are taken together.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from generators.topology import Topology
from topofinder.model.forest import Forest, Phase

Link = tuple[int, int]
Dependencies = dict[Link, set[Link]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteVerdict:
    """`longest` is in links, `channels` the virtual channels that keep the routes from deadlock.

    `shortest` tells whether no route is longer than it must be. Where switches have tiers, `updown`
    tells whether no route goes up, or stays level, once it has ceased to go up; and `core` how many
    shards enter a switch of the highest tier from a switch of a lower one, `least_core` that this
    takes for the trees' collective at least.
    """

    longest: int
    channels: int
    shortest: bool
    updown: bool | None
    core: Fraction | None
    least_core: Fraction | None


def verify_routes(saved: Forest) -> RouteVerdict | None:
    """What the routes ask; None where there are no switches. Links must be those of the graph.

    >>> from generators.topology import Topology
    >>> from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
    >>> arcs = [(0, 2), (2, 0), (1, 2), (2, 1)]
    >>> star = Topology.from_arcs(3, arcs, switches=(2,), tiers=(0, 0, 1))
    >>> verify_routes(make_forest(star, ForestOptions())).channels
    1
    """
    topology = saved.topology
    if not topology.switches:
        return None
    routes = [route for phase in saved.phases for route in _used_routes(phase)]
    tiers = topology.tiers
    return RouteVerdict(
        longest=max((len(route) - 1 for route in routes), default=0),
        channels=virtual_channels(routes),
        shortest=_are_shortest(topology, routes),
        updown=None if tiers is None else all(is_updown(route, tiers) for route in routes),
        core=None if tiers is None else sum(map(_core_shards, saved.phases), Fraction()),
        least_core=None if tiers is None else _least_core(saved),
    )


def virtual_channels(routes: list[tuple[int, ...]]) -> int:
    """Virtual channels a link that keep these routes from deadlock, by the rule above.

    >>> virtual_channels([(0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 4, 0)])
    1
    >>> virtual_channels([(0, 4, 5, 6, 2), (1, 5, 6, 4, 0), (2, 6, 4, 5, 1)])
    2
    """
    follows: Dependencies = {}
    for route in routes:
        links = list(pairwise(route))
        for link, after in pairwise(links):
            follows.setdefault(link, set()).add(after)
            follows.setdefault(after, set())
    broken = _breaking_dependencies(follows)
    most = max(
        (sum(pair in broken for pair in pairwise(list(pairwise(route)))) for route in routes),
        default=0,
    )
    return most + 1


def is_updown(route: tuple[int, ...], tiers: tuple[int, ...]) -> bool:
    """Whether a route only comes down once it has come down or stayed level.

    >>> is_updown((0, 2, 3, 1), (0, 0, 1, 1)), is_updown((0, 2, 1, 3, 4), (0, 1, 2, 2, 0))
    (True, False)
    """
    climbs = [tiers[v] > tiers[u] for u, v in pairwise(route)]
    falls = [tiers[v] < tiers[u] for u, v in pairwise(route)]
    top = climbs.index(False) if False in climbs else len(climbs)
    return all(falls[top + 1 :])


def _used_routes(phase: Phase) -> Iterator[tuple[int, ...]]:
    """The nodes of every route that some tree takes, in the direction of its messages."""
    nodes, bounds = phase.trees.node.tolist(), phase.trees.route_start.tolist()
    for route in np.unique(phase.trees.route).tolist():
        stops = tuple(nodes[bounds[route] : bounds[route + 1]])
        yield stops if phase.name == "spread" else stops[::-1]


def _breaking_dependencies(follows: Dependencies) -> set[tuple[Link, Link]]:
    """Dependencies without which there is no cycle: those that lead back in depth-first order."""
    broken, done = set(), set()
    for root in follows:
        open_links: dict[Link, Iterator[Link]] = {}
        if root not in done:
            open_links[root] = iter(follows[root])
        while open_links:
            link = next(reversed(open_links))
            after = next(open_links[link], None)
            if after is None:
                done.add(link)
                del open_links[link]
            elif after in open_links:
                broken.add((link, after))
            elif after not in done:
                open_links[after] = iter(follows[after])
    return broken


def _are_shortest(topology: Topology, routes: list[tuple[int, ...]]) -> bool:
    """Whether every route has as few links as any through switches between the same hosts."""
    leaving: dict[int, set[int]] = {}
    for u, v in zip(topology.tail.tolist(), topology.head.tolist(), strict=True):
        leaving.setdefault(u, set()).add(v)
    if max(map(len, routes), default=0) <= 3:
        return True
    switches = frozenset(topology.switches)
    longest: dict[int, dict[int, int]] = {}
    for route in routes:
        ends = longest.setdefault(route[0], {})
        ends[route[-1]] = max(ends.get(route[-1], 0), len(route) - 1)
    for source, ends in longest.items():
        hops = _hops_from(source, leaving, switches)
        if any(hops[node] < length for node, length in ends.items()):
            return False
    return True


def _hops_from(
    source: int, leaving: dict[int, set[int]], switches: frozenset[int]
) -> dict[int, int]:
    """The least number of links from a host to every node, through switches only."""
    hops, queue = {source: 0}, [source]
    for u in queue:
        for v in leaving.get(u, ()):
            if v not in hops:
                hops[v] = hops[u] + 1
                if v in switches:
                    queue.append(v)
    return hops


def _core_shards(phase: Phase) -> Fraction:
    """Shards that enter the highest tier from below; a tree's hops that carry nothing do not."""
    trees, tiers = phase.trees, phase.topology.tiers or ()
    top = max(tiers)
    nodes, bounds = trees.node.tolist(), trees.route_start.tolist()
    entering: dict[tuple[int, int], int] = {}
    count = 0
    copies = np.repeat(trees.copies, np.diff(trees.start)).tolist()
    for route, skip, times in zip(
        trees.route.tolist(), trees.multicast_skips.tolist(), copies, strict=True
    ):
        if (route, skip) not in entering:
            stops = nodes[bounds[route] + skip : bounds[route + 1]]
            entering[route, skip] = sum(0 < tiers[u] < tiers[v] == top for u, v in pairwise(stops))
        count += entering[route, skip] * times
    return Fraction(count, trees.k)


def _least_core(saved: Forest) -> Fraction:
    """What must cross: each root's shard into every part below the core that is not its own.

    Where hosts are linked to the highest tier themselves there is no need to cross, so 0.
    """
    topology, tiers = saved.topology, saved.topology.tiers or ()
    top = max(tiers)
    part = list(range(topology.n))

    def find(node: int) -> int:
        while part[node] != node:
            part[node] = part[part[node]]
            node = part[node]
        return node

    for u, v in zip(topology.tail.tolist(), topology.head.tolist(), strict=True):
        if tiers[u] < top and tiers[v] < top:
            part[find(u)] = find(v)
        elif top in (tiers[u], tiers[v]) and 0 in (tiers[u], tiers[v]):
            return Fraction(0)
    switches = frozenset(topology.switches)
    parts = {find(v) for v in range(topology.n) if v not in switches}
    return Fraction(len(saved.phases) * saved.total * (len(parts) - 1))
