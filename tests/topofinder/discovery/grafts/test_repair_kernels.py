"""Repair of missed pairs: balls against sets, degrees kept, and paths where there were none."""

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.topology import Topology
from tests.topofinder.discovery.grafts.graft_twin import plain_balls
from topofinder.discovery.grafts.found import WorkLeft, random_state, result_of
from topofinder.discovery.grafts.repair_kernels import fill_balls, repair_loads, repair_pairs
from topofinder.discovery.grafts.state import DELAYS, annealed_graph, graph_arrays
from topofinder.discovery.grafts.state_kernels import PEAK, evaluate_graph
from topofinder.discovery.grafts.trials import GraftBase, GraftTrial, draw_trial, rate_graph
from topofinder.schedules.bfb.evaluation import evaluate

CASES = [
    ("Cay(Z50;1,7)", 48, False),
    ("Cay(Z50;1,4,41,48)", 52, False),
    ("L(C(16,{3,4}))", 63, False),
    ("Cay(Z64;1,9,28)", 63, False),
    ("C(50,{1,7})", 47, True),
    ("Cay(Z60;1,11,17,43,49,59)", 58, True),
]


def plain_missed(graph: Topology, steps: int) -> int:
    return sum(graph.n - len(ball) for ball in plain_balls(graph, steps)[-1])


def edited_trial(text: str, n: int, duplex: bool) -> GraftTrial:
    graph = build(parse(text))
    costs = evaluate(graph).cost, evaluate(graph.transpose()).cost
    base = GraftBase(recipe=parse(text), graph=graph, forth=costs[0], back=costs[1])
    trial = draw_trial(base, n, 1, WorkLeft(10**6), 3, duplex=duplex)
    assert trial
    return trial


@pytest.mark.parametrize(("text", "n", "duplex"), CASES)
def test_blind_edits_are_rated_by_what_sets_say(text: str, n: int, duplex: bool) -> None:
    trial = edited_trial(text, n, duplex)
    assert (trial.graph.n, trial.graph.is_regular) == (n, True)
    assert trial.missed == plain_missed(trial.graph, trial.base.steps)


@pytest.mark.parametrize(("text", "n", "duplex"), CASES)
@pytest.mark.parametrize("less", [0, 1])
def test_balls_miss_what_sets_miss(text: str, n: int, duplex: bool, less: int) -> None:
    graph = edited_trial(text, n, duplex).graph
    for steps in range(1, 6 - less):
        state = graph_arrays(graph, steps, duplex=duplex)
        assert fill_balls(state) == state.sums[0, 0] == plain_missed(graph, steps)


@pytest.mark.parametrize(("text", "n", "duplex"), CASES)
@pytest.mark.parametrize("by_loads", [False, True])
def test_repair_misses_less_and_keeps_degrees(
    text: str, n: int, duplex: bool, by_loads: bool
) -> None:
    trial = edited_trial(text, n, duplex)
    steps = trial.base.steps
    while not plain_missed(trial.graph, steps):
        steps -= 1
    before, random = plain_missed(trial.graph, steps), random_state(1, n)
    if by_loads:
        state = annealed_graph(trial.graph, steps, duplex=duplex)
        heat = PEAK * int(state.scale[1]) // 50
        missed = repair_loads(state, 200_000, heat, DELAYS, random)
    else:
        state = graph_arrays(trial.graph, steps, duplex=duplex)
        fill_balls(state)
        missed = repair_pairs(state, 200_000, random)
    graph = result_of(state.slots, n, duplex=duplex)
    assert (graph.n, graph.degree, graph.is_regular) == (n, trial.graph.degree, True)
    assert graph.is_bidirectional or not duplex
    assert missed == plain_missed(graph, steps) < before
    if by_loads:
        sums = state.sums.copy()
        evaluate_graph(state)
        assert np.array_equal(sums, state.sums)


def test_repair_gives_a_lost_step_back() -> None:
    trial = edited_trial("Cay(Z64;1,9,28)", 63, False)
    assert trial.missed == 9
    state = graph_arrays(trial.graph, trial.base.steps, duplex=False)
    fill_balls(state)
    assert repair_pairs(state, 10**6, random_state(0, 63)) == 0
    graph = result_of(state.slots, 63, duplex=False)
    assert evaluate(graph).cost.steps == trial.base.steps
    missed, score = rate_graph(graph, trial.base.steps, WorkLeft(0), duplex=False)
    assert missed == 0
    costs = evaluate(graph).cost, evaluate(graph.transpose()).cost
    assert score == sum(one.steps + one.bandwidth * 42 / 5 for one in costs)
