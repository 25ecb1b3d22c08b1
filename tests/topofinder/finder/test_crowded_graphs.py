"""Graphs of few nodes with many ports: what spare arcs are worth."""

import pytest

from expansions.hosts import parse_host_fabric
from expansions.parser import parse
from expansions.size import size
from topofinder.finder.host_search import crowded_recipes, graph_rate, rate_fabric


@pytest.mark.parametrize(
    ("n", "d"), [(3, 3), (4, 5), (8, 8), (7, 16), (64, 8), (16, 4), (2, 8), (9, 8)]
)
def test_recipes_have_the_size(n: int, d: int) -> None:
    found = list(crowded_recipes(n, d))
    assert bool(found) == ((n, d) not in {(2, 8), (9, 8)})
    for recipe in found:
        assert size(parse(recipe)) == (n, d)


@pytest.mark.parametrize(
    ("graph", "plain"),
    [("Cay(Z8;1,1,2,3,4,5,6,7)", "MultiK(8,8)"), ("Cay(Z4;1,1,2,3)", "MultiK(4,4)")],
)
def test_a_ring_of_spare_arcs_carries_more_than_pairs(graph: str, plain: str) -> None:
    host = f"Host({graph.count(',') + 1};switch@450GB/s;1@50GB/s)"
    ring, pairs = (
        rate_fabric(parse_host_fabric(f"{host}[{one}]"), graph_rate) for one in (graph, plain)
    )
    assert ring.alltoall[0] > pairs.alltoall[1] * 103 / 100
    assert ring.prediction.inverse_rate == pairs.prediction.inverse_rate
