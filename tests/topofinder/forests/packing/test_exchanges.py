"""Exchanges of arcs at random: trees stay trees, room is kept account of, costs fall."""

import numpy as np
import pytest

from tests.packings import check_packing, height_of, problem_of, regular
from topofinder.forests.clock import Clock
from topofinder.forests.packing.blocks import Blocks
from topofinder.forests.packing.exact import pack_exactly
from topofinder.forests.packing.exchange_kernels import exchange_arcs
from topofinder.forests.packing.packers import pack_trees
from topofinder.forests.packing.problem import Packing, PackingProblem


def exact_blocks(seed: int) -> tuple[PackingProblem, Packing, Blocks]:
    problem = problem_of(regular(14, 4, seed))
    found = pack_exactly(problem, seed)
    return problem, found, Blocks.of(found.table(problem), problem)


@pytest.mark.parametrize("seed", range(4))
def test_trees_stay_trees_at_any_heat(seed: int) -> None:
    problem, _, blocks = exact_blocks(seed)
    room = blocks._room(problem)
    price = 1 << np.arange(problem.n)
    levels = np.array([0, 5, 1 << 40])  # nearly all is allowed
    table = blocks.columns
    height = exchange_arcs(table, problem.tail, room, problem.in_arcs(), price, levels, 3000, seed)
    made = Blocks(table, blocks.used, True)
    check_packing(problem, made.packing(problem, "exchanged"))
    assert height == made.height(problem)
    assert room.tolist() == made._room(problem).tolist()
    again = blocks.columns
    exchange_arcs(
        again, problem.tail, blocks._room(problem), problem.in_arcs(), price, levels, 3000, seed
    )
    assert np.array_equal(again[0], table[0])


@pytest.mark.parametrize("seed", range(4))
def test_no_tree_costs_more_where_none_may(seed: int) -> None:
    problem, found, blocks = exact_blocks(seed)
    price = np.arange(problem.n) ** 3
    table = blocks.columns
    exchange_arcs(table, problem.tail, blocks._room(problem), problem.in_arcs(), price,
        np.zeros(1, np.int64), 2000, seed)  # fmt: skip
    assert total_cost(problem, table, price) < total_cost(problem, blocks.columns, price)
    assert height_of(problem, found) >= blocks.exchange(problem, seed, Clock())


def total_cost(problem: PackingProblem, table: tuple[np.ndarray, ...], price: np.ndarray) -> int:
    """By walks from each node to its root."""
    enter, root, _ = table
    total = 0
    for t, top in enumerate(root.tolist()):
        for v in range(problem.n):
            hops, at = 0, v
            while at != top:
                at, hops = int(problem.tail[enter[at, t]]), hops + 1
            total += int(price[hops])
    return total


def test_many_trees_are_left_as_they_are() -> None:
    problem, found, _ = exact_blocks(0)
    many = PackingProblem(
        tail=problem.tail,
        head=problem.head,
        capacity=5000 * problem.capacity,
        supply=5000 * problem.supply,
    )
    more = Packing(root=found.root, copies=5000 * found.copies, arc=found.arc, method="exact")
    blocks = Blocks.of(more.table(many), many)
    assert blocks.exchange(many, 0, Clock()) == height_of(problem, found)


def test_the_same_seed_gives_the_same_trees() -> None:
    problem = problem_of(regular(16, 4, 3))
    one, other = (pack_trees(problem, 5) for _ in range(2))
    assert np.array_equal(one.arc, other.arc)
