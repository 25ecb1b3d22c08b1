"""Generalized Kautz graphs by interval arithmetic, against the graphs themselves."""

from fractions import Fraction
from math import ceil, log

import numpy as np
import pytest

from generators.errors import InvalidInput
from generators.families.generalized_kautz import generalized_kautz
from generators.size_limits import MAX_NODES
from tests.twins import lp_loads
from topofinder.schedules.bfb.evaluation import Evaluation, evaluate
from topofinder.schedules.bfb.kautz import evaluate_kautz, kautz_bound, kautz_work


def contents(found: Evaluation) -> tuple[object, ...]:
    """All that an evaluation says, loads as ratios."""
    return found.n, found.d, found.loads, found.line_exact, found.cycle, found.cost


def of_graphs(d: int, m: int) -> tuple[tuple[object, ...], ...]:
    graph = generalized_kautz(d, m)
    return contents(evaluate(graph)), contents(evaluate(graph.transpose()))


@pytest.mark.parametrize("d", range(2, 18))
def test_small_graphs_cost_both_ways_what_the_graphs_cost(d: int) -> None:
    graphs = [(d, m) for m in range(d + 2, d + 62)]
    found = [tuple(map(contents, pair)) for pair in evaluate_kautz(graphs)]
    assert found == [of_graphs(*graph) for graph in graphs]


@pytest.mark.parametrize("seed", range(8))
def test_random_graphs_cost_both_ways_what_the_graphs_cost(seed: int) -> None:
    generator = np.random.default_rng(seed)
    degrees = generator.choice([2, 3, 4, 5, 6, 8, 9, 12, 16, 31, 63], 25)
    graphs = [(int(d), int(generator.integers(d + 2, 900))) for d in degrees]
    found = [tuple(map(contents, pair)) for pair in evaluate_kautz(graphs)]
    assert found == [of_graphs(*graph) for graph in graphs]


@pytest.mark.parametrize(("d", "m"), [(2, 11), (3, 20), (6, 50), (7, 24), (8, 30), (12, 40)])
def test_loads_equal_the_linear_program(d: int, m: int) -> None:
    graph = generalized_kautz(d, m)
    forth, back = evaluate_kautz([(d, m)])[0]
    assert list(forth.loads) == lp_loads(graph)
    assert list(back.loads) == lp_loads(graph.transpose())


@pytest.mark.parametrize(("d", "exponent"), [(2, 18), (15, 4), (63, 2)])
def test_the_largest_kautz_graphs_cost_what_line_graphs_of_complete_ones_do(
    d: int, exponent: int
) -> None:
    """Every step of Kautz(d,k) = L^k(K(d+1)) has a link with d^t shards (proof of theorem 7)."""
    for found in evaluate_kautz([(d, (d + 1) * d**exponent)])[0]:
        assert found.loads == tuple(Fraction(d**t) for t in range(exponent + 1))


@pytest.mark.parametrize(("d", "m"), [(2, MAX_NODES), (16, MAX_NODES), (16, MAX_NODES - 1)])
def test_loads_of_the_largest_graphs_are_within_their_bounds(d: int, m: int) -> None:
    """In-links carry at most all walks, and at the last step a share of every shard for each."""
    found, _ = evaluate_kautz([(d, m)])[0]
    last = ceil(log(m, d) - 1e-9)
    assert len(found.loads) == last
    assert all(load <= d**t for t, load in enumerate(found.loads))
    assert found.loads[-1] <= Fraction(d ** (last - 1), d**last // m)
    assert d * d * m < 2**32


@pytest.mark.parametrize(
    ("d", "m", "line"),
    [
        (1, 2, "Pi(1,2) is not costed without a graph"),
        (4, 5, "Pi(4,5) is not costed without a graph"),
        (64, 100, "Pi(64,100) is not costed without a graph"),
        (4, 4, "Pi(d,m) needs m >= d + 1 = 5, not 4"),
        (2, 2**20 + 1, "Pi(2,1048577) has 1048577 nodes; at most 1048576 can be built"),
    ],
)
def test_refusals(d: int, m: int, line: str) -> None:
    with pytest.raises(InvalidInput) as error:
        evaluate_kautz([(4, 20), (d, m)])
    assert str(error.value) == line


def test_nothing_asked() -> None:
    assert evaluate_kautz([]) == []


@pytest.mark.parametrize(("d", "m"), [(2, 300), (3, 101), (4, 200), (6, 500), (8, 345), (12, 999)])
def test_few_receivers_give_lower_bounds(d: int, m: int) -> None:
    [whole] = evaluate_kautz([(d, m)])
    for most in (1, 8, 64, m):
        [few] = evaluate_kautz([(d, m)], most)
        for bound, cost in zip(few, whole, strict=True):
            assert bound.cost.steps <= cost.cost.steps
            assert bound.cost.bandwidth <= cost.cost.bandwidth
    assert [one.cost for one in few] == [one.cost for one in whole]


@pytest.mark.parametrize("d", [2, 3, 4, 5, 8, 13, 63])
def test_the_bound_holds_both_ways(d: int) -> None:
    graphs = [(d, m) for m in range(d + 2, d + 400)]
    for (_, m), pair in zip(graphs, evaluate_kautz(graphs), strict=True):
        for found in pair:
            assert found.cost.weakly_beats(kautz_bound(d, m))


def test_the_bound_of_the_largest() -> None:
    """By floats, from the sum of what every step carries."""
    for d, m in ((8, 10**9), (4, 999_999_937), (63, 10**9)):
        steps = ceil(log(m) / log(d))
        loads = sum(d**t / m for t in range(1, steps)) + d**steps / m / (d**steps // m)
        bound = kautz_bound(d, m)
        assert bound.steps == steps
        assert abs(float(bound.bandwidth) - loads) < 1e-12


def test_what_is_too_large_has_no_work() -> None:
    assert kautz_work(4, MAX_NODES + 1) is None
    assert kautz_work(4, 5) is None
