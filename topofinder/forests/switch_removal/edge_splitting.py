"""Replace all switches by logical arcs between compute nodes without loss.

Source: ForestColl (NSDI 2026), section 5.3, algorithm 3, theorems 5 and 6. First all switches are
split as guessed, and one test of all cuts decides. If it fails, switch after switch: the guess
with what the cuts demand given back, then pair after pair, each by the largest amount that
theorem 6 allows, until nothing is left.
"""

import numpy as np

from generators.errors import Unsupported
from generators.topology import IntArray
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.switch_removal.initial_splits import Splits, initial_splits, unlinked_runs
from topofinder.forests.switch_removal.split_state import Splitting
from topofinder.forests.switch_removal.tiers import Tiers
from topofinder.forests.switch_removal.trial import allowed_amounts

ROUNDS = 2
MAX_ROTATIONS = 128
MAX_ROTATIONS_IN_TIERS = 8
"""Turns a switch may use: with more the trees are lower, but there are more logical arcs. Where
switches are linked to switches the arcs multiply from tier to tier."""


def remove_switches(
    state: Splitting,
    compute: IntArray,
    supply: list[int],
    *,
    spread: int | None = None,
    guess: bool = True,
    rounds: int = ROUNDS,
    clock: Clock = NO_LIMIT,
) -> Splitting:
    """The digraph with every switch split off; the compute nodes keep all their trees.

    `supply` is the number of trees rooted at every node, which the cuts of `state` must allow;
    every switch must have as much capacity in as out. `spread` limits the turns of the
    guess. `guess=False` skips the guess for all switches together, `rounds=0` that for a single
    switch; both are shortcuts only.

    Raises Unsupported when a switch cannot be split off, which needs a compute node with more
    capacity in than out or the reverse (theorem 4 speaks of Eulerian digraphs), and when the time
    is over.
    """
    if len(compute) == state.n:
        return state
    tiers = Tiers.of(state.n, state.tail, state.head, compute)
    if spread is None:
        spread = _rotation_limit(state, tiers)
    if guess:
        tried = state.copy()
        turn = 0
        for run in unlinked_runs(tried, tiers.order()):
            tried.split(*initial_splits(tried, run, tiers, spread, turn))
            turn += len(run)
        if no_cut_is_violated(tried, compute, supply):
            return tried
    turn = 0
    for run in unlinked_runs(state, tiers.order()):
        for i in range(rounds):
            _split_as_allowed(
                state, initial_splits(state, run, tiers, spread, turn + i), compute, supply
            )
        for w in run:
            clock.tell(f"switches: {turn:,} are split off")
            _split_pair_by_pair(state, w, compute, supply, clock)
        turn += len(run)
    return state


def _rotation_limit(state: Splitting, tiers: Tiers) -> int:
    """How many turns a switch may use."""
    proper = np.zeros(state.n, np.bool_)
    proper[[w for w in tiers.below if w not in tiers.through]] = True
    tiered = (proper[state.tail] & proper[state.head]).any()
    return MAX_ROTATIONS_IN_TIERS if tiered else MAX_ROTATIONS


def no_cut_is_violated(state: Splitting, compute: IntArray, supply: list[int]) -> bool:
    """Whether no cut is overwhelmed."""
    alive = np.flatnonzero(state.capacity)
    cuts = Cuts(state.n, state.tail[alive], state.head[alive], compute)
    cuts.load(state.capacity[alive], supply)
    return cuts.test() == len(cuts.order)


def _split_as_allowed(
    state: Splitting,
    splits: Splits,
    compute: IntArray,
    supply: list[int],
) -> None:
    into, out, _ = splits
    if len(into):
        amount = allowed_amounts(state, splits, compute, supply)
        some = amount > 0
        state.split(into[some], out[some], amount[some])


def _split_pair_by_pair(
    state: Splitting, w: int, compute: IntArray, supply: list[int], clock: Clock = NO_LIMIT
) -> None:
    """Split off what is left at a switch, pair after pair; loops last."""
    into, out = state.ports([w])[0]
    for f in out:
        clock.require_time("switches")
        for e in sorted(into, key=lambda e: state.tail[e] == state.head[f]):
            amount = np.minimum(state.capacity[[e]], state.capacity[[f]])
            if amount[0]:
                _split_as_allowed(state, (np.array([e]), np.array([f]), amount), compute, supply)
    if state.capacity[np.concatenate([into, out])].any():
        raise Unsupported(f"switch {w}: cannot be split off, as not every node passes on all")
