"""Which host plays which node, so that the fewest circuits are moved."""

import time as clock

import numpy as np

from generators.errors import InvalidInput
from generators.topology import IntArray
from topofinder.planning.assignment import Assignment, Bound
from topofinder.planning.circuits import Circuits
from topofinder.planning.constraints import Constraints
from topofinder.planning.keeping import keep
from topofinder.planning.placement import lawful, problem
from topofinder.planning.search import Search


def assign(
    wiring: Circuits,
    target: Circuits,
    *,
    constraints: Constraints | None = None,
    seed: int = 0,
    time: float = 60.0,
    start: IntArray | None = None,
) -> Assignment:
    """Who plays whom, the panel of each circuit and what stays, for as few moves as are found.

    `wiring` joins hosts, `target` nodes; the target may have fewer nodes. `start[v]` is the user's
    own host for node v, shape (nodes,); the answer never makes more moves than it, nor than
    node v on host v where the constraints allow that. `time` is about how many seconds the
    search may take on two busy cores; it fixes the amount of work in advance, so that the same
    seed gives the same answer.

    Raises InvalidInput when wiring, target, constraints and start do not fit one another, or no
    placement respects the constraints.

    >>> ring = Circuits(n=4, duplex=True, tail=np.arange(4), head=(np.arange(4) + 1) % 4)
    >>> path = Circuits(n=4, duplex=True, tail=np.array([0, 2, 1]), head=np.array([2, 1, 3]))
    >>> assign(ring, path).moves
    0
    """
    began = clock.perf_counter()
    constraints = constraints or Constraints()
    if not time > 0:
        raise InvalidInput(f"time: seconds above 0 are needed, not {time}")
    asked = problem(wiring, target, constraints)
    first = lawful(_own(start, target, wiring), asked.rules, constraints.fixed)
    bound = Bound(moves=0, name="none")
    search = Search(asked, first, seed, time, bound.moves)
    search.run()
    host = search.best[: target.n].astype(np.int32)
    panel = np.zeros(target.count, dtype=np.int32)
    return Assignment(
        host=host,
        panel=panel,
        kept=keep(wiring, target, host, panel),
        bound=bound,
        found=search.found,
        seed=seed,
        seconds=clock.perf_counter() - began,
    )


def _own(start: IntArray | None, target: Circuits, wiring: Circuits) -> IntArray:
    """The user's placement, checked; without one, node v on host v."""
    if start is None:
        return np.arange(target.n, dtype=np.int32)
    own = np.array(start)
    if own.shape != (target.n,) or own.dtype.kind not in "iu":
        raise InvalidInput(f"start: a host for each of {target.n} nodes, not shape {own.shape}")
    if len(np.unique(own)) < len(own) or own.min() < 0 or own.max() >= wiring.n:
        raise InvalidInput(f"start: {target.n} different hosts in 0..{wiring.n - 1} are needed")
    return own.astype(np.int32)
