"""Fabric JSON, abilities and units: kept by every format, and mistakes named."""

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import networkx as nx
import pytest

from generators.errors import InvalidInput
from generators.fabrics.dgx import dgx_h100
from generators.fabrics.names import fabric_of
from generators.formats.by_suffix import FORMATS, read_topology, write_topology
from generators.formats.fabric_reader import read_fabric
from generators.formats.fabric_writer import fabric_text
from generators.formats.graphs import from_networkx, to_networkx
from generators.topology import Topology

ABLE = Topology.from_arcs(
    3,
    [(0, 2), (2, 0), (1, 2), (2, 1)],
    switches=(2,),
    multicast=(2,),
    names=("a", "b", "s"),
    unit_rate=10**9,
    unit_latency=Fraction(1, 10**6),
    latency=(1, 2, 3, 4),
)
PAGE = (Path(__file__).parents[3] / "docs" / "topology-files.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", list(FORMATS))
def test_abilities_and_units_are_kept(name: str, tmp_path: Path) -> None:
    for topology in (ABLE, ABLE.transpose(), dgx_h100(2)):
        write_topology(topology, tmp_path / "able", name)
        assert read_topology(tmp_path / "able", name).same_wiring(topology)


@pytest.mark.parametrize("name", list(FORMATS))
def test_tiers_are_kept(name: str, tmp_path: Path) -> None:
    for topology in (fabric_of("FatTree(4)")[1], replace(ABLE, tiers=(0, 0, 255))):
        assert topology.tiers is not None
        write_topology(topology, tmp_path / "tiers", name)
        found = read_topology(tmp_path / "tiers", name)
        assert found.same_wiring(topology)
        assert not found.same_wiring(replace(topology, tiers=None))
    assert from_networkx(to_networkx(topology)).same_wiring(topology)


@pytest.mark.parametrize(
    ("switches", "message"),
    [
        ('[{"name": "s", "tier": "high"}]', "tier: a small whole number is needed, not 'high'"),
        ('[{"name": "s", "tier": 1.5}]', "tier: a small whole number is needed, not 1.5"),
        ('[{"name": "s", "tier": 0}]', "tier of node 1 is 0; a switch has one of 1..255"),
        ('[{"name": "s", "tier": 999}]', "tier of node 1 is 999; a switch has one of 1..255"),
        ('[{"name": "s", "tier": 1}, "t"]', "tier of node 2 is 0; a switch has one of 1..255"),
    ],
)
def test_wrong_tiers_are_named(switches: str, message: str) -> None:
    start = f'{{"format": "topofinder-fabric", "version": 1, "nodes": ["a"], "switches": {switches}'
    with pytest.raises(InvalidInput) as refused:
        read_fabric("x", (start + ', "links": []}').encode())
    assert message in str(refused.value)


def test_hosts_have_no_tier() -> None:
    with pytest.raises(InvalidInput, match="tier of node 0 is 1; a host has none"):
        replace(ABLE, tiers=(1, 0, 1))


def test_networkx_keeps_them_too() -> None:
    assert from_networkx(to_networkx(ABLE)).same_wiring(ABLE)
    graph = nx.DiGraph([("a", "b"), ("b", "a")])
    graph.nodes["a"]["multicast"] = "yes"
    with pytest.raises(InvalidInput, match="node 'a': multicast: must be True or False, not 'yes'"):
        from_networkx(graph)


def links(topology: Topology) -> Counter[tuple[str, str, Fraction]]:
    names, capacity = topology.names or (), topology.capacity or ()
    ends = zip(topology.tail.tolist(), topology.head.tolist(), capacity, strict=True)
    return Counter((names[u], names[v], c) for u, v, c in ends)


@pytest.mark.parametrize("text", ["DGXH100(2)", "MI250(2)", "FatTree(4)", "FatTree(4,3,6)"])
def test_fabrics_are_written_and_read_back(text: str, tmp_path: Path) -> None:
    _, topology = fabric_of(text)
    write_topology(topology, tmp_path / "f.json", "fabric")
    again = read_topology(tmp_path / "f.json")
    assert links(again) == links(topology)
    assert again.names == topology.names
    for field in ("switches", "multicast", "reduce", "unit_rate", "unit_latency"):
        assert getattr(again, field) == getattr(topology, field)


def test_one_way_and_several_links_with_latencies() -> None:
    arcs = [(0, 1), (0, 1), (1, 0), (1, 0), (0, 1)]
    capacity = [Fraction(5, 2)] * 4 + [Fraction(1, 8)]
    wired = Topology.from_arcs(
        2, arcs, capacity=capacity, latency=[1] * 5, unit_rate=10**9, unit_latency=1
    )
    text = json.loads(fabric_text(wired))
    assert text["links"] == [
        {"from": "0", "to": "1", "bandwidth": "2.5GB/s", "latency": "1000000us", "count": 2},
        {
            "from": "0", "to": "1", "bandwidth": "0.125GB/s", "latency": "1000000us",
            "duplex": False,
        },
    ]  # fmt: skip
    again = read_fabric("x", fabric_text(wired).encode())
    assert Counter(zip(again.tail.tolist(), again.head.tolist(), strict=True)) == Counter(arcs)
    assert again.latency == (10**6,) * 5


