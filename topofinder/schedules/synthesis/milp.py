"""The time-expanded MILP of a least-bandwidth allgather, and its solution by HiGHS.

One binary variable says that an arc carries one chunk of one source at one step; one integer m_t
bounds the load of every arc at step t. Each node receives each chunk exactly once (a second copy
can always be dropped), an arc [u, w] carries a chunk only after u has received it, and the sum
of the m_t is least. Sends may wait and may leave shortest paths, which BFB does not allow (Cai
et al. 2021, "Synthesizing optimal collective algorithms", ask the same of an SMT solver).
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from generators.errors import Unsupported
from generators.topology import BoolArray, IntArray, Topology


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Broadcast:
    """The variables and rows for one chunk of one source.

    Variable i sends over `arc[i]` at `step[i]` (from 1). `receive` x = 1 and `hold` x <= 0, both
    sparse with one column a variable.
    """

    source: int
    arc: IntArray
    step: IntArray
    receive: sparse.csr_matrix
    hold: sparse.csr_matrix


def broadcast_of(topology: Topology, source: int, distance: IntArray, steps: int) -> Broadcast:
    """Every send of one chunk of `source` that can be of use; `distance[v]` is from `source`.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> sends = broadcast_of(ring, 0, np.array([0, 1, 2], dtype=np.int32), 2)
    >>> list(zip(sends.arc.tolist(), sends.step.tolist()))
    [(0, 1), (0, 2), (1, 2)]
    """
    useful = np.flatnonzero((topology.head != source) & (topology.tail != topology.head))
    sends = [(e, t) for e in useful for t in range(distance[topology.tail[e]] + 1, steps + 1)]
    arc, step = np.array(sends, dtype=np.int32).reshape(-1, 2).T
    head = topology.head[arc]
    others = np.flatnonzero(np.arange(topology.n) != source)
    receive = sparse.csr_matrix((head == others[:, None]).astype(np.int8))
    return Broadcast(
        source=source,
        arc=arc,
        step=step,
        receive=receive,
        hold=_hold_rows(topology, source, arc, step),
    )


def _hold_rows(topology: Topology, source: int, arc: IntArray, step: IntArray) -> sparse.csr_matrix:
    """One row a send [u, w] at t, u not the source: w's copies over it so far <= u's copies.

    Sends over the arc up to t are summed, not only the one at t: the relaxation is tighter.
    """
    later = np.flatnonzero(topology.tail[arc] != source)
    over = (arc == arc[later, None]) & (step <= step[later, None])
    into = (topology.head[arc] == topology.tail[arc[later], None]) & (step < step[later, None])
    return sparse.csr_matrix(over.astype(np.int8) - into.astype(np.int8))


def load_matrix(broadcasts: list[Broadcast], arc_images: IntArray, steps: int) -> sparse.csr_matrix:
    """Chunks on each arc at each step from one chunk of every planned source and its images.

    Shape (arcs * steps, variables): row `arc * steps + step - 1`. `arc_images[k, e]` is where
    automorphism k carries arc e. Rows that symmetry makes equal are left to presolve.
    """
    arc = np.concatenate([sends.arc for sends in broadcasts])
    step = np.concatenate([sends.step for sends in broadcasts])
    rows = (arc_images[:, arc] * steps + step - 1).ravel()
    columns = np.tile(np.arange(len(arc)), len(arc_images))
    shape = (arc_images.shape[1] * steps, len(arc))
    return sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape)


SOLVED, STOPPED = 0, 1
"""scipy's statuses of a MILP solved to the end and of one stopped by its time limit."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MilpSolution:
    """The chosen sends and whether nothing better exists within the model.

    `sends` is boolean, of shape (chunks, variables of all broadcasts of one chunk).
    """

    sends: BoolArray
    closed: bool


def solve_milp(
    broadcasts: list[Broadcast],
    load: sparse.csr_matrix,
    *,
    steps: int,
    chunks: int,
    least: int,
    seconds: float,
) -> MilpSolution | None:
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
        constraints=LinearConstraint(
            sparse.hstack([matrix, _busiest_columns(ends, steps)]), lower, upper
        ),
        bounds=Bounds(0, np.where(objective == 0, 1, np.inf)),
        integrality=np.ones(len(objective), dtype=np.int8),
        options={"time_limit": seconds},
    )
    if result.status not in (SOLVED, STOPPED):
        raise Unsupported(f"HiGHS stopped with: {result.message}")
    if result.x is None:
        return None
    sends = result.x[: matrix.shape[1]].reshape(chunks, -1) > 0.5
    return MilpSolution(sends=sends, closed=result.status == SOLVED)


def _busiest_columns(ends: list[int], steps: int) -> sparse.csr_matrix:
    """The columns of the m_t: -1 in every load row of step t, 1 in the row of their sum."""
    arcs = ends[2] // steps
    wide = sparse.csr_matrix((ends[0] + ends[1], steps))
    per_arc = sparse.csr_matrix(np.tile(-np.eye(steps), (arcs, 1)))
    total = sparse.csr_matrix(np.ones((1, steps)))
    return sparse.csr_matrix(sparse.vstack([wide, per_arc, total]))
