"""Small two-way graphs with a free port from random starts: exact, and of few steps."""

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from topofinder.discovery.grafts.free_port import fill_free_port
from topofinder.discovery.grafts.free_port_random import exchange_at_random, find_free_port_graphs
from topofinder.model.candidate import LinkMode, cost_lower_bound
from topofinder.schedules.bfb.evaluation import evaluate

MET = [(13, 3), (15, 3), (21, 3), (23, 3), (17, 5), (19, 5), (21, 5), (37, 5), (31, 7)]
"""Sizes where both bounds are met."""


@pytest.mark.parametrize(("n", "d"), MET)
def test_both_bounds_are_met(n: int, d: int) -> None:
    [one] = find_free_port_graphs(n, d, budget=4000)
    bound = cost_lower_bound(n, d, LinkMode.DUPLEX)
    assert one.forth == one.back == bound
    graph = build(parse(str(one.recipe)))
    assert sorted(graph.out_degrees.tolist()) == [d - 1] + [d] * (n - 1)
    assert graph.is_bidirectional
    assert not graph.has_loops
    assert evaluate(graph).cost == bound
    assert find_free_port_graphs(n, d, budget=4000) == [one]


@pytest.mark.parametrize(("n", "d"), [(14, 3), (15, 4), (5, 5), (129, 3), (31, 9)])
def test_none_are_looked_for_elsewhere(n: int, d: int) -> None:
    assert find_free_port_graphs(n, d, budget=100) == []


@pytest.mark.parametrize("seed", range(5))
def test_exchanges_keep_degrees_and_the_free_port(seed: int) -> None:
    before = fill_free_port(build(parse("SplitOff(C(16,{3,8}),1)")))
    after = exchange_at_random(before, np.random.default_rng(seed))
    assert after.out_degrees.tolist() == before.out_degrees.tolist()
    assert after.is_bidirectional
    assert after.is_simple == before.is_simple
    loops = [graph.tail[graph.tail == graph.head].tolist() for graph in (before, after)]
    assert loops[0] == loops[1]
    assert sorted(zip(after.tail, after.head, strict=True)) != sorted(
        zip(before.tail, before.head, strict=True)
    )
