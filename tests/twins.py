"""Slow, obvious twins of the fast methods: plain loops, networkx and linear programs."""

from fractions import Fraction

import networkx as nx
import numpy as np
from scipy.optimize import linprog

from expansions.cost import Cost
from generators.topology import Topology


def random_topology(seed: int, *, regular: bool = True) -> Topology:
    """A strongly connected digraph of 2 to 12 nodes, parallel arcs and self-loops welcome."""
    generator = np.random.default_rng(seed)
    n = int(generator.integers(2, 13))
    d = int(generator.integers(1, 6))
    while True:
        heads = [generator.permutation(n) for _ in range(d)]
        tail, head = np.tile(np.arange(n), d), np.concatenate(heads)
        if not regular:
            keep = generator.random(len(tail)) < 0.8
            tail, head = tail[keep], head[keep]
        graph = nx.DiGraph(list(zip(tail.tolist(), head.tolist(), strict=True)))
        if len(graph) == n and nx.is_strongly_connected(graph):
            return Topology(n=n, tail=tail.astype(np.int32), head=head.astype(np.int32))


def distances(topology: Topology) -> np.ndarray:
    """All hop distances by networkx; `[u, v]` is from u to v."""
    graph = nx.DiGraph(list(zip(topology.tail.tolist(), topology.head.tolist(), strict=True)))
    table = np.full((topology.n, topology.n), -1)
    for u, lengths in nx.all_pairs_shortest_path_length(graph):
        for v, hops in lengths.items():
            table[u, v] = hops
    return table


def lp_load(shards: list[list[int]], links: int) -> Fraction:
    """Linear program (1) for one receiver and step: shards[j] lists the links that can carry j."""
    pairs = [(j, link) for j, eligible in enumerate(shards) for link in eligible]
    columns = len(pairs) + 1
    load, whole = np.zeros((links, columns)), np.zeros((len(shards), columns))
    for column, (j, link) in enumerate(pairs):
        load[link, column] = whole[j, column] = 1
    load[:, -1] = -1
    answer = linprog(
        np.eye(columns)[-1], A_ub=load, b_ub=np.zeros(links), A_eq=whole, b_eq=np.ones(len(shards))
    )
    assert answer.status == 0
    exact = Fraction(answer.fun).limit_denominator(links)
    assert abs(float(exact) - answer.fun) < 1e-7
    return exact


def lp_loads(topology: Topology) -> list[Fraction]:
    """The busiest link of every BFB step, by one linear program a receiver and step."""
    hops = distances(topology)
    loads = []
    for step in range(1, int(hops.max()) + 1):
        busiest = Fraction()
        for u in range(topology.n):
            tails = [v for v, w in zip(topology.tail, topology.head, strict=True) if w == u]
            shards = [
                [link for link, w in enumerate(tails) if hops[v, w] == step - 1 and w != u]
                for v in range(topology.n)
                if hops[v, u] == step
            ]
            if shards:
                busiest = max(busiest, lp_load(shards, len(tails)))
        loads.append(busiest)
    return loads


def lp_cost(topology: Topology) -> Cost:
    """The cost of the best BFB allgather by linear programs alone."""
    loads = lp_loads(topology)
    return Cost(len(loads), Fraction(topology.degree, topology.n) * sum(loads, Fraction()))


def line_graph_twin(topology: Topology) -> Topology:
    """The line digraph by its definition: arc e is followed by arc f when head[e] == tail[f]."""
    arcs = [
        (e, f)
        for e, middle in enumerate(topology.head)
        for f, tail in enumerate(topology.tail)
        if middle == tail
    ]
    return Topology.from_arcs(topology.arcs, arcs)
