"""Packing problems, and a slow check of packings."""

from collections import Counter

import networkx as nx
import numpy as np

from generators.topology import Topology
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import least_count, tree_capacities
from topofinder.forests.packing.problem import Packing, PackingProblem
from topofinder.forests.switch_removal.edge_splitting import PROPOSAL_ROUNDS, remove_switches
from topofinder.forests.switch_removal.split_state import Splitting


def problem_of(
    network: Network, *, at_once: bool = True, rounds: int = PROPOSAL_ROUNDS
) -> PackingProblem:
    """The problem of a network: optimal trees, switches away, by one way of `remove_switches`."""
    cuts = Cuts.of(network)
    count = least_count(network, find_optimum(network, cuts), cuts)
    supply = [count.k * weight for weight in network.weight]
    state = Splitting(
        network.n, network.tail, network.head, tree_capacities(network, count.inverse_tree)
    )
    state = remove_switches(state, network.compute, supply, at_once=at_once, rounds=rounds)
    alive = np.flatnonzero(state.capacity)
    return PackingProblem(
        tail=np.searchsorted(network.compute, state.tail[alive]).astype(np.int32),
        head=np.searchsorted(network.compute, state.head[alive]).astype(np.int32),
        capacity=state.capacity[alive],
        supply=np.array(supply)[network.compute],
        translation=network.translation,
    )


def regular(n: int, d: int, seed: int) -> Network:
    """A random graph of two-way links, d at every node."""
    graph = nx.random_regular_graph(d, n, seed=seed).to_directed()
    return Network.of(Topology.from_arcs(n, list(graph.edges)))


def check_packing(problem: PackingProblem, packing: Packing) -> None:
    """Every tree spans, every root has its trees, and no arc carries too much."""
    load: Counter[int] = Counter()
    trees: Counter[int] = Counter()
    for root, copies, arcs in zip(packing.root, packing.copies, packing.arc, strict=True):
        reached = {int(root)}
        trees[int(root)] += int(copies)
        for e in arcs.tolist():
            assert int(problem.tail[e]) in reached
            assert int(problem.head[e]) not in reached
            reached.add(int(problem.head[e]))
            load[e] += int(copies)
        assert len(reached) == problem.n
    assert [trees[v] for v in range(problem.n)] == problem.supply.tolist()
    assert all(load[e] <= problem.capacity[e] for e in range(len(problem.tail)))


def height_of(problem: PackingProblem, packing: Packing) -> int:
    """The greatest depth of a node, tree by tree."""
    highest = 0
    for root, arcs in zip(packing.root.tolist(), packing.arc.tolist(), strict=True):
        depth = {root: 0}
        for e in arcs:
            depth[int(problem.head[e])] = depth[int(problem.tail[e])] + 1
        highest = max(highest, *depth.values())
    return highest
