"""Cayley digraphs with paths to spare: counts beside networkx, and grafts of as few steps."""

import networkx as nx
import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from expansions.size import size
from generators.cayley.notation import parse_group
from topofinder.discovery.generator_lists import list_layouts
from topofinder.discovery.grafts.found import random_state
from topofinder.discovery.grafts.spare_path_kernels import climb_scarce
from topofinder.discovery.grafts.spare_paths import MISSED, SCARCE, find_spare_digraphs
from topofinder.discovery.multiplication_table import group_table
from topofinder.finder.spare_grafts import spare_grafts
from topofinder.model.candidate import LinkMode, cost_lower_bound
from topofinder.schedules.bfb.evaluation import evaluate

SIMPLEX, DUPLEX = LinkMode.SIMPLEX, LinkMode.DUPLEX


def scarcity(graph: nx.DiGraph, source: int, steps: int) -> int:
    """What the kernel counts, by the paths that networkx lists."""
    far = nx.single_source_shortest_path_length(graph, source)
    found = 0
    for node in graph:
        if far.get(node, steps + 1) > steps:
            found += int(SCARCE[0])
        elif far[node] == steps:
            paths = sum(1 for _ in nx.all_shortest_paths(graph, source, node))
            found += int(SCARCE[min(paths, len(SCARCE) - 1)])
    return found


@pytest.mark.parametrize("links", LinkMode)
@pytest.mark.parametrize(
    ("group", "d", "steps"),
    [("Z7:Z3[2]", 2, 4), ("A5", 3, 5), ("Z4:Z2[3]", 3, 2), ("Z2^5", 4, 3), ("S4xZ2", 4, 4),
     ("Z100", 2, 50), ("Z17", 4, 1)],
)  # fmt: skip
@pytest.mark.parametrize("trials", [1, 40, 400])
def test_scarcity_is_what_networkx_counts(
    group: str, d: int, steps: int, links: LinkMode, trials: int
) -> None:
    table = group_table(parse_group(group))
    for layout in list_layouts(table.inverse, d, links):
        chosen = np.zeros(d, np.int64)
        state = random_state(trials, d)
        least = climb_scarce(*table[:2], layout, steps, SCARCE, trials, 20, state, chosen)
        arcs = [(x, int(table.columns[s, x])) for s in chosen for x in range(len(table.inverse))]
        graph = nx.DiGraph(arcs)
        assert len(set(chosen)) < d or {graph.out_degree(x) for x in graph} == {d}
        if len(set(chosen)) == d:
            assert least == scarcity(graph, 0, steps) == scarcity(graph, 1, steps)
        if links is DUPLEX:
            assert sorted(table.inverse[chosen]) == sorted(chosen)


@pytest.mark.parametrize(
    ("n", "d", "links", "steps"),
    [(21, 2, SIMPLEX, 5), (60, 4, DUPLEX, 4), (55, 4, DUPLEX, 4), (60, 3, SIMPLEX, 4),
     (120, 3, DUPLEX, 7)],
)  # fmt: skip
def test_digraphs_have_few_steps_and_more_paths_than_most(
    n: int, d: int, links: LinkMode, steps: int
) -> None:
    found = find_spare_digraphs(n, d, links, steps, trials=3000)
    assert found == find_spare_digraphs.__wrapped__(n, d, links, steps, trials=3000)
    assert found
    assert [one.scarcity for one in found] == sorted(one.scarcity for one in found)
    for one in found:
        graph = build(one.recipe)
        assert (graph.n, graph.degree, graph.is_simple) == (n, d, True)
        assert graph.is_bidirectional or links is SIMPLEX
        assert evaluate(graph).cost.steps <= steps
        assert evaluate(graph.transpose()).cost.steps <= steps
        assert one.scarcity < MISSED
        told = nx.DiGraph(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
        assert one.scarcity == scarcity(told, 0, steps)
    fewer = find_spare_digraphs(n, d, links, steps, trials=300)
    assert not fewer or found[0].scarcity <= fewer[0].scarcity


def test_no_digraph_has_fewer_steps_than_the_bound() -> None:
    assert find_spare_digraphs(60, 3, DUPLEX, 4, trials=2000) == ()
    assert find_spare_digraphs(60, 1, SIMPLEX, 3, trials=200) == ()


@pytest.mark.parametrize("links", LinkMode)
@pytest.mark.parametrize("n", range(4, 9))
def test_small_sizes_are_met_or_given_up(n: int, links: LinkMode) -> None:
    found = spare_grafts(n, 3, links, 2, budget=9, orders=9, trials=99)
    assert all(size(one.recipe)[0] == n and one.forth.steps <= 2 for one in found)
    assert found or (links is DUPLEX and n % 2), "no port need be left free"


@pytest.mark.parametrize(
    ("n", "d", "links", "steps"),
    [(59, 4, SIMPLEX, 4), (118, 4, DUPLEX, 5), (119, 3, DUPLEX, 8), (117, 5, DUPLEX, 5)],
)
def test_grafts_keep_the_steps_of_their_bases(n: int, d: int, links: LinkMode, steps: int) -> None:
    asked = {"budget": 60, "orders": 6, "trials": 2000, "seed": 1}
    found = spare_grafts(n, d, links, steps, **asked)
    assert found
    assert found == spare_grafts(n, d, links, steps, **asked)
    for one in found:
        assert size(one.recipe)[0] == n
        graph = build(parse(str(one.recipe)))
        assert (one.forth, one.back) == (evaluate(graph).cost, evaluate(graph.transpose()).cost)
        assert max(one.forth.steps, one.back.steps) <= steps
        assert one.forth.bandwidth >= cost_lower_bound(n, d, links).bandwidth
