"""Certificates that solvers give, and what paths through their graphs carry, arc by arc."""

from collections import defaultdict
from fractions import Fraction

from generators.topology import Topology
from topofinder.alltoall.routing.paths import Paths
from topofinder.api.throughput import throughput
from topofinder.model.certificate import Certificate

ROUTED_RECIPES = ["L(K(4,4))", "C(16,{3,4})", "Pi(4,24)", "UniRing(2,5)", "Kautz(2,2)", "DBJ(2,4)"]


def solved_certificate(recipe: str) -> Certificate:
    return throughput(recipe, time=20).certificate


def walk_paths(paths: Paths) -> dict[tuple[int, int], list[tuple[Fraction, list[int]]]]:
    """The paths of each pair with their shares; every step is checked."""
    graph, found = paths.topology, defaultdict(list)
    for number, (source, sink) in enumerate(zip(paths.source, paths.sink, strict=True)):
        arcs = paths.arc[paths.first[number] : paths.first[number + 1]].tolist()
        at = int(source)
        for arc in arcs:
            assert graph.tail[arc] == at
            at = int(graph.head[arc])
        assert at == sink
        assert len(set(graph.head[arcs].tolist())) == len(arcs)
        found[int(source), int(sink)].append((int(paths.weight[number]), arcs))
    return {
        pair: [(Fraction(w, sum(w for w, _ in routes)), arcs) for w, arcs in routes]
        for pair, routes in found.items()
    }


def path_loads(paths: Paths, asked: dict[tuple[int, int], Fraction]) -> list[Fraction]:
    """What each arc carries, pair by pair."""
    carried = [Fraction()] * paths.topology.arcs
    for pair, routes in walk_paths(paths).items():
        for share, arcs in routes:
            for arc in arcs:
                carried[arc] += share * asked[pair]
    return carried


def uniform_demand(topology: Topology) -> dict[tuple[int, int], Fraction]:
    hosts = sorted(set(range(topology.n)) - set(topology.switches))
    return {(s, t): Fraction(1) for s in hosts for t in hosts if s != t}
