"""Panels by annealing from the wiring in place, with slots that may be overfull on the way.

Where a relaxation is far from whole, as on random graphs, panels that are good for most circuits
stand in the way of those for the last: here all stay where they are, circuits that are new go
anywhere, and the conflicts are worked off. Which temperatures suit depends on the fabric, so that
several are tried for a while, and the best for as long again as all of them. Many circuits need
long runs that are hot: these have all the steps.

A circuit away from home costs a move. Where a relaxation is at hand, a panel may cost instead what
it has above the prices of its ports: all splits in which all fits then cost as many moves as before
less the value of the relaxation (weak duality), and conflicts wander freely along what it uses. On
structured fabrics, such as tori, this finds half the moves; on random graphs it is not better.
"""

from typing import NamedTuple

import numpy as np

from generators.topology import BoolArray, FloatArray, Int64Array, IntArray
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
TOLLED = OverfullAnnealing((0.9, 0.6), (5.0, 8.0), (3000, 5, 3, 300))
"""The annealing where panels cost what they have above the prices of ports: colder, as less is to
be paid, and short, as many runs differ more than long ones."""
MOST_TOLLED = 8
"""Runs with tolls where these are known to suit, at most."""
TOLLED_RUNS, TOLLED_PART, MUCH_BETTER = 4, 2.5, 0.9
"""So many such runs stand for a long one, each with one of so many parts of its steps; the share of
the moves of the first hot run below which those that follow are like them."""
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
    tolls: FloatArray | None = None,
    tolls_suit: bool = False,
) -> IntArray | None:
    """The panel of each circuit, as `split_over_panels` has it; None if not all fit.

    `steps` are proposed in all. `tolls` (circuits, panels) are what panels cost above the prices of
    their ports; where they are known to suit, all runs are with these.

    >>> ring = Circuits(n=4, duplex=True, tail=np.arange(4), head=np.array([1, 2, 3, 0]))
    >>> ports = np.ones((4, 2), dtype=np.int32)
    >>> sorted(split_by_overfull_slots(ring, ring, ports, 1000, 0).tolist())
    [0, 0, 1, 1]
    """
    empty = empty_split(wiring, placed, ports, receivers)
    homes = home_panels(empty)
    if tolls is not None and tolls_suit:
        found = tolled_runs(empty, homes, steps, seed, tolls)
    else:
        runs = long_runs if len(homes) >= MANY else varied_runs
        found = runs(empty, homes, steps, seed, tolls)
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


class AnnealingKind(NamedTuple):
    """An annealing, and what each panel costs a circuit, shape (circuits, panels)."""

    annealing: OverfullAnnealing
    tolls: FloatArray


def most_steps(circuits: int) -> int:
    """The most steps for so many circuits: more brought little."""
    return circuits * (LONG * LONG_RUNS if circuits >= MANY else MOST_STEPS)


def varied_runs(
    empty: PanelSplit,
    homes: Int64Array,
    steps: int,
    seed: int,
    tolls: FloatArray | None = None,
) -> OverfullRun | None:
    """The best of runs at several temperatures, and of more at those that suit best."""
    kinds = [AnnealingKind(one, away_tolls(empty, homes)) for one in ANNEALINGS]
    kinds += [] if tolls is None else [AnnealingKind(TOLLED, tolls)]
    found, each = list[OverfullRun](), max(1, steps // (2 * len(kinds)))
    for turn in range(2 * len(kinds)):
        which = turn % len(kinds)
        if found and turn >= len(kinds):
            which = min(found, key=lambda run: run.away).which
        found += _run(empty, homes, kinds[which], which, each, seed + turn)
    return min(found, key=lambda run: run.away, default=None)


def long_runs(
    empty: PanelSplit,
    homes: Int64Array,
    steps: int,
    seed: int,
    tolls: FloatArray | None = None,
    *,
    long: int = LONG,
) -> OverfullRun | None:
    """The best of hot runs from other seeds; the steps are shared out, few alone are one run.

    With `tolls` shorter runs are tried with these, and where they are much better than the first
    hot one, all that follow are of their kind. `long`: steps of a long run for each circuit.
    """
    count = max(1, round(steps / (long * len(homes))))
    each, hot = max(1, steps // count), AnnealingKind(HOT, away_tolls(empty, homes))
    found = _run(empty, homes, hot, 0, each, seed)
    kind, which, length = hot, 0, each
    if tolls is not None:
        tolled, short = AnnealingKind(TOLLED, tolls), max(1, int(each / TOLLED_PART))
        for turn in range(TOLLED_RUNS // 2):
            found += _run(empty, homes, tolled, 1, short, seed + turn)
        if _tolls_suit(found):
            kind, which, length = tolled, 1, short
            count *= TOLLED_RUNS
    for turn in range(TOLLED_RUNS // 2 if which else 1, count):
        found += _run(empty, homes, kind, which, length, seed + turn)
    return min(found, key=lambda run: run.away, default=None)


def tolled_runs(
    empty: PanelSplit, homes: Int64Array, steps: int, seed: int, tolls: FloatArray
) -> OverfullRun | None:
    """The best of short runs with tolls from other seeds; the steps are shared out."""
    count = max(1, min(MOST_TOLLED, int(steps * TOLLED_PART / (LONG * len(homes)))))
    each, found = min(steps // count, int(LONG * len(homes) / TOLLED_PART)), list[OverfullRun]()
    for turn in range(count):
        found += _run(empty, homes, AnnealingKind(TOLLED, tolls), 1, max(1, each), seed + turn)
    return min(found, key=lambda run: run.away, default=None)


def _tolls_suit(found: list[OverfullRun]) -> bool:
    """Whether a run with tolls is much better than the first one without."""
    plain = [run.away for run in found if run.which == 0]
    tolled = [run.away for run in found if run.which == 1]
    return bool(tolled) and (not plain or min(tolled) < MUCH_BETTER * plain[0])


def away_tolls(empty: PanelSplit, homes: Int64Array) -> FloatArray:
    """A move for every panel but that where a circuit is in place, shape (circuits, panels)."""
    panels = np.arange(empty.room.shape[1])
    return np.asarray(panels[None] != homes[:, None], dtype=np.float64)


def _run(
    empty: PanelSplit,
    homes: Int64Array,
    kind: AnnealingKind,
    which: int,
    steps: int,
    seed: int,
) -> list[OverfullRun]:
    """A run, where it met panels on which all fits."""
    split, panel = split_at_home(empty, homes, seed), np.empty_like(homes)
    heat, price, closing = (np.array(part) for part in kind.annealing)
    away = anneal_overfull(split, kind.tolls, heat, price, steps, closing, seed, panel)
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
