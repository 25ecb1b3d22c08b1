"""Assembles the MILP of `topofinder.schedules.synthesis.milp` and hands it to HiGHS."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from generators.errors import Unsupported
from generators.topology import BoolArray
from topofinder.schedules.synthesis.milp import Broadcast

SOLVED, STOPPED = 0, 1
"""scipy's statuses of a MILP solved to the end and of one stopped by its time limit."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answer:
    """The chosen sends and whether nothing better exists within the model.

    `sends` is boolean, of shape (chunks, variables of all broadcasts of one chunk).
    """

    sends: BoolArray
    closed: bool


def solve(
    broadcasts: list[Broadcast],
    load: sparse.csr_matrix,
    *,
    steps: int,
    chunks: int,
    least: int,
    seconds: float,
) -> Answer | None:
    """Minimise the sum of the m_t, which is at least `least`; None when time ran out first.

    The variables are the sends of chunk 0 for every source, those of chunk 1 and so on, then the
    m_t. `load` is as `model.loads` gives it, for one chunk. Raises Unsupported when HiGHS fails.
    """
    receive = sparse.csr_matrix(sparse.block_diag([one.receive for one in broadcasts] * chunks))
    hold = sparse.csr_matrix(sparse.block_diag([one.hold for one in broadcasts] * chunks))
    matrix = sparse.vstack([receive, hold, sparse.hstack([load] * chunks)])
    matrix = sparse.vstack([matrix, sparse.csr_matrix((1, matrix.shape[1]))])
    ends = [receive.shape[0], hold.shape[0], load.shape[0], 1]
    lower = np.repeat([1, -np.inf, -np.inf, least], ends)
    upper = np.repeat([1, 0, 0, np.inf], ends)
    objective = np.repeat([0, 1], [matrix.shape[1], steps])
    result = milp(
        objective,
        constraints=LinearConstraint(sparse.hstack([matrix, _caps(ends, steps)]), lower, upper),
        bounds=Bounds(0, np.where(objective == 0, 1, np.inf)),
        integrality=np.ones(len(objective), dtype=np.int8),
        options={"time_limit": seconds},
    )
    if result.status not in (SOLVED, STOPPED):
        raise Unsupported(f"HiGHS stopped with: {result.message}")
    if result.x is None:
        return None
    sends = result.x[: matrix.shape[1]].reshape(chunks, -1) > 0.5
    return Answer(sends=sends, closed=result.status == SOLVED)


def _caps(ends: list[int], steps: int) -> sparse.csr_matrix:
    """The columns of the m_t: -1 in every load row of step t, 1 in the row of their sum."""
    arcs = ends[2] // steps
    wide = sparse.csr_matrix((ends[0] + ends[1], steps))
    per_arc = sparse.csr_matrix(np.tile(-np.eye(steps), (arcs, 1)))
    total = sparse.csr_matrix(np.ones((1, steps)))
    return sparse.csr_matrix(sparse.vstack([wide, per_arc, total]))
