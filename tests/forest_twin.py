"""A check of forests on plain sets and Python's integers: slow, obvious, and nothing can wrap."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise

from generators.topology import Topology
from topofinder.model.forest import Forest
from topofinder.model.tree_set import TreeSet


def judge_forest(saved: Forest) -> list[Fraction] | None:
    """The times of the phases of a sound forest; None for any other."""
    found = []
    for phase in saved.phases:
        load = loads_of(phase.topology, phase.trees)
        room = bandwidth_of(phase.topology)
        if load is None or not _rooted(phase.trees, saved.weight):
            return None
        time = max((Fraction(n, phase.trees.k) / room[link] for link, n in load.items()), default=0)
        bound = cut_bound(phase.topology, phase.trees, saved.weight)
        if bound is None or (time, bound) != (phase.trees.time, phase.trees.optimum):
            return None
        found.append(time)
    return found


def bandwidth_of(topology: Topology) -> dict[tuple[int, int], Fraction]:
    """All arcs from u to v together, self-loops left out."""
    room: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    for arc, (u, v) in enumerate(zip(topology.tail.tolist(), topology.head.tolist(), strict=True)):
        if u != v:
            room[u, v] += 1 if topology.capacity is None else topology.capacity[arc]
    return dict(room)


def loads_of(topology: Topology, trees: TreeSet) -> Counter[tuple[int, int]] | None:
    """How many trees take each link; None when some route or tree is none."""
    links = bandwidth_of(topology)
    hosts = set(range(topology.n)) - set(topology.switches)
    bounds, nodes = trees.route_start.tolist(), trees.node.tolist()
    routes = [nodes[a:b] for a, b in pairwise(bounds)]
    for stops in routes:
        if not {stops[0], stops[-1]} <= hosts or hosts & set(stops[1:-1]):
            return None
        if any(pair not in links for pair in pairwise(stops)):
            return None
    load: Counter[tuple[int, int]] = Counter()
    for i, (first, last) in enumerate(pairwise(trees.start.tolist())):
        have, passed = {int(trees.root[i])}, set()
        for j in range(first, last):
            stops, skip = routes[trees.route[j]], int(trees.multicast_skips[j])
            if stops[0] not in have or stops[-1] in have:
                return None
            if skip and (stops[skip] not in passed or stops[skip] not in topology.multicast):
                return None
            for pair in pairwise(stops[skip:]):
                load[pair] += int(trees.copies[i])
            passed |= set(stops[skip + 1 : -1])
            have.add(stops[-1])
        if have != hosts:
            return None
    return load


def cut_bound(topology: Topology, trees: TreeSet, weight: tuple[int, ...]) -> Fraction | None:
    """Weight inside over bandwidth out; None when the cut bounds nothing."""
    inside = set(trees.cut.tolist())
    hosts = set(range(topology.n)) - set(topology.switches)
    links = bandwidth_of(topology).items()
    out = sum((b for (u, v), b in links if u in inside and v not in inside), Fraction())
    if hosts <= inside or not out:
        return None
    return sum(weight[v] for v in inside) / out


def _rooted(trees: TreeSet, weight: tuple[int, ...]) -> bool:
    roots: Counter[int] = Counter()
    for root, copies in zip(trees.root.tolist(), trees.copies.tolist(), strict=True):
        roots[root] += copies
    return all(roots[v] == trees.k * w for v, w in enumerate(weight))
