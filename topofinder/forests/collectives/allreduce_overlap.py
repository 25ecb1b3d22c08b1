"""Out-trees that leave room for themselves run backwards: an allreduce with both phases at once.

Source: ForestColl (NSDI 2026), appendix G, program (5), over cuts, on a network that is two-way.
There in-trees may be the out-trees run backwards, and a tree that is hung from another node loads
both directions of a link together as before, so nothing is lost by the shards being given. Let
c(u, v) be what out-trees may use of the link from u to v, and c(u, v) + c(v, u) its bandwidth:

    maximise X, where every set S that leaves out some node to reach has c(S) >= X w(S).

The sets are generated as they are violated (cutting planes). A switch that multicasts and combines
counts as a node that sends nothing and has to be reached: there a tree can branch. All others pass
on what they take in (theorem 5). The solver only proposes; shares are made fractions, and how good
they are is worked out exactly. Where the network has fewer links at some nodes than at others, or
switches that multicast, this beats trees that reach the optimum of each phase alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from generators.errors import InvalidInput, Unsupported
from generators.topology import BoolArray, FloatArray, Int64Array, Topology
from topofinder.forests.build import pack_forest
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.collectives.allreduce_cuts import (
    LinkArrays,
    single_host_sets,
    violated_cuts,
)
from topofinder.forests.collectives.multicast import contract_switches
from topofinder.forests.collectives.routed_trees import route_trees
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import (
    count_within,
    least_count,
    recommended_count,
    scan_counts,
)
from topofinder.model.forest import pair_bandwidths
from topofinder.model.tree_set import TreeSet

MAX_LEAST_TREES = 200
FEW_TREES = range(1, 33)
"""Where no loss is asked for, and more trees a root than MAX_LEAST_TREES would be best, one of
FEW_TREES is taken: the first
with a loss of at most 1 %, or that with the least."""
MAX_REACHED = 256
"""Nodes that trees have to reach, at the most."""
MAX_SHARE_ROUNDS = 60
SHARE_DENOMINATORS = (64, 10**3, 10**4, 10**6)

NodePair = tuple[int, int]


def pack_overlapping(
    topology: Topology,
    weights: Sequence[Fraction | int] | None,
    k: int | None,
    seed: int,
    *,
    branch: bool = True,
    clock: Clock = NO_LIMIT,
    loss: Fraction = Fraction(0),
    above: int = 0,
) -> tuple[tuple[int, ...], TreeSet, str]:
    """The weights as integers, the trees, and how they were packed.

    Without `k` it is the smallest that takes at most `loss` longer than the shares allow, or, if
    that is no more than `above`, the smallest that takes no longer. With `branch`, trees may branch
    at switches that multicast and combine. The bound and the cut
    are those of an allgather on all of the network.
    """
    whole = Network.of(topology, weights)
    best = find_optimum(whole)
    able = _branching_switches(topology) if branch else ()
    network = Network.of(share_links(topology, whole.weight, able), whole.weight, one_way=True)
    packed = pack_forest(network, k or _choose_tree_count(network, loss, above), seed, clock)
    trees = contract_switches(route_trees(packed), frozenset(able))
    return (
        whole.weight,
        replace(trees, optimum=best.inverse_rate, cut=best.cut),
        packed.method,
    )


def share_links(
    topology: Topology, weight: Sequence[int], able: Sequence[int], limit: int = MAX_REACHED
) -> Topology:
    """What out-trees may use of a two-way network; the switches in `able` are no longer switches.

    Raises Unsupported for more than `limit` nodes to reach, and where no shares are found that
    switches can pass on.
    """
    bandwidth = pair_bandwidths(topology)
    switches = sorted(set(topology.switches) - set(able))
    links = LinkArrays.of(bandwidth, topology.n, switches)
    if len(links.hosts) > limit:
        raise Unsupported(f"--overlap: at most {limit} nodes to reach, not {len(links.hosts)}")
    share = _propose_shares(links, np.array(weight, dtype=np.float64), switches)
    found: list[tuple[Fraction, int, Topology]] = []
    for most in SHARE_DENOMINATORS:
        part = _shared_part(topology, switches, _exact_shares(links, bandwidth, share, most))
        try:
            network = Network.of(part, weight, one_way=True)
            network.require_eulerian()
            found.append((find_optimum(network).inverse_rate, len(found), part))
        except InvalidInput:
            continue
    if not found:
        raise Unsupported("--overlap: no shares of the links were found that switches can pass on")
    return min(found)[2]


def _branching_switches(topology: Topology) -> tuple[int, ...]:
    """The switches at which trees of both directions can branch."""
    return tuple(sorted(set(topology.multicast) & set(topology.reduce)))


def _choose_tree_count(network: Network, loss: Fraction, above: int) -> int:
    """How many trees a root of weight 1 are to be packed."""
    cuts = Cuts.of(network)
    best = find_optimum(network, cuts)
    least = least_count(network, best, cuts)
    if least.k <= above or (not loss and least.k <= MAX_LEAST_TREES):
        return least.k
    if loss:
        return count_within(network, best, loss, least, cuts).k
    return recommended_count(scan_counts(network, best, FEW_TREES, cuts)).k


def _shared_part(
    topology: Topology, switches: Sequence[int], share: Mapping[NodePair, Fraction]
) -> Topology:
    """The topology with these pair_bandwidths between pairs of nodes."""
    return replace(
        topology,
        tail=np.array([u for u, _ in share]),
        head=np.array([v for _, v in share]),
        capacity=tuple(share.values()),
        latency=None,
        switches=tuple(switches),
        multicast=(),
        reduce=(),
        translation=None,
        orbits=None,
    )


def _exact_shares(
    links: LinkArrays, bandwidth: Mapping[NodePair, Fraction], share: FloatArray, most: int
) -> dict[NodePair, Fraction]:
    """The shares in both directions, exact, without those that are 0."""
    ends = zip(links.tail.tolist(), links.head.tolist(), share.tolist(), strict=True)
    found = {}
    for u, v, value in ends:
        if u < v:
            near = Fraction(value).limit_denominator(most)
            found[u, v] = min(max(near, Fraction(0)), bandwidth[u, v])
            found[v, u] = bandwidth[u, v] - found[u, v]
    return {pair: value for pair, value in found.items() if value}


def _propose_shares(links: LinkArrays, weight: FloatArray, switches: Sequence[int]) -> FloatArray:
    """The share of every link, by the program over ever more sets."""
    one = single_host_sets(links)
    sets = np.unique(np.concatenate([one, ~one]), axis=0)
    for _ in range(MAX_SHARE_ROUNDS):
        rate, share = _solve_share_program(links, weight, switches, sets)
        more = violated_cuts(links, links.tail, links.head, share, rate * weight[links.hosts])
        known = {row.tobytes() for row in sets}
        fresh = [row for row in more if row.tobytes() not in known]
        if not fresh:
            break
        sets = np.concatenate([sets, np.unique(np.array(fresh), axis=0)])
    return share


def _solve_share_program(
    links: LinkArrays, weight: FloatArray, switches: Sequence[int], sets: BoolArray
) -> tuple[float, FloatArray]:
    """X and the shares, by HiGHS; one variable for both directions of a link."""
    from scipy.optimize import linprog

    width = np.array([float(b) for b in links.bandwidth])
    ways = _link_ways(links)
    leaves = (sets[:, links.tail] & ~sets[:, links.head]).astype(np.float64)
    into = np.array([(links.head == w).astype(float) - (links.tail == w) for w in switches])
    matrix, constant = _fold_ways(leaves, width, ways)
    total = sets[:, links.hosts] @ weight[links.hosts]
    equal, rest = _fold_ways(into, width, ways)
    found: Any = linprog(
        np.append(np.zeros(matrix.shape[1]), -1.0),
        A_ub=np.hstack([-matrix, total[:, None]]),
        b_ub=constant,
        A_eq=np.hstack([equal, np.zeros((len(equal), 1))]) if len(equal) else None,
        b_eq=-rest if len(equal) else None,
        bounds=[*((0, b) for b in width[ways[0]]), (0, None)],
        method="highs",
    )
    if found.status != 0 or found.x is None:
        raise Unsupported(f"--overlap: the linear program: {found.message}")
    return float(found.x[-1]), _unfold_ways(found.x[:-1], width, ways)


def _link_ways(links: LinkArrays) -> tuple[Int64Array, Int64Array, Int64Array]:
    """The links from lower to higher nodes, those back, and which of the former those reverse."""
    forth = np.flatnonzero(links.tail < links.head)
    back = np.flatnonzero(links.tail > links.head)
    ends = zip(links.tail[forth].tolist(), links.head[forth].tolist(), strict=True)
    place = {pair: i for i, pair in enumerate(ends)}
    turned = zip(links.head[back].tolist(), links.tail[back].tolist(), strict=True)
    return forth, back, np.array([place[pair] for pair in turned], dtype=np.int64)


def _fold_ways(
    rows: FloatArray, width: FloatArray, ways: tuple[Int64Array, Int64Array, Int64Array]
) -> tuple[FloatArray, FloatArray]:
    """Coefficients of the shares, and the constant: c(v, u) is the width less c(u, v)."""
    forth, back, twin = ways
    rows = rows.reshape(-1, len(width))
    matrix = rows[:, forth].copy()
    matrix[:, twin] -= rows[:, back]
    return matrix, rows[:, back] @ width[back]


def _unfold_ways(
    forward: FloatArray, width: FloatArray, ways: tuple[Int64Array, Int64Array, Int64Array]
) -> FloatArray:
    """The shares of all links from those of one direction."""
    forth, back, twin = ways
    share = np.empty(len(width))
    share[forth] = forward
    share[back] = width[back] - forward[twin]
    return share
