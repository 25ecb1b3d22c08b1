"""Integer programs of one placement: relaxed, bounded in whole numbers, and solved in small parts.

The relaxation gives prices of rows, and with them in whole numbers a bound that holds exactly,
whatever the solver rounds (weak duality). What a variable costs above its price tells which
answers it may be part of: only the cheap ones are given to HiGHS, with a limit below the best that
is known, and if these hold no better answer, dear ones cost at least as much (Dantzig, Fulkerson
and Johnson 1954). Where programs are large, what good answers use is joined before that to what the
relaxation uses, for few of them first: such parts are solved or found empty in a moment.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from generators.topology import BoolArray, Int64Array

SCALE = 1 << 24
"""Prices are multiples of one part in so many."""
DEAR = (0.01, 0.6, 1.2, 1.8, 2.4, 3.2, 4.8, np.inf)
"""Variables are left out that cost more than so many circuits, in turn."""
MOST_SIMPLEX_VARIABLES = 4000
"""Variables up to which the simplex method is the quickest."""
WHOLE, USED = 0.01, 1e-7
"""How near to whole numbers an answer is rounded to them and looked at again; a share in use."""
SOLVED, STOPPED, INFEASIBLE = 0, 1, 2
"""scipy's statuses of a program."""
JOIN_BRANCHES, JOIN_SECONDS = 200, 8.0
"""Branches, and seconds at most, for a part that joins good answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """Branches for each program, none to join alone; and `seconds` left, read before each.

    Good answers are asked for `rounds` times, to be joined, from annealings of so many `steps`.
    """

    branches: int = 1 << 20
    seconds: Callable[[], float] = lambda: np.inf
    rounds: int = 0
    steps: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WholeProgram:
    """Least `cost` of whole x in 0..`most` with `rows` x <= `limit`, all of them integers."""

    cost: Int64Array
    rows: Any
    limit: Int64Array
    most: Int64Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProgramAnswer:
    """The best x known, and a proved bound on the cost of all."""

    chosen: Int64Array
    bound: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GoodAnswers:
    """Answers that hold, and some that nearly do."""

    closed: Sequence[Int64Array] = ()
    open_: Sequence[Int64Array] = ()


GoodAnswersOf = Callable[[int, Int64Array], GoodAnswers]
"""Good answers of a round, where one x is the best so far."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Relaxation:
    """The price of each row in parts of SCALE, the variables used, and x if that is whole."""

    prices: Int64Array
    used: BoolArray
    x: Int64Array | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Prices:
    """A bound on all x, what each variable costs above its prices, and those that are used."""

    bound: int
    above: Int64Array
    used: BoolArray


