"""The linear program of an allreduce over given sets of nodes, by HiGHS.

maximise sum x_v, where for every set S: out(S) >= x(S) over out-trees, in(S) >= x(S) over in-trees,
and on every link the two shares together are at most its bandwidth (appendix G, program (5)).
"""

from typing import Any

import numpy as np

from generators.errors import Unsupported
from generators.topology import BoolArray, FloatArray
from topofinder.forests.collectives.allreduce_cuts import CutProgramSolution, LinkArrays


def solve_cut_program(links: LinkArrays, sets: BoolArray) -> CutProgramSolution:
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
