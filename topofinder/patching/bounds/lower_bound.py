"""The best of all lower bounds on the moves, from invariants, cycles, surfaces and walks."""

from collections.abc import Iterator
from fractions import Fraction

from topofinder.model.plan import Bound
from topofinder.patching.bounds.cycles import (
    CYCLE_STEPS,
    CycleCounts,
    cycle_bound,
    cycle_counts,
    double_cover,
)
from topofinder.patching.bounds.invariants import interlacing_bound, profile_bound
from topofinder.patching.bounds.ladders import ladder_bound
from topofinder.patching.bounds.surfaces import face_bound
from topofinder.patching.bounds.walks import WalkCounts, walk_bound
from topofinder.patching.circuits import Circuits

QUICK_PART = 16
"""Where a bound is enough, cycles are first counted in one of so many parts of the steps."""

NEAR_ENOUGH = Fraction(9, 10)
"""Of what is enough; walks seldom add to a bound so near, and counting them takes longest."""


def least_moves(wiring: Circuits, target: Circuits, enough: int | None = None) -> Bound:
    """The largest proved bound on the circuits to make, whatever the placement and the panels.

    Each argument is made twice: circuits of the target that cannot be in place must be made; and
    if r circuits of the wiring cannot stay, at most wiring.count - r of the target are in place.
    Where some moves are `enough`, as a plan makes no more, the first bound that proves them; few
    short cycles are then counted first, and walks not where all others come near that.

    >>> import numpy as np
    >>> ends = np.arange(6), (np.arange(6) + 1) % 6
    >>> ring = Circuits(n=6, duplex=True, tail=ends[0], head=ends[1])
    >>> triangles = Circuits(n=6, duplex=True, tail=ends[0], head=np.array([1, 2, 0, 4, 5, 3]))
    >>> least_moves(ring, triangles).moves
    2
    """
    more = target.count - wiring.count
    best = Bound(moves=max(0, more), name="count")
    for name, of_target, of_wiring in _bounds(wiring, target, quick=enough is not None):
        moves = max(of_target, of_wiring + more)
        if moves > best.moves:
            best = Bound(moves=moves, name=name)
        if enough is not None and best.moves >= enough:
            return best
    if enough is not None and best.moves >= NEAR_ENOUGH * enough:
        return best
    ends = max(target.n, wiring.n)
    ours, theirs = (WalkCounts(graph, ends) for graph in (target, wiring))
    walks = walk_bound(ours, theirs, best.moves)
    walks = max(walks, walk_bound(theirs, ours, walks - more) + more)
    return best if walks == best.moves else Bound(moves=walks, name="walks")


def _bounds(wiring: Circuits, target: Circuits, *, quick: bool) -> Iterator[tuple[str, int, int]]:
    """Name, circuits of the target that must go, circuits of the wiring that must go.

    Where that may do, fewer cycles are counted first.
    """
    yield "profile", profile_bound(target, wiring), profile_bound(wiring, target)
    for steps in (CYCLE_STEPS // QUICK_PART, CYCLE_STEPS)[0 if quick else 1 :]:
        counts = [cycle_counts(graph, steps=steps) for graph in (wiring, target)]
        yield "cycles", *_cycle_bounds(*counts)
        if not wiring.duplex:
            covers = [double_cover(graph) for graph in (wiring, target)]
            bounds = _cycle_bounds(*(cycle_counts(cover, steps=steps) for cover in covers))
            yield "cycles of the double cover", *bounds
    if wiring.duplex:
        faces = face_bound(target, wiring, counts[0]), face_bound(wiring, target, counts[1])
        yield "faces", *faces
        yield "ladders", ladder_bound(target, wiring), ladder_bound(wiring, target)
    yield "interlacing", interlacing_bound(target, wiring), 0


def _cycle_bounds(wiring: CycleCounts, target: CycleCounts) -> tuple[int, int]:
    return cycle_bound(target, wiring), cycle_bound(wiring, target)
