"""G||k: every arc k times, every schedule at the same cost, and BFB no cheaper."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from expansions.build import build
from expansions.degree import degree_expansion
from expansions.line_graph import line_graph
from expansions.parallel import parallel_links, parallel_schedule
from expansions.recipe import Recipe
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.recipes import recipes
from tests.replay import replay
from tests.schedules import breadth_first
from tests.twins import random_topology
from topofinder.schedules.bfb.evaluation import evaluate


@pytest.mark.parametrize("seed", range(20))
def test_adjacency_is_multiplied(seed: int) -> None:
    topology, cables = random_topology(seed), 1 + seed % 4
    found = parallel_links(topology, cables)
    once, often = np.zeros((2, topology.n, topology.n), dtype=int)
    np.add.at(once, (topology.tail, topology.head), 1)
    np.add.at(often, (found.tail, found.head), 1)
    assert np.array_equal(often, cables * once)
    assert found.degree == cables * topology.degree


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(recipes(max_nodes=40, max_degree=6, irregular=True), st.integers(1, 4))
def test_the_best_breadth_first_broadcast_costs_what_it_does_on_the_graph(
    recipe: Recipe, cables: int
) -> None:
    topology = build(recipe)
    thick = parallel_links(topology, cables)
    for one, often in ((topology, thick), (topology.transpose(), thick.transpose())):
        known, found = evaluate(one), evaluate(often)
        assert found.cost == known.cost
        assert found.loads == tuple(load / cables for load in known.loads)
        assert (found.line_exact, found.cycle) == (known.line_exact, known.cycle)


@pytest.mark.parametrize("seed", range(12))
def test_every_schedule_costs_the_same(seed: int) -> None:
    topology, cables = random_topology(seed), 1 + seed % 4
    schedule = breadth_first(topology, pieces=1 + seed % 3, seed=seed)
    found, thick = parallel_schedule(topology, schedule, cables), parallel_links(topology, cables)
    replay(thick, found)
    assert found.cost(thick) == schedule.cost(topology)


def test_line_graphs_of_parallel_links_are_degree_expansions_of_line_graphs() -> None:
    graph = jump_graph(7, [1, 3])
    assert line_graph(parallel_links(graph, 3)).n == degree_expansion(line_graph(graph), 3).n
    found = evaluate(line_graph(parallel_links(graph, 3))).cost
    assert found == evaluate(degree_expansion(line_graph(graph), 3)).cost


def test_the_cables_of_an_arc_stand_together() -> None:
    found = parallel_links(jump_graph(5, [1, 2]), 2)
    assert found.tail[:4].tolist() == [0, 0, 0, 0]
    assert found.head[:4].tolist() == [1, 1, 2, 2]
    assert found.translation is not None


def test_refusals() -> None:
    pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    with pytest.raises(InvalidInput, match="cables: at least 1, not 0"):
        parallel_links(pair, 0)
    with pytest.raises(InvalidInput, match="capacity"):
        parallel_links(Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(1, 2)), 2)
    assert evaluate(parallel_links(pair, 5)).cost.bandwidth == Fraction(1, 2)
