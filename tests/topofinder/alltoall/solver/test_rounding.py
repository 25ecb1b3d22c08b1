"""Common denominators of computed numbers."""

from fractions import Fraction

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.arrays import jump_graph
from generators.topology import Topology
from topofinder.alltoall.demand.matrix import Demand
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.solver.bounds import hop_bound, length_upper_bound
from topofinder.alltoall.solver.flow_kernels import ecmp_flows
from topofinder.alltoall.solver.reduction import identity_reduction, reduce_problem
from topofinder.alltoall.solver.rounding import (
    approximate_denominator,
    best_flow,
    best_lengths,
)


def test_common_denominators_are_found_or_denied():
    assert approximate_denominator([1 / 7, 3 / 4, 2.0]) == 28
    assert approximate_denominator([np.sqrt(0.5)]) is None
    assert approximate_denominator([np.pi, 1 / 3]) is None
    generator = np.random.default_rng(3)
    assert approximate_denominator(generator.random(50)) is None


@pytest.mark.parametrize("recipe", ["L(K(4,4))", "Diamond^2", "DBJ(2,4)", "Pi(4,36)"])
def test_rational_flows_and_equal_lengths_are_kept(recipe: str) -> None:
    """The bounds are those of the flow and the hops themselves, as integers prove them."""
    topology = build(parse(recipe))
    problem = FlowProblem(topology=topology)
    small = reduce_problem(problem)
    flows = ecmp_flows(small)
    lower, flow = best_flow(problem, small, flows)
    load = small.lift_flows(flows).sum(axis=0).max()
    assert float(lower) == pytest.approx(1 / load, rel=1e-11)
    assert flow.quantum.denominator < 1 << 20
    upper, lengths = best_lengths(problem, small, np.ones(small.classes))
    assert upper == hop_bound(problem)
    assert set(lengths[topology.tail != topology.head].tolist()) == {1}


def test_an_idle_arc_of_any_capacity_limits_nothing() -> None:
    """What node 0 sends to node 1 goes over node 2; the arc between them is idle, and huge."""
    arcs = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    topology = Topology.from_arcs(3, arcs, capacity=(Fraction(10**12), *[Fraction(1)] * 5))
    problem = FlowProblem(topology=topology)
    small = identity_reduction(problem)
    sent = {(0, 2): 2.0, (2, 1): 1.0}, {(1, 0): 1.0, (1, 2): 1.0}, {(2, 0): 1.0, (2, 1): 1.0}
    flows = np.array([[row.get(arcs[e], 0.0) for e in small.net.arc] for row in sent])
    with np.errstate(all="raise"):
        lower, _ = best_flow(problem, small, flows)
    assert lower * problem.unit == Fraction(1, 2)


def test_demand_rows_are_those_of_each_source() -> None:
    for demand in (None, Demand.of(np.arange(25).reshape(5, 5))):
        problem = FlowProblem(topology=jump_graph(5, [1, 2]), demand=demand)
        for rows, least in ((problem.demand_rows(problem.sources), False),
                            (problem.demand_rows(problem.sources, least=True), True)):  # fmt: skip
            for source, row in zip(problem.sources.tolist(), rows, strict=True):
                assert row.tolist() == problem.demand_row(source, least=least).tolist()
                assert demand is None or row.tolist() == demand.high[source].tolist()
                assert demand is not None or row.tolist() == [int(v != source) for v in range(5)]


def test_lengths_that_one_source_alone_meets():
    """None of the first sources is far from anything, and node 40 is far from all."""
    topology = jump_graph(128, [1, 5])
    demand = Demand.of(np.where(np.arange(128)[:, None] == 40, 1000, 1) * np.ones((128, 128), int))
    problem = FlowProblem(topology=topology, demand=demand)
    only = (topology.tail == 40).astype(np.int64)
    upper, _ = best_lengths(problem, identity_reduction(problem), only.astype(np.float64))
    assert upper == length_upper_bound(problem, only) == Fraction(2, 1000 * 127)
