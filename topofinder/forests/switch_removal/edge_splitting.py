"""Replace all switches by logical arcs between compute nodes without loss: edge splitting.

Source: ForestColl (NSDI 2026), section 5.3, algorithm 3, theorems 5 and 6 (Lovász's and Mader's
splitting off, in digraphs). First all switches are split as `initial_splits` proposes, and one test
of all cuts decides. If it fails, switch after switch: the proposal less what violated cuts take
back, then pair after pair, each by the largest amount that theorem 6 allows, until nothing is left.

To split off (u, w), (w, t) takes capacity from a cut S exactly where u and t are on one side of it
and w on the other. So when a target fails with d units unmet, splits of this kind hold at least d
units; d of them are given back and the target goes on. For a single split, what stays is the
largest amount that theorem 6 allows.
"""

import numpy as np

from generators.errors import Unsupported
from generators.topology import Int64Array, IntArray
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.switch_removal.initial_splits import (
    Splits,
    Tiers,
    initial_splits,
    unlinked_runs,
)
from topofinder.forests.switch_removal.split_kernels import give_back
from topofinder.forests.switch_removal.split_state import Splitting

PROPOSAL_ROUNDS = 2
MAX_ROTATIONS = 128
MAX_ROTATIONS_IN_TIERS = 8
"""Rotations a switch may use: with more the trees are lower, but there are more logical arcs. Where
switches are linked to switches the arcs multiply from tier to tier."""


def remove_switches(
    state: Splitting,
    compute: IntArray,
    supply: list[int],
    *,
    at_once: bool = True,
    rounds: int = PROPOSAL_ROUNDS,
    clock: Clock = NO_LIMIT,
) -> Splitting:
    """The digraph with every switch split off; the compute nodes keep all their trees.

    `supply` is the number of trees rooted at every node, which the cuts of `state` must allow;
    every switch must have as much capacity in as out. `at_once=False` skips the initial splits of
    all switches together, `rounds=0` those of a single switch; both are shortcuts only.

    Raises Unsupported when a switch cannot be split off, which needs a compute node with more
    capacity in than out or the reverse (theorem 4 speaks of Eulerian digraphs), and when the time
    is over.
    """
    if len(compute) == state.n:
        return state
    tiers = Tiers.of(state.n, state.tail, state.head, compute)
    limit = _rotation_limit(state, tiers)
    if at_once:
        tried = _split_all(state.copy(), tiers, limit)
        if _allows(tried, compute, supply):
            return tried
    removed = 0
    for run in unlinked_runs(state, tiers.order()):
        for i in range(rounds):
            splits = initial_splits(state, run, tiers, limit, removed + i)
            _split_as_allowed(state, splits, compute, supply)
        for w in run:
            clock.tell(f"switches: {removed:,} are split off")
            _split_pair_by_pair(state, w, compute, supply, clock)
        removed += len(run)
    return state


def _allowed_amounts(
    state: Splitting, splits: Splits, compute: IntArray, supply: list[int]
) -> Int64Array:
    """How much of every split (arc in, arc out, amount) the cuts allow, all made together.

    The state itself is not split, but the logical arcs are added to it. No two splits may meet
    in one arc that is the logical arc of another.
    """
    into, out, amount = splits
    amount = amount.copy()
    made = state.logical_arcs(into, out)
    cuts, place = _load_split(state, (into, out, made, amount), compute, supply)
    local = place[into], place[out], np.where(made >= 0, place[made], -1)
    ends = state.tail[into], state.head[into], state.head[out]
    position = cuts.test()
    while position < len(cuts.order):
        _relieve_violated_cut(cuts, local, ends, amount)
        if cuts.resume(position) == 0:
            position = cuts.test(position + 1)
    return amount


def _split_all(state: Splitting, tiers: Tiers, limit: int) -> Splitting:
    """All switches split off as proposed, without a look at the cuts."""
    removed = 0
    for run in unlinked_runs(state, tiers.order()):
        state.split(*initial_splits(state, run, tiers, limit, removed))
        removed += len(run)
    return state


def _rotation_limit(state: Splitting, tiers: Tiers) -> int:
    """How many rotations a switch may use."""
    proper = np.zeros(state.n, np.bool_)
    proper[[w for w in tiers.below if w not in tiers.through]] = True
    tiered = (proper[state.tail] & proper[state.head]).any()
    return MAX_ROTATIONS_IN_TIERS if tiered else MAX_ROTATIONS


def _allows(state: Splitting, compute: IntArray, supply: list[int]) -> bool:
    """Whether no cut is violated."""
    alive = np.flatnonzero(state.capacity)
    cuts = Cuts(state.n, state.tail[alive], state.head[alive], compute)
    cuts.load(state.capacity[alive], supply)
    return cuts.test() == len(cuts.order)


def _split_as_allowed(
    state: Splitting, splits: Splits, compute: IntArray, supply: list[int]
) -> None:
    """Split off as much of every split as the cuts allow."""
    into, out, _ = splits
    if len(into):
        amount = _allowed_amounts(state, splits, compute, supply)
        some = amount > 0
        state.split(into[some], out[some], amount[some])


def _split_pair_by_pair(
    state: Splitting, w: int, compute: IntArray, supply: list[int], clock: Clock = NO_LIMIT
) -> None:
    """Split off what is left at a switch, pair after pair; loops last."""
    into, out = state.ports([w])[0]
    for f in out:
        clock.require_time("switches", "a smaller k")
        for e in sorted(into, key=lambda e: state.tail[e] == state.head[f]):
            amount = np.minimum(state.capacity[[e]], state.capacity[[f]])
            if amount[0]:
                _split_as_allowed(state, (np.array([e]), np.array([f]), amount), compute, supply)
    if state.capacity[np.concatenate([into, out])].any():
        raise Unsupported(f"switch {w}: cannot be split off, as not every node passes on all")


def _load_split(
    state: Splitting,
    splits: tuple[Int64Array, Int64Array, Int64Array, Int64Array],
    compute: IntArray,
    supply: list[int],
) -> tuple[Cuts, Int64Array]:
    """Cuts with the capacities after the splits, and the place of every arc in them."""
    into, out, made, amount = splits
    linked = made >= 0
    capacity = state.capacity.copy()
    np.subtract.at(capacity, into, amount)
    np.subtract.at(capacity, out, amount)
    np.add.at(capacity, made[linked], amount[linked])
    used = capacity > 0
    used[into] = used[out] = used[made[linked]] = True
    alive = np.flatnonzero(used)
    cuts = Cuts(state.n, state.tail[alive], state.head[alive], compute)
    cuts.load(capacity[alive], supply)
    return cuts, np.cumsum(used) - 1


def _relieve_violated_cut(
    cuts: Cuts, local: tuple[Int64Array, ...], ends: tuple[Int64Array, ...], amount: Int64Array
) -> None:
    """Give back what the violated cut lacks."""
    u, w, t = (cuts.violated_cut()[nodes] for nodes in ends)
    guilty = np.flatnonzero((u == t) & (u != w) & (amount > 0))
    # The larger ones first: few splits are touched, and the smaller ones keep their variety.
    guilty = guilty[np.argsort(-amount[guilty], kind="stable")]
    give_back(*local, amount, guilty, cuts.unmet, cuts.residual)
