"""Flows of ECMP and rounded flows, against plain recursion and balances."""

import numpy as np
import pytest

from tests.concurrent import random_problem, shortest_twin
from tests.twins import random_topology
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.solver.flow_kernels import ecmp_flows, round_flows
from topofinder.alltoall.solver.reduction import identity_reduction
from topofinder.alltoall.solver.rounding import best_flow


@pytest.mark.parametrize("seed", range(10))
def test_even_flows_split_as_plain_recursion_does(seed):
    small = identity_reduction(FlowProblem(topology=random_topology(seed)))
    net, hops = small.net, shortest_twin(small.net, np.ones(small.net.arcs))
    flows = ecmp_flows(small)
    for source in range(net.n):
        expected = np.zeros(net.arcs)
        for target in range(net.n):
            send_back(net, hops[source], target, float(source != target), expected)
        assert np.allclose(flows[source], expected)


def send_back(net, hops: np.ndarray, v: int, amount: float, flow: np.ndarray) -> None:
    arcs = [e for e in np.flatnonzero(net.head == v) if hops[net.tail[e]] < hops[v]]
    for e in arcs:
        flow[e] += amount / len(arcs)
        send_back(net, hops, int(net.tail[e]), amount / len(arcs), flow)


@pytest.mark.parametrize("seed", range(10))
def test_whole_flows_deliver_all_whatever_is_missing(seed):
    problem = random_problem(seed)
    small = identity_reduction(problem)
    generator = np.random.default_rng(seed)
    rows = ecmp_flows(small) * generator.uniform(0.9, 1.0, (len(small.sources), small.net.arcs))
    out = np.empty(rows.shape, dtype=np.int64)
    round_flows(small.sources, small.net, small.wanted, rows, out, 1000)
    assert (out >= 0).all()
    for row, own, source in zip(out, small.wanted, small.sources.tolist(), strict=True):
        net = np.zeros(small.net.n, dtype=np.int64)
        np.add.at(net, small.net.head, row)
        np.subtract.at(net, small.net.tail, row)
        assert (np.delete(net - 1000 * own, source) >= 0).all()
    assert best_flow(problem, small, rows)[0] > 0
