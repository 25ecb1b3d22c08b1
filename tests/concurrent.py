"""LP (3) for any demand and capacities, written out in full: the twin of the throughput solver."""

from fractions import Fraction

import networkx as nx
import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from generators.topology import Topology
from topofinder.alltoall.problem import FlowProblem


def amounts(problem: FlowProblem) -> np.ndarray:
    """What every node wants from every other, rounded; [s, t] is from s to t."""
    rows = [problem.demand_row(source) for source in range(problem.topology.n)]
    return np.array(rows) * float(problem.unit)


def largest_rate(problem: FlowProblem) -> float:
    """f by HiGHS: one flow a source, one row a (source, node) and one an arc."""
    topology, wanted = problem.topology, amounts(problem)
    n, m = topology.n, topology.arcs
    into = sparse.csr_matrix((np.ones(m), (topology.head, np.arange(m))), (n, m))
    out = sparse.csr_matrix((np.ones(m), (topology.tail, np.arange(m))), (n, m))
    sources = np.flatnonzero(wanted.any(axis=1))
    rows, right = [], []
    for place, source in enumerate(sources):
        keep = np.flatnonzero(np.arange(n) != source)
        blocks = [sparse.csr_matrix((n - 1, m))] * len(sources)
        blocks[place] = (into - out)[keep]
        rows.append(sparse.hstack([*blocks, sparse.csr_matrix(-wanted[source, keep][:, None])]))
        right.append(np.zeros(n - 1))
    capacity = np.array([float(c) for c in topology.capacity or (Fraction(1),) * m])
    loads = sparse.hstack([*[sparse.identity(m)] * len(sources), sparse.csr_matrix((m, 1))])
    objective = np.zeros(len(sources) * m + 1)
    objective[-1] = -1
    answer = linprog(
        objective,
        A_ub=loads.tocsr(),
        b_ub=capacity,
        A_eq=sparse.vstack(rows).tocsr(),
        b_eq=np.concatenate(right),
        method="highs",
    )
    assert answer.status == 0
    return float(-answer.fun)


def random_problem(seed: int, most: int = 12) -> FlowProblem:
    """A strongly connected multigraph with random capacities and demands, loops and switches."""
    from topofinder.alltoall.demand.matrix import Demand

    generator = np.random.default_rng(seed)
    n = int(generator.integers(2, most + 1))
    degree = int(generator.integers(1, 5))
    heads = [np.roll(np.arange(n), 1)] + [generator.permutation(n) for _ in range(degree)]
    tail, head = np.tile(np.arange(n), len(heads)), np.concatenate(heads)
    choice = int(generator.integers(4))
    capacity = None
    if choice % 2:
        capacity = tuple(Fraction(int(c), 4) for c in generator.integers(1, 20, len(tail)))
    switches = (0,) if n > 3 and choice == 3 else ()
    topology = Topology(n=n, tail=tail, head=head, capacity=capacity, switches=switches)
    if choice < 1:
        return FlowProblem(topology=topology)
    matrix = generator.integers(0, 6, (n, n)) if choice < 3 else generator.random((n, n))
    matrix[list(switches)] = 0
    matrix[:, list(switches)] = 0
    matrix[1, 0 if not switches else 2] = 1
    return FlowProblem(topology=topology, demand=Demand.of(matrix))


def require_proved(problem: FlowProblem, flow, lower: Fraction, lengths, upper: Fraction) -> None:
    """Recompute both bounds by networkx and plain sums, flows of every source written out."""
    topology = problem.topology
    capacity = topology.capacity or (Fraction(1),) * topology.arcs
    graph = nx.DiGraph()
    for u, v, length in zip(topology.tail.tolist(), topology.head.tolist(), lengths, strict=True):
        if not graph.has_edge(u, v) or graph[u][v]["length"] > length:
            graph.add_edge(u, v, length=int(length))
    assert min(lengths) >= 0
    spent = Fraction(0)
    for source, distance in nx.all_pairs_dijkstra_path_length(graph, weight="length"):
        for t, wanted in enumerate(problem.demand_row(source, least=True).tolist()):
            spent += wanted * distance[t]
    room = sum(c * int(x) for c, x in zip(capacity, lengths, strict=True))
    assert upper == room / (spent * problem.unit)
    load = np.zeros(topology.arcs, dtype=object)
    rows = written_out(topology, flow)
    for source in range(topology.n):
        row = rows.get(source, np.zeros(topology.arcs, dtype=np.int64))
        assert (row >= 0).all()
        net = np.zeros(topology.n, dtype=object)
        np.add.at(net, topology.head, row)
        np.subtract.at(net, topology.tail, row)
        for t, wanted in enumerate(problem.demand_row(source).tolist()):
            assert t == source or net[t] * flow.quantum >= wanted * problem.unit
        load += row
    assert lower == min(c / (x * flow.quantum) for c, x in zip(capacity, load, strict=True) if x)


def written_out(topology: Topology, flow) -> dict[int, np.ndarray]:
    """The flow of every source; translations act on the arcs as images of their ends."""
    if flow.lift == "whole":
        return dict(zip(flow.sources.tolist(), flow.rows, strict=True))
    arcs = {}
    for e, pair in enumerate(zip(topology.tail.tolist(), topology.head.tolist(), strict=True)):
        arcs.setdefault(pair, []).append(e)
    rows = {}
    for u in range(topology.n):
        image = topology.translation(u)
        rows[u] = np.zeros(topology.arcs, dtype=np.int64)
        for (tail, head), own in arcs.items():
            rows[u][arcs[int(image[tail]), int(image[head])]] = flow.rows[0][own]
    return rows


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
