"""The exact BFB cost against linear programs, and against what the theorems say."""

from fractions import Fraction

import numpy as np
import pytest

from expansions.cost import Cost, least_bandwidth
from generators.complete import complete
from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from tests.twins import distances, line_graph_twin, lp_cost, lp_loads, random_topology
from topofinder.bfb import kernels
from topofinder.bfb.evaluate import evaluate


@pytest.mark.parametrize("seed", range(140))
def test_equals_the_linear_program_on_regular_multigraphs(seed: int) -> None:
    topology = random_topology(seed)
    assert list(evaluate(topology).loads) == lp_loads(topology)


@pytest.mark.parametrize("seed", range(1000, 1080))
def test_equals_the_linear_program_on_irregular_multigraphs(seed: int) -> None:
    topology = random_topology(seed, regular=False)
    assert evaluate(topology).cost == lp_cost(topology)


@pytest.mark.parametrize("seed", range(60))
def test_wide_receivers_equal_the_linear_program(seed: int) -> None:
    """Receivers with more than DENSE in-neighbours take the cut-improvement kernel."""
    generator = np.random.default_rng(seed)
    n, d = int(generator.integers(8, 14)), int(generator.integers(6, 8))
    heads = np.concatenate([generator.permutation(n) for _ in range(d)]).astype(np.int32)
    topology = Topology(n=n, tail=np.tile(np.arange(n, dtype=np.int32), d), head=heads)
    assert list(evaluate(topology).loads) == lp_loads(topology)


@pytest.mark.parametrize("seed", range(40))
def test_cycle_is_the_longest_shortest_return(seed: int) -> None:
    topology = random_topology(seed)
    hops = distances(topology)
    returns = np.full(topology.n, topology.n + 1)
    for u, v in zip(topology.tail, topology.head, strict=True):
        returns[u] = min(returns[u], 1 + hops[v, u])
    assert evaluate(topology).cycle == returns.max()


@pytest.mark.parametrize("seed", range(120))
def test_theorem_10_holds_with_equality_where_the_kernel_says_so(seed: int) -> None:
    topology = random_topology(seed)
    found, n = evaluate(topology), topology.n
    line, twice = line_graph_twin(topology), line_graph_twin(line_graph_twin(topology))
    if topology.degree == 1:
        return
    once = evaluate(line).cost
    formula = Cost(found.cost.steps + 1, found.cost.bandwidth + Fraction(1, n))
    assert once.steps == formula.steps
    assert once.bandwidth <= formula.bandwidth
    if found.line_exact >= kernels.ONCE:
        assert once.bandwidth == formula.bandwidth
    if found.line_exact == kernels.ALWAYS:
        again = evaluate(twice).cost
        assert again.bandwidth == formula.bandwidth + Fraction(1, line.n)


def test_theorem_19_balanced_exactly_when_the_loads_are_averages() -> None:
    for m in range(2, 9):
        assert evaluate(complete(m, m)).cost == Cost(2 if m > 1 else 1, least_bandwidth(2 * m))


def test_one_node_speaks_for_all_under_symmetry() -> None:
    whole = complete(5, 5)
    plain = Topology(n=whole.n, tail=whole.tail, head=whole.head)
    assert evaluate(whole) == evaluate(plain)


def test_refuses_what_is_not_strongly_connected() -> None:
    with pytest.raises(InvalidInput, match="node 1 cannot reach node 0"):
        evaluate(Topology.from_arcs(2, [(0, 1), (1, 1)]))
    with pytest.raises(InvalidInput, match="node 0 cannot reach node 2"):
        evaluate(Topology.from_arcs(3, [(0, 1), (1, 0), (2, 0), (2, 1)]))


def test_refuses_switches_and_very_wide_receivers() -> None:
    with pytest.raises(InvalidInput, match="switches"):
        evaluate(Topology.from_arcs(2, [(0, 1), (1, 0)], switches=(1,)))
    with pytest.raises(Unsupported, match="at most 63 in-neighbours"):
        evaluate(complete(64, 64))
    assert evaluate(complete(100)).cost == Cost(1, Fraction(99, 100))
