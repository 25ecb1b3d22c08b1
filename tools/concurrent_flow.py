"""The all-to-all throughput f of a small digraph: the maximum concurrent flow, LP (3)."""

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from generators.topology import IntArray, Topology
from topofinder.schedules.synthesis.synthesise import arc_image, image_table, planned_sources


def concurrent_flow(topology: Topology, automorphisms: Sequence[IntArray] = ()) -> float:
    """The largest f such that every node can send f to every other over arcs of capacity 1.

    One flow a source, with demand f at every other node. Automorphisms whose images of a few
    sources cover every node once leave only the flows of those sources: averaging a solution
    over the images changes no demand and overloads no arc.
    """
    images = image_table(topology.n, automorphisms)
    sources = planned_sources(topology.n, images)
    conserve = sparse.block_diag([_conservation(topology, int(v)) for v in sources])
    demand = sparse.csr_matrix(np.full((conserve.shape[0], 1), -1.0))
    columns = np.tile(np.arange(topology.arcs), len(images))
    rows = np.concatenate([arc_image(topology, image) for image in images])
    load = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), (topology.arcs,) * 2)
    # Images of an arc under a group have equal loads: one row each is enough.
    first = np.unique(np.sort(rows.reshape(len(images), -1), axis=0)[0])
    loads = sparse.hstack([load[first]] * len(sources) + [sparse.csr_matrix((len(first), 1))])
    objective = np.zeros(conserve.shape[1] + 1)
    objective[-1] = -1
    result = linprog(
        objective,
        A_ub=loads.tocsr(),
        b_ub=np.ones(len(first)),
        A_eq=sparse.hstack([conserve, demand]).tocsr(),
        b_eq=np.zeros(conserve.shape[0]),
        method="highs-ipm",
    )
    return float(-result.fun)


def _conservation(topology: Topology, source: int) -> sparse.csr_matrix:
    """In-flow less out-flow at every node but the source; shape (n - 1, arcs)."""
    nodes = np.flatnonzero(np.arange(topology.n) != source)[:, None]
    into, out = topology.head == nodes, topology.tail == nodes
    return sparse.csr_matrix(into.astype(np.int8) - out.astype(np.int8))
