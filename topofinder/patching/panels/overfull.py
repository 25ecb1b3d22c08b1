"""Panels by annealing from the wiring in place, with slots that may be overfull on the way.

Where a relaxation is far from whole, as on random graphs, panels that are good for most circuits
stand in the way of those for the last: here all stay where they are, circuits that are new go
anywhere, and the conflicts are worked off. Which temperatures suit depends on the fabric, so that
several are tried for a while, and the best for as long again as all of them. Many circuits need
long runs that are hot: these have all the steps.
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
from topofinder.patching.panels.overfull_kernels import OverfullSplit, anneal_overfull
from topofinder.patching.panels.split import FINE, empty_split


class OverfullAnnealing(NamedTuple):
    """`heat`, `price` and `closing` as in `anneal_overfull`."""

    heat: tuple[float, float]
    price: tuple[float, float]
    closing: tuple[int, int, int, int]


ANNEALINGS = (
    OverfullAnnealing((2.1, 1.8), (13.0, 17.0), (1000, 5, 10, 300)),
    OverfullAnnealing((1.8, 1.5), (11.0, 15.0), (1000, 5, 10, 300)),
    OverfullAnnealing((1.5, 1.3), (9.0, 14.0), (300, 6, 3, 300)),
)
"""The hot one suits large fabrics, the cold one small ones and those with many panels."""
MANY, LONG, LONG_RUNS = 2048, 25_000, 4
"""Circuits from which all runs are long and hot, steps of each for every circuit, and runs."""
MOST_STEPS = 50_000
"""Steps for each of fewer circuits, at most."""
HOT = OverfullAnnealing((2.1, 1.9), (13.0, 17.0), (1000, 5, 10, 300))
"""The annealing of many circuits."""


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
    empty = empty_split(wiring, placed, ports, receivers)
    homes = home_panels(empty)
    runs = long_runs if len(homes) >= MANY else varied_runs
    found = runs(empty, homes, steps, seed)
    if found is None:
        return None
    best = _with_panels(empty, found.panel)
    heat_, cold, effort = FINE
    anneal_panels(best, effort * len(best.panel), heat_, cold, seed)
    improve_panels(best, seed)
    return best.panel.astype(np.int32)


class OverfullRun(NamedTuple):
    """So many circuits `away` from home on the best panels of a run, and which annealing it was."""

    away: int
    which: int
    panel: Int64Array


def most_steps(circuits: int) -> int:
    """The most steps for so many circuits: more brought little."""
    return circuits * (LONG * LONG_RUNS if circuits >= MANY else MOST_STEPS)


def varied_runs(empty: PanelSplit, homes: Int64Array, steps: int, seed: int) -> OverfullRun | None:
    """The best of runs at several temperatures, and of more at those that suit best."""
    found, each = list[OverfullRun](), max(1, steps // (2 * len(ANNEALINGS)))
    for turn in range(2 * len(ANNEALINGS)):
        which = turn % len(ANNEALINGS)
        if found and turn >= len(ANNEALINGS):
            which = min(found, key=lambda run: run.away).which
        found += _run(empty, homes, ANNEALINGS[which], which, each, seed + turn)
    return min(found, key=lambda run: run.away, default=None)


def long_runs(empty: PanelSplit, homes: Int64Array, steps: int, seed: int) -> OverfullRun | None:
    """The best of hot runs from other seeds; the steps are shared out, few alone are one run."""
    count = max(1, round(steps / (LONG * len(homes))))
    found = list[OverfullRun]()
    for turn in range(count):
        found += _run(empty, homes, HOT, 0, max(1, steps // count), seed + turn)
    return min(found, key=lambda run: run.away, default=None)


def _run(
    empty: PanelSplit,
    homes: Int64Array,
    annealing: OverfullAnnealing,
    which: int,
    steps: int,
    seed: int,
) -> list[OverfullRun]:
    """A run, where it met panels on which all fits."""
    split, panel = split_at_home(empty, homes, seed), np.empty_like(homes)
    heat, price, closing = (np.array(part) for part in annealing)
    away = anneal_overfull(split, heat, price, steps, closing, seed, panel)
    return [OverfullRun(int(away), which, panel)] if away >= 0 else []


def home_panels(empty: PanelSplit) -> Int64Array:
    """The panel on which each circuit is in place, each in place for one circuit; -1 for none."""
    spare, home = empty.spare.copy(), np.full(len(empty.panel), -1, dtype=np.int64)
    for circuit, pair in enumerate(empty.pair.tolist()):
        on = np.flatnonzero(spare[pair] > 0)
        if on.size:
            home[circuit] = on[0]
            spare[pair, on[0]] -= 1
    return home


def _with_panels(empty: PanelSplit, panel: Int64Array) -> PanelSplit:
    """The split in which all circuits have these panels."""
    split = empty._replace(panel=panel.copy(), spare=empty.spare.copy(), room=empty.room.copy())
    np.add.at(split.spare, (split.pair, panel), -1)
    for side in range(2):
        np.add.at(split.room, (split.ends[:, side], panel), -1)
    return split


def split_at_home(empty: PanelSplit, home: Int64Array, seed: int) -> OverfullSplit:
    """Every circuit on the panel where it is in place, and new ones on any."""
    panels = np.random.default_rng(seed).integers(empty.room.shape[1], size=len(home))
    split = _with_panels(empty, np.where(home >= 0, home, panels))
    above = np.maximum(0, -split.room).ravel()
    full, full_at = _members(above > 0)
    off, off_at = _members(split.panel != home)
    lengths = (above > 0).sum(), (split.panel != home).sum(), above.sum()
    return OverfullSplit(
        ends=split.ends,
        panel=split.panel,
        home=home,
        room=split.room,
        start=split.start,
        at=split.at,
        full=full,
        full_at=full_at,
        off=off,
        off_at=off_at,
        size=np.array(lengths, dtype=np.int64),
    )


def _members(there: BoolArray) -> tuple[Int64Array, Int64Array]:
    """Those that are there, first in an array for all, and where each is, -1 for the others."""
    which, place = np.flatnonzero(there), np.full(len(there), -1, dtype=np.int64)
    place[which] = np.arange(len(which))
    members = np.zeros(len(there), dtype=np.int64)
    members[: len(which)] = which
    return members, place
