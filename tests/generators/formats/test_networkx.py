"""Files and graphs that networkx made, and other strangers' ways of saying the same."""

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from generators.errors import InvalidInput
from generators.formats.by_suffix import FORMATS, read_topology
from generators.formats.graphs import from_networkx
from generators.topology import Topology

SOURCES = {
    "graph": nx.petersen_graph(),
    "named": nx.relabel_nodes(nx.cycle_graph(4), dict(enumerate("wxyz"))),
    "digraph": nx.DiGraph([(1, 0), (0, 2), (2, 1), (2, 2)]),
    "multigraph": nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 2)]),
    "multidigraph": nx.MultiDiGraph([(0, 1), (0, 1), (1, 0), (1, 1)]),
    "grid": nx.grid_2d_graph(2, 3, periodic=True),
    "labelled": nx.de_bruijn_graph(2, 2) if hasattr(nx, "de_bruijn_graph") else nx.cycle_graph(3),
    "gap": nx.DiGraph([(1, 2), (2, 3), (3, 1)]),
}


def _expected(graph: Any) -> nx.MultiDiGraph:
    """Two arcs for each undirected edge; networkx itself makes one of an undirected loop."""
    arcs = nx.MultiDiGraph()
    arcs.add_nodes_from(map(str, graph))
    for u, v in graph.edges():
        arcs.add_edge(str(u), str(v))
        if not graph.is_directed():
            arcs.add_edge(str(v), str(u))
    return arcs


def _labelled_arcs(topology: Topology) -> list[tuple[str, str]]:
    labels = topology.names or tuple(map(str, range(topology.n)))
    ends = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
    return sorted((labels[u], labels[v]) for u, v in ends)


@pytest.mark.parametrize("name", list(SOURCES))
def test_graphs_and_the_files_networkx_writes(name: str, tmp_path: Path) -> None:
    graph = SOURCES[name]
    arcs = sorted(_expected(graph).edges())
    (tmp_path / "x.json").write_text(json.dumps(nx.node_link_data(graph, edges="edges")))
    (tmp_path / "old.json").write_text(json.dumps(nx.node_link_data(graph, edges="links")))
    nx.write_graphml_xml(graph, tmp_path / "x.graphml")
    found = [from_networkx(graph)]
    found += [read_topology(tmp_path / file) for file in ("x.json", "old.json", "x.graphml")]
    for topology in found:
        assert topology.n == len(graph)
        assert _labelled_arcs(topology) == arcs
        assert topology.same_wiring(found[0])


@pytest.mark.parametrize("name", ["graph", "digraph", "multidigraph", "gap"])
def test_edge_lists_networkx_writes(name: str, tmp_path: Path) -> None:
    graph = SOURCES[name]
    path = tmp_path / "x.edges"
    nx.write_edgelist(graph, path)
    if not graph.is_directed():
        path.write_text("#: undirected\n" + path.read_text())
    assert _labelled_arcs(read_topology(path)) == sorted(_expected(graph).edges())


def test_attributes_in_files_networkx_writes(tmp_path: Path) -> None:
    graph = nx.DiGraph(title="a pair")
    graph.add_node("a", switch=True, colour="red")
    graph.add_node("b", name="leaf b", switch=False)
    graph.add_edge("a", "b", capacity=0.1, latency=2, weight=7)
    graph.add_edge("b", "a", capacity=3)
    nx.write_graphml_xml(graph, tmp_path / "x.graphml")
    (tmp_path / "x.json").write_text(json.dumps(nx.node_link_data(graph, edges="edges")))
    nx.write_edgelist(graph, tmp_path / "x.edges")
    for file in ("x.graphml", "x.json", "x.edges"):
        topology = read_topology(tmp_path / file)
        assert topology.capacity == (Fraction(1, 10), Fraction(3))
        assert topology.latency == (Fraction(2), Fraction(1))
        if file != "x.edges":
            assert topology.switches == (0,)
            assert topology.names == ("a", "leaf b")


