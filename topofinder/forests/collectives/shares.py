"""Share every link between out-trees and in-trees, for an allreduce with both phases at once.

Source: ForestColl (NSDI 2026), appendix G, program (5), over cuts, on a network that is two-way.
There in-trees may be the out-trees run backwards, and a tree that is hung from another node loads
both directions of a link together as before, so nothing is lost by the shards being given. Let
c(u, v) be what out-trees may use of the link from u to v, and c(u, v) + c(v, u) its bandwidth:

    maximise X, where every set S that leaves out some node to reach has c(S) >= X w(S).

A switch that multicasts and combines counts as a node that sends nothing and has to be reached:
there a tree can branch. All others pass on what they take in (theorem 5). The solver only proposes;
shares are made fractions, and how good they are is worked out exactly.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from generators.errors import InvalidInput, Unsupported
from generators.topology import BoolArray, FloatArray, Int64Array, Topology
from topofinder.forests.collectives.allreduce_cuts import LinkArrays, violated_cuts
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network
from topofinder.model.forest import pair_bandwidths

MAX_HOSTS = 256
ROUNDS = 60
DENOMINATORS = (64, 10**3, 10**4, 10**6)

Pair = tuple[int, int]


def branching_switches(topology: Topology) -> tuple[int, ...]:
    """The switches at which trees of both directions can branch."""
    return tuple(sorted(set(topology.multicast) & set(topology.reduce)))


def share_links(topology: Topology, weight: Sequence[int], able: Sequence[int]) -> Topology:
    """What out-trees may use of a two-way network; the switches in `able` are no longer switches.

    Raises Unsupported for more than MAX_HOSTS nodes to reach, and where no shares are found that
    switches can pass on.
    """
    bandwidth = pair_bandwidths(topology)
    switches = sorted(set(topology.switches) - set(able))
    links = LinkArrays.of(bandwidth, topology.n, switches)
    if len(links.hosts) > MAX_HOSTS:
        raise Unsupported(f"--overlap: at most {MAX_HOSTS} nodes to reach, not {len(links.hosts)}")
    share = _propose_shares(links, np.array(weight, dtype=np.float64), switches)
    found: list[tuple[Fraction, int, Topology]] = []
    for most in DENOMINATORS:
        offered = _exact_shares(links, bandwidth, share, most)
        made = replace(
            topology,
            tail=np.array([u for u, _ in offered]),
            head=np.array([v for _, v in offered]),
            capacity=tuple(offered.values()),
            latency=None,
            switches=tuple(switches),
            multicast=(),
            reduce=(),
            translation=None,
            orbits=None,
        )
        try:
            network = Network.of(made, weight, one_way=True)
            network.require_eulerian()
            found.append((find_optimum(network).inverse_rate, len(found), made))
        except InvalidInput:
            continue
    if not found:
        raise Unsupported("--overlap: no shares of the links were found that switches can pass on")
    return min(found)[2]


def _exact_shares(
    links: LinkArrays, bandwidth: Mapping[Pair, Fraction], share: FloatArray, most: int
) -> dict[Pair, Fraction]:
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
    one = np.zeros((len(links.hosts), links.n), dtype=np.bool_)
    one[np.arange(len(links.hosts)), links.hosts] = True
    sets = np.unique(np.concatenate([one, ~one]), axis=0)
    for _ in range(ROUNDS):
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
    forth = np.flatnonzero(links.tail < links.head)
    column = {pair: i for i, pair in enumerate(_link_pairs(links, forth))}
    back = np.array([i for i in range(len(width)) if links.tail[i] > links.head[i]], dtype=int)
    order = np.array([column[int(links.head[i]), int(links.tail[i])] for i in back], dtype=int)
    leaves = (sets[:, links.tail] & ~sets[:, links.head]).astype(np.float64)
    into = np.array([(links.head == w).astype(float) - (links.tail == w) for w in switches])

    def folded(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coefficients of the shares, and the constant: c(v, u) is the width less c(u, v)."""
        rows = rows.reshape(-1, len(width))
        matrix = rows[:, forth].copy()
        matrix[:, order] -= rows[:, back]
        return matrix, rows[:, back] @ width[back]

    matrix, constant = folded(leaves)
    total = sets[:, links.hosts] @ weight[links.hosts]
    equal, rest = folded(into)
    found: Any = linprog(
        np.append(np.zeros(len(forth)), -1.0),
        A_ub=np.hstack([-matrix, total[:, None]]),
        b_ub=constant,
        A_eq=np.hstack([equal, np.zeros((len(equal), 1))]) if len(equal) else None,
        b_eq=-rest if len(equal) else None,
        bounds=[*((0, b) for b in width[forth]), (0, None)],
        method="highs",
    )
    if found.status != 0 or found.x is None:
        raise Unsupported(f"--overlap: the linear program: {found.message}")
    share = np.empty(len(width))
    share[forth] = found.x[:-1]
    share[back] = width[back] - found.x[:-1][order]
    return float(found.x[-1]), share


def _link_pairs(links: LinkArrays, arcs: Int64Array) -> list[Pair]:
    return list(zip(links.tail[arcs].tolist(), links.head[arcs].tolist(), strict=True))
