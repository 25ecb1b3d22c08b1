"""Common denominators of computed numbers."""

from fractions import Fraction

import numpy as np

from generators.arrays import jump_graph
from topofinder.alltoall.demand.matrix import Demand
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.solver.bounds import length_upper_bound
from topofinder.alltoall.solver.reduction import identity_reduction
from topofinder.alltoall.solver.rounding import approximate_denominator, best_lengths


def test_common_denominators_are_found_or_denied():
    assert approximate_denominator([1 / 7, 3 / 4, 2.0]) == 28
    assert approximate_denominator([np.sqrt(0.5)]) is None
    assert approximate_denominator([np.pi, 1 / 3]) is None
    generator = np.random.default_rng(3)
    assert approximate_denominator(generator.random(50)) is None


def test_lengths_that_one_source_alone_meets():
    """None of the first sources is far from anything, and node 40 is far from all."""
    topology = jump_graph(128, [1, 5])
    demand = Demand.of(np.where(np.arange(128)[:, None] == 40, 1000, 1) * np.ones((128, 128), int))
    problem = FlowProblem(topology=topology, demand=demand)
    only = (topology.tail == 40).astype(np.int64)
    upper, _ = best_lengths(problem, identity_reduction(problem), only.astype(np.float64))
    assert upper == length_upper_bound(problem, only) == Fraction(2, 1000 * 127)
