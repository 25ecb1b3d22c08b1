"""The exact BFB cost against linear programs, and against what the theorems say."""

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from expansions.build import build
from expansions.cost import Cost
from expansions.lower_bounds import least_bandwidth
from expansions.parser import parse
from generators.errors import InvalidInput, Unsupported
from generators.families.complete import complete
from generators.families.generalized_kautz import generalized_kautz
from generators.topology import Topology
from tests.sampled import sampled
from tests.twins import distances, line_graph_twin, lp_cost, lp_loads, random_topology
from topofinder.schedules.bfb import (
    evaluation,
    evaluation_numpy,
    profile_kernels,
    receiver_kernels,
)
from topofinder.schedules.bfb.evaluation import Evaluation, GraphEvaluations, evaluate
from topofinder.schedules.bfb.grouped_arcs import group_arcs, receivers

SYMMETRIC = (
    "K(5,5)",
    "UniRing(2,7)",
    "DirC(7)",
    "Torus(4,3,2)",
    "C(77,{10,19,22,23,24,28,30,31})",
    "C(60,{1,7,11,30})",
    "TwistedTorus(4,8,4)",
    "UniRing(1,4)^2 x K(3)",
    "K(3)^2*3",
)


@pytest.mark.parametrize(
    "seed", [*range(70), *(pytest.param(n, marks=pytest.mark.slow) for n in range(70, 140))]
)
def test_equals_the_linear_program_on_regular_multigraphs(seed: int) -> None:
    topology = random_topology(seed)
    assert list(evaluate(topology).loads) == lp_loads(topology)


@pytest.mark.parametrize("seed", sampled(range(1000, 1080), 40))
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


@pytest.mark.parametrize("seed", range(12))
def test_wide_receivers_with_many_classes_equal_the_linear_program(seed: int) -> None:
    generator = np.random.default_rng(seed)
    n, d = 48, 8
    heads = np.concatenate([generator.permutation(n) for _ in range(d)]).astype(np.int32)
    topology = Topology(n=n, tail=np.tile(np.arange(n, dtype=np.int32), d), head=heads)
    assert list(evaluate(topology).loads) == lp_loads(topology)


@pytest.mark.parametrize("d", [6, 7, 8, 12, 16])
def test_generalized_kautz_of_high_degree_equals_the_linear_program(d: int) -> None:
    for m in (d + 2, 3 * d + 1, 77):
        for topology in (generalized_kautz(d, m), generalized_kautz(d, m).transpose()):
            plain = Topology(n=m, tail=topology.tail, head=topology.head)
            assert evaluate(topology).loads == evaluate(plain).loads
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
    if found.line_exact >= evaluation_numpy.ONCE:
        assert once.bandwidth == formula.bandwidth
    if found.line_exact == evaluation_numpy.ALWAYS:
        again = evaluate(twice).cost
        assert again.bandwidth == formula.bandwidth + Fraction(1, line.n)


def test_theorem_19_balanced_exactly_when_the_loads_are_averages() -> None:
    for m in range(2, 9):
        assert evaluate(complete(m, m)).cost == Cost(2 if m > 1 else 1, least_bandwidth(2 * m))


@pytest.mark.parametrize("text", SYMMETRIC)
def test_one_node_speaks_for_all_under_symmetry(text: str) -> None:
    whole = build(parse(text))
    plain = Topology(n=whole.n, tail=whole.tail, head=whole.head)
    assert whole.is_transitive
    one, every = evaluate(whole), evaluate(plain)
    assert (one.loads, one.cycle, one.line_exact) == (every.loads, every.cycle, every.line_exact)


@pytest.mark.parametrize("seed", range(150))
@pytest.mark.parametrize("regular", [True, False])
def test_all_kernels_give_the_same_profile(seed: int, regular: bool) -> None:
    topology = random_topology(seed, regular=regular)
    arrays = group_arcs(topology).kernel_input
    for one, other in zip(arrays, group_arcs(topology, compiled=False).kernel_input, strict=True):
        assert one.tolist() == other.tolist()
    everyone = np.arange(topology.n, dtype=np.int32)
    many = profile_kernels.profile_by_bits(*arrays, everyone)
    assert_same_profile(many, receiver_kernels.profile_by_searches(*arrays, everyone))
    assert_same_profile(many, evaluation_numpy.profile_in_numpy(*arrays, everyone))


LARGER = (
    "Pi(4,100)", "Pi(5,131)", "DBJ(3,4)", "Kautz(4,2)", "C(99,{7})", "Pi(6,97)", "Pi(8,150)",
    "Bi(Pi(4,83))", "Pi(9,61)", "C(70,{1,5,12,20,31})", "Pi(11,40)",
)  # fmt: skip


@pytest.mark.parametrize("text", LARGER)
def test_the_numpy_kernel_agrees_on_larger_graphs(text: str) -> None:
    topology = build(parse(text))
    for graph in (topology, topology.transpose()):
        arrays, asked = group_arcs(graph).kernel_input, receivers(graph)
        assert_same_profile(
            profile_kernels.profile_by_bits(*arrays, asked),
            evaluation_numpy.profile_in_numpy(*arrays, asked),
            asked,
        )