def solve_program(
    program: WholeProgram, known: Int64Array, effort: Effort, good: GoodAnswersOf | None = None
) -> ProgramAnswer:
    """The best x found, no worse than one that is `known`, and what is proved of all."""
    best, floor = known, int(program.cost[program.cost < 0] @ program.most[program.cost < 0])
    if program.cost @ best <= floor:
        return ProgramAnswer(chosen=best, bound=floor)
    if (found := solve_relaxation(program, effort)) is None:
        return ProgramAnswer(chosen=best, bound=floor)
    bound, above = price_bound(program, found.prices)
    if found.x is not None and program.cost @ found.x < program.cost @ best:
        best = found.x
    prices = _Prices(bound=bound, above=above, used=found.used)
    answer = ProgramAnswer(chosen=best, bound=max(floor, -(-bound // SCALE)))
    small = np.count_nonzero(program.most) <= MOST_SIMPLEX_VARIABLES
    if small or good is None:
        answer = _solve_cores(program, prices, answer, effort)
    if good is None or program.cost @ answer.chosen <= answer.bound:
        return answer
    answer = _join_answers(program, prices, answer, effort, good)
    return _solve_cores(program, prices, answer, effort)


def _solve_cores(
    program: WholeProgram, prices: _Prices, answer: ProgramAnswer, effort: Effort
) -> ProgramAnswer:
    """Solve larger and larger parts, of what costs little above its price, until one stays open."""
    best, proved = answer.chosen, answer.bound
    for dear in DEAR if effort.branches else ():
        value = int(program.cost @ best)
        if proved >= value:
            break
        core = _cheap(prices, value) & (prices.above <= dear * SCALE)
        within = _solve_core(program, core & (program.most > 0), value - 1, effort)
        if within.x is not None:
            best = within.x
            value = int(program.cost @ best)
        if within.status not in (SOLVED, INFEASIBLE):
            break
        outside = prices.above[~core & (program.most > 0)]
        reach = -(-(prices.bound + int(outside.min())) // SCALE) if len(outside) else value
        proved = max(proved, min(value, reach))
    return ProgramAnswer(chosen=best, bound=proved)


def _cheap(prices: _Prices, value: int) -> BoolArray:
    """What an x that costs less may use: nothing that alone makes it as dear."""
    return np.asarray(prices.above <= SCALE * (value - 1) - prices.bound)


def _join_answers(
    program: WholeProgram,
    prices: _Prices,
    answer: ProgramAnswer,
    effort: Effort,
    good: GoodAnswersOf,
) -> ProgramAnswer:
    """Ask for good answers in rounds, and join more and more of all, the best first."""
    pool, best = [answer.chosen], answer.chosen
    for step in range(effort.rounds):
        if effort.seconds() <= 0 or program.cost @ best <= answer.bound:
            break
        more = good(step, best)
        pool = sorted([*pool, *more.closed], key=lambda x: int(program.cost @ x))
        best = min(best, *pool[:1], key=lambda x: int(program.cost @ x))
        base = prices.used | (program.cost == 0) | _any_use(more.open_, program)
        for joined in range(1, len(pool) + 1):
            value = int(program.cost @ best)
            core = (base | _any_use(pool[:joined], program)) & _cheap(prices, value)
            limits = replace(
                effort,
                branches=JOIN_BRANCHES,
                seconds=lambda: min(JOIN_SECONDS, effort.seconds()),
            )
            within = _solve_core(program, core & (program.most > 0), value - 1, limits)
            if within.x is not None:
                best = within.x
                pool.insert(0, best)
            if within.status not in (SOLVED, INFEASIBLE):
                break
    return replace(answer, chosen=best)


def _any_use(answers: Sequence[Int64Array], program: WholeProgram) -> BoolArray:
    """The variables that some of the answers use."""
    used = np.zeros(len(program.cost), dtype=np.bool_)
    for x in answers:
        used |= x > 0
    return used


def solve_relaxation(program: WholeProgram, effort: Effort) -> Relaxation | None:
    """The relaxation, by the method that is the quickest; None where time is out."""
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
    return Relaxation(prices=prices.astype(np.int64), used=values > USED, x=x if fits else None)


def _holds(program: WholeProgram, x: Int64Array) -> bool:
    """Whether whole numbers keep within all limits."""
    fits = (program.rows @ x <= program.limit).all() and (x <= program.most).all()
    return bool(fits and x.min(initial=0) >= 0)


def price_bound(program: WholeProgram, prices: Int64Array) -> tuple[int, Int64Array]:
    """A bound on the cost of all x, and what each variable costs above its prices, exactly.

    Whatever the prices, which are not negative: an x costs at least the bound and, of each
    variable that it uses, what that costs above.
    """
    above = program.cost * SCALE + program.rows.astype(np.int64).T @ prices
    gained = np.minimum(above, 0) @ program.most
    return int(gained - prices @ program.limit), np.asarray(above)


def _solve_core(program: WholeProgram, core: BoolArray, value: int, effort: Effort) -> Any:
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


def _whole(program: WholeProgram, where: Int64Array, found: Any, value: int) -> Int64Array | None:
    """An answer in whole numbers for all variables, None if it does not hold in them."""
    if found is None:
        return None
    chosen = np.zeros(len(program.cost), dtype=np.int64)
    chosen[where] = np.rint(found)
    return chosen if _holds(program, chosen) and program.cost @ chosen <= value else None
