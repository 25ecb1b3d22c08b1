"""Panels by linear programming and diving: a relaxation is solved, what is whole stays, and again.

Where circuits change in a structured way the relaxation is often whole at once, and its answer is
then one of the best. Otherwise the nearly whole ones are rounded and the rest is solved anew. What
is left in the end is mended: everything near it is taken off its panel and solved in whole numbers.
"""

from typing import Any, Literal

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from generators.topology import FloatArray, Int64Array
from topofinder.patching.panels.kempe_chain_kernels import PanelSplit

LinprogMethod = Literal["highs-ds", "highs-ipm"]
MOST_LP_VARIABLES = 1 << 14
"""Most variables of a linear program: a circuit has one for each panel."""
MOST_LP_STEPS = 11_500
"""Steps of the method; a program that needs more, after some seconds, is given up."""
ROUNDING_ROUNDS = 80
SURE_SHARE = 0.99
"""Circuits with that much of one panel are rounded to it."""
ROUNDED_SHARE = 20
"""One in so many of the others is rounded as well, so that there is an end."""
CARRIED = 32.0
"""Circuits in place that one would give up to have a circuit on a panel at all."""
HOPS, NEAR, BRANCHES = 3, 500, 10
"""How far from what is left circuits are taken off, how many at most, and the branches tried."""


def round_relaxation(state: PanelSplit) -> bool:
    """Give panels to circuits that have none, as far as it goes; in place.

    Returns whether the first relaxation was whole: no other split then leaves out fewer, or as few
    and keeps more. Nothing is done where there are too many variables. The log of the state is left
    alone.
    """
    panels = state.room.shape[1]
    for step in range(ROUNDING_ROUNDS):
        left = np.flatnonzero(state.panel < 0)
        if not len(left):
            return step == 1
        if (
            len(left) * panels > MOST_LP_VARIABLES
            or (shares := solve_relaxation(state, left)) is None
        ):
            return False
        if not _round_surest(state, left, shares):
            break
    _repair_by_milp(state)
    return False


