"""Problems that nothing could solve are refused."""

import numpy as np
import pytest

from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.alltoall.demand.matrix import Demand
from topofinder.alltoall.problem import FlowProblem

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
