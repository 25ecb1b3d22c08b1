"""Proves which costs no graph of a small size can have, by exhaustion and linear programs.

    python -m tools.prove_small_frontiers

takes half a minute on one core. For each (N, d) and number of steps below it lists every digraph of
that diameter or less, and for each class of isomorphic ones bounds from below the bandwidth of
every schedule in that many steps, breadth-first or not. Self-loops, parallel arcs and idle ports
need not be considered: at all these sizes a node that has one reaches fewer than N nodes in time.
"""

from fractions import Fraction

import networkx as nx
import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from generators.topology import Topology
from tools.all_digraphs import digraphs
from topofinder.schedules.synthesis.milp import broadcast_of, load_matrix

QUESTIONS = (
    *((6, 2, 2), (7, 2, 2), (12, 2, 3), (13, 2, 3), (14, 2, 3), (15, 2, 3)),
    *((11, 3, 2), (12, 3, 2), (13, 3, 2)),
)
"""(N, d, steps): sizes at which no graph found meets both bounds at once."""


def classes(n: int, d: int, diameter: int) -> list[nx.DiGraph]:
    """One digraph of each isomorphism class with that diameter or less."""
    kept: list[nx.DiGraph] = []
    for heads in digraphs(n, d, diameter).tolist():
        graph = nx.DiGraph((u, v) for u, ends in enumerate(heads) for v in ends)
        if not any(nx.is_isomorphic(graph, other) for other in kept):
            kept.append(graph)
    return kept


def least_bandwidth_in(graph: nx.DiGraph, steps: int) -> Fraction:
    """The relaxation of the synthesizer's MILP, with shards divided at will: a bound on T_B.

    The value of a vertex of this polytope, taken for the fraction of small denominator next to it.
    """
    topology = Topology.from_arcs(len(graph), sorted(graph.edges))
    hops = dict(nx.all_pairs_shortest_path_length(graph))
    distance = np.array([[hops[u][v] for v in sorted(graph)] for u in sorted(graph)])
    sends = [
        broadcast_of(topology, v, distance[v].astype(np.int32), steps) for v in range(topology.n)
    ]
    receive = sparse.block_diag([one.receive for one in sends])
    hold = sparse.block_diag([one.hold for one in sends])
    images = np.arange(topology.arcs, dtype=np.int32)[None]
    carried = sparse.hstack(
        [load_matrix(sends, images, steps), np.tile(-np.eye(steps), (topology.arcs, 1))]
    )
    held = sparse.hstack([hold, sparse.csr_matrix((hold.shape[0], steps))])
    received = sparse.hstack([receive, sparse.csr_matrix((receive.shape[0], steps))])
    found = linprog(
        np.repeat([0.0, 1.0], [receive.shape[1], steps]),
        A_ub=sparse.vstack([held, carried]),
        b_ub=np.zeros(hold.shape[0] + carried.shape[0]),
        A_eq=received,
        b_eq=np.ones(receive.shape[0]),
    )
    return Fraction(found.fun * topology.degree / topology.n).limit_denominator(1000)


def main() -> None:
    """Answer every question in a line."""
    for n, d, steps in QUESTIONS:
        kinds = classes(n, d, steps)
        least = sorted({least_bandwidth_in(graph, steps) for graph in kinds})
        bounds = ", ".join(map(str, least)) or "none"
        print(f"N={n} d={d} T_L={steps}: {len(kinds)} digraphs, least T_B: {bounds}", flush=True)


if __name__ == "__main__":
    main()
