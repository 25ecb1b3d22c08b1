"""Splits on trial: all cuts are tested, and what an overwhelmed cut needs is given back.

Source: ForestColl (NSDI 2026), theorem 6. To split off (u, w), (w, t) takes capacity from a cut S
exactly where u and t are on one side of it and w on the other. So when a target fails with d units
unmet, splits of this kind hold at least d units; d of them are given back and the target goes on.
For a single split, what stays is the largest amount that theorem 6 allows.
"""

import numpy as np

from generators.topology import Int64Array, IntArray
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.switch_removal.split_state import Splitting
from topofinder.kernels import kernel


def allowed_amounts(
    state: Splitting,
    splits: tuple[Int64Array, Int64Array, Int64Array],
    compute: IntArray,
    supply: list[int],
) -> Int64Array:
    """How much of every split (arc in, arc out, amount) the cuts allow, all made together.

    The state itself is not split, but the logical arcs are added to it. No two splits may meet
    in one arc that is the logical arc of another.
    """
    into, out, amount = splits
    amount = amount.copy()
    made = state.logical(into, out)
    capacity = state.capacity.copy()
    np.subtract.at(capacity, into, amount)
    np.subtract.at(capacity, out, amount)
    np.add.at(capacity, made[made >= 0], amount[made >= 0])
    used = np.zeros(len(capacity), np.bool_)
    used[capacity > 0] = True
    used[into] = used[out] = used[made[made >= 0]] = True
    alive = np.flatnonzero(used)
    place = np.cumsum(used) - 1
    cuts = Cuts(state.n, state.tail[alive], state.head[alive], compute)
    cuts.load(capacity[alive], supply)
    local = place[into], place[out], np.where(made >= 0, place[made], -1)
    ends = state.tail[into], state.head[into], state.head[out]
    position = cuts.test()
    while position < len(cuts.order):
        _relieve_violated_cut(cuts, local, ends, amount)
        if cuts.resume(position) == 0:
            position = cuts.test(position + 1)
    return amount


def _relieve_violated_cut(
    cuts: Cuts, local: tuple[Int64Array, ...], ends: tuple[Int64Array, ...], amount: Int64Array
) -> None:
    """Give back what the overwhelmed cut lacks."""
    u, w, t = (cuts.inside()[nodes] for nodes in ends)
    guilty = np.flatnonzero((u == t) & (u != w) & (amount > 0))
    # The larger ones first: few splits are touched, and the smaller ones keep their variety.
    guilty = guilty[np.argsort(-amount[guilty], kind="stable")]
    give_back(*local, amount, guilty, cuts.unmet, cuts.residual)


@kernel
def give_back(into, out, made, amount, guilty, lacking, residual):  # type: ignore[no-untyped-def]
    """Take up to `lacking` units off the guilty splits, and move their flow to the old way."""
    for s in guilty:
        if lacking == 0:
            break
        back = min(amount[s], lacking)
        lacking -= back
        amount[s] -= back
        carried = 0
        if made[s] >= 0:
            carried = back - min(back, residual[2 * made[s]])
            residual[2 * made[s]] -= back - carried
            residual[2 * made[s] + 1] -= carried
        for e in (into[s], out[s]):
            residual[2 * e] += back - carried
            residual[2 * e + 1] += carried
    return lacking
