"""Grafts of line graphs with thinned roots: arcs kept, distances, and exact costs."""

import networkx as nx
import numpy as np
import pytest

from expansions.build import build
from expansions.lower_bounds import least_bandwidth
from expansions.parser import parse
from expansions.size import size
from topofinder.discovery.grafts.found import random_state
from topofinder.discovery.grafts.line_roots import find_line_grafts
from topofinder.discovery.grafts.root_kernels import thin_digraph
from topofinder.finder.graft_bases import line_bases_above
from topofinder.finder.size_searches import line_grafts_by_work
from topofinder.model.candidate import LinkMode
from topofinder.schedules.bfb.evaluation import evaluate

ROOTS = ["Pi(3,20)", "C(15,{1,4})", "Cay(Z27;1,3,11)", "Cay(Z21:Z2[8];1,22,35)", "Pi(5,60)"]


def arrays_of(text: str) -> tuple[int, np.ndarray, np.ndarray]:
    graph = build(parse(text))
    order = np.lexsort((graph.head, graph.tail))
    return graph.n, graph.tail[order].astype(np.int64), graph.head[order].astype(np.int64)


@pytest.mark.parametrize("text", ROOTS)
@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("less", [0, 1])
def test_what_is_left_apart_is_what_networkx_finds(text: str, count: int, less: int) -> None:
    n, tail, head = arrays_of(text)
    before, steps = head.copy(), evaluate(build(parse(text))).cost.steps - less
    joined = np.zeros((n, n), np.bool_)
    joined[tail, head] = True
    start, dropped = np.searchsorted(tail, np.arange(n + 1)), np.zeros(count, np.int64)
    apart = thin_digraph(
        start, tail, head, joined, steps, dropped, 8, 500, random_state(count, less)
    )
    assert sorted(head) == sorted(before)
    arcs = list(zip(tail.tolist(), head.tolist(), strict=True))
    assert len(set(arcs)) == len(arcs)
    assert not any(u == v for u, v in arcs)
    assert set(arcs) == set(zip(*map(np.ndarray.tolist, np.nonzero(joined)), strict=True))
    lost = [arcs[a] for a in dropped]
    assert len({node for arc in lost for node in arc}) == 2 * count
    graph = nx.DiGraph(arcs)
    graph.remove_edges_from(lost)
    near = dict(nx.all_pairs_shortest_path_length(graph, cutoff=steps))
    assert apart == n * n - sum(map(len, near.values()))


def test_more_arcs_than_share_no_node_are_not_dropped() -> None:
    n, tail, head = arrays_of("K(4)")
    joined, start = np.ones((n, n), np.bool_), np.searchsorted(tail, np.arange(n + 1))
    dropped = np.zeros(3, np.int64)
    assert thin_digraph(start, tail, head, joined, 2, dropped, 8, 10, random_state(0)) == -1


@pytest.mark.parametrize(
    ("n", "d", "base"),
    [
        (30, 4, "L(C(8,{1,3}))"),
        (77, 4, "L(Cay(Z20;1,3,7,12))"),
        (59, 3, "L(Pi(3,20))"),
        (297, 5, "L(Pi(5,60))"),
        (104, 4, "L(Cay(Z27;1,3,11,20))"),
    ],
)
def test_nodes_are_removed_and_no_step_is_lost(n: int, d: int, base: str) -> None:
    before = evaluate(build(parse(base))).cost.steps
    found = find_line_grafts(n, d, bases=[parse(base)], tries=6, seed=1)
    assert found
    for one in found:
        assert size(one.recipe) == (n, d)
        graph = build(parse(str(one.recipe)))
        assert (one.forth, one.back) == (evaluate(graph).cost, evaluate(graph.transpose()).cost)
        assert min(one.forth.bandwidth, one.back.bandwidth) >= least_bandwidth(n)
    assert min(one.forth.steps for one in found) == before
    assert found == find_line_grafts(n, d, bases=[parse(base)], tries=6, seed=1)


@pytest.mark.parametrize(
    "base", ["C(32,{1,7})", "L(C(15,{1,4}))", "L(Pi(5,12))", "L(K(4,4))", "L(C(6,{1}))", "L(K(5))"]
)
def test_bases_of_no_use_are_left_out(base: str) -> None:
    """No line graph, too many nodes or none to lose, other degrees, parallel links, few nodes."""
    assert find_line_grafts(32, 4, bases=[parse(base)], tries=4) == []


def test_line_graphs_above_a_size_have_fewest_steps_and_nodes() -> None:
    found = line_bases_above(95, 4)
    assert len({one.forth.steps + one.back.steps for one in found}) == 1
    nodes = [size(one.recipe).n for one in found]
    assert nodes == sorted(nodes)
    assert {size(one.recipe).d for one in found} == {4}
    assert min(nodes) > 95
    assert all(n % 4 == 0 for n in nodes)


def test_line_graphs_are_grafted_only_where_they_may_gain() -> None:
    work = 10**8
    [found] = line_grafts_by_work(95, 4, LinkMode.SIMPLEX, work, None, 0)
    assert line_grafts_by_work(95, 4, LinkMode.SIMPLEX, work, found.time / 2, 0) == []
    assert line_grafts_by_work(95, 4, LinkMode.SIMPLEX, 1, None, 0) == []
    assert line_grafts_by_work(96, 4, LinkMode.SIMPLEX, work, None, 0) == []
    assert line_grafts_by_work(95, 4, LinkMode.DUPLEX, work, None, 0) == []
