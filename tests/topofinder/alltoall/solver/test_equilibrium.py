"""Sweeps keep flows and loads what they are."""

import numpy as np
import pytest

from generators.topology import Topology
from tests.concurrent import random_problem
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.solver.equilibrium import TURN, Equilibrium
from topofinder.alltoall.solver.equilibrium_kernels import add_loads
from topofinder.alltoall.solver.flow_kernels import ecmp_flows
from topofinder.alltoall.solver.reduction import identity_reduction


@pytest.mark.parametrize("seed", range(10))
def test_sweeps_keep_every_delivery_and_count_loads(seed):
    problem = random_problem(seed)
    small = identity_reduction(problem)
    state = Equilibrium(small, ecmp_flows(small))
    for _ in range(5):
        lower, upper = state.lower, state.upper
        state.step()
        assert state.lower >= lower
        assert state.upper <= upper
    assert (state.flows >= 0).all()
    flows, wanted = state.flows * state.scale, small.wanted
    for row, own, source in zip(flows, wanted, small.sources.tolist(), strict=True):
        net = np.bincount(small.net.head, row, small.net.n)
        net -= np.bincount(small.net.tail, row, small.net.n)
        net[source] = own[source]
        assert np.allclose(net, own, atol=1e-9 * state.scale)
    load = np.zeros(small.classes)
    add_loads(np.ones(len(flows)), small.kind, flows, load)
    assert np.allclose(load, flows.sum(axis=0))
    assert state.lower == pytest.approx(float((small.capacity / np.maximum(load, 1e-9)).min()))


def test_a_sweep_that_is_out_of_time_ends_after_some_sources() -> None:
    """The flows of the others stay what they were, and the bounds are no worse than before."""
    random = np.random.default_rng(0)
    heads = np.concatenate([np.roll(np.arange(100), 1), *(random.permutation(100) for _ in "ab")])
    graph = Topology(n=100, tail=np.tile(np.arange(100), 3), head=heads)
    small = identity_reduction(FlowProblem(topology=graph))
    first = ecmp_flows(small)
    state = Equilibrium(small, first.copy())
    lower, upper = state.lower, state.upper
    state.step(until=0.0)
    moved = ~np.isclose(state.take_flows(), first, atol=1e-9).all(axis=1)
    assert moved[:TURN].any()
    assert not moved[TURN:].any()
    assert lower <= state.lower <= state.upper <= upper
