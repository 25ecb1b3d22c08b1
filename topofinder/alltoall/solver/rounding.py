"""From computed lengths and flows of a reduction to bounds that hold exactly on the whole graph.

Both are rounded to whole numbers, whose bounds are fractions. Lengths may be rounded as one likes;
a rounded flow must still deliver (`round_flows`). Where computed numbers come near to rational
ones with a small common denominator (the convergents of continued fractions tell), as basic
solutions of linear programs do, these are taken, and no rounding is left.
"""

from fractions import Fraction
from math import frexp

import numpy as np
from numpy.typing import ArrayLike

from generators.errors import Unsupported
from generators.topology import FloatArray, Int64Array, IntArray
from topofinder.alltoall.problem import FlowProblem, arc_capacities
from topofinder.alltoall.result import Flow
from topofinder.alltoall.solver.bounds import (
    SOURCE_BLOCK,
    flow_lower_bound,
    length_upper_bound,
    longest_distance,
)
from topofinder.alltoall.solver.flow_kernels import round_flows
from topofinder.alltoall.solver.reduction import Reduction
from topofinder.alltoall.solver.shortest_path_kernels import fill_distances

FlowBound = tuple[Fraction, Flow]

SAMPLE = 16
"""Sources whose distances tell how finely lengths are rounded."""
LENGTH_BITS = 33
LOAD_BITS = 52
NEAR = 3e-9
"""How near to a rational number a computed one must be, relative to itself or to 1."""
SURELY_WHOLE = 0.01
"""How near to a whole number every value must be once multiplied, whatever NEAR allows."""
LOST = 1e-12
"""What a flow of rational numbers may be below the computed one, relatively, to be taken for it."""
TERMS = 5000
"""The largest denominator looked for in one number."""


def best_flow(problem: FlowProblem, small: Reduction, flows: FloatArray) -> FlowBound:
    """The lower bound that the flows of a reduction prove, lifted; `flows` is (k, m).

    Where all flows are rational numbers with a small common denominator they are kept as such.
    """
    rows = small.lift_flows(flows)
    load = rows.sum(axis=0)
    scale = 1 << load_scale(float(load.max()))
    common = approximate_denominator(flows)
    if common is not None and small.colour is not None:
        common = approximate_denominator(rows)
    if common is None or common >= scale:
        return _flow_bound(problem, small, rows, scale)
    kept = _flow_bound(problem, small, rows, common)
    busiest = float((load / arc_capacities(problem.topology, small.net.arc)).max())
    if float(kept[0] * problem.unit) * busiest >= 1 - LOST:
        return kept
    return max(_flow_bound(problem, small, rows, scale), kept, key=lambda bounded: bounded[0])


def best_lengths(
    problem: FlowProblem, small: Reduction, lengths: FloatArray
) -> tuple[Fraction, Int64Array]:
    """The upper bound that lengths of classes of arcs prove; `lengths` has shape (classes,).

    Where they are small whole numbers but for a factor, that is what they become.
    """
    own = lengths[small.kind] / float(lengths.max())
    if float(own.min()) == 1.0:  # all are alike: hops
        return _length_bound(problem, small, np.ones(len(own), dtype=np.int64))
    try:
        whole = round_lengths(own, 2.0 * max(_farthest(small, own, small.sources[:SAMPLE]), 1e-3))
        found = _length_bound(problem, small, whole)
    except Unsupported:  # a source that was not looked at, such as a busy one, is much farther
        whole = round_lengths(own, 2.0 * max(_farthest(small, own, small.sources), 1e-3))
        found = _length_bound(problem, small, whole)
    positive = own[own > 1e-9]
    common = approximate_denominator(own / float(positive.min()), limit=1 << 20)
    if common is not None:
        small_whole = np.rint(own / float(positive.min()) * common).astype(np.int64)
        if int(small_whole.max()) * small.net.n < longest_distance(problem):
            found = min(found, _length_bound(problem, small, small_whole), key=lambda pair: pair[0])
    return found


def _farthest(small: Reduction, own: FloatArray, sources: IntArray) -> float:
    """The greatest distance from any of some sources, by the lengths of arcs."""
    most = 0.0
    for begin in range(0, len(sources), SOURCE_BLOCK):
        block = sources[begin : begin + SOURCE_BLOCK]
        out = np.empty((len(block), small.net.n))
        fill_distances(block, small.net, own, out)
        most = max(most, float(out.max()))
    return most


def _length_bound(
    problem: FlowProblem, small: Reduction, own: Int64Array
) -> tuple[Fraction, Int64Array]:
    whole = np.zeros(problem.topology.arcs, dtype=np.int64)
    whole[small.net.arc] = own
    return length_upper_bound(problem, whole), whole


def _flow_bound(problem: FlowProblem, small: Reduction, rows: FloatArray, scale: int) -> FlowBound:
    """The lower bound of the flows of all sources, `scale` of which are one unit."""
    own = np.empty(rows.shape, dtype=np.int64)
    wanted = small.wanted
    if small.colour is not None:
        wanted = problem.demand_rows(problem.sources)
    round_flows(problem.sources, small.net, wanted, rows, own, scale)
    whole = own
    if len(small.net.arc) < problem.topology.arcs:
        whole = np.zeros((len(own), problem.topology.arcs), dtype=np.int64)
        whole[:, small.net.arc] = own
    flow = Flow(sources=problem.sources, rows=whole, quantum=problem.unit / scale)
    return flow_lower_bound(problem, flow), flow


def round_lengths(lengths: FloatArray, farthest: float) -> Int64Array:
    """Lengths as whole numbers, so fine that `farthest` comes near to 33 bits; shape kept."""
    return _scale_to_integers(lengths, LENGTH_BITS - frexp(farthest)[1])


def load_scale(busiest: float) -> int:
    """A power of two that makes loads of up to `busiest` whole numbers of about 52 bits."""
    return max(LOAD_BITS - frexp(busiest)[1], 0)


def _scale_to_integers(values: FloatArray, exponent: int) -> Int64Array:
    return np.rint(np.ldexp(values, exponent)).astype(np.int64)


def approximate_denominator(values: ArrayLike, limit: int = 1 << 30) -> int | None:
    """The least q up to `limit` found such that q times every value is nearly whole.

    >>> approximate_denominator([0.5, 1 / 3, 2.0])
    6
    """
    q = 1
    for row in np.atleast_2d(np.asarray(values, dtype=np.float64)):
        for value in np.unique(np.round(row, 9)).tolist():
            if not _is_whole(value, q):
                q *= Fraction(value * q).limit_denominator(TERMS).denominator
                if q > limit or not _is_whole(value, q):
                    return None
    return q


def _is_whole(value: float, q: int) -> bool:
    """Whether q times a computed value is nearly whole."""
    allowed = min(NEAR * q * max(abs(value), 1.0), SURELY_WHOLE)
    return abs(value * q - round(value * q)) <= allowed
