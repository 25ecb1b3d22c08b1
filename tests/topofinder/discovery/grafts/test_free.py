"""Graphs from random starts: exact costs, recipes that say so, the same bytes for the same seed."""

import pytest

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput
from topofinder.discovery.grafts.free import find_free
from topofinder.model.candidate import LinkMode, cost_lower_bound
from topofinder.schedules.bfb.evaluation import evaluate


@pytest.mark.parametrize(
    ("n", "d", "links", "steps"),
    [(12, 2, "simplex", 4), (23, 3, "simplex", 4), (22, 4, "duplex", 3), (20, 3, "duplex", 4)],
)
def test_finds_are_what_their_recipes_say(n: int, d: int, links: str, steps: int) -> None:
    found = find_free(n, d, links, budget=400, seed=1)
    assert found == find_free(n, d, links, budget=400, seed=1)
    assert found[0].forth.steps <= steps
    bound = cost_lower_bound(n, d, LinkMode(links))
    for one in found:
        graph = build(parse(str(one.recipe)))
        assert (graph.n, graph.degree) == (n, d)
        assert graph.is_bidirectional or links == "simplex"
        assert (one.forth, one.back) == (evaluate(graph).cost, evaluate(graph.transpose()).cost)
        assert one.forth.steps >= bound.steps
        assert one.forth.bandwidth >= bound.bandwidth


def test_sizes_without_an_answer() -> None:
    assert find_free(9, 3, "duplex", budget=10) == []
    assert find_free(5, 4, budget=10) == []
    with pytest.raises(InvalidInput, match="1 to 8 links"):
        find_free(30, 9, budget=10)
