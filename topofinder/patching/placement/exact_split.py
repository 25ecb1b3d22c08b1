"""The best panels for the circuits of one placement, by integer programming, with a proof.

Circuits of a pair of ends are alike, so that a split says how many of them each panel carries: one
variable for those that stay there, which cost nothing, one for those to make, which cost a move.
The ports of each end on each panel limit both. The relaxation gives prices of ports.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from generators.topology import BoolArray, Int64Array
from topofinder.patching.panels.kempe_chain_kernels import PanelSplit
from topofinder.patching.placement.integer_program import (
    SCALE,
    WHOLE,
    Effort,
    FloatArray,
    IntegerProgram,
    price_bound,
    solve_program,
    solve_relaxation,
    whole_answer,
)

NEAR_SHARE = 3
"""One of so many pairs may be free there: on random graphs more are, and nothing is found."""
MOST_NEAR = 2
"""Searches near the relaxation, each with the pairs at the ends of those of the one before."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SplitProblem:
    """Circuits to put on panels: `wanted` (pairs,) between `ends` (pairs, 2).

    `there` (pairs, panels) are in place and may stay; `room` (ends, panels) are the ports.
    """

    ends: Int64Array
    wanted: Int64Array
    there: Int64Array
    room: Int64Array

    @classmethod
    def of(cls, state: PanelSplit) -> "SplitProblem":
        """The problem of a state in which no circuit has a panel."""
        first = np.unique(state.pair, return_index=True)[1]
        return cls(
            ends=state.ends[first],
            wanted=np.bincount(state.pair, minlength=len(state.spare)).astype(np.int64),
            there=state.spare,
            room=state.room,
        )

    @property
    def new(self) -> int:
        """Circuits wanted beyond those that are in place between the same ends on any panel."""
        return int(np.maximum(0, self.wanted - self.there.sum(axis=1)).sum())

    def price(self, on: Int64Array) -> tuple[int, int]:
        """Circuits left out and made where the panels carry so `on` many; shape (pairs, panels)."""
        carried = int(on.sum())
        kept = int(np.minimum(on, self.there).sum())
        return int(self.wanted.sum()) - carried, carried - kept


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProvedSplit:
    """The best split known: `on` (pairs, panels) circuits, and what is proved of all splits.

    None leaves out fewer than `out`, and none that leaves out as few as `on` makes fewer than
    `made`.
    """

    on: Int64Array
    out: int
    made: int


def best_split(problem: SplitProblem, known: Int64Array, effort: Effort) -> ProvedSplit:
    """The best split that is found, at least as good as the one `known` (pairs, panels).

    >>> ring = SplitProblem(
    ...     ends=np.array([[0, 1], [1, 2], [0, 2]]), wanted=np.ones(3, dtype=np.int64),
    ...     there=np.zeros((3, 2), dtype=np.int64), room=np.ones((3, 2), dtype=np.int64))
    >>> found = best_split(ring, np.zeros((3, 2), dtype=np.int64), Effort())
    >>> ring.price(found.on), found.out, found.made
    ((1, 2), 1, 2)
    """
    least, on = 0, known
    if problem.price(on)[0]:
        found = solve_program(_least_out(problem), on.ravel(), effort)
        on = found.chosen.reshape(on.shape)
        least = max(0, found.bound + int(problem.wanted.sum()))
    out, made = problem.price(on)
    if made <= (counted := max(0, problem.new - out)):
        return ProvedSplit(on=on, out=least, made=counted)
    stay = np.minimum(on, problem.there)
    begun = np.stack([stay, on - stay]).ravel()
    near = partial(_near_cores, problem)
    keep = _usual_choices(problem)
    found = solve_program(_least_made(problem, out), begun, effort, near, keep)
    on = _without_spare(problem, found.chosen.reshape(2, *on.shape).sum(axis=0))
    return ProvedSplit(on=on, out=least, made=max(counted, found.bound))


def _usual_choices(problem: SplitProblem) -> BoolArray:
    """What stays in place, and any panel for new circuits: without these few cores hold a split."""
    new = problem.there.sum(axis=1) < problem.wanted
    made = np.broadcast_to(new[:, None], problem.there.shape)
    return np.stack([problem.there > 0, made]).ravel()


def _near_cores(problem: SplitProblem, values: FloatArray) -> Iterator[BoolArray]:
    """Cores in which pairs that the relaxation splits, and more and more about them, are free.

    The others have the panels that they have there. None where too many would be free.
    """
    free = _are_apart(problem, values)
    for _ in range(MOST_NEAR):
        open_ = np.broadcast_to(free[None, :, None], (2, *problem.there.shape))
        if NEAR_SHARE * np.count_nonzero(free) > len(free):
            return
        yield open_.ravel() | (values > WHOLE)
        ends = np.zeros(len(problem.room), dtype=np.bool_)
        ends[problem.ends[free]] = True
        free = np.asarray(ends[problem.ends].any(axis=1))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RelaxedSplit:
    """What a port is worth, shape (ends, panels), in parts of SCALE moves.

    `on` is the best split where the relaxation is whole, else None.
    """

    price: Int64Array
    on: Int64Array | None


