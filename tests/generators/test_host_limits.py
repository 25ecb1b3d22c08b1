"""Injection limits of hosts: as links of a split graph, as narrower links, and in cuts."""

from dataclasses import replace
from fractions import Fraction

import networkx
import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.fabrics.dgx import dgx_a100
from generators.formats.by_suffix import read_topology, write_topology
from generators.formats.fabric_reader import read_fabric
from generators.formats.fabric_writer import fabric_text
from generators.host_limits import (
    leaving_rate,
    limited_hosts,
    narrow_links,
    node_rates,
    split_hosts,
)
from generators.topology import HOST_COSTS, Topology

GRAPHS = [replace(build(parse(name)), injection=Fraction(limit)) for name, limit in
          (("C(12,{2,3})", 3), ("Torus(3,4)", 2), ("DBJ(2,3)", 1), ("K(4)", 3))]  # fmt: skip
GRAPHS.append(replace(dgx_a100(2), injection=Fraction(200)))


@pytest.mark.parametrize("graph", GRAPHS)
def test_split_hosts_pass_at_most_their_limit(graph: Topology) -> None:
    found, hosts = split_hosts(graph), limited_hosts(graph)
    assert found.n == graph.n + 2 * len(hosts)
    assert found.injection is None
    assert (found.capacity or (1,) * found.arcs)[: graph.arcs] == (
        graph.capacity or (1,) * graph.arcs
    )
    out, into = node_rates(found)
    for host in hosts:
        assert out[host] == into[host] == graph.injection
    assert set(found.switches) >= set(graph.switches)


@pytest.mark.parametrize("graph", GRAPHS)
def test_narrow_links_are_within_limits_and_keep_two_ways_alike(graph: Topology) -> None:
    found = narrow_links(graph)
    out, into = node_rates(found)
    assert found.same_arcs(graph)
    for host in limited_hosts(graph):
        assert max(out[host], into[host]) <= graph.injection
    before, after = (
        {(u, v): rate for u, v, rate in zip(g.tail.tolist(), g.head.tolist(),
         g.capacity or (Fraction(1),) * g.arcs, strict=True)} for g in (graph, found)
    )  # fmt: skip
    for (u, v), rate in before.items():
        if before.get((v, u)) == rate:
            assert after[v, u] == after[u, v]


@pytest.mark.parametrize("graph", GRAPHS)
def test_what_leaves_is_a_least_cut_of_the_split_graph(graph: Topology) -> None:
    """The twin lets all that is inside, split switches free, reach all that is outside."""
    generator = np.random.default_rng(1)
    apart = split_hosts(graph)
    for _ in range(5):
        inside = generator.random(graph.n) < 0.5
        if inside.all() or not inside.any():
            continue
        flow = networkx.DiGraph()
        for arc in range(apart.arcs):
            u, v = int(apart.tail[arc]), int(apart.head[arc])
            rate = Fraction(1) if apart.capacity is None else apart.capacity[arc]
            old = flow.edges[u, v]["capacity"] if flow.has_edge(u, v) else 0
            flow.add_edge(u, v, capacity=old + int(12 * rate))
        for v in range(graph.n):
            flow.add_edge(*(("s", v) if inside[v] else (v, "t")))
        assert leaving_rate(graph, inside) * 12 == networkx.maximum_flow_value(flow, "s", "t")


@pytest.mark.parametrize("suffix", ["json", "edges", "graphml"])
def test_files_tell_what_hosts_add(tmp_path, suffix: str) -> None:
    graph = Topology.from_arcs(
        2, [(0, 1), (1, 0)], injection=Fraction(3, 4), reduce_rate=5, epsilon=Fraction(1, 7)
    )
    write_topology(graph, tmp_path / f"pair.{suffix}")
    found = read_topology(tmp_path / f"pair.{suffix}")
    assert [getattr(found, name) for name in HOST_COSTS] == [Fraction(3, 4), 5, Fraction(1, 7)]


def test_fabric_json_tells_them_with_units() -> None:
    text = (
        '{"format": "topofinder-fabric", "version": 1, "injection": "100Gbps", "epsilon": "20us",'
        '"nodes": ["a", "b"], "links": [{"from": "a", "to": "b", "bandwidth": "25GB/s"}]}'
    )
    found = read_fabric("x", text.encode())
    assert (found.injection, found.epsilon) == (Fraction(25, 2), Fraction(1, 50_000))
    again = read_fabric("x", fabric_text(found).encode())
    assert (again.injection, again.epsilon) == (found.injection, found.epsilon)
