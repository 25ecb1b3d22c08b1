"""Order/degree instances: the diameters that are told are those of the graphs."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from expansions.build import build
from expansions.parser import parse
from generators.lifts.catalogue import ShippedLift, shipped_lifts
from generators.lifts.family import canonical, properties
from generators.lifts.family import lift as build_lift
from tools.frontier_tables import PAGE
from tools.order_degree import GRAFTS, INSTANCES, best_recipe, distances, find_again
from topofinder.finder.enumeration import Pools

MISSED: set[tuple[int, int]] = set()
"""Instances whose best known diameter nothing here reaches."""


@pytest.mark.parametrize("one", shipped_lifts(), ids=lambda one: f"{one.n},{one.d}")
def test_shipped_lifts_have_their_diameter(one: ShippedLift) -> None:
    graph = build_lift(one.group, one.rows)
    assert (graph.n, graph.degree, graph.is_bidirectional) == (one.n, one.d, True)
    assert canonical(one.group, one.rows) == (one.group, one.rows)
    assert properties(one.group, one.rows).simple
    arcs = csr_array((np.ones(len(graph.tail)), (graph.tail, graph.head)), shape=(one.n, one.n))
    starts = range(0, graph.n, max(1, graph.n // 100))
    assert shortest_path(arcs, unweighted=True, indices=list(starts)).max() == one.diameter
    assert distances(parse(f"Lift({one.group};{one.rows})"))[0] == one.diameter
    assert INSTANCES[one.n, one.d] == one.diameter


def test_grafts_have_their_diameter() -> None:
    for (n, d), text in GRAFTS.items():
        graph = build(parse(text))
        assert (graph.n, graph.degree, graph.is_bidirectional) == (n, d, True)
        assert distances(parse(text))[0] == INSTANCES[n, d]


def test_instances_are_reached_as_the_page_says() -> None:
    text = PAGE.read_text(encoding="utf-8")
    table = text.split("<!-- table instances -->\n")[1].split("\n<!-- end -->")[0].splitlines()
    rows = [line.strip("| ").split(" | ") for line in table[2:]]
    assert {(int(row[0]), int(row[1])): int(row[2]) for row in rows} == INSTANCES
    missed = {(int(row[0]), int(row[1])) for row in rows if int(row[3]) > int(row[2])}
    assert missed == MISSED
    pools = Pools()
    for n, d, _, ours, mean, recipe in rows:
        if int(n) <= 600:
            best = best_recipe(int(n), int(d), pools)
            diameter, average = distances(best)
            assert (str(diameter), f"{float(average):.4f}") == (ours, mean)
            assert f"`{str(best).replace('|', chr(92) + '|')}`" == recipe


@pytest.mark.slow
def test_the_search_finds_the_lifts_again() -> None:
    assert list(find_again()) == list(shipped_lifts())
