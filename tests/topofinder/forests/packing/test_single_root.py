"""Trees of a single root: as low as theory allows, and sound where arcs are parallel or wide."""

import numpy as np
import pytest

from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from tests.packings import check_packing
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.forests.packing.packers import pack_trees
from topofinder.forests.packing.problem import PackingProblem
from topofinder.forests.packing.single_root import root_to_leave
from topofinder.verification.forests import verify_forest


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8])
def test_hypercubes_have_the_heights_of_johnsson_and_ho(n: int) -> None:
    for collective in (Collective.BROADCAST, Collective.REDUCE):
        found = make_forest(build(parse(f"Q({n})")), ForestOptions(collective=collective, root=1))
        trees = found.phases[0].trees
        assert found.inverse_rate == found.optimum
        assert trees.k == n
        assert int(trees.heights().max()) == n + 1
        assert verify_forest(found).valid


@pytest.mark.parametrize(
    ("recipe", "height"),
    [
        ("Torus(4,4)", 5),
        ("Torus(4,4,4)", 7),
        ("Torus(5,5)", 6),
        ("Torus(8,8)", 9),
        ("Pi(4,64)", 5),
    ],
)
def test_tori_and_kautz_graphs_are_low(recipe: str, height: int) -> None:
    options = ForestOptions(collective=Collective.BROADCAST, root=0)
    found = make_forest(build(parse(recipe)), options)
    assert found.spread is not None
    assert found.inverse_rate == found.optimum
    assert int(found.spread.heights().max()) <= height


def random_problem(generator: np.random.Generator) -> PackingProblem:
    """A digraph of random closed walks with wide arcs, and a root with a tree for each unit out."""
    n = int(generator.integers(3, 7))
    capacity = np.zeros((n, n), dtype=np.int64)
    for _ in range(int(generator.integers(1, 4))):
        walk = generator.permutation(n)
        np.add.at(capacity, (walk, np.roll(walk, -1)), int(generator.integers(1, 4)))
    tail, head = np.nonzero(capacity)
    root = int(generator.integers(n))
    supply = np.zeros(n, dtype=np.int64)
    supply[root] = capacity[root].sum()
    return PackingProblem(
        tail=tail.astype(np.int32),
        head=head.astype(np.int32),
        capacity=capacity[tail, head],
        supply=supply,
    )


def test_random_roots_have_all_their_trees() -> None:
    generator = np.random.default_rng(18)
    for _ in range(60):
        problem = random_problem(generator)
        assert root_to_leave(problem) is not None
        packing = pack_trees(problem)
        check_packing(problem, packing)


def test_a_root_with_room_to_spare_is_left_as_it_is() -> None:
    problem = random_problem(np.random.default_rng(3))
    assert root_to_leave(problem) == int(np.argmax(problem.supply))
    spare = PackingProblem(
        tail=problem.tail,
        head=problem.head,
        capacity=problem.capacity,
        supply=problem.supply - (problem.supply > 0),
    )
    assert root_to_leave(spare) is None
