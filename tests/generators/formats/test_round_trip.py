"""What is written is read back exactly, in every format and through networkx."""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from generators.errors import InvalidInput
from generators.formats.by_suffix import FORMATS, read_topology, write_topology
from generators.formats.graphs import from_networkx, to_networkx
from generators.topology import Topology

XML_TEXT = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
    | st.sampled_from("\t\n\r &<>\"'#{}"),
    max_size=8,
)
ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=8)
CAPACITIES = st.fractions(min_value=Fraction(1, 10**18), max_value=10**30)
LATENCIES = st.just(0) | st.fractions(min_value=Fraction(1, 10**30), max_value=10**30)


@st.composite
def topologies(draw: st.DrawFn, text: st.SearchStrategy[str] = XML_TEXT) -> Topology:
    n = draw(st.integers(1, 12))
    nodes = st.integers(0, n - 1)
    arcs = draw(st.lists(st.tuples(nodes, nodes), max_size=20))

    def each(values: st.SearchStrategy[Fraction]) -> list[Fraction] | None:
        lists = st.lists(values, min_size=len(arcs), max_size=len(arcs))
        return draw(st.none() | lists)

    return Topology.from_arcs(
        n,
        arcs,
        capacity=each(CAPACITIES),
        latency=each(LATENCIES),
        switches=tuple(draw(st.sets(nodes))),
        names=draw(st.none() | st.lists(text, min_size=n, max_size=n)),
    )


@pytest.mark.parametrize("name", list(FORMATS))
@given(topology=topologies())
@example(topology=Topology.from_arcs(2, [(1, 1), (0, 1), (0, 1), (1, 0), (0, 0)]))
@example(topology=Topology.from_arcs(1, [], names=("\r\n\t<!DOCTYPE a>&amp;]]>",)))
@settings(max_examples=150, deadline=None)
def test_every_format(name: str, topology: Topology) -> None:
    written = FORMATS[name].text(topology)
    assert FORMATS[name].read("x", written.encode()).same_wiring(topology)
    assert FORMATS[name].text(FORMATS[name].read("x", written.encode())) == written


@pytest.mark.parametrize("name", ["json", "edges"])
@given(topology=topologies(text=ANY_TEXT))
@settings(max_examples=50, deadline=None)
def test_any_name_at_all_where_the_format_can_hold_it(name: str, topology: Topology) -> None:
    written = FORMATS[name].text(topology)
    assert FORMATS[name].read("x", written.encode()).same_wiring(topology)


@given(topology=topologies(text=ANY_TEXT))
@settings(max_examples=150, deadline=None)
def test_networkx(topology: Topology) -> None:
    graph = to_networkx(topology)
    assert isinstance(graph, nx.MultiDiGraph)
    assert list(graph) == list(range(topology.n))
    assert graph.number_of_edges() == topology.arcs
    assert from_networkx(graph).same_wiring(topology)


@given(topology=topologies())
@settings(max_examples=50, deadline=None)
def test_networkx_reads_what_is_written(topology: Topology) -> None:
    """networkx's own readers find the same multigraph, node for node and arc for arc."""
    arcs = sorted(zip(topology.tail.tolist(), topology.head.tolist(), strict=True))
    document = json.loads(FORMATS["json"].text(topology))
    linked = nx.node_link_graph(document, edges="edges")
    assert sorted(linked.edges()) == arcs
    parsed = nx.parse_graphml(
        FORMATS["graphml"].text(topology), node_type=int, force_multigraph=True
    )
    assert sorted(parsed.edges()) == arcs
    assert list(parsed) == list(linked) == list(range(topology.n))
    switches = [node for node, known in parsed.nodes(data=True) if known.get("switch")]
    assert tuple(switches) == topology.switches
    for u, v, arc, known in parsed.edges(keys=True, data=True):
        assert (u, v) == (topology.tail[arc], topology.head[arc])
        if topology.capacity:
            assert Fraction(known["capacity"]) == topology.capacity[arc]


def test_networkx_reads_plain_edge_lists() -> None:
    topology = Topology.from_arcs(3, [(2, 0), (0, 1), (1, 2)], names=("a", "b", "c"))
    lines = FORMATS["edges"].text(topology).splitlines()
    assert sorted(nx.parse_edgelist(lines, nodetype=int, create_using=nx.DiGraph).edges()) == [
        (0, 1),
        (1, 2),
        (2, 0),
    ]


@pytest.mark.parametrize("suffix", [s for known in FORMATS.values() for s in known.suffixes])
def test_the_suffix_chooses_the_format(tmp_path: Path, suffix: str) -> None:
    topology = Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=("1/3", 2))
    path = tmp_path / f"pair{suffix.upper()}"
    write_topology(topology, path)
    assert read_topology(path).same_wiring(topology)
    name = next(name for name, known in FORMATS.items() if suffix in known.suffixes)
    assert path.read_text() == FORMATS[name].text(topology)
    other = tmp_path / "pair.other"
    write_topology(topology, str(other), format=name)
    assert read_topology(str(other), format=name).same_wiring(topology)


def test_what_cannot_be_held_is_not_written(tmp_path: Path) -> None:
    strange = Topology.from_arcs(1, [], names=("a\0",))
    path = tmp_path / "strange.graphml"
    with pytest.raises(InvalidInput) as refusal:
        write_topology(strange, path)
    assert str(refusal.value) == "names: node 0 is called 'a\\x00', which XML cannot hold"
    assert not path.exists()
    for digits in (1001, 5000):
        long = Fraction(10**digits + 1, 10**digits)
        huge = Topology.from_arcs(2, [(0, 1)], latency=(long,))
        for known in FORMATS.values():
            with pytest.raises(InvalidInput, match="latency: a number of more than 1000 char"):
                known.text(huge)


@pytest.mark.parametrize("name", list(FORMATS))
def test_a_thousand_nodes_are_read_back(name: str, tmp_path: Path) -> None:
    n, d = 1024, 4
    tail = np.repeat(np.arange(n), d)
    head = (tail * d + np.tile(np.arange(d), n)) % n
    topology = Topology(
        n=n,
        tail=tail,  # type: ignore[arg-type]
        head=head,  # type: ignore[arg-type]
        capacity=(Fraction(3, 2),) * (n * d),
    )
    path = tmp_path / "large"
    write_topology(topology, path, format=name)
    assert read_topology(path, format=name, regular=True).same_wiring(topology)


def test_networkx_is_not_imported_for_files() -> None:
    program = "import sys, generators.formats; sys.exit('networkx' in sys.modules)"
    root = Path(__file__).parents[3]
    assert subprocess.run([sys.executable, "-c", program], cwd=root, check=False).returncode == 0
