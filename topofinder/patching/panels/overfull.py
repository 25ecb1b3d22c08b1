"""Panels by annealing from the wiring in place, with slots that may be overfull on the way.

Where a relaxation is far from whole, as on random graphs, panels that are good for most circuits
stand in the way of those for the last: here all stay where they are, circuits that are new go
anywhere, and the conflicts are worked off. Which temperatures suit depends on the fabric, so that
several are tried for a while, and the best for as long again as all of them.
"""

from typing import NamedTuple

import numpy as np

from generators.topology import BoolArray, Int64Array, IntArray
from topofinder.patching.circuits import Circuits
from topofinder.patching.panels.kempe_chain_kernels import (
    PanelSplit,
    anneal_panels,
    improve_panels,
)
from topofinder.patching.panels.overfull_kernels import OverfullSlots, anneal_overfull
from topofinder.patching.panels.split import FINE, empty_split


class OverfullAnnealing(NamedTuple):
    """First and last temperature and price, in circuits, and `closing` as in `anneal_overfull`."""

    heat: tuple[float, float]
    price: tuple[float, float]
    closing: tuple[int, int, int, int]


ANNEALINGS = (
    OverfullAnnealing((3.0, 2.3), (17.0, 17.0), (3000, 4, 3, 800)),
    OverfullAnnealing((1.9, 1.5), (11.0, 12.0), (1000, 5, 3, 800)),
    OverfullAnnealing((1.6, 1.2), (10.0, 12.0), (300, 6, 3, 400)),
)
"""The hot one suits large fabrics, the cold one small ones and those with many panels."""


def split_by_overfull_slots(
    wiring: Circuits,
    placed: Circuits,
    ports: IntArray,
    steps: int,
    seed: int,
    *,
    receivers: IntArray | None = None,
) -> IntArray | None:
    """The panel of each circuit, as `split_over_panels` has it; None if not all fit.

    `steps` are proposed in all.

    >>> ring = Circuits(n=4, duplex=True, tail=np.arange(4), head=np.array([1, 2, 3, 0]))
    >>> ports = np.ones((4, 2), dtype=np.int32)
    >>> sorted(split_by_overfull_slots(ring, ring, ports, 1000, 0).tolist())
    [0, 0, 1, 1]
    """
    found: list[tuple[int, int, PanelSplit]] = []
    each = max(1, steps // (2 * len(ANNEALINGS)))
    turns = [(which, each) for which in range(len(ANNEALINGS))]
    for turn, (which, share) in enumerate([*turns, (-1, steps // 2)]):
        if which < 0:
            which = min(found, key=lambda one: one[0])[1] if found else 0
        state = empty_split(wiring, placed, ports, receivers)
        slots = _put_home(state, seed + turn)
        heat, price, closing = (np.array(part) for part in ANNEALINGS[which])
        if anneal_overfull(state, slots, heat, price, share, closing, seed + turn):
            found.append((int(np.maximum(0, state.spare).sum()), which, state))
    if not found:
        return None
    best = min(found, key=lambda one: one[0])[2]
    heat_, cold, effort = FINE
    anneal_panels(best, effort * len(best.panel), heat_, cold, seed)
    improve_panels(best, seed)
    return best.panel.astype(np.int32)


def _put_home(state: PanelSplit, seed: int) -> OverfullSlots:
    """Put every circuit on the panel where it is in place, and new ones on any; in place."""
    spare, random = state.spare.copy(), np.random.default_rng(seed)
    home = np.full(len(state.panel), -1, dtype=np.int64)
    for circuit, pair in enumerate(state.pair.tolist()):
        on = np.flatnonzero(spare[pair] > 0)
        if on.size:
            home[circuit] = on[0]
            spare[pair, on[0]] -= 1
    panels = state.room.shape[1]
    state.panel[:] = np.where(home >= 0, home, random.integers(panels, size=len(home)))
    np.add.at(state.spare, (state.pair, state.panel), -1)
    for side in range(2):
        np.add.at(state.room, (state.ends[:, side], state.panel), -1)
    above = np.maximum(0, -state.room).ravel()
    full, full_at = _members(above > 0)
    off, off_at = _members(state.panel != home)
    size = np.array([(above > 0).sum(), (state.panel != home).sum(), above.sum()], dtype=np.int64)
    return OverfullSlots(full, full_at, off, off_at, home, size)


def _members(there: BoolArray) -> tuple[Int64Array, Int64Array]:
    """Those that are there, first in an array for all, and where each is, -1 for the others."""
    which, place = np.flatnonzero(there), np.full(len(there), -1, dtype=np.int64)
    place[which] = np.arange(len(which))
    members = np.zeros(len(there), dtype=np.int64)
    members[: len(which)] = which
    return members, place
