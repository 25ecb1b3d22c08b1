"""Packing jobs, and a slow check of packings."""

from collections import Counter

import networkx as nx
import numpy as np

from generators.topology import Topology
from topofinder.forests.optimality.bottleneck_cut import optimality
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Fabric
from topofinder.forests.optimality.tree_count import least_count, places
from topofinder.forests.packing.job import Job, Packing
from topofinder.forests.switch_removal.edge_splitting import ROUNDS, without_switches
from topofinder.forests.switch_removal.split_state import Splitting


def job_of(fabric: Fabric, *, guess: bool = True, rounds: int = ROUNDS) -> Job:
    """The job of a fabric: optimal trees, switches away, on a rung of `without_switches`."""
    cuts = Cuts(fabric.n, fabric.tail, fabric.head, fabric.compute)
    count = least_count(fabric, optimality(fabric, cuts), cuts)
    supply = [count.k * weight for weight in fabric.weight]
    state = Splitting(fabric.n, fabric.tail, fabric.head, places(fabric, count.inverse_tree))
    state = without_switches(state, fabric.compute, supply, guess=guess, rounds=rounds)
    alive = np.flatnonzero(state.capacity)
    return Job(
        tail=np.searchsorted(fabric.compute, state.tail[alive]).astype(np.int32),
        head=np.searchsorted(fabric.compute, state.head[alive]).astype(np.int32),
        capacity=state.capacity[alive],
        supply=np.array(supply)[fabric.compute],
        translation=fabric.translation,
    )


def regular(n: int, d: int, seed: int) -> Fabric:
    """A random graph of two-way links, d at every node."""
    graph = nx.random_regular_graph(d, n, seed=seed).to_directed()
    return Fabric.of(Topology.from_arcs(n, list(graph.edges)))


def check_packing(job: Job, packing: Packing) -> None:
    """Every tree spans, every root has its trees, and no arc carries too much."""
    load: Counter[int] = Counter()
    trees: Counter[int] = Counter()
    for root, copies, arcs in zip(packing.root, packing.copies, packing.arc, strict=True):
        reached = {int(root)}
        trees[int(root)] += int(copies)
        for e in arcs.tolist():
            assert int(job.tail[e]) in reached
            assert int(job.head[e]) not in reached
            reached.add(int(job.head[e]))
            load[e] += int(copies)
        assert len(reached) == job.n
    assert [trees[v] for v in range(job.n)] == job.supply.tolist()
    assert all(load[e] <= job.capacity[e] for e in range(len(job.tail)))


def height_of(job: Job, packing: Packing) -> int:
    """The greatest depth of a node, tree by tree."""
    highest = 0
    for root, arcs in zip(packing.root.tolist(), packing.arc.tolist(), strict=True):
        depth = {root: 0}
        for e in arcs:
            depth[int(job.head[e])] = depth[int(job.tail[e])] + 1
        highest = max(highest, *depth.values())
    return highest
