"""Circulants by one search each, against the graphs themselves."""

from fractions import Fraction
from math import gcd

import numpy as np
import pytest

from expansions.cost import Cost
from generators.errors import Unsupported
from generators.families.circulant import canonical, circulant, members
from tests.twins import lp_loads
from topofinder.schedules.bfb.cayley import evaluate_circulants
from topofinder.schedules.bfb.evaluation import Evaluation, evaluate


def contents(found: Evaluation) -> tuple[object, ...]:
    """All that an evaluation says, loads as ratios."""
    return found.n, found.d, found.loads, found.line_exact, found.cycle, found.cost


def random_circulant(generator: np.random.Generator) -> tuple[int, tuple[int, ...]]:
    """A connected one, jumps of any number listed any number of times, n/2 among them."""
    while True:
        n = int(generator.integers(3, 250))
        jumps = generator.integers(1, n, int(generator.integers(1, 9)))
        jumps = np.repeat(jumps, generator.integers(1, 4, len(jumps))).tolist()
        if gcd(n, *jumps) == 1:
            return canonical(n, tuple(jumps))


@pytest.mark.parametrize("seed", range(6))
def test_random_circulants_cost_what_the_graphs_cost(seed: int) -> None:
    generator = np.random.default_rng(seed)
    graphs = [random_circulant(generator) for _ in range(50)]
    found = list(map(contents, evaluate_circulants(graphs)))
    for graph, one in zip(graphs, found, strict=True):
        topology = circulant(*graph)
        assert one == contents(evaluate(topology))
        assert one == contents(evaluate(topology.transpose()))


def test_members_of_the_search_cost_what_the_graphs_cost() -> None:
    sizes = [(n, d) for n in (3, 4, 5, 6, 30, 64, 97) for d in range(1, 17)]
    graphs = [graph for size in sizes for graph in members(*size)]
    found = list(map(contents, evaluate_circulants(graphs)))
    assert found == [contents(evaluate(circulant(*graph))) for graph in graphs]


@pytest.mark.parametrize("graph", [(30, (1, 4, 11)), (12, (1, 4, 6)), (25, (3, 3, 4, 7))])
def test_loads_equal_the_linear_program(graph: tuple[int, tuple[int, ...]]) -> None:
    [found] = evaluate_circulants([graph])
    assert list(found.loads) == lp_loads(circulant(*graph))


def test_very_wide_receivers() -> None:
    with pytest.raises(Unsupported, match="at most 63 in-neighbours a node, not 64"):
        evaluate_circulants([(100, tuple(range(1, 33)))])
    [found] = evaluate_circulants([(100, tuple(range(1, 51)))])
    assert contents(found) == contents(evaluate(circulant(100, tuple(range(1, 51)))))


def test_nothing_asked() -> None:
    assert evaluate_circulants([]) == []


def test_all_dense_circulants_of_up_to_63_ports_meet_both_bounds() -> None:
    graphs = [
        arguments
        for d in range(9, 64)
        for n in range(d + 2, 2 * d + 2)
        if n * d % 2 == 0
        for arguments in members(n, d)
        if arguments[1][: d // 2] == tuple(range(1, d // 2 + 1))
    ]
    assert len(graphs) == 1462
    for (n, _), found in zip(graphs, evaluate_circulants(graphs), strict=True):
        assert found.cost == Cost(2, Fraction(n - 1, n))


@pytest.mark.parametrize("d", range(52, 64))
def test_receivers_of_more_ports_than_a_float_has_bits_cost_what_the_graphs_cost(d: int) -> None:
    generator = np.random.default_rng(d)
    n = 2 * int(generator.integers(40, 90))
    jumps = generator.choice(np.arange(2, n // 2), d // 2 - 1, replace=False).tolist()
    graph = canonical(n, (1, *jumps, *([n // 2] if d % 2 else [])))
    [found] = evaluate_circulants([graph])
    assert contents(found) == contents(evaluate(circulant(*graph)))
