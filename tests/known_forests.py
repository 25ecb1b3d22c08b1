"""Optimal forests that are known without any algorithm."""

from fractions import Fraction
from itertools import pairwise

from expansions.collective import Collective
from generators.fabrics.dgx import dgx_a100, dgx_h100
from generators.topology import Topology
from topofinder.model.forest import Forest
from topofinder.model.tree_set import TreeSet


def two_way_ring(n: int) -> Topology:
    ends = [(u, (u + 1) % n) for u in range(n)]
    return Topology.from_arcs(n, ends + [(v, u) for u, v in ends])


def ring_trees(n: int) -> TreeSet:
    """From every root one path each way round: 1/x* = (n - 1) / 2, bound by any one node."""
    route, paths = [], [((u, (u + 1) % n), (u, (u - 1) % n)) for u in range(n)]
    number = {path: i for i, path in enumerate(p for pair in paths for p in pair)}
    for root in range(n):
        for way in (1, -1):
            stops = [(root + way * i) % n for i in range(n)]
            route += [number[pair] for pair in pairwise(stops)]
    return TreeSet(
        k=2,
        root=[root for root in range(n) for _ in range(2)],
        copies=[1] * 2 * n,
        start=[i * (n - 1) for i in range(2 * n + 1)],
        route=route,
        route_start=[2 * i for i in range(2 * n + 1)],
        node=[node for path in number for node in path],
        optimum=Fraction(n - 1, 2),
        time=Fraction(n - 1, 2),
        cut=list(range(1, n)),
    )


def box_trees(speed: int = 300) -> TreeSet:
    """Eight GPUs under one switch, node 8: a chain through all of them from every root."""
    routes = [(u, 8, v) for u in range(8) for v in range(8) if u != v]
    number = {(u, v): i for i, (u, _, v) in enumerate(routes)}
    route = []
    for root in range(8):
        stops = [(root + i) % 8 for i in range(8)]
        route += [number[pair] for pair in pairwise(stops)]
    return TreeSet(
        k=1,
        root=list(range(8)),
        copies=[1] * 8,
        start=[7 * i for i in range(9)],
        route=route,
        route_start=[3 * i for i in range(len(routes) + 1)],
        node=[node for path in routes for node in path],
        optimum=Fraction(7, speed),
        time=Fraction(7, speed),
        cut=[0, 1, 2, 3, 4, 5, 6, 8],
    )


def ring_forest(n: int, collective: Collective = Collective.ALLGATHER) -> Forest:
    """The ring is its own transpose, so the same trees serve both ways."""
    trees = ring_trees(n)
    spreads = collective is not Collective.REDUCE_SCATTER
    return Forest(
        topology=two_way_ring(n),
        collective=collective,
        weight=(1,) * n,
        spread=trees if spreads else None,
        gather=None if collective is Collective.ALLGATHER else trees,
        recipe=f"BiRing(2,{n})",
    )


def box_forest(able: bool = False) -> Forest:
    """One box of A100s, or of H100s, whose switch multicasts."""
    from topofinder.forests.collectives.multicast import skip_multicast_hops

    topology = dgx_h100(1) if able else dgx_a100(1)
    trees = skip_multicast_hops(box_trees(450 if able else 300), topology)
    return Forest(
        topology=topology,
        collective=Collective.ALLGATHER,
        weight=(1,) * 8 + (0,),
        spread=trees,
        recipe="DGXH100(1)" if able else "DGXA100(1)",
    )
