"""What a throughput problem refuses, and the bounds that need no search."""

from fractions import Fraction

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.published import PUBLISHED
from tests.twins import distances, random_topology
from topofinder.alltoall.demand.matrix import BITS, Demand
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.solver.bounds import hop_bound, moore_bound

RING = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
PATH = Topology.from_arcs(3, [(0, 1), (1, 2)])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: FlowProblem(topology=PATH), "not strongly connected: node 1 cannot reach node 0"),
        (lambda: FlowProblem(topology=Topology.from_arcs(1, [(0, 0)])), "topology: 1 host"),
        (
            lambda: FlowProblem(topology=RING, demand=Demand.of([[0, 1], [1, 0]])),
            "2 rows for 3 nodes",
        ),
        (
            lambda: FlowProblem(
                topology=Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)], switches=(1,)),
                demand=Demand.of([[0, 0, 1], [1, 0, 0], [0, 0, 0]]),
            ),
            "node 1 is a switch, and has demand",
        ),
        (lambda: Demand.of([[0, -1], [1, 0]]), "[0, 1] is -1, which is negative"),
        (lambda: Demand.of([[0, np.nan], [1, 0]]), "[0, 1] is nan"),
        (lambda: Demand.of([[0, 1, 1], [1, 0, 1]]), "not shape (2, 3)"),
        (lambda: Demand.of([[1, 0], [0, 1]]), "no node wants anything"),
        (lambda: Demand.of([[0, "a"], [1, 0]]), "numbers are needed"),
        (lambda: Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(1, 0)), "capacity of arc 1"),
    ],
)
def test_nonsense_is_refused_in_one_line(make, words):
    with pytest.raises(InvalidInput) as refused:
        make()
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_floats_lie_between_two_whole_matrices():
    generator = np.random.default_rng(1)
    amounts = generator.random((9, 9)) * 10.0 ** generator.integers(-12, 3, (9, 9))
    demand = Demand.of(amounts)
    for low, high, amount in zip(
        demand.low.ravel(), demand.high.ravel(), amounts.ravel(), strict=True
    ):
        if high:
            assert int(low) * demand.unit <= Fraction(amount) <= int(high) * demand.unit
            assert int(high) - int(low) <= 1
    assert int(demand.high.max()).bit_length() <= BITS + 1
    assert not np.diag(demand.high).any()


@pytest.mark.parametrize("matrix", [[[0, 3], [6, 0]], [[0, 0.5], [0.25, 0]]])
def test_whole_amounts_stay_exact(matrix):
    demand = Demand.of(matrix)
    assert demand.is_exact
    assert [[x * demand.unit for x in row] for row in demand.high.tolist()] == matrix


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
