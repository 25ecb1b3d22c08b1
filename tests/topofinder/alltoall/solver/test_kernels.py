"""The kernels and small solvers of throughput against slow, obvious twins."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import linprog

from expansions.build import build
from expansions.parser import parse
from generators.topology import Topology
from tests.concurrent import random_problem
from tests.twins import random_topology
from topofinder.alltoall.problem import FlowProblem, flow_network
from topofinder.alltoall.solver.equilibrium import Equilibrium
from topofinder.alltoall.solver.equilibrium_kernels import add_loads
from topofinder.alltoall.solver.exact_simplex import MatrixGame
from topofinder.alltoall.solver.flow_kernels import ecmp_flows, round_flows
from topofinder.alltoall.solver.linear_program import FlowProgram
from topofinder.alltoall.solver.reduction import identity_reduction, reduce_problem
from topofinder.alltoall.solver.rounding import best_flow, common_denominator
from topofinder.alltoall.solver.shortest_path_kernels import (
    fill_distances,
    fill_tree,
    total_distance,
)

REFINED = [
    "Pi(4,36)",
    "DBJ(2,4)",
    "L(K(4,4))",
    "Diamond^2",
    "L^2(C(5,{1,2}))",
    "UniRing(1,6) x Diamond",
]


def shortest_twin(net, length: np.ndarray) -> np.ndarray:
    graph = nx.DiGraph()
    for u, v, own in zip(net.tail.tolist(), net.head.tolist(), length.tolist(), strict=True):
        if not graph.has_edge(u, v) or graph[u][v]["length"] > own:
            graph.add_edge(u, v, length=own)
    table = np.zeros((net.n, net.n))
    for u, distance in nx.all_pairs_dijkstra_path_length(graph, weight="length"):
        for v, own in distance.items():
            table[u, v] = own
    return table


@pytest.mark.parametrize("kind", [np.int64, np.float64])
@pytest.mark.parametrize("seed", range(15))
def test_distances_are_those_of_networkx(seed, kind):
    net = flow_network(random_topology(seed, regular=seed % 2 == 0))
    generator = np.random.default_rng(seed)
    length = (generator.integers(0, 5, net.arcs) * (1 if kind is np.int64 else 0.37)).astype(kind)
    out = np.empty((net.n, net.n), dtype=kind)
    fill_distances(np.arange(net.n, dtype=np.int32), net, length, out)
    expected = shortest_twin(net, length)
    assert np.allclose(out, expected)
    wanted = generator.random((net.n, net.n))
    weight = generator.random(net.n)
    total = total_distance(np.arange(net.n, dtype=np.int32), weight, wanted, net, length)
    assert total == pytest.approx(float((weight[:, None] * wanted * expected).sum()))


@pytest.mark.parametrize("seed", range(15))
def test_trees_hold_shortest_paths_in_order(seed):
    net = flow_network(random_topology(seed))
    length = np.random.default_rng(seed).integers(0, 4, net.arcs)
    distance, parent, order = (np.empty(net.n, dtype=np.int64) for _ in range(3))
    assert fill_tree(0, net, length, distance, parent, order) == net.n
    assert sorted(order.tolist()) == list(range(net.n))
    assert (np.diff(distance[order]) >= 0).all()
    place = np.argsort(order)
    for v in order[1:].tolist():
        u = net.tail[parent[v]]
        assert net.head[parent[v]] == v
        assert place[u] < place[v]
        assert distance[v] == distance[u] + length[parent[v]]


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


@pytest.mark.parametrize("seed", range(30))
def test_the_game_has_the_value_of_its_linear_program(seed):
    generator = np.random.default_rng(seed)
    rows = int(generator.integers(1, 6))
    columns = generator.integers(0, 9, (int(generator.integers(1, 12)), rows)).tolist()
    columns[0] = [load + 1 for load in columns[0]]
    game = MatrixGame(columns[0])
    while any(game.offer_column(column) for column in columns):
        pass
    table = np.array(columns, dtype=float).T
    objective = np.append(np.zeros(len(columns)), 1.0)
    answer = linprog(
        objective,
        A_ub=np.hstack([table, -np.ones((rows, 1))]),
        b_ub=np.zeros(rows),
        A_eq=np.append(np.ones(len(columns)), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * len(columns) + [(None, None)],
    )
    assert float(game.largest) == pytest.approx(answer.fun)
    assert sum(game.weights().values()) == 1
    lengths = game.integer_lengths()
    best = min(sum(w * t for w, t in zip(lengths, column, strict=True)) for column in columns)
    assert Fraction(best, sum(lengths)) == game.largest


def test_common_denominators_are_found_or_denied():
    assert common_denominator([1 / 7, 3 / 4, 2.0]) == 28
    assert common_denominator([np.sqrt(0.5)]) is None
    assert common_denominator([np.pi, 1 / 3]) is None
    generator = np.random.default_rng(3)
    assert common_denominator(generator.random(50)) is None
