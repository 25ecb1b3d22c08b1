"""Which port of a host each circuit comes in by, where rails are free.

What comes in by a port of an accelerator and goes on over another port of it needs no way inside.
So of a host's circuits those in and out are paired, a pair to a port, such that the most of an
all-to-all on shortest paths, spread alike over them, stays with its accelerator: an assignment
problem for every host (Kuhn 1955; scipy's `linear_sum_assignment`).
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path

from generators.topology import FloatArray, Int64Array, IntArray, Topology

MOST_STEPS = 1 << 27


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RailPairing:
    """The number of the port that each arc comes in by, shape (arcs,), and shares of the traffic
    that passes through hosts: what takes a way inside, with rails of their own and with these.
    """

    into: IntArray
    inside_own: float
    inside: float


def pair_rails(graph: Topology, colour: IntArray, kept: bool) -> RailPairing:
    """The best pairing, `colour` being the port that each arc goes out by.

    With `kept` translations keep colours, and the pairing does too. A graph that is too large keeps
    rails of their own.

    >>> from generators.arrays import jump_graph
    >>> found = pair_rails(jump_graph(8, [1, 3]), np.array([0, 1] * 8), True)
    >>> found.into[:2].tolist(), round(found.inside_own, 3), round(found.inside, 3)
    ([1, 0], 0.524, 0.476)
    """
    sources = range(1) if kept else range(graph.n)
    own = np.asarray(colour, dtype=np.int32)
    if len(sources) * graph.arcs * graph.degree > MOST_STEPS:
        return RailPairing(into=own, inside_own=1.0, inside=1.0)
    loads = _transit_loads(graph, colour, sources)
    if kept:
        loads = np.broadcast_to(loads.sum(axis=0), loads.shape)
    into_port = np.empty((graph.n, graph.degree), dtype=np.int32)
    for node in range(graph.n) if not kept else range(1):
        into_port[node] = linear_sum_assignment(loads[node], maximize=True)[1]
    if kept:
        into_port[:] = into_port[0]
    every = np.arange(graph.degree)
    total = max(float(loads.sum()), 1e-300)
    stays = [float(loads[:, every, every].sum()),
             float(np.take_along_axis(loads, into_port[:, :, None], axis=2).sum())]  # fmt: skip
    into = into_port[graph.head, colour]
    return RailPairing(into=into, inside_own=1 - stays[0] / total, inside=1 - stays[1] / total)


def _transit_loads(graph: Topology, colour: IntArray, sources: range) -> FloatArray:
    """What passes each node from an arc in of one colour to an arc out of another; (n, d, d).

    As much is sent to every node, alike over all shortest paths (Brandes 2001). Every node has one
    arc in of each colour, and one out.
    """
    found = np.zeros((graph.n, graph.degree, graph.degree))
    ones = csr_matrix((np.ones(graph.arcs), (graph.tail, graph.head)), shape=(graph.n, graph.n))
    out = np.empty((graph.n, graph.degree), dtype=np.int64)
    out[graph.tail, colour] = np.arange(graph.arcs)
    for source in sources:
        away = shortest_path(ones, unweighted=True, indices=[source])[0]
        paths, beyond, tight = _path_counts(graph, away, source)
        first = np.flatnonzero(tight)
        later = out[graph.head[first]]
        u, w = graph.tail[first][:, None], graph.head[later]
        load = np.where(tight[later], paths[u] / paths[w] * (1 + beyond[w]), 0.0)
        np.add.at(found, (graph.head[first], colour[first]), load)
    return found


def _path_counts(
    graph: Topology, away: FloatArray, source: int
) -> tuple[FloatArray, FloatArray, Int64Array]:
    """Shortest paths to each node, what goes on beyond it, and the arcs on such paths."""
    tight = away[graph.head] == away[graph.tail] + 1
    paths, beyond = np.zeros(graph.n), np.zeros(graph.n)
    paths[source] = 1
    levels = [tight & (away[graph.tail] == level) for level in range(int(away.max()))]
    for arcs in levels:
        np.add.at(paths, graph.head[arcs], paths[graph.tail[arcs]])
    for arcs in reversed(levels):
        u, w = graph.tail[arcs], graph.head[arcs]
        np.add.at(beyond, u, paths[u] / paths[w] * (1 + beyond[w]))
    return paths, beyond, tight
