"""Every interval against the full linear program, its proofs written out, and published figures."""

import signal
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from tests.concurrent import largest_rate, random_problem, require_proved
from tests.published import PUBLISHED
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.register import (
    THROUGHPUT_METHODS,
    ThroughputMethod,
    method_names,
    register_throughput_method,
)
from topofinder.alltoall.solve import bound_throughput
from topofinder.alltoall.solver.bounds import flow_lower_bound, hop_bound, length_upper_bound
from topofinder.alltoall.solver.transitive import solve_by_translations

NEAR = 1e-7
IMPOSSIBLE = "L^3(C(16,{3,4}))"


def uniform(recipe: str) -> FlowProblem:
    return FlowProblem(topology=build(parse(recipe)))


def require_right(problem: FlowProblem, method: str) -> None:
    answer = bound_throughput(problem, method=method, time=3600.0)
    rate = largest_rate(problem)
    assert float(answer.lower) <= rate * (1 + NEAR)
    assert float(answer.upper) >= rate * (1 - NEAR)
    assert method == "hops" or answer.gap <= Fraction(1, 1000)
    require_proved(problem, answer.flow, answer.lower, answer.lengths.tolist(), answer.upper)


@pytest.mark.parametrize("method", ["auto", "hops", "lp", "equilibrium"])
@pytest.mark.parametrize("seed", range(12))
def test_the_program_in_full_agrees(seed, method):
    require_right(random_problem(seed, 9), method)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "equilibrium"])
@pytest.mark.parametrize("seed", range(100, 220))
def test_the_program_in_full_agrees_up_to_40_nodes(seed, method):
    require_right(random_problem(seed, 40), method)


@pytest.mark.parametrize(
    "recipe",
    [
        "UniRing(1,5)",
        "C(9,{1,2})",
        "C(12,{1,5})",
        "Torus(3,4)",
        "Q(4)",
        "TwistedTorus(4,3,1)",
        "C(5,{1,2})*2",
    ],
)
def test_translations_give_the_exact_value(recipe):
    problem = uniform(recipe)
    answer = bound_throughput(problem)
    assert answer.method == "translations"
    assert answer.exact is not None
    assert abs(float(answer.exact) - largest_rate(problem)) < NEAR
    require_proved(problem, answer.flow, answer.lower, answer.lengths.tolist(), answer.upper)


def test_fractions_that_grow_too_long_still_give_a_proved_interval():
    problem = uniform("C(12,{1,5,4})")
    lengths, flow = solve_by_translations(problem, longest=40)
    lower, upper = flow_lower_bound(problem, flow), length_upper_bound(problem, lengths)
    assert 1 - lower / upper < Fraction(1, 3)
    require_proved(problem, flow, lower, lengths.tolist(), upper)


@pytest.mark.parametrize(
    ("recipe", "method", "value"),
    [
        ("L(K(4,4))", "lp", Fraction(2, 35)),
        ("DistReg(4,32)", "hops", Fraction(1, 19)),
        ("Pi(4,64)", "lp", Fraction(15, 691)),
        ("Diamond^2", "lp", Fraction(3, 160)),
        ("Torus(32,32)", "translations", Fraction(1, 4096)),
        ("Q(12)", "translations", Fraction(1, 2048)),
        ("(UniRing(1,4) x UniRing(1,8))^2", "translations", Fraction(1, 3584)),
    ],
)
def test_symmetric_graphs_have_exact_values(recipe, method, value):
    answer = bound_throughput(uniform(recipe))
    assert (answer.method, answer.exact) == (method, value)


TABLE_7 = [
    pytest.param(recipe, printed, marks=pytest.mark.slow if int(n) > 256 else ())
    for n, rows in PUBLISHED["table7"].items()
    for recipe, *_, printed in rows
]


@pytest.mark.parametrize(("recipe", "printed"), TABLE_7)
def test_the_printed_values_of_table_7_are_met(recipe, printed):
    answer = bound_throughput(uniform(recipe))
    assert answer.gap <= Fraction(1, 1000)
    digits = f"{printed:e}"
    half = Fraction(5, 1000) * Fraction(10) ** int(digits[digits.index("e") + 1 :])
    exact = Fraction(str(printed))
    inside = answer.lower <= exact + half and answer.upper >= exact - half
    assert inside == (recipe != IMPOSSIBLE)


