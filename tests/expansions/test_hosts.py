"""Fabrics of hosts: names, permutations of rails, and the graph that is built."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansions.build import build
from expansions.hosts import host_topology, host_wiring, parse_host_fabric, split_permutations
from expansions.parser import parse
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.topology import Topology

NAMES = [
    "Host(8;switch@450GB/s;1@50GB/s)[C(32,{1,6,9,10})]",
    "Host(4*2.8*3;switch@450GB/s;1@50GB/s)[Pi(4,8)]",
    "Host(2;mesh@64GB/s~0.5us;2@50GB/s~2us)[K(4,4)]",
    "Host(4;links:0-1.1-2.2-3@20GB/s;ports:0.0.2@50GB/s)[UniRing(1,12)]",
    "Host(1;none;2@12.5GB/s)[Cay(Z2:Z4[1];1,2)]",
]


@pytest.mark.parametrize("name", NAMES[:-1])
def test_names_are_read_back(name: str) -> None:
    fabric = parse_host_fabric(name)
    assert str(fabric) == name
    assert parse_host_fabric(f"  {name} ") == fabric


@given(st.integers(2, 12), st.integers(1, 4), st.randoms(use_true_random=False))
def test_any_regular_digraph_splits_into_permutations(n: int, d: int, chance) -> None:  # type: ignore[no-untyped-def]
    heads = [chance.sample(range(n), n) for _ in range(d)]
    arcs = [(u, heads[c][u]) for c in range(d) for u in range(n)]
    chance.shuffle(arcs)
    graph = Topology.from_arcs(n, arcs)
    colour, _ = split_permutations(graph)
    for c in range(d):
        one = colour == c
        assert sorted(graph.tail[one]) == sorted(graph.head[one]) == list(range(n))


def test_translations_keep_the_permutations_of_a_circulant() -> None:
    colour, kept = split_permutations(jump_graph(8, [1, 3]))
    assert kept
    assert colour.tolist() == [0, 1] * 8


@pytest.mark.parametrize("name", NAMES[:-1])
def test_every_port_ends_one_circuit_each_way(name: str) -> None:
    fabric = parse_host_fabric(name)
    wiring = host_wiring(fabric)
    owned = np.concatenate(
        [np.bincount(fabric.each_size[g].owners, minlength=g) for g in fabric.host_sizes]
    )
    for end in (wiring.tail, wiring.head):
        assert np.bincount(end, minlength=fabric.accelerators).tolist() == owned.tolist()


@pytest.mark.parametrize("name", NAMES[:-1])
def test_the_graph_between_hosts_is_that_of_the_recipe(name: str) -> None:
    fabric = parse_host_fabric(name)
    graph, wiring = build(fabric.graph), host_wiring(fabric)
    whole = host_topology(fabric, wiring)
    host_of = np.repeat(np.arange(fabric.hosts), fabric.host_sizes)
    assert host_of[whole.tail[: graph.arcs]].tolist() == wiring.node_host[graph.tail].tolist()
    assert host_of[whole.head[: graph.arcs]].tolist() == wiring.node_host[graph.head].tolist()
    assert whole.capacity is not None
    assert set(whole.capacity[: graph.arcs]) == {fabric.template.rate / 10**9}
    assert nx.is_strongly_connected(
        nx.DiGraph(zip(whole.tail.tolist(), whole.head.tolist(), strict=True))
    )


def test_inner_links_and_latencies() -> None:
    fabric = parse_host_fabric(NAMES[2])
    whole = host_topology(fabric)
    assert whole.n == 16
    assert not whole.switches
    assert whole.arcs == 32 + 16
    assert whole.latency is not None
    assert whole.latency[0] == 2
    assert whole.latency[-1] == Fraction(1, 2)
    assert whole.unit_latency == Fraction(1, 10**6)
    assert (whole.tail[32:34].tolist(), whole.head[32:34].tolist()) == ([0, 1], [1, 0])


def test_switches_are_able_where_the_template_says_so() -> None:
    able = host_topology(parse_host_fabric("HostH100[K(8,8)]"))
    plain = host_topology(parse_host_fabric("HostA100[K(8,8)]"))
    assert able.switches == able.multicast == able.reduce == tuple(range(128, 144))
    assert plain.switches == able.switches
    assert not plain.multicast


def test_known_orbits_are_kept() -> None:
    assert host_topology(parse_host_fabric(NAMES[0])).orbits is not None
    assert host_topology(parse_host_fabric(NAMES[1])).orbits is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("HostH100", "hosts and, in brackets, their graph are needed"),
        ("HostH100[K(4)]", "K(4) has degree 3, a host 8 ports"),
        ("HostH100[UniRing(1,12)]", "do not make whole hosts"),
        ("Host(4*2.8;switch@450GB/s;1@50GB/s)[Pi(4,8)]", "do not make whole hosts"),
        ("HostH100[K(4]", "expected ',' or ')'"),
    ],
)
def test_what_is_no_fabric_is_refused(text: str, told: str) -> None:
    with pytest.raises(InvalidInput) as error:
        parse_host_fabric(text)
    assert told in str(error.value)


def test_a_graph_that_is_not_regular_is_refused() -> None:
    with pytest.raises(InvalidInput, match="must be regular"):
        split_permutations(build(parse("K(3)")).__class__.from_arcs(2, [(0, 1)]))
