"""Annealed splits: they hold, what they tell is so, and programs that join them stay proved."""

import numpy as np
import pytest

from benchmarks.panels import PanelCase, fabric_of
from generators.topology import Int64Array
from topofinder.patching.panels.exact_split import SplitProblem, best_split
from topofinder.patching.panels.near_splits import anneal_splits
from topofinder.patching.panels.programs import Effort
from topofinder.patching.panels.split import empty_split


def problem_of(n: int, duplex: bool, panels: int, changed: int, seed: int) -> SplitProblem:
    """A random regular fabric in which some circuits change."""
    case = PanelCase(f"Random({n})", duplex, panels, changed, 0)
    wiring, target, constraints = fabric_of(case, seed)
    assert constraints.ports is not None
    return SplitProblem.of(empty_split(wiring, target, constraints.ports))


def used(problem: SplitProblem, on: Int64Array) -> Int64Array:
    """Ports of each end on each panel that a split takes, counted circuit by circuit."""
    ports = np.zeros_like(problem.room)
    for pair, (one, two) in enumerate(problem.ends.tolist()):
        for panel, circuits in enumerate(on[pair].tolist()):
            ports[one, panel] += circuits
            ports[two, panel] += circuits
    return ports


@pytest.mark.parametrize(("duplex", "panels"), [(True, 4), (True, 8), (False, 4)])
def test_closed_splits_hold_and_open_ones_are_overfull(duplex: bool, panels: int) -> None:
    problem = problem_of(32, duplex, panels, 4, 1)
    found = anneal_splits(
        problem.ends, problem.wanted, problem.there, problem.room, steps=60_000, seed=0
    )
    assert found.closed
    for on in (*found.closed, *found.open_):
        assert (on.sum(axis=1) == problem.wanted).all()
    for on in found.closed:
        assert (used(problem, on) <= problem.room).all()
    for on in found.open_:
        assert (used(problem, on) > problem.room).any()


@pytest.mark.parametrize("seed", range(3))
def test_joined_splits_are_no_worse_and_no_bound_is_above_the_optimum(seed: int) -> None:
    problem = problem_of(16, seed % 2 == 0, 4, 3, seed)
    known = anneal_splits(
        problem.ends, problem.wanted, problem.there, problem.room, steps=50_000, seed=seed
    ).closed[-1]
    best = best_split(problem, known, Effort())
    assert problem.price(best.on) == (0, best.made)
    joined = best_split(problem, known, Effort(branches=1, rounds=2, steps=20_000))
    assert (used(problem, joined.on) <= problem.room).all()
    assert joined.made <= best.made <= problem.price(joined.on)[1] <= problem.price(known)[1]


def test_an_annealing_that_begins_near_a_good_split_holds_too() -> None:
    problem = problem_of(32, True, 4, 4, 2)
    arrays = problem.ends, problem.wanted, problem.there, problem.room
    first = anneal_splits(*arrays, steps=60_000, seed=0).closed[0]
    again = anneal_splits(*arrays, steps=60_000, seed=1, begin=first)
    for on in (*again.closed, *again.open_):
        assert (on.sum(axis=1) == problem.wanted).all()
    assert again.closed
    assert all((used(problem, on) <= problem.room).all() for on in again.closed)