def test_one_printed_value_is_above_what_its_graph_allows():
    [printed] = [row[4] for row in PUBLISHED["table7"]["1024"] if row[0] == IMPOSSIBLE]
    assert float(hop_bound(uniform(IMPOSSIBLE))) < printed - 0.005e-4


class Clock:
    """Ctrl-C after so many reports of progress."""

    def __init__(self, reports: int) -> None:
        self.left, self.seen = reports, []

    def __call__(self, progress) -> None:
        self.seen.append(progress)
        self.left -= 1
        if not self.left:
            signal.raise_signal(signal.SIGINT)


@pytest.fixture
def heeds_interrupts() -> Iterator[None]:
    """Python's own handler, also where the tests were started with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_interrupts")
def test_an_interrupt_leaves_the_best_interval_so_far():
    clock = Clock(2)
    asked = {"method": "equilibrium", "gap": Fraction(1, 10**9), "time": 3600.0}
    answer = bound_throughput(uniform("Pi(4,100)"), **asked, tell=clock)
    assert answer.interrupted
    assert len(clock.seen) == 2
    assert clock.seen[0].lower <= clock.seen[1].lower
    assert 0 < float(answer.lower) <= float(answer.upper)
    assert abs(float(answer.lower / clock.seen[1].lower) - 1) < 1e-9


def test_no_time_at_all_gives_the_first_interval():
    answer = bound_throughput(uniform("Pi(4,100)"), method="equilibrium", time=0.0)
    assert 0 < answer.lower < answer.upper <= answer.hop_bound


def test_the_same_question_has_the_same_answer():
    first, again = (bound_throughput(uniform("Pi(4,40)"), method="equilibrium") for _ in range(2))
    assert (first.lower, first.upper) == (again.lower, again.upper)
    assert (first.flow.rows == again.flow.rows).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "magic"}, "method: 'magic' is none of auto"),
        ({"gap": Fraction(-1)}, "gap: -1"),
        ({"time": float("nan")}, "time: nan"),
    ],
)
def test_nonsense_is_refused(options, words):
    with pytest.raises(InvalidInput, match=words):
        bound_throughput(uniform("Q(3)"), **options)


def test_a_game_that_stalls_is_left_to_a_small_program() -> None:
    """All pairs of fourteen joined, and a ring: 1 + 2 / (n (n - 1)), after thousands of trees."""
    graph = build(parse(f"Cay(Z14;1,{','.join(map(str, range(1, 14)))})"))
    found = bound_throughput(FlowProblem(topology=graph))
    assert (found.exact, found.method) == (Fraction(92, 91), "lp")


def test_translations_are_for_graphs_that_have_them():
    assert "translations" in method_names()
    with pytest.raises(Unsupported, match="has none that keep the colours"):
        bound_throughput(uniform("Pi(4,10)"), method="translations")


def test_problems_beyond_memory_are_refused():
    with pytest.raises(Unsupported, match="10 sources times 40 arcs exceed 100"):
        bound_throughput(uniform("Pi(4,10)"), largest=100)


def all_lengths_one(search) -> bool:
    """A method from outside: the flow of ECMP routing, and lengths of 1."""
    search.keep_lengths(np.ones(search.problem.topology.arcs, dtype=np.int64))
    flows = search.equilibrium.take_flows()
    search.keep_rounded(flows, np.ones(search.reduction.classes), "ones")
    return True


def test_a_method_from_outside_is_asked_for_by_name_and_tried_by_its_price():
    ones = ThroughputMethod(name="ones", description="a toy", price=0, bound=all_lengths_one)
    register_throughput_method(ones)
    try:
        with pytest.raises(InvalidInput, match="'ones' is registered already"):
            register_throughput_method(ones)
        problem = uniform("Pi(4,10)")
        answer, first = (bound_throughput(problem, method=name) for name in ("ones", "auto"))
        assert answer.upper == hop_bound(problem)
        assert (answer.method, first.method, first.lower) == ("ones", "ones", answer.lower)
        with pytest.raises(InvalidInput, match=r"is none of auto, ones, .*, equilibrium$"):
            bound_throughput(problem, method="two")
    finally:
        del THROUGHPUT_METHODS["ones"]


def test_parallel_arcs_and_loops_carry_what_they_can():
    topology = Topology.from_arcs(2, [(0, 0), (0, 1), (0, 1), (1, 0), (1, 0), (1, 1)])
    answer = bound_throughput(FlowProblem(topology=topology))
    assert answer.exact == 2
    assert answer.lengths[0] == answer.lengths[5] == 0
