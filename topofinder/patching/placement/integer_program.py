"""Least cost in whole numbers, with an exact bound: relaxation, reduced costs, cores.

The relaxation prices the rows, and with the prices in whole numbers a bound that holds exactly,
whatever the solver rounds (weak duality). What a variable costs above its price tells which answers
it may be part of: only the cheap ones are given to HiGHS, and if these hold no better answer, dear
ones cost at least as much (Dantzig, Fulkerson and Johnson 1954).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from generators.topology import BoolArray, Int64Array

SCALE = 1 << 24
"""Prices are multiples of one part in so many."""
DEAR = (0.01, 0.6, 1.2, 1.8, 2.4, 3.2, 4.8, np.inf)
"""Variables are left out that cost more than so many circuits, in turn."""
MOST_SIMPLEX_VARIABLES = 4000
"""Variables up to which the simplex method is the quickest."""
NEAR_PART = 3
"""A search near the relaxation takes at most one of so many parts of the time that is left."""
WHOLE = 0.01
"""An answer as near to whole numbers is rounded to them, and looked at again."""
LEAST_SECONDS, VARIABLE_SECONDS = 3.0, 1e-3
"""Seconds for a proof, where a search has taken all that were offered, and for each variable: the
relaxation, and with it the bound, is worth having on a busy machine."""
SOLVED, STOPPED, INFEASIBLE = 0, 1, 2
"""scipy's statuses of a program."""


FloatArray = NDArray[np.float64]
NearCores = Callable[[FloatArray], Iterable[BoolArray]]
"""Variables that may be in use, (variables,), near an x of the relaxation: few before many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """Branches for each program, and the `seconds` that are left, read before each."""

    branches: int = 1 << 20
    seconds: Callable[[], float] = lambda: np.inf

    def part(self, parts: int) -> "Effort":
        """One of so many parts of the seconds that are left now.

        >>> Effort(seconds=lambda: 12.0).part(3).seconds()
        4.0
        """
        seconds = self.seconds() / parts
        return replace(self, seconds=lambda: seconds)


def least_proof_seconds(variables: int) -> float:
    """What a program of so many variables may take in any case.

    >>> least_proof_seconds(8192)
    11.192
    """
    return LEAST_SECONDS + VARIABLE_SECONDS * variables


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IntegerProgram:
    """Least `cost` of whole x in 0..`most` with `rows` x <= `limit`, all of them integers."""

    cost: Int64Array
    rows: Any
    limit: Int64Array
    most: Int64Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProvedAnswer:
    """The best x known, and a proved bound on the cost of all."""

    chosen: Int64Array
    bound: int


def solve_program(
    program: IntegerProgram,
    known: Int64Array,
    effort: Effort,
    near: NearCores | None = None,
    keep: BoolArray | None = None,
) -> ProvedAnswer:
    """The best x found, no worse than one that is `known`.

    Cores that are `near` the relaxation are looked at first, as long as they better the answer.
    Variables to `keep` are in every core after these.
    """
    best, floor = known, int(program.cost[program.cost < 0] @ program.most[program.cost < 0])
    if program.cost @ best <= floor:
        return ProvedAnswer(chosen=best, bound=floor)
    if (found := solve_relaxation(program, effort)) is None:
        return ProvedAnswer(chosen=best, bound=floor)
    prices, values = found
    bound, above = price_bound(program, prices)
    x = whole_answer(program, values)
    if x is not None and program.cost @ x < program.cost @ best:
        best = x
    elif x is None and near is not None:
        best = _search_near(program, best, near(values), effort)
    proved = max(floor, -(-bound // SCALE))
    for dear in DEAR:
        value = int(program.cost @ best)
        if proved >= value:
            break
        # A better x uses nothing that alone costs as much as the best. What the best uses may be
        # in use: parts of it that are better are found soon.
        core = (above <= min(dear * SCALE, SCALE * (value - 1) - bound)) | (best > 0)
        core = core if keep is None else core | keep
        within = _solve_core(program, core & (program.most > 0), value - 1, effort)
        if within.x is not None:
            best = np.rint(within.x).astype(np.int64)
            value = int(program.cost @ best)
        if within.status not in (SOLVED, INFEASIBLE):
            break
        outside = above[~core & (program.most > 0)]
        reach = -(-(bound + int(outside.min())) // SCALE) if len(outside) else value
        proved = max(proved, min(value, reach))
    return ProvedAnswer(chosen=best, bound=proved)


def _search_near(
    program: IntegerProgram, best: Int64Array, cores: Iterable[BoolArray], effort: Effort
) -> Int64Array:
    """The best answer within cores, each of which may take a part of the time that is left."""
    for core in cores:
        value = int(program.cost @ best)
        core = (core | (best > 0)) & (program.most > 0)
        within = _solve_core(program, core, value - 1, effort.part(NEAR_PART))
        if within.x is not None:
            best = within.x
        if within.status not in (SOLVED, INFEASIBLE):
            break
    return best


def solve_relaxation(
    program: IntegerProgram, effort: Effort
) -> tuple[Int64Array, FloatArray] | None:
    """The price of each row by the relaxation, in parts of SCALE, and its x.

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
    return prices.astype(np.int64), np.asarray(answer.x)


def whole_answer(program: IntegerProgram, values: FloatArray) -> Int64Array | None:
    """An x of the relaxation, where it is whole and holds."""
    x = np.rint(values).astype(np.int64)
    return x if np.abs(x - values).max(initial=0.0) < WHOLE and _holds(program, x) else None


def _holds(program: IntegerProgram, x: Int64Array) -> bool:
    """Whether whole numbers keep within all limits."""
    fits = (program.rows @ x <= program.limit).all() and (x <= program.most).all()
    return bool(fits and x.min(initial=0) >= 0)


def price_bound(program: IntegerProgram, prices: Int64Array) -> tuple[int, Int64Array]:
    """A bound on the cost of all x, and what each variable costs above its prices, exactly.

    Whatever the prices, which are not negative: an x costs at least the bound and, of each
    variable that it uses, what that costs above.
    """
    above = program.cost * SCALE + program.rows.astype(np.int64).T @ prices
    gained = np.minimum(above, 0) @ program.most
    return int(gained - prices @ program.limit), np.asarray(above)


def _solve_core(program: IntegerProgram, core: BoolArray, value: int, effort: Effort) -> Any:
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


def _whole(program: IntegerProgram, where: Int64Array, found: Any, value: int) -> Int64Array | None:
    """An answer in whole numbers for all variables, None if it does not hold in them."""
    if found is None:
        return None
    chosen = np.zeros(len(program.cost), dtype=np.int64)
    chosen[where] = np.rint(found)
    return chosen if _holds(program, chosen) and program.cost @ chosen <= value else None
