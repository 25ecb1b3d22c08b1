"""Edits of nodes: line digraphs grow through their roots, and ways are rated as they should be."""

import numpy as np
import pytest

from expansions.build import build
from expansions.line_graph import line_graph
from expansions.parser import parse
from generators.topology import Topology
from topofinder.discovery.grafts.found import WorkLeft
from topofinder.discovery.grafts.near import find_near_graphs
from topofinder.discovery.grafts.near_edits import NodeEdit, count_new_links, edit_links
from topofinder.discovery.grafts.near_lines import lift_edit, line_root
from topofinder.discovery.grafts.near_ports import LinkPorts
from topofinder.discovery.grafts.near_roots import edit_nodes
from topofinder.schedules.bfb.evaluation import evaluate

LOADS = 200_000
ROOTS = ["Kautz(2,1)", "Pi(3,12)", "Small(4,16)", "Q(3)", "C(12,{2,3})", "Torus(3,3)"]


@pytest.mark.parametrize("recipe", ROOTS)
def test_a_root_is_found_again(recipe: str) -> None:
    """By names in any order; L of what is found is the graph itself, arc for arc."""
    line = line_graph(build(parse(recipe)))
    name = np.random.default_rng(0).permutation(line.n).astype(np.int32)
    shuffled = Topology(n=line.n, tail=name[line.tail], head=name[line.head])
    root = line_root(shuffled)
    assert root is not None
    assert root.n == build(parse(recipe)).n
    again = line_graph(root)
    arcs = [sorted(zip(g.tail.tolist(), g.head.tolist(), strict=True)) for g in (again, shuffled)]
    assert arcs[0] == arcs[1]


@pytest.mark.parametrize("recipe", ["Q(3)", "C(12,{2,3})", "K(4)", "UniRing(1,5)", "Small(4,16)"])
def test_what_is_no_line_digraph_has_no_root(recipe: str) -> None:
    assert line_root(build(parse(recipe))) is None


@pytest.mark.parametrize(
    ("recipe", "more", "least"),
    [("L(Small(4,16))", 4, 32), ("L^2(Kautz(2,1))", 4, 16), ("L(Small(4,16))", -4, 16)],
)
def test_line_digraphs_grow_and_shrink_through_their_roots(
    recipe: str, more: int, least: int
) -> None:
    """As few arcs are new as on arcs one by one, and the loads are those of a line digraph."""
    graph = build(parse(recipe))
    alike = LinkPorts.alike(graph, more, duplex=False)
    [found] = edit_nodes(graph, more, WorkLeft(LOADS), LOADS, 0, alike, duplex=False)
    result, origin = found.graph, found.origin
    assert result.n == graph.n + more
    assert sorted(origin[origin >= 0].tolist()) == sorted(set(origin.tolist()) - {-1})
    assert count_new_links(graph, alike, found, duplex=False) <= least
    assert line_root(result) is not None
    alone = find_near_graphs(graph, more, duplex=False, most=None, loads=LOADS)
    assert {one.graph.n for one in alone} == {result.n}


def test_the_root_of_an_edit_is_lifted_arc_by_arc() -> None:
    """One exchange in the root: all other arcs are themselves, the two are paired by neighbours."""
    root = build(parse("Pi(3,12)"))
    head = root.head.copy()
    one = 0
    two = next(
        arc
        for arc in range(1, root.arcs)
        if len({int(root.tail[0]), int(head[0]), int(root.tail[arc]), int(head[arc])}) == 4
    )
    head[[one, two]] = head[[two, one]]
    edited = Topology(n=root.n, tail=root.tail, head=head)
    same = np.arange(root.n, dtype=np.int32)
    result, origin = lift_edit(line_graph(root), root, edited, same)
    assert sorted(origin.tolist()) == list(range(root.arcs))
    assert np.flatnonzero(origin != np.arange(root.arcs)).tolist() in ([], [one, two])
    line = line_graph(root)
    ports = LinkPorts.alike(line, 0, duplex=False)
    after = NodeEdit(graph=result, origin=origin, ports=ports)
    assert count_new_links(line, ports, after, duplex=False) == 2 * root.degree


def test_more_ways_cost_less_than_the_first() -> None:
    """64 hosts grow by four: the best of many ways against the first that is drawn."""
    graph = build(parse("Torus(8,8)"))

    def bandwidth(share: int) -> float:
        alike = LinkPorts.alike(graph, 4, duplex=True)
        found = edit_links(graph, 4, WorkLeft(share), share, 0, duplex=True, ports=alike)
        assert found is not None
        return float(evaluate(found.graph).cost.bandwidth)

    assert bandwidth(LOADS) < bandwidth(1)