def test_numbers_of_every_kind_are_exact() -> None:
    kinds = [3, 0.1, "0.1", "1/10", " 2.5e-3 ", Fraction(2, 3), Decimal("0.7"), np.float32(0.1)]
    kinds += [np.int64(4), np.float64(0.3)]
    graph = nx.MultiDiGraph()
    graph.add_edges_from((0, 1, {"capacity": kind}) for kind in kinds)
    fractions = ["3", "1/10", "1/10", "1/10", "1/400", "2/3", "7/10", "1/10", "4", "3/10"]
    assert from_networkx(graph).capacity == tuple(map(Fraction, fractions))


def test_the_shortest_decimal_text_of_a_float() -> None:
    text = b'{"directed": true, "nodes": [{"id": 0}], "edges": [{"source": 0, "target": 0, '
    text += b'"capacity": 0.1000000000000000055511151231257827}]}'
    assert FORMATS["json"].read("x", text).capacity == (Fraction(1, 10),)


def test_a_graph_is_refused_by_node_and_edge() -> None:
    for node, edge, message in (
        ({"switch": 1}, {}, "node 0: switch: must be True or False, not 1"),
        ({}, {"capacity": -1}, "edge (0, 1): capacity: must be above 0, not -1"),
        ({}, {"latency": [1]}, "edge (0, 1): latency: a number such as 3, 0.5 or 3/2"),
    ):
        graph = nx.DiGraph()
        graph.add_node(0, **node)
        graph.add_edge(0, 1, **edge)
        with pytest.raises(InvalidInput) as refusal:
            from_networkx(graph)
        assert str(refusal.value).startswith(f"graph: {message}")
    with pytest.raises(InvalidInput, match=r"^graph: no nodes$"):
        from_networkx(nx.Graph())


GRAPHML = """<?xml version="1.0"?>
<g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml">
  <g:key id="c" attr.name="capacity" attr.type="double"><g:default>2.5</g:default></g:key>
  <g:key id="s" for="node" attr.name="switch" attr.type="boolean"/>
  <g:key id="y" for="node" yfiles.type="nodegraphics"/>
  <g:graph edgedefault="undirected">
    <g:desc>edges may come before the nodes they join</g:desc>
    <g:edge source="n1" target="n0" directed="true"><g:data key="c"> 1/3 </g:data></g:edge>
    <g:edge source="n0" target="n1"/>
    <g:node id="n0"><g:data key="y"><y:ShapeNode><y:Fill color="#FF"/></y:ShapeNode></g:data>
      <g:port name="p"/></g:node>
    <g:node id="n1"><g:data key="s">TRUE</g:data></g:node>
  </g:graph>
</g:graphml>"""


def test_graphml_of_another_hand() -> None:
    """Prefixes, defaults, mixed directions, drawings, ports, and edges before their nodes."""
    topology = FORMATS["graphml"].read("x", GRAPHML.encode())
    assert topology.names == ("n0", "n1")
    assert topology.tail.tolist() == [1, 0, 1]
    assert topology.head.tolist() == [0, 1, 0]
    assert topology.capacity == (Fraction(1, 3), Fraction(5, 2), Fraction(5, 2))
    assert topology.switches == (1,)


def test_edge_lists_of_another_hand() -> None:
    text = b"\xef\xbb\xbf# tab, spaces, CRLF\r\nleaf#1\tspine  4 # fast\r\n\r\nspine leaf#1\r\n"
    topology = FORMATS["edges"].read("x", text)
    assert topology.names == ("leaf#1", "spine")
    assert topology.capacity == (Fraction(4), Fraction(1))
    text = b"#: nodes 4\n#: undirected\n#: columns latency capacity\n3 1 1/2 2\n"
    topology = FORMATS["edges"].read("x", text)
    assert (topology.n, topology.tail.tolist(), topology.head.tolist()) == (4, [3, 1], [1, 3])
    assert topology.latency == (Fraction(1, 2),) * 2
    assert topology.capacity == (Fraction(2),) * 2


def test_ids_that_are_a_permutation_keep_their_numbers_and_keys_their_order() -> None:
    graph = nx.MultiDiGraph()
    graph.add_nodes_from([2, 0, 1])
    graph.add_edge(2, 0, key=1)
    graph.add_edge(0, 1, key=0)
    topology = from_networkx(graph)
    assert topology.names is None
    assert (topology.tail.tolist(), topology.head.tolist()) == ([0, 2], [1, 0])