def test_numpy_leaves_graphs_of_many_steps_to_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    topology = build(parse("C(64,{1})"))
    plain = Topology(n=topology.n, tail=topology.tail, head=topology.head)
    given = (*group_arcs(plain).kernel_input, receivers(plain))
    whole = evaluation_numpy.profile_in_numpy(*given)
    assert whole is not None
    assert whole[0] == 32
    monkeypatch.setattr(evaluation_numpy, "most_steps_in_numpy", lambda n, widest: 31)
    assert evaluation_numpy.profile_in_numpy(*given) is None
    assert evaluate(plain).cost == Cost(32, Fraction(63, 64))


@pytest.mark.parametrize("loops", [0, 1, 2])
def test_a_lone_node_needs_no_step(loops: int) -> None:
    lone = Topology.from_arcs(1, [(0, 0)] * loops)
    arrays, asked = group_arcs(lone, compiled=False).kernel_input, receivers(lone)
    found = evaluation_numpy.profile_in_numpy(*arrays, asked)
    assert_same_profile(profile_kernels.profile_by_bits(*arrays, asked), found)
    assert evaluate(lone).cost == Cost(0, Fraction(0))


def assert_same_profile(one: tuple, other: tuple, asked: np.ndarray | None = None) -> None:
    """Steps, loads as ratios, line levels, and the returns of the receivers asked for."""
    steps = one[0]
    assert other[0] == steps
    span = slice(1, steps + 1)
    assert (one[1] * other[2])[span].tolist() == (other[1] * one[2])[span].tolist()
    assert one[3][span].tolist() == other[3][span].tolist()
    known = slice(None) if asked is None else asked
    assert one[4][known].tolist() == other[4][known].tolist()


def test_small_graphs_are_evaluated_without_compiled_kernels() -> None:
    program = (
        "import sys, topofinder; from fractions import Fraction;"
        "found = topofinder.evaluate(topofinder.build('Pi(4,64)').topology);"
        "assert found.cost == topofinder.Cost(3, Fraction(21, 16));"
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_small_graphs_take_kernels_that_are_loaded() -> None:
    """Numpy alone is slower by far, and only saves the time of loading."""
    code = (
        "from expansions.build import build\n"
        "from expansions.parser import parse\n"
        "from topofinder.schedules.bfb import evaluation\n"
        "small = build(parse('Pi(2,20)'))\n"
        "assert not evaluation.prefers_compiled(small)\n"
        "evaluation.evaluate(build(parse('C(3000,{1,7})')))\n"
        "assert evaluation.prefers_compiled(small)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("spent", "stored", "compiled"),
    [(0.3, True, False), (0.5, True, True), (0.5, False, False), (2.1, False, True)],
)
def test_kernels_that_lie_compiled_are_taken_sooner(
    monkeypatch: pytest.MonkeyPatch, spent: float, stored: bool, compiled: bool
) -> None:
    monkeypatch.setattr(evaluation, "_is_loaded", lambda module, name: False)
    monkeypatch.setattr(evaluation, "may_be_stored", lambda function: stored)
    monkeypatch.setattr(evaluation._numpy, "spent", spent)
    assert evaluation.prefers_compiled(build(parse("Pi(2,20)"))) == compiled


@pytest.mark.parametrize("seed", range(60))
def test_few_receivers_give_a_lower_bound(seed: int) -> None:
    topology = random_topology(seed, regular=seed % 2 == 0)
    evaluate(build(parse("Pi(2,5000)")))  # from here on by kernels
    graph = GraphEvaluations(topology)
    found = list(graph.lower_bounds())
    assert len(found) == (topology.n > 4) + (topology.n > 16) + (topology.n > 128)
    for bound in found:
        for least, whole in zip(bound, graph.pair(), strict=True):
            assert least.cost.weakly_beats(whole.cost)
            assert all(few <= all_ for few, all_ in zip(least.loads, whole.loads, strict=False))


@pytest.mark.parametrize("text", ["Pi(6,97)", "Bi(Pi(4,83))", "Pi(9,61)"])
def test_few_receivers_give_a_lower_bound_in_numpy(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(evaluation, "kernels_are_loaded", lambda: False)
    monkeypatch.setattr(evaluation._numpy, "spent", 0.0)
    graph = GraphEvaluations(build(parse(text)))
    [bound] = graph.lower_bounds()
    for least, whole in zip(bound, graph.pair(), strict=True):
        assert all(few <= all_ for few, all_ in zip(least.loads, whole.loads, strict=False))


@pytest.mark.parametrize("seed", range(40))
def test_the_transpose_need_not_be_made(seed: int) -> None:
    topology = random_topology(seed, regular=seed % 2 == 0)
    pair = GraphEvaluations(topology).pair()
    assert list(map(contents, pair)) == [
        contents(evaluate(graph)) for graph in (topology, topology.transpose())
    ]


def contents(found: Evaluation) -> tuple[object, ...]:
    """All that an evaluation says."""
    return found.n, found.d, found.loads, found.line_exact, found.cycle


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
