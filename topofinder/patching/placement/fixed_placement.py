"""The panels of a placement that is settled: as few circuits left out and made as can be proved.

Pinned circuits between the right hosts serve the target first: they take no port that another
circuit could have. What is left is the integer program of `exact_split`.
"""

from dataclasses import replace

import numpy as np

from generators.topology import Int64Array, IntArray
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.panels.split import empty_split
from topofinder.patching.placement.assignment import Assignment, kept_circuits
from topofinder.patching.placement.exact_split import SplitProblem, best_split
from topofinder.patching.placement.integer_program import Effort


def prove_panels(
    wiring: Circuits,
    target: Circuits,
    constraints: Constraints,
    found: Assignment,
    *,
    pinned: int = 0,
    effort: Effort | None = None,
) -> Assignment:
    """The assignment with the best panels for its placement, and what is proved of them.

    As in `few_hosts`, the first `pinned` circuits of the wiring stay whatever comes, and the
    constraints do not count their ports; those of `found` that are not pinned have room. No more
    circuits are left out, and as many left out no more made. Without `effort` this ends with a
    proof, however long it takes.

    >>> from topofinder.model.plan import Bound
    >>> pair = Circuits(n=2, duplex=True, tail=np.array([0]), head=np.array([1]))
    >>> panels = Constraints(ports=np.ones((2, 2), dtype=np.int32))
    >>> there = replace(pair, panel=np.array([1]))
    >>> moved = Assignment(host=np.arange(2), panel=np.array([0]), kept=np.array([-1]),
    ...     bound=Bound(moves=0, name="count"), found="start", seed=0, seconds=0.0)
    >>> prove_panels(there, pair, panels, moved).moves
    0
    """
    if constraints.ports is None or constraints.receivers is None:
        return found
    served = _pins_serving(wiring, target, found, pinned)
    rest = np.flatnonzero(served < 0)
    if not len(rest):
        return replace(found, panel=_pinned_panels(wiring, served), kept=served)
    free, open_ = _part(wiring, np.arange(pinned, wiring.count)), _part(target, rest)
    state = empty_split(
        free, open_.on_hosts(found.host, wiring.n), constraints.ports, constraints.receivers
    )
    problem = SplitProblem.of(state)
    on = np.zeros_like(problem.there)
    has = np.flatnonzero(found.panel[rest] >= 0)
    np.add.at(on, (state.pair[has], found.panel[rest[has]]), 1)
    proved = best_split(problem, on, effort or Effort())
    panel, kept = _pinned_panels(wiring, served), served.copy()
    panel[rest] = _panels_of(problem, state.pair, proved.on)
    own = kept_circuits(free, open_, found.host, panel[rest])
    kept[rest] = np.where(own >= 0, own + pinned, -1)
    return replace(
        found, panel=panel, kept=kept, least_out_here=proved.out, least_made_here=proved.made
    )


def _pins_serving(wiring: Circuits, target: Circuits, found: Assignment, pinned: int) -> IntArray:
    """The pinned circuit that serves each circuit of the target, or -1; as many as can.

    Of parallel circuits first those that a pinned one serves already, then those without a panel,
    so that the others keep theirs.
    """
    rank = np.where(found.panel < 0, 1, 2)
    rank[(found.kept >= 0) & (found.kept < pinned)] = 0
    order = np.argsort(rank, kind="stable")
    pins = replace(_part(wiring, np.arange(pinned)), panel=None)
    served = np.empty(target.count, dtype=np.int32)
    anywhere = np.zeros(target.count, dtype=np.int32)
    served[order] = kept_circuits(pins, _part(target, order), found.host, anywhere)
    return served


def _part(circuits: Circuits, which: Int64Array) -> Circuits:
    """Some of the circuits, in that order."""
    panel = None if circuits.panel is None else circuits.panel[which]
    return replace(circuits, tail=circuits.tail[which], head=circuits.head[which], panel=panel)


def _pinned_panels(wiring: Circuits, served: IntArray) -> IntArray:
    """The panels of the circuits that pinned ones serve, -1 for the others."""
    panel = np.full(len(served), -1, dtype=np.int32)
    chosen = served >= 0
    panel[chosen] = 0 if wiring.panel is None else wiring.panel[served[chosen]]
    return panel


def _panels_of(problem: SplitProblem, pair: Int64Array, on: Int64Array) -> IntArray:
    """A panel for each circuit, -1 for those left out, where so many of a pair are on each."""
    out = problem.wanted - on.sum(axis=1)
    names = np.tile(np.append(np.arange(on.shape[1]), -1), len(on))
    panel = np.empty(len(pair), dtype=np.int32)
    panel[np.argsort(pair, kind="stable")] = np.repeat(
        names, np.column_stack([on, out]).ravel().astype(np.int64)
    )
    return panel
