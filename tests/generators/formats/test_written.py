"""Formats that are only written: cabling lists, adjacency lists and drawings, read by others."""

import csv
import io
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.errors import InvalidInput
from generators.formats.adjacency import adjacency_text
from generators.formats.by_suffix import read_topology, write_topology
from generators.formats.cabling import DUPLEX, SIMPLEX, cabling_text
from generators.formats.circuits import is_duplex
from generators.formats.dot import dot_text
from generators.topology import Topology
from tests.command import ran

NAMES = st.text("ab\"\\,\n;'", max_size=4)
EDGE = re.compile(r"  (\d+) (--|->) (\d+)(?: \[label=\"(\S+)\"\])?;")
NODE = re.compile(r'  (\d+)(?: \[(shape=box)?(?:, )?(?:label="((?:[^"\\]|\\["\\])*)")?\])?;', re.S)


@st.composite
def topologies(draw: st.DrawFn) -> Topology:
    n = draw(st.integers(1, 9))
    nodes = st.integers(0, n - 1)
    arcs = draw(st.lists(st.tuples(nodes, nodes), max_size=15))
    weights = draw(st.lists(st.sampled_from([1, 2, Fraction(1, 3)]), min_size=15, max_size=15))
    capacity: list[Fraction | int] | None = weights[: len(arcs)]
    if draw(st.booleans()):
        arcs, capacity = arcs + [(v, u) for u, v in arcs], weights[: len(arcs)] * 2
    return Topology.from_arcs(
        n,
        arcs,
        capacity=capacity if draw(st.booleans()) else None,
        switches=tuple(draw(st.sets(nodes))),
        names=draw(
            st.none() | st.lists(st.text("ab\"\\,\n;'", max_size=4), min_size=n, max_size=n)
        ),
    )


def weighted(topology: Topology) -> Counter[tuple[int, int, Fraction]]:
    """The arcs that take a cable, with their capacities."""
    capacities = topology.capacity or [Fraction(1)] * topology.arcs
    arcs = zip(topology.tail.tolist(), topology.head.tolist(), capacities, strict=True)
    return Counter(arc for arc in arcs if arc[0] != arc[1])


def both_ways(arcs: Counter[tuple[int, int, Fraction]]) -> Counter[tuple[int, int, Fraction]]:
    return arcs + Counter({(v, u, weight): count for (u, v, weight), count in arcs.items()})


@given(topologies())
@settings(max_examples=150, deadline=None)
def test_the_cables_of_a_list_make_the_topology(topology: Topology) -> None:
    head, *rows = csv.reader(io.StringIO(cabling_text(topology)))
    duplex = tuple(head[:4]) == DUPLEX
    assert duplex == is_duplex(topology)
    assert tuple(head[:4]) in (DUPLEX, SIMPLEX)
    if topology.names and len(set(topology.names)) < topology.n:
        return
    names = list(topology.names or map(str, range(topology.n)))
    arcs = Counter(
        (names.index(row[0]), names.index(row[2]), Fraction(row[4] if row[4:] else 1))
        for row in rows
    )
    assert (both_ways(arcs) if duplex else arcs) == weighted(topology)


@given(topologies())
@settings(max_examples=150, deadline=None)
def test_a_port_takes_one_cable_and_none_is_skipped(topology: Topology) -> None:
    plain = Topology(n=topology.n, tail=topology.tail, head=topology.head)
    _, *rows = csv.reader(io.StringIO(cabling_text(plain)))
    sent = [(int(row[0]), int(row[1])) for row in rows]
    received = [(int(row[2]), int(row[3])) for row in rows]
    for ends in [sent + received] if is_duplex(plain) else [sent, received]:
        used = Counter(node for node, _ in ends)
        assert sorted(ends) == [(node, port) for node in sorted(used) for port in range(used[node])]


@given(topologies())
@settings(max_examples=100, deadline=None)
def test_networkx_reads_the_adjacency_list(topology: Topology) -> None:
    lines = adjacency_text(topology).splitlines()
    graph = nx.parse_adjlist(lines, nodetype=int, create_using=nx.MultiDiGraph)
    assert sorted(graph) == list(range(topology.n))
    arcs = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
    assert sorted(graph.edges()) == sorted(arcs)


@given(topologies())
@settings(max_examples=100, deadline=None)
def test_a_drawing_has_every_node_and_circuit(topology: Topology) -> None:
    told = dot_text(topology)
    duplex = told.startswith("graph {\n")
    edges = EDGE.findall(told)
    assert {joined for _, joined, _, _ in edges} <= {"--" if duplex else "->"}
    arcs = Counter((int(u), int(v), Fraction(label or 1)) for u, _, v, label in edges)
    assert (both_ways(arcs) if duplex else arcs) == weighted(topology)
    nodes = NODE.findall(EDGE.sub("", told))
    assert [int(node) for node, _, _ in nodes] == list(range(topology.n))
    assert tuple(int(node) for node, box, _ in nodes if box) == topology.switches
    if topology.names:
        labels = [re.sub(r"\\(.)", r"\1", label) for _, _, label in nodes]
        assert tuple(labels) == topology.names


def test_a_name_that_dot_cannot_hold_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"names: node 0 is called 'a\\x00', which DOT cannot"):
        dot_text(Topology.from_arcs(1, [], names=("a\0",)))


CABLING = """\
host_a,port_a,host_b,port_b
0,0,1,0
0,1,2,0
1,1,3,0
2,1,3,1
"""


def test_build_writes_them(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for suffix, content in [
        ("csv", CABLING),
        ("adj", "0 1 2\n1 0 3\n2 0 3\n3 1 2\n"),
        ("dot", "graph {\n  node [shape=circle];\n  0;\n  1;\n  2;\n  3;\n"
                "  0 -- 1;\n  0 -- 2;\n  1 -- 3;\n  2 -- 3;\n}\n"),
    ]:  # fmt: skip
        file = tmp_path / f"square.{suffix}"
        assert ran(capsys, "build", "Q(2)", "-o", file).code == 0
        assert file.read_text() == content
    ended = ran(capsys, "build", "DirC(2)", "-o", tmp_path / "list.txt", "--format", "csv")
    assert ended.code == 0
    told = (tmp_path / "list.txt").read_text()
    assert told.startswith("from_host,from_port,to_host,to_port\n0,0,1,0\n")


def test_they_are_not_read(tmp_path: Path) -> None:
    file = tmp_path / "square.csv"
    write_topology(Topology.from_arcs(2, [(0, 1), (1, 0)]), file)
    with pytest.raises(InvalidInput, match=r"suffix '.csv' is none of .graphml/.xml"):
        read_topology(file)
    with pytest.raises(InvalidInput, match="format: graphml, json, edges, fabric are known, not"):
        read_topology(file, "csv")
