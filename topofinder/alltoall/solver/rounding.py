"""From computed lengths and flows of a reduction to bounds that hold exactly on the whole graph."""

from fractions import Fraction

import numpy as np

from generators.topology import FloatArray, Int64Array
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.result import Flow
from topofinder.alltoall.solver.bounds import longest_distance, lower_bound, upper_bound
from topofinder.alltoall.solver.reduction import Reduction
from topofinder.alltoall.solver.shortest_path_kernels import fill_distances
from topofinder.alltoall.solver.whole_numbers import (
    common_denominator,
    load_scale,
    round_flows,
    round_lengths,
)

FlowBound = tuple[Fraction, Flow]


def best_flow(problem: FlowProblem, small: Reduction, flows: FloatArray) -> FlowBound:
    """The lower bound that the flows of a reduction prove, lifted; `flows` is (k, m).

    Where all flows are rational numbers with a small common denominator they are kept as such.
    """
    rows = small.lift_flows(flows)
    load = rows.sum(axis=0)
    scale = 1 << load_scale(float(load.max()))
    rounded = _flow_bound(problem, small, rows, scale)
    if (common := common_denominator(flows)) is None or common >= scale:
        return rounded
    lifted = common_denominator(rows) if small.colour is not None else common
    if lifted is None or lifted >= scale:
        return rounded
    return max(rounded, _flow_bound(problem, small, rows, lifted), key=lambda bounded: bounded[0])


def best_lengths(
    problem: FlowProblem, small: Reduction, lengths: FloatArray
) -> tuple[Fraction, Int64Array]:
    """The upper bound that lengths of classes of arcs prove; `lengths` has shape (classes,).

    Where they are small whole numbers but for a factor, that is what they become.
    """
    own = lengths[small.kind] / float(lengths.max())
    block = small.sources[:16]
    out = np.empty((len(block), small.net.n))
    fill_distances(block, small.net, own, out)
    # Sources that were not looked at may be farther, by no more than twice as much here and back.
    whole = round_lengths(own, 2.0 * max(float(out.max()), 1e-3))
    found = _length_bound(problem, small, whole)
    positive = own[own > 1e-9]
    common = common_denominator(own / float(positive.min()), limit=1 << 20)
    if common is not None:
        small_whole = np.rint(own / float(positive.min()) * common).astype(np.int64)
        if int(small_whole.max()) * small.net.n < longest_distance(problem):
            found = min(found, _length_bound(problem, small, small_whole), key=lambda pair: pair[0])
    return found


def _length_bound(
    problem: FlowProblem, small: Reduction, own: Int64Array
) -> tuple[Fraction, Int64Array]:
    whole = np.zeros(problem.topology.arcs, dtype=np.int64)
    whole[small.net.arc] = own
    return upper_bound(problem, whole), whole


def _flow_bound(problem: FlowProblem, small: Reduction, rows: FloatArray, scale: int) -> FlowBound:
    """The lower bound of the flows of all sources, `scale` of which are one unit."""
    own = np.empty(rows.shape, dtype=np.int64)
    wanted = small.wanted
    if small.colour is not None:
        wanted = np.stack([problem.demand_row(source) for source in problem.sources.tolist()])
    round_flows(problem.sources, small.net, wanted, rows, own, scale)
    whole = own
    if len(small.net.arc) < problem.topology.arcs:
        whole = np.zeros((len(own), problem.topology.arcs), dtype=np.int64)
        whole[:, small.net.arc] = own
    flow = Flow(sources=problem.sources, rows=whole, quantum=problem.unit / scale)
    return lower_bound(problem, flow), flow