def document(**change: object) -> bytes:
    whole = {
        "format": "topofinder-fabric",
        "version": 1,
        "nodes": ["a", {"name": "b"}],
        "switches": [{"name": "s", "multicast": True}],
        "links": [
            {"from": "a", "to": "s", "bandwidth": "25GB/s"},
            {"from": "b", "to": "s", "bandwidth": "200Gbps", "count": 2},
        ],
    }
    return json.dumps(whole | change).encode()


def test_a_document_is_what_it_says() -> None:
    found = read_fabric("x", document())
    assert links(found) == {
        ("a", "s", Fraction(25)): 1,
        ("s", "a", Fraction(25)): 1,
        ("b", "s", Fraction(25)): 2,
        ("s", "b", Fraction(25)): 2,
    }
    assert (found.switches, found.multicast, found.reduce) == ((2,), (2,), ())
    assert found.unit_rate == 10**9
    plain = read_fabric("x", document(links=[{"from": "a", "to": "b", "bandwidth": "3/2"}]))
    assert plain.capacity == (Fraction(3, 2), Fraction(3, 2))
    assert plain.unit_rate is None


def link(**change: object) -> dict[str, object]:
    return {"links": [{"from": "a", "to": "s", "bandwidth": 1} | change]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version: 1 is known, not 2"),
        ({"nodes": None}, "nodes: a list is needed, not None"),
        ({"node": []}, "document: 'node' is none of format, version, nodes, switches, links"),
        ({"nodes": ["a", "a"]}, "nodes[1]: node 'a' is declared twice"),
        ({"nodes": ["a", "s"]}, "switches[0]: node 's' is declared twice"),
        ({"nodes": [3]}, "nodes[0]: a name is needed, not 3"),
        ({"nodes": [{"name": "a", "multicast": True}]}, "nodes[0]: 'multicast' is none of name"),
        ({"switches": [{"name": "s", "reduce": 1}]}, "switches[0]: reduce: must be true or false"),
        (link(to="x"), "links[0]: to: node 'x' is not declared"),
        (link(to=None), "links[0]: to: the name of a node is needed, not None"),
        (link(bandwidth=0), "links[0] (a to s): bandwidth: must be above 0, not 0"),
        (link(bandwidth=-3), "links[0] (a to s): bandwidth: must be above 0, not -3"),
        (link(bandwidth="0GB/s"), "links[0] (a to s): bandwidth: '0GB/s' is not above zero"),
        (link(bandwidth="3GB"), "links[0] (a to s): bandwidth: unknown unit 'GB' in '3GB'"),
        (link(latency="1GB/s"), "links[0] (a to s): latency: unknown unit 'GB/s' in '1GB/s'"),
        (link(count=0), "links[0] (a to s): count: 1 or more links are needed, not 0"),
        (link(count=10**9), "links[0] (a to s): count: 1 or more links are needed, not 1000000000"),
        (link(duplex="no"), "links[0] (a to s): duplex: must be true or false, not 'no'"),
        (link(bandwith=3), "links[0]: 'bandwith' is none of from, to, bandwidth, latency, duplex"),
        ({"links": [{"from": "a", "to": "b"}]}, "links[0] (a to b): no bandwidth"),
        ({"links": [3]}, "links[0]: an object is needed, not 3"),
        (
            {
                "links": [
                    {"from": "a", "to": "b", "bandwidth": 1},
                    {"from": "a", "to": "s", "bandwidth": "1GB/s"},
                ]
            },
            "links[1] (a to s): bandwidth: with a unit everywhere, or nowhere",
        ),
    ],
)
def test_mistakes_name_the_node_or_the_link(change: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_fabric("f.json", document(**change))
    assert str(refused.value).startswith(f"f.json: {message}")


UNDIRECTED = {
    "a.json": '{"directed": false, "nodes": [{"id": 0}, {"id": 1}], '
    '"edges": [{"source": 0, "target": 1}]}',
    "a.edges": "#: undirected\n0 1\n",
    "a.graphml": '<graphml><graph edgedefault="undirected"><node id="0"/><node id="1"/>'
    '<edge source="0" target="1"/></graph></graphml>',
}


@pytest.mark.parametrize("name", list(UNDIRECTED))
def test_undirected_files_are_refused_where_directions_matter(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(UNDIRECTED[name])
    assert read_topology(path).arcs == 2
    with pytest.raises(InvalidInput, match="undirected; each direction of a link must be an arc"):
        read_topology(path, directed=True)


def test_the_example_of_the_page_is_read() -> None:
    text = PAGE.split("```fabric\n")[1].split("```")[0]
    found = read_fabric("page", text.encode())
    assert (found.n, found.arcs, found.switches) == (3, 4, (2,))
    assert found.multicast == found.reduce == (2,)
    assert found.capacity == (450,) * 4
    assert found.latency == (Fraction(1, 2),) * 4
    assert from_networkx(to_networkx(found)).same_wiring(found)
