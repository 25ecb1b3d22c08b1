"""Rails alike on hosts of unlike size, against rings and ways that are followed one by one."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import networkx as nx
import pytest

from expansions.collective import Collective
from expansions.hosts import host_topology, parse_host_fabric
from topofinder.finder.alike_rails import alike_rings, rate_alike_rings
from topofinder.finder.host_prediction import predict_forest
from topofinder.finder.host_search import EVEN_WEIGHTS, graph_rate
from topofinder.forests.collectives.host_forest import compose_forest
from topofinder.verification.forests import verify_forest

NAMES = [
    "Host(4*8.8*12;switch@450GB/s;1@50GB/s)[UniRing(4,32)]",
    "Host(4*2.8*3;switch+m@450GB/s;1@50GB/s)[UniRing(4,8)]",
    "Host(1.2*2.3;mesh@200GB/s;2@50GB/s)[UniRing(2,8)]",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_rail_is_a_ring_of_the_hosts_that_have_it(name: str) -> None:
    fabric = parse_host_fabric(name)
    wiring = alike_rings(fabric)
    topology = host_topology(fabric, wiring)
    assert topology.names is not None
    following: dict[tuple[int, int], int] = {}
    for arc, rail in enumerate(wiring.rail.tolist()):
        ends = [topology.names[end[arc]] for end in (topology.tail, topology.head)]
        hosts, own = zip(*(name.removeprefix("gpu").split(".") for name in ends), strict=True)
        each = fabric.template.ports_each
        assert each is not None
        assert {int(place) for place in own} == {rail // each}
        following[rail, int(hosts[0])] = int(hosts[1])
    for rail in range(max(host.ports for host in fabric.each_size.values())):
        ring = [h for h, g in enumerate(fabric.host_sizes) if fabric.each_size[g].ports > rail]
        assert following.keys() >= {(rail, host) for host in ring}
        walked = [ring[0]]
        while len(walked) < len(ring):
            walked.append(following[rail, walked[-1]])
        assert walked == ring
        assert following[rail, walked[-1]] == ring[0]
    assert len(following) == sum(fabric.each_size[g].ports for g in fabric.host_sizes)


@pytest.mark.parametrize("name", NAMES)
def test_heights_are_those_of_the_trees(name: str) -> None:
    fabric = parse_host_fabric(name)
    wiring = alike_rings(fabric)
    told = rate_alike_rings(
        fabric, wiring, lambda found: graph_rate(found, wiring=wiring), EVEN_WEIGHTS
    )
    made = compose_forest(fabric, Collective.ALLGATHER, wiring)
    assert verify_forest(made).violation is None
    assert made.spread is not None
    height, hops = _height_and_hops(made.spread, made.topology)
    assert told.prediction.height(told.tree_height) == told.latency == height
    assert hops == told.prediction.hops < height
    predicted = predict_forest(fabric, wiring)
    assert made.optimum <= told.prediction.inverse_rate == made.inverse_rate
    assert made.inverse_rate <= predicted.inverse_rate
    assert height <= predicted.height(told.tree_height)
    rings = len(fabric.host_sizes) - 1
    assert hops == rings
    assert told.alltoall[0] > Fraction()


def _height_and_hops(trees, topology):  # type: ignore[no-untyped-def]
    """The most edges of a way in the trees, and the least circuits that join the farthest hosts."""
    nodes = [trees.node[a:b].tolist() for a, b in pairwise(trees.route_start.tolist())]
    most = 0
    for root, (begin, end) in zip(trees.root.tolist(), pairwise(trees.start.tolist()), strict=True):
        tree = nx.DiGraph([(nodes[r][0], nodes[r][-1]) for r in trees.route[begin:end].tolist()])
        most = max(most, *nx.single_source_shortest_path_length(tree, root).values())
    host = [name.lstrip("gpuswitch").partition(".")[0] for name in topology.names]
    ends = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
    counts = Counter((host[u], host[v]) for u, v in ends if host[u] != host[v])
    return most, nx.diameter(nx.DiGraph(list(counts)))
