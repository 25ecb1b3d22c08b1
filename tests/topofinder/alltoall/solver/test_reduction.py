"""Reductions are equitable partitions, and keep apart what differs."""

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.topology import Topology
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.solver.equilibrium_kernels import add_loads
from topofinder.alltoall.solver.linear_program import FlowProgram
from topofinder.alltoall.solver.reduction import reduce_problem

REFINED = [
    "Pi(4,36)",
    "DBJ(2,4)",
    "L(K(4,4))",
    "Diamond^2",
    "L^2(C(5,{1,2}))",
    "UniRing(1,6) x Diamond",
]


@pytest.mark.parametrize("recipe", REFINED)
def test_classes_are_equitable_and_lifting_keeps_the_rate(recipe):
    problem = FlowProblem(topology=build(parse(recipe)))
    small = reduce_problem(problem)
    assert len(small.sources) < problem.topology.n
    assert small.weight.sum() == problem.topology.n
    flows, _ = FlowProgram.of(small).solve(60.0)
    rows = small.lift_flows(flows)
    load = rows.sum(axis=0)
    for kind in range(small.classes):
        assert np.allclose(load[small.kind == kind], load[small.kind == kind][0])
    for source, row in enumerate(rows):
        net = np.bincount(small.net.head, row, small.net.n)
        net -= np.bincount(small.net.tail, row, small.net.n)
        assert np.allclose(np.delete(net, source), 1.0)
    direct = np.zeros(small.classes)
    add_loads(small.weight.astype(float), small.kind, flows, direct)
    assert np.allclose(direct, np.bincount(small.kind, load))


def test_what_capacity_or_demand_tells_apart_is_kept_apart():
    arcs = [(u, (u + step) % 4) for u in range(4) for step in (1, 3)]
    even = Topology.from_arcs(4, arcs)
    odd = Topology.from_arcs(4, arcs, capacity=[2] + [1] * 7)
    assert reduce_problem(FlowProblem(topology=even)).classes == 1
    assert reduce_problem(FlowProblem(topology=odd)).classes > 1
