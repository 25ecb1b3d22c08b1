"""What no allreduce of trees can beat: the linear program of appendix G, with a certified bound.

Source: ForestColl (NSDI 2026), appendix G, program (5), over cuts instead of flows: x_v is what the
trees of root v carry, and each link splits its bandwidth between in-trees and out-trees. All that
is rooted inside a set S leaves it over out-trees and enters it over in-trees. Weights p_S and q_S
of sets, for out-trees and in-trees, prove by weak duality that

    sum of x_v  <=  sum over links e of b_e max(sum of p_S that e leaves, sum of q_S that e enters)

where every host is in sets of weight 1 at least. HiGHS solves, over sets that are generated as they
are violated (cutting planes),

    maximise sum of x_v, where for every set S: out(S) >= x(S) over out-trees, in(S) >= x(S) over
    in-trees, and on every link the two shares together are at most its bandwidth.

Its dual weights are only proposed: they are made fractions, and the bound is worked out exactly.
Switches stay instead of being split off, which can
only raise the maximum, so the answer stays a bound.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from generators.errors import Unsupported
from generators.topology import BoolArray, FloatArray
from topofinder.forests.collectives.allreduce_cuts import (
    CutProgramSolution,
    LinkArrays,
    new_violated_cuts,
    parts_rate,
    single_host_sets,
)
from topofinder.model.forest import Forest, pair_bandwidths

MAX_PROGRAM_HOSTS = 32
MAX_LINKS = 1 << 14
MAX_BOUND_ROUNDS = 20
WEIGHT_DENOMINATORS = (10**2, 10**4, 10**6, 10**9)


def allreduce_bound(saved: Forest) -> Fraction | None:
    """A time for a unit of weight that no allreduce of trees on this topology beats.

    None above MAX_LINKS links. Parts of the network give a bound at once; if it is not reached
    and there are at most MAX_PROGRAM_HOSTS hosts, the program may give a better one.
    """
    topology = saved.topology
    links = LinkArrays.of(pair_bandwidths(topology), topology.n, topology.switches)
    if len(links.bandwidth) > MAX_LINKS:
        return None
    weight, optimum = saved.weight, saved.phases[-1].trees.optimum
    best = parts_rate(topology, links, weight, optimum)
    if len(links.hosts) > MAX_PROGRAM_HOSTS or (best and saved.total / best == saved.together):
        return None if best is None else saved.total / best
    return saved.total / _rate_by_program(saved, links, best)


def _initial_sets(saved: Forest, links: LinkArrays) -> BoolArray:
    """Every host alone, all nodes but one host, and the bottleneck cuts."""
    one = single_host_sets(links)
    cuts = np.zeros((len(saved.phases), saved.topology.n), dtype=np.bool_)
    for row, phase in zip(cuts, saved.phases, strict=True):
        row[phase.trees.cut] = True
    return np.unique(np.concatenate([one, ~one, cuts]), axis=0)


def _certified_rate(
    links: LinkArrays, sets: BoolArray, out_weight: Sequence[float], in_weight: Sequence[float]
) -> Fraction:
    """The bound on the sum of x_v that the weights prove, exactly; the best of some roundings."""
    found = []
    for most in WEIGHT_DENOMINATORS:
        weights = [
            [max(Fraction(value).limit_denominator(most), Fraction(0)) for value in side]
            for side in (out_weight, in_weight)
        ]
        covered = min(
            sum((p + q for p, q, row in zip(*weights, sets, strict=True) if row[v]), Fraction(0))
            for v in links.hosts.tolist()
        )
        if covered > 0:
            found.append(_weighted_bandwidth(links, sets, *weights) / covered)
    return min(found)


def _solve_cut_program(links: LinkArrays, sets: BoolArray) -> CutProgramSolution:
    """Shares of the links, x, and the weights of the sets; in units of the widest link."""
    from scipy.optimize import linprog

    hosts, arcs = len(links.hosts), len(links.bandwidth)
    scale = float(max(links.bandwidth))
    width = np.array([float(b) / scale for b in links.bandwidth])
    matrix, limit = _constraint_rows(links, sets, width)
    gain = np.concatenate([-np.ones(hosts), np.zeros(2 * arcs)])
    found = linprog(gain, A_ub=matrix, b_ub=limit, method="highs")
    if found.status != 0 or found.x is None:
        raise Unsupported(f"the linear program of the allreduce: {found.message}")
    dual = -found.ineqlin.marginals
    return CutProgramSolution(
        x=found.x[:hosts],
        out_share=found.x[hosts : hosts + arcs],
        in_share=found.x[hosts + arcs :],
        out_weight=dual[: len(sets)].tolist(),
        in_weight=dual[len(sets) : 2 * len(sets)].tolist(),
    )


def _rate_by_program(saved: Forest, links: LinkArrays, best: Fraction | None) -> Fraction:
    """The least rate that the program proves, not above `best`; it ends when that is reached."""
    sets = _initial_sets(saved, links)
    for _ in range(MAX_BOUND_ROUNDS):
        solution = _solve_cut_program(links, sets)
        rate = _certified_rate(links, sets, solution.out_weight, solution.in_weight)
        best = rate if best is None else min(best, rate)
        if saved.total / best == saved.together:
            return best
        more = new_violated_cuts(links, solution, sets)
        if not len(more):
            return best
        sets = np.concatenate([sets, more])
    return best or rate


def _weighted_bandwidth(
    links: LinkArrays, sets: BoolArray, p: list[Fraction], q: list[Fraction]
) -> Fraction:
    """What the weights of the sets make of all bandwidth together."""
    total = Fraction(0)
    used = [i for i in range(len(sets)) if p[i] or q[i]]
    for u, v, b in zip(links.tail.tolist(), links.head.tolist(), links.bandwidth, strict=True):
        leaving = sum((p[i] for i in used if sets[i, u] and not sets[i, v]), Fraction(0))
        entering = sum((q[i] for i in used if sets[i, v] and not sets[i, u]), Fraction(0))
        total += b * max(leaving, entering)
    return total


def _constraint_rows(
    links: LinkArrays, sets: BoolArray, width: FloatArray
) -> tuple[Any, FloatArray]:
    """The rows of the out-trees and of the in-trees of each set, then those of the links."""
    from scipy.sparse import csr_array, eye_array, hstack, vstack

    leaves = sets[:, links.tail] & ~sets[:, links.head]
    enters = sets[:, links.head] & ~sets[:, links.tail]
    inside = csr_array(sets[:, links.hosts].astype(np.float64))
    none = csr_array((len(sets), len(width)))
    out = hstack([inside, csr_array(-leaves.astype(np.float64)), none])
    into = hstack([inside, none, csr_array(-enters.astype(np.float64))])
    one = eye_array(len(width))
    shared = hstack([csr_array((len(width), len(links.hosts))), one, one])
    limit = np.concatenate([np.zeros(2 * len(sets)), width])
    return vstack([out, into, shared], format="csr"), limit
