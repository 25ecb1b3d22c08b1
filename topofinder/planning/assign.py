"""Which host plays which node, so that the fewest circuits are moved."""

import time as clock
from dataclasses import replace
from math import isfinite

import numpy as np

from generators.errors import InvalidInput
from generators.topology import IntArray
from topofinder.planning.assignment import Assignment, Bound
from topofinder.planning.bounds.lower import lower_bound
from topofinder.planning.carried import Carried, best, carried
from topofinder.planning.circuits import Circuits
from topofinder.planning.constraints import Constraints
from topofinder.planning.placement import lawful, problem, usable
from topofinder.planning.search import Search

AWARE = 0.25
"""Share of the time for the search that tells panels apart."""


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
    if not (isfinite(time) and time > 0):
        raise InvalidInput(f"time: seconds above 0 are needed, not {time}")
    asked = problem(wiring, target, constraints)
    first = lawful(_own(start, target, wiring), asked.rules, constraints.fixed)
    search = Search(asked, first, seed, time)
    search.run(lambda: lower_bound(usable(wiring, asked.rules), target))
    offers = [carried(wiring, target, constraints, search.best, search.found, seed)]
    if (0, asked.circuits - asked.kept(first)) < offers[0].price:
        offers.append(carried(wiring, target, constraints, first, "start", seed))
    if constraints.panels > 1:
        offers += by_panel(wiring, target, constraints, offers[0], seed, time)
    chosen = best(offers)
    return Assignment(
        host=chosen.host,
        panel=chosen.panel,
        kept=chosen.kept,
        bound=search.bound,
        found=chosen.found,
        seed=seed,
        seconds=clock.perf_counter() - began,
    )


def by_panel(
    wiring: Circuits,
    target: Circuits,
    constraints: Constraints,
    offer: Carried,
    seed: int,
    time: float,
) -> list[Carried]:
    """Offers of a search that tells panels apart, beginning with the panels of an offer.

    Nothing is offered when that one leaves circuits out or is proved the best.
    """
    out, moves = offer.price
    if out or not moves:
        return []
    coloured = replace(target, panel=offer.panel)
    asked = problem(wiring, coloured, constraints, panels=constraints.panels)
    first = lawful(offer.host, asked.rules, constraints.fixed)
    search = Search(asked, first, seed, time, AWARE)
    search.run(lambda: Bound(moves=0, name="count"))
    found = f"{search.found}, by panel"
    return [carried(wiring, target, constraints, search.best, found, seed)]


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