def relaxed_split(problem: SplitProblem, out_cost: int, effort: Effort) -> RelaxedSplit | None:
    """Prices of ports by the relaxation, where a circuit left out costs `out_cost` moves.

    None where time is out.
    """
    use, own = (sparse.hstack([rows, rows]) for rows in _use(problem))
    most, none = _most(problem), sparse.csr_matrix((use.shape[0], len(problem.wanted)))
    left: Any = sparse.identity(len(problem.wanted))
    blocks: Any = [[use, none], [-own, -left]]
    program = IntegerProgram(
        cost=np.repeat(np.array([0, 1, out_cost]), [most.size, most.size, len(problem.wanted)]),
        rows=sparse.csr_matrix(sparse.bmat(blocks)),
        limit=np.concatenate([problem.room.ravel(), -problem.wanted]),
        most=np.concatenate(
            [np.minimum(most, problem.there).ravel(), most.ravel(), problem.wanted]
        ),
    )
    if (found := solve_relaxation(program, effort)) is None:
        return None
    prices, x = found[0], whole_answer(program, found[1])
    bound, _ = price_bound(program, prices)
    whole = x is not None and program.cost @ x * SCALE < bound + SCALE
    split = None
    if x is not None and whole:
        split = _without_spare(problem, x[: 2 * most.size].reshape(2, *most.shape).sum(axis=0))
    return RelaxedSplit(
        price=prices[: problem.room.size].reshape(problem.room.shape),
        on=split,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PanelRelaxation:
    """The relaxation of a placement's panels: at `least` so many moves are made.

    `tolls` (circuits, panels) are what each panel costs each circuit above the prices of its ports,
    in moves, so that a split in which all have a panel costs `least` and its tolls together.
    `near_whole`: few circuits are on several panels.
    """

    least: float
    tolls: FloatArray
    near_whole: bool


def relax_panels(state: PanelSplit, effort: Effort) -> PanelRelaxation | None:
    """The relaxation for a state in which no circuit has a panel; None where time is out.

    >>> ring = PanelSplit(*(np.array(part) for part in (
    ...     [[0, 1], [1, 2], [2, 0]], [-1] * 3, [[2, 0]] * 3, [0, 2, 4, 6], [0, 2, 0, 1, 1, 2],
    ...     [0, 1, 2], [[1, 0], [1, 0], [0, 0]], [[0, 0]], [0])))
    >>> found = relax_panels(ring, Effort())
    >>> found.least, found.tolls[:, 0].tolist(), found.near_whole
    (1.0, [0.0, 0.0, 0.0], True)
    """
    problem = SplitProblem.of(state)
    program = _least_made(problem, 0)
    if (found := solve_relaxation(program, effort)) is None:
        return None
    least, exact = price_bound(program, found[0])
    above = exact.reshape(2, *problem.there.shape) / SCALE
    tolls = np.where(problem.there > 0, above.min(axis=0), above[1])
    apart = _are_apart(problem, found[1])
    return PanelRelaxation(
        least=least / SCALE,
        tolls=np.ascontiguousarray(tolls[state.pair]),
        near_whole=NEAR_SHARE * int(np.count_nonzero(apart)) <= len(apart),
    )


def _are_apart(problem: SplitProblem, values: FloatArray) -> BoolArray:
    """Which pairs the relaxation puts on several panels, in parts."""
    apart = np.abs(values - np.rint(values)) > WHOLE
    return np.asarray(apart.reshape(2, *problem.there.shape).any(axis=(0, 2)))


def _without_spare(problem: SplitProblem, on: Int64Array) -> Int64Array:
    """As many circuits of each pair as are wanted: more may be in place, and stay for nothing."""
    on = on.copy()
    for pair in np.flatnonzero(on.sum(axis=1) > problem.wanted).tolist():
        spare = int(on[pair].sum() - problem.wanted[pair])
        new = np.maximum(0, on[pair] - problem.there[pair])
        for take in (new, on[pair] - new):
            for panel in range(on.shape[1]):
                less = min(spare, int(take[panel]))
                on[pair, panel] -= less
                spare -= less
    return on


def _most(problem: SplitProblem) -> Int64Array:
    """The circuits of each pair that each panel has ports for, shape (pairs, panels)."""
    return np.asarray(
        np.minimum(
            problem.wanted[:, None],
            np.minimum(problem.room[problem.ends[:, 0]], problem.room[problem.ends[:, 1]]),
        )
    )


def _use(problem: SplitProblem) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Rows of ports (ends * panels) and of pairs, over one variable for each pair and panel."""
    pairs, panels = problem.there.shape
    columns = np.arange(pairs * panels)
    ports = (problem.ends[:, None, :] * panels + np.arange(panels)[None, :, None]).reshape(-1, 2)
    entries = np.ones(2 * len(columns)), (ports.T.ravel(), np.tile(columns, 2))
    use = sparse.csr_matrix(entries, shape=(problem.room.size, len(columns)))
    own = np.ones(len(columns)), (columns // panels, columns)
    return use, sparse.csr_matrix(own, shape=(pairs, len(columns)))


def _least_out(problem: SplitProblem) -> IntegerProgram:
    """As many circuits on panels as possible; the cost is minus their number."""
    use, own = _use(problem)
    return IntegerProgram(
        cost=np.full(use.shape[1], -1, dtype=np.int64),
        rows=sparse.csr_matrix(sparse.vstack([use, own])),
        limit=np.concatenate([problem.room.ravel(), problem.wanted]),
        most=_most(problem).ravel(),
    )


def _least_made(problem: SplitProblem, out: int) -> IntegerProgram:
    """As few moves as possible where `out` circuits are left out: first those that stay."""
    use, own = (sparse.hstack([rows, rows]) for rows in _use(problem))
    rows: list[Any] = [-own]
    limit: list[Any] = [-problem.wanted]
    if out:
        rows = [own, sparse.csr_matrix(np.full((1, use.shape[1]), -1.0))]
        limit = [problem.wanted, [out - int(problem.wanted.sum())]]
    most = _most(problem)
    return IntegerProgram(
        cost=np.repeat(np.array([0, 1]), most.size),
        rows=sparse.csr_matrix(sparse.vstack([use, *rows])),
        limit=np.concatenate([problem.room.ravel(), *limit]).astype(np.int64),
        most=np.concatenate([np.minimum(most, problem.there).ravel(), most.ravel()]),
    )
