"""Rails alike on hosts of unlike size, against rings and ways that are followed one by one."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

from expansions.build import build
from expansions.collective import Collective
from expansions.hosts import HostFabric, host_topology, parse_host_fabric
from expansions.parser import parse
from topofinder.api.search_hosts_beside import rail_baselines
from topofinder.finder.alike_rails import rate_rails, wire_bands
from topofinder.finder.host_prediction import predict_forest
from topofinder.finder.host_search import EVEN_WEIGHTS, graph_rate
from topofinder.forests.collectives.host_forest import compose_forest
from topofinder.verification.forests import verify_forest

NAMES = [
    "Host(4*8.8*12;switch@450GB/s;1@50GB/s)[UniRing(4,32)]",
    "Host(4*2.8*3;switch+m@450GB/s;1@50GB/s)[UniRing(4,8)]",
    "Host(1.2*2.3;mesh@200GB/s;2@50GB/s)[UniRing(2,8)]",
]


def recipes_of(fabric: HostFabric, label: str) -> tuple[str, ...]:
    """The recipe of each band of rails, under a label."""
    return next(recipes for told, recipes in rail_baselines(fabric) if told.startswith(label))


@pytest.mark.parametrize("name", NAMES)
def test_every_rail_is_a_ring_of_the_hosts_that_have_it(name: str) -> None:
    fabric = parse_host_fabric(name)
    wiring = wire_bands(fabric, recipes_of(fabric, "alike rails, one-way rings"))
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
    lone = 0
    for rail in range(max(host.ports for host in fabric.each_size.values())):
        ring = [h for h, g in enumerate(fabric.host_sizes) if fabric.each_size[g].ports > rail]
        if len(ring) == 1:  # leads nowhere
            lone += 1
            continue
        assert following.keys() >= {(rail, host) for host in ring}
        walked = [ring[0]]
        while len(walked) < len(ring):
            walked.append(following[rail, walked[-1]])
        assert walked == ring
        assert following[rail, walked[-1]] == ring[0]
    assert len(following) + lone == sum(fabric.each_size[g].ports for g in fabric.host_sizes)


@pytest.mark.parametrize("name", NAMES)
def test_heights_are_those_of_the_trees(name: str) -> None:
    fabric = parse_host_fabric(name)
    wiring = wire_bands(fabric, recipes_of(fabric, "alike rails, one-way rings"))
    told = rate_rails(fabric, wiring, lambda found: graph_rate(found, wiring=wiring), EVEN_WEIGHTS)
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


@pytest.mark.parametrize(
    ("label", "told"),
    [
        ("rings both ways", "BiRing(4,12) of 12 hosts, BiRing(4,9) of 9"),
        ("tori, 2-dimensional", "Torus(3,4) of 12 hosts, Torus(3,3) of 9"),
    ],
)
def test_rails_of_the_same_hosts_are_a_graph_of_them(label: str, told: str) -> None:
    """Every rail is a permutation of its hosts, and rails of a band together their recipe."""
    fabric = parse_host_fabric("Host(4*3.8*9;switch@450GB/s;1@50GB/s)[UniRing(4,21)]")
    recipes = recipes_of(fabric, label)
    assert any(name == f"{label}: {told}" for name, _ in rail_baselines(fabric))
    wiring = wire_bands(fabric, recipes)
    assert np.array_equal(wiring.rail, wiring.rail_into)
    host = np.repeat(np.arange(12), fabric.host_sizes)
    assert np.array_equal(host[wiring.tail], wiring.graph.tail)
    for begin, hosts, recipe in ((0, range(12), recipes[0]), (4, range(3, 12), recipes[1])):
        joined: Counter[tuple[int, int]] = Counter()
        for rail in range(begin, begin + 4):
            at = wiring.rail == rail
            ends = [end[at].tolist() for end in (wiring.graph.tail, wiring.graph.head)]
            assert [sorted(end) for end in ends] == [list(hosts)] * 2
            joined.update((u - hosts[0], v - hosts[0]) for u, v in zip(*ends, strict=True))
        graph = build(parse(recipe))
        assert joined == Counter(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))


def test_bands_without_a_torus_have_no_row_of_tori() -> None:
    fabric = parse_host_fabric("Host(4*2.8*7;switch@450GB/s;1@50GB/s)[UniRing(4,16)]")
    labels = [name.partition(":")[0] for name, _ in rail_baselines(fabric)]
    assert labels == ["alike rails, one-way rings", "rings both ways"]
    several = parse_host_fabric("Host(1*3.2*7;switch@450GB/s;2@50GB/s)[UniRing(2,17)]")
    rows = {name.partition(":")[0]: recipes for name, recipes in rail_baselines(several)}
    assert rows["alike rails, best graph"] == ("Small(2,10)", "BiRing(2,7)")


def test_beyond_the_limit_they_are_predicted() -> None:
    fabric = parse_host_fabric(NAMES[1])
    wiring = wire_bands(fabric, recipes_of(fabric, "rings both ways"))
    built, told = (
        rate_rails(
            fabric, wiring, lambda found: graph_rate(found, wiring=wiring), EVEN_WEIGHTS, most
        )
        for most in (512, 1)
    )
    assert told.prediction.inverse_rate >= built.prediction.inverse_rate
    assert told.prediction.height(told.tree_height) >= built.prediction.height(built.tree_height)
    assert (told.alltoall, told.latency >= built.latency) == (built.alltoall, True)


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
