"""Bounds against plain sums over distances, and against what is printed."""

from fractions import Fraction

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.topology import Topology
from tests.published import PUBLISHED
from tests.twins import distances, random_topology
from topofinder.alltoall.demand.matrix import Demand
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.solve import bound_throughput
from topofinder.alltoall.solver.bounds import (
    hop_bound,
    moore_bound,
    moore_demand_rate,
    moore_rate,
)

RING = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])


@pytest.mark.parametrize("seed", range(20))
def test_the_hop_bound_is_arcs_over_distances(seed):
    topology = random_topology(seed)
    used = int((topology.tail != topology.head).sum())
    total = int(distances(topology).sum())
    assert hop_bound(FlowProblem(topology=topology)) == Fraction(used, total)


@pytest.mark.parametrize(
    ("n", "recipe"), [(32, "L(K(4,4))"), (64, "Diamond^2"), (256, "DBJ(4,4)"), (1024, "Pi(4,1024)")]
)
def test_the_moore_bound_is_the_one_printed_in_table_7(n, recipe):
    bound = moore_bound(FlowProblem(topology=build(parse(recipe))))
    printed = PUBLISHED["table7_bounds"][str(n)][2]
    assert abs(float(bound) - printed) <= 0.5 * 10 ** (np.floor(np.log10(printed)) - 2)


def test_there_is_no_moore_bound_for_unequal_links():
    unequal = Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(1, 2))
    assert moore_bound(FlowProblem(topology=unequal)) is None
    assert moore_bound(FlowProblem(topology=RING, demand=Demand.of(np.ones((3, 3), int)))) is None


@pytest.mark.parametrize("seed", range(20))
def test_no_graph_exceeds_the_moore_bound_of_a_demand(seed):
    topology = random_topology(seed)
    draw = np.random.default_rng(seed)
    demand = Demand.of(draw.integers(0, 9, (topology.n, topology.n)) + 1)
    limit = moore_demand_rate(demand, topology.degree)
    problem = FlowProblem(topology=topology, demand=demand)
    assert hop_bound(problem) <= limit
    assert bound_throughput(problem, time=5).lower <= limit


@pytest.mark.parametrize(("n", "d", "two_way"), [(10, 3, True), (8, 2, False), (100, 4, False)])
def test_the_moore_bound_of_an_even_demand_is_that_of_all_pairs(n, d, two_way):
    even = Demand.of(np.ones((n, n), dtype=int))
    assert moore_demand_rate(even, d, two_way=two_way) == moore_rate(n, d, two_way=two_way)