def _program(state: PanelSplit, circuits: Int64Array) -> tuple[Any, Any, Any, Any]:
    """Values, rows, limits of rows and of variables: one variable for each circuit and panel first.

    The value of staying belongs to a pair of ends and a panel, as often as circuits are in place
    there. A circuit that has no parallel one has it in its own variable; for parallel ones more
    variables count how many of them stay, at most as many as are on the panel.
    """
    panels, count = state.room.shape[1], len(circuits)
    columns = np.arange(count * panels)
    ends = state.ends[circuits][:, :, None] * panels + np.arange(panels)
    rows = np.concatenate([ends.transpose(0, 2, 1).ravel(), state.room.size + columns // panels])
    entries = np.ones(len(rows)), (rows, np.concatenate([np.repeat(columns, 2), columns]))
    use = sparse.csr_matrix(entries, shape=(state.room.size + count, count * panels))
    value, shared, on = _stay_variables(state, circuits)
    blocks: Any = [[use, None], [on, sparse.identity(len(shared))]]
    limit = np.concatenate([state.room.ravel(), np.ones(count), np.zeros(len(shared))])
    most = np.concatenate([np.ones(len(columns)), shared])
    return value, sparse.bmat(blocks, format="csr"), limit, most


def _stay_variables(state: PanelSplit, circuits: Int64Array) -> tuple[Any, Int64Array, Any]:
    """Values of all variables; of those that count how many parallel ones stay, limits and rows."""
    panels = state.room.shape[1]
    pairs, pair, times = np.unique(state.pair[circuits], return_inverse=True, return_counts=True)
    spare = np.maximum(state.spare[pairs], 0)
    alone = CARRIED + ((times == 1)[pair, None] & (spare[pair] > 0)).ravel()
    shared = np.flatnonzero((times > 1)[:, None] & (spare > 0))
    row = np.full(spare.size, -1)
    row[shared] = np.arange(len(shared))
    kind = row[(pair[:, None] * panels + np.arange(panels)).ravel()]
    among = np.flatnonzero(kind >= 0)
    entries = np.full(len(among), -1.0), (kind[among], among)
    on = sparse.csr_matrix(entries, shape=(len(shared), len(alone)))
    return np.concatenate([alone, np.ones(len(shared))]), spare.ravel()[shared], on


def solve_relaxation(
    state: PanelSplit, circuits: Int64Array, method: LinprogMethod = "highs-ds"
) -> FloatArray | None:
    """The share of each panel in each circuit, shape (circuits, panels); None if given up.

    `method` is one of linprog's. Interior points ("highs-ipm") solve what the simplex method
    gives up, but seldom end on shares that are as nearly whole.
    """
    value, use, limit, most = _program(state, circuits)
    options: Any = {"maxiter": MOST_LP_STEPS}
    bounds: Any = np.stack([np.zeros_like(most), most], axis=1)
    answer = linprog(-value, A_ub=use, b_ub=limit, bounds=bounds, method=method, options=options)
    return None if answer.status != 0 else _shares(answer.x, state, circuits)


def _shares(values: Any, state: PanelSplit, circuits: Int64Array) -> FloatArray:
    """The part of an answer that says which panels circuits have, shape (circuits, panels)."""
    panels = state.room.shape[1]
    return np.asarray(values[: len(circuits) * panels]).reshape(-1, panels)


def _round_surest(state: PanelSplit, circuits: Int64Array, shares: FloatArray) -> int:
    """Round the circuits that are surest of a panel, where there are ports; how many."""
    panel, sure = shares.argmax(axis=1), shares.max(axis=1)
    order = np.argsort(-sure, kind="stable")
    least = int((sure >= SURE_SHARE).sum())
    least += -(-(len(order) - least) // ROUNDED_SHARE)
    placed = 0
    for i in order[:least].tolist():
        circuit, chosen = int(circuits[i]), int(panel[i])
        if sure[i] > 0 and (state.room[state.ends[circuit], chosen] > 0).all():
            _put(state, circuit, chosen, 1)
            placed += 1
    return placed


def _put(state: PanelSplit, circuit: int, panel: int, times: int) -> None:
    """Put a circuit on a panel (1), or take it off (-1)."""
    state.panel[circuit] = panel if times > 0 else -1
    state.spare[state.pair[circuit], panel] -= times
    # The two ends differ: a target has no circuit from a node to itself.
    state.room[state.ends[circuit], panel] -= times


def _repair_by_milp(state: PanelSplit) -> None:
    """Solve all circuits near those that have no panel anew, in whole numbers."""
    near = np.zeros(len(state.room), dtype=np.bool_)
    near[state.ends[state.panel < 0]] = True
    for _ in range(HOPS):
        near[state.ends[near[state.ends].any(axis=1)]] = True
    circuits = np.flatnonzero(near[state.ends].all(axis=1))
    if not near.any() or len(circuits) > NEAR:
        return
    before = state.panel[circuits].copy()
    for circuit in circuits[before >= 0].tolist():
        _put(state, circuit, int(state.panel[circuit]), -1)
    value, use, limit, most = _program(state, circuits)
    answer = milp(
        -value,
        constraints=LinearConstraint(use, -np.inf, limit),
        integrality=np.ones(len(value), dtype=np.int64),
        bounds=Bounds(0, most),
        options={"node_limit": BRANCHES},
    )
    after = before
    if answer.x is not None:
        chosen = _shares(answer.x, state, circuits)
        after = np.where(chosen.max(axis=1) > 0.5, chosen.argmax(axis=1), -1)
        after = after if np.count_nonzero(after < 0) <= np.count_nonzero(before < 0) else before
    for circuit, panel in zip(circuits.tolist(), after.tolist(), strict=True):
        if panel >= 0:
            _put(state, circuit, panel, 1)
