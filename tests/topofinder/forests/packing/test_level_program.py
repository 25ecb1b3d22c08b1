"""Few low trees by an integer program: against all trees of small graphs, and known heights."""

from itertools import product

import numpy as np
import pytest

from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from tests.forests import random_network
from topofinder.api.schedule_forest import ForestRequest, schedule_forest
from topofinder.forests.packing.level_program import LevelProgram, pack_below_height
from topofinder.forests.packing.problem import PackingProblem
from topofinder.verification.forests import verify_forest


def problem_of(seed: int) -> PackingProblem:
    """Two trees of one root, on up to 6 nodes."""
    network = random_network(seed, switches=False, rational=False)
    supply = np.zeros(network.n, np.int64)
    supply[seed % network.n] = 2
    return PackingProblem(
        tail=network.tail,
        head=network.head,
        capacity=np.ones(len(network.tail), np.int64),
        supply=supply,
    )


def least_height(problem: PackingProblem) -> int | None:
    """The lowest two trees that share no arc, of all there are."""
    root = int(np.flatnonzero(problem.supply)[0])
    others = [v for v in range(problem.n) if v != root]
    trees = []
    for arcs in product(*(np.flatnonzero(problem.head == v).tolist() for v in others)):
        parent = {v: int(problem.tail[e]) for v, e in zip(others, arcs, strict=True)}
        heights = [hops(parent, root, v) for v in others]
        if max(heights) < problem.n:
            trees.append((max(heights), frozenset(arcs)))
    pairs = [max(a, b) for a, one in trees for b, two in trees if not one & two]
    return min(pairs, default=None)


def hops(parent: dict[int, int], root: int, v: int) -> int:
    for count in range(len(parent) + 1):
        if v == root:
            return count
        v = parent[v]
    return len(parent) + 1


@pytest.mark.parametrize("seed", range(40))
def test_two_trees_are_as_low_as_can_be(seed: int) -> None:
    problem = problem_of(seed)
    least = least_height(problem)
    found = pack_below_height(problem, problem.n)
    assert (None if found is None else found.height(problem)) == least
    if found is None or least is None:
        return
    arcs = found.arc.ravel()
    assert len(set(arcs.tolist())) == len(arcs) == 2 * (problem.n - 1)
    assert found.root.tolist() == 2 * np.flatnonzero(problem.supply).tolist()
    assert pack_below_height(problem, least) is None


def test_what_is_too_large_or_no_arc_disjoint_packing_is_left() -> None:
    ring = build(parse("Torus(4,4)"))
    ends = {"tail": ring.tail, "head": ring.head}
    one = np.ones(len(ring.tail), np.int64)
    many = PackingProblem(**ends, capacity=one, supply=np.array([17] + [0] * 15))
    wide = PackingProblem(**ends, capacity=2 * one, supply=np.array([2] + [0] * 15))
    assert pack_below_height(many, 16) is None
    assert pack_below_height(wide, 16) is None
    assert LevelProgram.of(wide, 3).solve() is None  # the farthest node has distance 4


@pytest.mark.parametrize(
    ("subject", "heights"),
    [
        ("Torus(5,5)", {6}),
        ("Torus(7,7)", {7}),
        ("Torus(9,9)", {9}),
        (
            "Torus(10,10)",
            {11, 12},
        ),  # 11 by HiGHS of scipy 1.17, 12 by that of 1.13: one branch each
        ("Pi(4,64)", {4}),
    ],
)
def test_broadcasts_on_tori_and_kautz_graphs_are_as_low_as_one_branch_gets_them(
    subject: str, heights: set[int]
) -> None:
    made = schedule_forest(
        ForestRequest(subject=subject, collective=Collective.BROADCAST, root="0")
    )
    assert made.spread is not None
    assert len(set(made.spread.heights().tolist())) == 1
    assert set(made.spread.heights().tolist()) <= heights
    assert made.inverse_rate == made.optimum
    assert verify_forest(made).violation is None
