"""Climbing and exhaustive search against plain loops over all lists."""

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest

from generators.cayley.family import digraph
from generators.cayley.generated import reachable_elements
from generators.cayley.notation import parse_group
from topofinder.discovery.evaluation_kernels import sum_excesses
from topofinder.discovery.generator_lists import list_layouts
from topofinder.discovery.goal import SearchGoal
from topofinder.discovery.multiplication_table import group_table
from topofinder.discovery.search_kernels import climb_lists, exhaust_lists
from topofinder.model.candidate import LinkMode
from topofinder.schedules.bfb.evaluation import evaluate

UNKNOWN = 1 << 60


def frontier_twin(group: str, d: int, links: LinkMode, both: bool) -> dict[int, Fraction]:
    """For every diameter the least T_B, or sum of both ways, of all lists; by plain evaluation."""
    known = parse_group(group)
    best: dict[int, Fraction] = {}
    for chosen in combinations_with_replacement(range(1, known.order), d):
        inverse = sorted(known.inverses[list(chosen)].tolist())
        if not reachable_elements(known, chosen).all() or (
            links is LinkMode.DUPLEX and inverse != sorted(chosen)
        ):
            continue
        graph = digraph(known, chosen)
        cost = evaluate(graph).cost
        total = cost.bandwidth
        if both:
            total += evaluate(graph.transpose()).cost.bandwidth
        best[cost.steps] = min(total, best.get(cost.steps, total))
    return best


@pytest.mark.parametrize("group", ["S3", "Z8:Z2[3]", "Dic2", "Z9", "Z7:Z3[2]"])
@pytest.mark.parametrize("links", LinkMode)
@pytest.mark.parametrize("both", [False, True])
def test_exhausting_finds_the_best_of_all_lists(group: str, links: LinkMode, both: bool) -> None:
    d = 2 if group == "Z7:Z3[2]" else 3
    table = group_table(parse_group(group))
    columns, inverse = table.columns, table.inverse
    goal = SearchGoal(n=len(columns), d=d, links=links)
    best, chosen = np.full(30, UNKNOWN), np.zeros((30, d), np.int64)
    judged = expected = 0
    for layout in list_layouts(inverse, d, links):
        expected += layout.count(d)
        for first in range(len(layout.paired if layout.pairs else layout.singles)):
            judged += exhaust_lists(*table, layout, both, first, goal.scale, best, chosen)
    assert judged == expected
    offset = goal.bandwidth(0) * (2 if both else 1)
    found = {
        int(t): offset + Fraction(int(best[t]), goal.n * goal.unit)
        for t in np.flatnonzero(best < UNKNOWN)
    }
    twin = frontier_twin(group, d, links, both)
    assert [min(v for t, v in found.items() if t <= s) for s in twin] == [
        min(v for t, v in twin.items() if t <= s) for s in twin
    ]
    assert all(twin[t] <= value for t, value in found.items())


@pytest.mark.parametrize("links", LinkMode)
@pytest.mark.parametrize("both", [False, True])
def test_climbing_finds_what_its_lists_cost(links: LinkMode, both: bool) -> None:
    table = group_table(parse_group("Z16:Z4[3]"))
    columns, inverse = table.columns, table.inverse
    goal = SearchGoal(n=64, d=4, links=links)
    diameters = set()
    for layout in list_layouts(inverse, 4, links):
        best, chosen = np.full(8, UNKNOWN), np.zeros((8, 4), np.int64)
        state = np.array([5], np.uint64)
        done = climb_lists(
            *table, layout, both, goal.unit, goal.scale, 3000, 100, state, best, chosen
        )
        assert done == 3000 or best.min() == 0
        for steps in np.flatnonzero(best < UNKNOWN):
            picks = chosen[steps]
            forth = sum_excesses(columns, picks, goal.scale)
            back = sum_excesses(columns, inverse[picks], goal.scale)
            assert forth[1] == back[1] == steps
            assert best[steps] == forth[0] + both * back[0]
            if links is LinkMode.DUPLEX:
                assert sorted(inverse[picks].tolist()) == sorted(picks.tolist())
        diameters |= set(np.flatnonzero(best < UNKNOWN).tolist())
    assert min(diameters) == (4 if links is LinkMode.SIMPLEX else 5)


def test_climbing_is_the_same_each_time_and_improves_what_is_known() -> None:
    table = group_table(parse_group("Z64:Z4[15]"))
    inverse = table.inverse
    goal = SearchGoal(n=256, d=4)
    (layout,) = list_layouts(inverse, 4, LinkMode.SIMPLEX)
    answers = []
    for _ in range(2):
        best, chosen = np.full(7, UNKNOWN), np.zeros((7, 4), np.int64)
        state = np.array([1], np.uint64)
        climb_lists(*table, layout, False, goal.unit, goal.scale, 900, 50, state, best, chosen)
        answers.append((best.tolist(), chosen.tolist(), int(state[0])))
    assert answers[0] == answers[1]
    known = best.copy()
    climb_lists(*table, layout, False, goal.unit, goal.scale, 900, 50, state, best, chosen)
    assert (best <= known).all()


@pytest.mark.parametrize("group", ["Z16:Z4[3]", "Z7:Z3[2]", "Z2", "A5", "Z3xZ11"])
@pytest.mark.parametrize("both", [False, True])
def test_layers_as_words_are_those_of_nodes(group: str, both: bool) -> None:
    table = group_table(parse_group(group))
    for d, links in ((2, LinkMode.DUPLEX), (3, LinkMode.SIMPLEX), (5, LinkMode.SIMPLEX)):
        goal = SearchGoal(n=max(len(table.columns), 3), d=d, links=links)
        for target in (goal.least_steps, goal.least_steps + 3):
            answers = []
            for given in (table, table._replace(words=None)):
                best = np.full(target + 1, UNKNOWN)
                chosen, state = np.zeros((target + 1, d), np.int64), np.array([d], np.uint64)
                for layout in list_layouts(table.inverse, d, links):
                    judged = climb_lists(
                        *given, layout, both, goal.unit, goal.scale, 400, 60, state, best, chosen
                    )
                answers.append((judged, best.tolist(), chosen.tolist(), int(state[0])))
            assert answers[0] == answers[1]


@pytest.mark.parametrize(("group", "target"), [("Z70", 13), ("Z70", 14), ("S5", 8), ("S5", 9)])
@pytest.mark.parametrize("both", [False, True])
def test_a_last_layer_sought_from_what_is_left(group: str, target: int, both: bool) -> None:
    """Tight limits, below which lists are given up for a few nodes that they miss."""
    table = group_table(parse_group(group))
    goal = SearchGoal(n=len(table.columns), d=2, links=LinkMode.SIMPLEX)
    [layout] = list_layouts(table.inverse, 2, LinkMode.SIMPLEX)
    exact: dict[int, int] = {}
    for chosen in combinations_with_replacement(layout.singles.tolist(), 2):
        picks, total = np.array(chosen, np.int64), 0
        ways = [picks, table.inverse[picks].astype(np.int64)] if both else [picks]
        for way in ways:
            excess, steps = sum_excesses(table.columns, way, goal.scale)
            total += excess
        if 0 <= steps <= target:
            exact[steps] = min(total, exact.get(steps, UNKNOWN))
    assert exact
    for least in (*exact.values(), 40):
        best, lists = np.full(target + 1, least + 1), np.zeros((target + 1, 2), np.int64)
        for first in range(len(layout.singles)):
            exhaust_lists(*table, layout, both, first, goal.scale, best, lists)
        assert min(best) == min([least + 1, *exact.values()])
