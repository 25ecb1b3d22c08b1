"""Grafts with a free port: recipes that build what was found, costs, and steps that are gained."""

from itertools import combinations

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from expansions.recipe import Application
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.topofinder.discovery.grafts.graft_twin import plain_balls
from topofinder.discovery.grafts.found import WorkLeft, random_state
from topofinder.discovery.grafts.free_port import (
    exact_split_off,
    fill_free_port,
    find_free_port_grafts,
)
from topofinder.discovery.grafts.repair_kernels import fill_balls, repair_pairs
from topofinder.discovery.grafts.state import annealed_graph, graph_arrays, topology_of
from topofinder.discovery.grafts.trials import GraftBase, draw_trial
from topofinder.schedules.bfb.evaluation import evaluate

CASES = [
    (15, 3, ("Torus(2,8)", "C(16,{3,8})")),
    (27, 5, ("C(28,{1,6,14})", "C(30,{4,6,15})")),
    (29, 7, ("C(32,{1,5,7,16})", "C(30,{1,4,6,15})")),
    (51, 3, ("Cay(Z26:Z2[25];2,3,31)", "C(54,{8,27})")),
]
"""Nodes, ports, and bases about as large."""


@pytest.mark.parametrize(("n", "d", "bases"), CASES)
def test_one_host_has_a_port_left_and_costs_are_exact(
    n: int, d: int, bases: tuple[str, ...]
) -> None:
    recipes = [parse(text) for text in bases]
    found = find_free_port_grafts(n, d, bases=recipes, budget=60)
    assert found == find_free_port_grafts(n, d, bases=recipes, budget=60)
    for one in found:
        assert parse(str(one.recipe)) == one.recipe
        graph = build(one.recipe)
        assert (graph.n, sorted(graph.out_degrees.tolist())) == (n, [d - 1] + [d] * (n - 1))
        assert graph.is_bidirectional
        assert not graph.has_loops
        assert one.forth == one.back == evaluate(graph).cost
        assert one.forth.steps <= max(evaluate(build(recipe)).cost.steps for recipe in recipes)


def split_trial(text: str, n: int) -> tuple[GraftBase, Topology]:
    graph = build(parse(text))
    cost = evaluate(graph).cost
    base = GraftBase(recipe=parse(text), graph=graph, forth=cost, back=cost)
    trial = draw_trial(base, n + 1, 1, WorkLeft(10**6), 0, duplex=True)
    assert trial
    return base, trial.graph


def test_exchanges_leave_the_free_port_where_it_is() -> None:
    base, larger = split_trial("C(54,{8,27})", 51)
    for steps in range(3, base.steps):
        last = larger.n - 1
        around = np.sort(larger.head[larger.tail == last])
        kept = (larger.tail < last) & (larger.head < last)
        u, v = around[:2]
        graph = fill_free_port(
            Topology(
                n=last,
                tail=np.append(larger.tail[kept], [u, v]).astype(np.int32),
                head=np.append(larger.head[kept], [v, u]).astype(np.int32),
            )
        )
        state = graph_arrays(graph, steps, duplex=True)
        missed = sum(last - len(ball) for ball in plain_balls(graph, steps)[-1])
        assert fill_balls(state) == missed
        left = repair_pairs(state, 20_000, random_state(steps, last))
        after = topology_of(state.slots, last, duplex=True)
        assert left == sum(last - len(ball) for ball in plain_balls(after, steps)[-1]) <= missed
        assert after.is_bidirectional
        assert after.tail[after.tail == after.head].tolist() == [around[2]]
        assert set(after.out_degrees) == {3}


def test_joined_circuits_that_are_gone_are_led_back_over_others() -> None:
    base, larger = split_trial("C(16,{3,8})", 15)
    trial = draw_trial(base, 16, 1, WorkLeft(10**6), 0, duplex=True)
    assert trial
    around = sorted(larger.head[larger.tail == 15].tolist())
    circuits = {(0, 1), (2, 3), (4, 5), (6, 7), (8, 9), (10, 11), (12, 13), (0, 14), (1, 2)}
    circuits |= {(3, 4), (5, 6), (7, 8), (9, 10), (11, 12), (13, 14), (0, 5), (1, 8), (2, 11)}
    circuits |= {(3, 10), (4, 12), (6, 13), (9, 14)}
    arcs = [arc for u, v in circuits for arc in ((u, v), (v, u))]
    graph = fill_free_port(Topology.from_arcs(15, arcs))
    found = exact_split_off(trial, graph)
    assert found
    assert isinstance(found.recipe, Application)
    built = build(found.recipe)
    assert circuits.isdisjoint(combinations(around, 2))
    assert set(zip(built.tail.tolist(), built.head.tolist(), strict=True)) == set(arcs)


def test_a_step_is_gained_where_splitting_off_loses_one() -> None:
    base = parse("Lift(Z17;1:0,1:4,2:0|3:0|3:3,3:11)")
    [found] = find_free_port_grafts(69, 3, bases=[base], budget=200)
    plain = [evaluate(build(parse(f"SplitOff({base},{i})"))).cost.steps for i in range(3)]
    assert (found.forth.steps, plain) == (6, [7, 7, 7])


def test_loops_are_refused_where_loads_are_annealed() -> None:
    graph = fill_free_port(build(parse("SplitOff(C(16,{3,8}),0)")))
    with pytest.raises(InvalidInput, match="without self-loops"):
        annealed_graph(graph, 4, duplex=True)
