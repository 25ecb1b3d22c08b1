"""The best panels for the circuits of one placement, by integer programming, with a proof.

Circuits of a pair of ends are alike, so that a split says how many of them each panel carries: one
variable for those that stay there, which cost nothing, one for those to make, which cost a move.
The ports of each end on each panel limit both. The relaxation gives prices of ports, and with them
in whole numbers a bound that holds exactly, whatever the solver rounds (weak duality). What a
variable costs above its price tells which splits it may be part of: only the cheap ones are given
to HiGHS, and if these hold no better split, dear ones make at least as many moves (Dantzig,
Fulkerson and Johnson 1954).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from generators.topology import BoolArray, Int64Array
from topofinder.patching.panels.kempe_chain_kernels import PanelSplit

SCALE = 1 << 24
"""Prices are multiples of one part in so many."""
DEAR = (0.01, 0.6, 1.2, 2.4, 4.8, np.inf)
"""Variables are left out that cost more than so many circuits, in turn."""
MOST_SIMPLEX_VARIABLES = 4000
"""Variables up to which the simplex method is the quickest."""
WHOLE = 0.01
"""An answer as near to whole numbers is rounded to them, and looked at again."""
SOLVED, STOPPED, INFEASIBLE = 0, 1, 2
"""scipy's statuses of a program."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """Branches for each program, and the `seconds` that are left, read before each."""

    branches: int = 1 << 20
    seconds: Callable[[], float] = lambda: np.inf


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
        found = _solve_program(_least_out(problem), on.ravel(), effort)
        on = found.chosen.reshape(on.shape)
        least = max(0, found.bound + int(problem.wanted.sum()))
    out, made = problem.price(on)
    if made <= (counted := max(0, problem.new - out)):
        return ProvedSplit(on=on, out=least, made=counted)
    stay = np.minimum(on, problem.there)
    found = _solve_program(_least_made(problem, out), np.stack([stay, on - stay]).ravel(), effort)
    on = _without_spare(problem, found.chosen.reshape(2, *on.shape).sum(axis=0))
    return ProvedSplit(on=on, out=least, made=max(counted, found.bound))


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
    program = _Program(
        cost=np.repeat(np.array([0, 1, out_cost]), [most.size, most.size, len(problem.wanted)]),
        rows=sparse.csr_matrix(sparse.bmat(blocks)),
        limit=np.concatenate([problem.room.ravel(), -problem.wanted]),
        most=np.concatenate(
            [np.minimum(most, problem.there).ravel(), most.ravel(), problem.wanted]
        ),
    )
    if (found := _solve_relaxation(program, effort)) is None:
        return None
    prices, x = found
    bound, _ = _price_bound(program, prices)
    whole = x is not None and program.cost @ x * SCALE < bound + SCALE
    split = None
    if x is not None and whole:
        split = _without_spare(problem, x[: 2 * most.size].reshape(2, *most.shape).sum(axis=0))
    return RelaxedSplit(
        price=prices[: problem.room.size].reshape(problem.room.shape),
        on=split,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Program:
    """Least `cost` of whole x in 0..`most` with `rows` x <= `limit`, all of them integers."""

    cost: Int64Array
    rows: Any
    limit: Int64Array
    most: Int64Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Answer:
    """The best x known, and a proved bound on the cost of all."""

    chosen: Int64Array
    bound: int


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


def _least_out(problem: SplitProblem) -> _Program:
    """As many circuits on panels as possible; the cost is minus their number."""
    use, own = _use(problem)
    return _Program(
        cost=np.full(use.shape[1], -1, dtype=np.int64),
        rows=sparse.csr_matrix(sparse.vstack([use, own])),
        limit=np.concatenate([problem.room.ravel(), problem.wanted]),
        most=_most(problem).ravel(),
    )


def _least_made(problem: SplitProblem, out: int) -> _Program:
    """As few moves as possible where `out` circuits are left out: first those that stay."""
    use, own = (sparse.hstack([rows, rows]) for rows in _use(problem))
    rows: list[Any] = [-own]
    limit: list[Any] = [-problem.wanted]
    if out:
        rows = [own, sparse.csr_matrix(np.full((1, use.shape[1]), -1.0))]
        limit = [problem.wanted, [out - int(problem.wanted.sum())]]
    most = _most(problem)
    return _Program(
        cost=np.repeat(np.array([0, 1]), most.size),
        rows=sparse.csr_matrix(sparse.vstack([use, *rows])),
        limit=np.concatenate([problem.room.ravel(), *limit]).astype(np.int64),
        most=np.concatenate([np.minimum(most, problem.there).ravel(), most.ravel()]),
    )


def _solve_program(program: _Program, known: Int64Array, effort: Effort) -> _Answer:
    """The best x found, no worse than one that is `known`."""
    best, floor = known, int(program.cost[program.cost < 0] @ program.most[program.cost < 0])
    if program.cost @ best <= floor:
        return _Answer(chosen=best, bound=floor)
    if (found := _solve_relaxation(program, effort)) is None:
        return _Answer(chosen=best, bound=floor)
    prices, x = found
    bound, above = _price_bound(program, prices)
    if x is not None and program.cost @ x < program.cost @ best:
        best = x
    proved = max(floor, -(-bound // SCALE))
    for dear in DEAR:
        value = int(program.cost @ best)
        if proved >= value:
            break
        # A better x uses nothing that alone costs as much as the best.
        core = above <= min(dear * SCALE, SCALE * (value - 1) - bound)
        within = _solve_core(program, core & (program.most > 0), value - 1, effort)
        if within.x is not None:
            best = np.rint(within.x).astype(np.int64)
            value = int(program.cost @ best)
        if within.status not in (SOLVED, INFEASIBLE):
            break
        outside = above[~core & (program.most > 0)]
        reach = -(-(bound + int(outside.min())) // SCALE) if len(outside) else value
        proved = max(proved, min(value, reach))
    return _Answer(chosen=best, bound=proved)


def _solve_relaxation(
    program: _Program, effort: Effort
) -> tuple[Int64Array, Int64Array | None] | None:
    """The price of each row by the relaxation, in parts of SCALE, and its x if that is whole.

    None where time is out.
    """
    small = np.count_nonzero(program.most) <= MOST_SIMPLEX_VARIABLES
    if (seconds := effort.seconds()) <= 0:
        return None
    options: Any = {} if np.isinf(seconds) else {"time_limit": seconds}
    bounds: Any = np.stack([np.zeros_like(program.most), program.most], axis=1)
    answer = linprog(
        program.cost,
        A_ub=program.rows,
        b_ub=program.limit,
        bounds=bounds,
        method="highs-ds" if small else "highs-ipm",
        options=options,
    )
    if answer.status != SOLVED:
        return None
    prices = np.rint(np.maximum(0.0, -answer.ineqlin.marginals) * SCALE)
    values = np.asarray(answer.x)
    x = np.rint(values).astype(np.int64)
    fits = np.abs(x - values).max(initial=0.0) < WHOLE and _holds(program, x)
    return prices.astype(np.int64), x if fits else None


def _holds(program: _Program, x: Int64Array) -> bool:
    """Whether whole numbers keep within all limits."""
    fits = (program.rows @ x <= program.limit).all() and (x <= program.most).all()
    return bool(fits and x.min(initial=0) >= 0)


def _price_bound(program: _Program, prices: Int64Array) -> tuple[int, Int64Array]:
    """A bound on the cost of all x, and what each variable costs above its prices, exactly.

    Whatever the prices, which are not negative: an x costs at least the bound and, of each
    variable that it uses, what that costs above.
    """
    above = program.cost * SCALE + program.rows.astype(np.int64).T @ prices
    gained = np.minimum(above, 0) @ program.most
    return int(gained - prices @ program.limit), np.asarray(above)


def _solve_core(program: _Program, core: BoolArray, value: int, effort: Effort) -> Any:
    """HiGHS's answer with the variables of the core alone, for a cost of `value` or less."""
    if (seconds := effort.seconds()) <= 0:
        return _Stopped()
    where = np.flatnonzero(core)
    part = replace(
        program,
        cost=program.cost[where],
        rows=program.rows[:, where],
        most=program.most[where],
    )
    cost: Any = sparse.csr_matrix(part.cost[None].astype(np.float64))
    rows = sparse.vstack([part.rows, cost])
    options: Any = {"node_limit": effort.branches, "mip_rel_gap": 0.0}
    answer = milp(
        part.cost,
        constraints=LinearConstraint(rows, -np.inf, np.append(part.limit, value)),
        integrality=np.ones(len(where), dtype=np.int8),
        bounds=Bounds(0, part.most),
        options=options if np.isinf(seconds) else options | {"time_limit": seconds},
    )
    return _Stopped(status=answer.status, x=_whole(program, where, answer.x, value))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Stopped:
    """A status, and an x if one was found."""

    status: int = STOPPED
    x: Int64Array | None = None


def _whole(program: _Program, where: Int64Array, found: Any, value: int) -> Int64Array | None:
    """An answer in whole numbers for all variables, None if it does not hold in them."""
    if found is None:
        return None
    chosen = np.zeros(len(program.cost), dtype=np.int64)
    chosen[where] = np.rint(found)
    return chosen if _holds(program, chosen) and program.cost @ chosen <= value else None
