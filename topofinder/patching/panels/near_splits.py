"""Good splits of the circuits of one placement, by annealing, for integer programs to join.

Circuits in place begin where they are and new ones anywhere, so that some slots are overfull.
Annealings from there, each with its own seed, leave splits with few conflicts and without any.
One alone is far from the best; but what several of them use, with what the relaxation uses, is a
small program in which much better ones lie (`exact_split`).
"""

from dataclasses import dataclass

import numpy as np

from generators.arrays import csr_by_node
from generators.topology import FloatArray, Int64Array
from topofinder.patching.panels.overfull_kernels import FoundSplits, OverfullSplit, anneal_overfull

KEPT, MOST_CONFLICTS = 12, 6
"""Splits without conflicts that an annealing keeps, and most conflicts of the others."""
HEATS = ((4.0, 2.5, 30.0, 30.0), (3.0, 2.5, 25.0, 25.0), (3.0, 1.5, 18.0, 20.0))
"""Temperatures, then prices of a conflict, first and last, in circuits: in turn."""
REHEATS = ((2.5, 1.5, 18.0, 20.0), (2.2, 1.3, 13.0, 16.0), (3.0, 2.0, 22.0, 25.0))
"""The same where a good split is there to begin with."""
SENT_BACK = 0.5
"""Share of its circuits that go back home to begin with."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NearSplits:
    """Splits as circuits of each pair on each panel, (pairs, panels): the best first.

    `closed` have ports for all; slots of `open_` are overfull, those with fewest conflicts first.
    """

    closed: tuple[Int64Array, ...]
    open_: tuple[Int64Array, ...]


def anneal_splits(
    ends: Int64Array,
    wanted: Int64Array,
    there: Int64Array,
    room: Int64Array,
    *,
    steps: int,
    seed: int,
    begin: Int64Array | None = None,
) -> NearSplits:
    """What an annealing of so many steps meets; arguments as in `SplitProblem`.

    It begins with every circuit in place, or less hot with a good split (pairs, panels).

    >>> ends, once = np.array([[0, 1], [1, 2], [2, 3], [0, 3]]), np.ones(4, dtype=np.int64)
    >>> there = np.array([[1, 0], [0, 0], [1, 0], [0, 1]])
    >>> room = np.ones((4, 2), dtype=np.int64)
    >>> found = anneal_splits(ends, once, there, room, steps=1000, seed=0)
    >>> found.closed[0].tolist()
    [[1, 0], [0, 1], [1, 0], [0, 1]]
    """
    pair = np.repeat(np.arange(len(wanted)), wanted)
    home = _homes(wanted, there)
    split = _begin(ends[pair], home, _first_panels(home, pair, begin, room.shape[1], seed), room)
    circuits = len(pair)
    found = FoundSplits(
        np.zeros((KEPT, circuits), dtype=np.int64),
        np.full(KEPT, -1),
        np.zeros((MOST_CONFLICTS + 1, circuits), dtype=np.int64),
        np.full(MOST_CONFLICTS + 1, -1),
    )
    heats = HEATS if begin is None else REHEATS
    first, last, cheap, dear = heats[seed % len(heats)]
    price: FloatArray = np.array([cheap, dear])
    anneal_overfull(split, found, price, np.array([first, last]), steps, seed)
    best = [i for i in np.argsort(found.moves, kind="stable").tolist() if found.moves[i] >= 0]
    rest = [i for i in range(1, MOST_CONFLICTS + 1) if found.open_moves[i] >= 0]
    return NearSplits(
        closed=tuple(_count(pair, found.closed[i], there) for i in best),
        open_=tuple(_count(pair, found.open_[i], there) for i in rest),
    )


def _homes(wanted: Int64Array, there: Int64Array) -> Int64Array:
    """For each circuit, pair after pair, a panel where one is in place for it alone, or -1."""
    homes = []
    for most, row in zip(wanted.tolist(), there, strict=True):
        panels = np.repeat(np.arange(len(row)), np.maximum(0, row))[:most]
        homes.append(np.append(panels, np.full(most - len(panels), -1)))
    return np.concatenate(homes).astype(np.int64)


def _first_panels(
    home: Int64Array, pair: Int64Array, begin: Int64Array | None, panels: int, seed: int
) -> Int64Array:
    """A panel for each circuit: home, by chance for new ones; or mostly that of a good split."""
    if begin is None:
        drawn = np.random.default_rng(seed).integers(panels, size=len(home))
        return np.where(home < 0, drawn, home)
    left, panel = begin.copy(), np.full(len(home), -1)
    for circuit in np.flatnonzero(home >= 0).tolist():
        if left[pair[circuit], home[circuit]] > 0:
            left[pair[circuit], home[circuit]] -= 1
            panel[circuit] = home[circuit]
    for circuit in np.flatnonzero(panel < 0).tolist():
        panel[circuit] = left[pair[circuit]].argmax()
        left[pair[circuit], panel[circuit]] -= 1
    back = np.random.default_rng(seed).random(len(home)) < SENT_BACK
    return np.where(back & (home >= 0), home, panel)


def _begin(
    ends: Int64Array, home: Int64Array, panel: Int64Array, room: Int64Array
) -> OverfullSplit:
    """Circuits on panels, with all that the kernels keep of them."""
    away = np.flatnonzero((home < 0) | (home != panel))
    load = np.zeros_like(room)
    np.add.at(load, (ends, panel[:, None]), 1)
    start, at = csr_by_node(ends.ravel(), len(room))
    full = np.flatnonzero((load > room).ravel())
    conflicts = np.maximum(0, load - room).sum()
    return OverfullSplit(
        ends,
        home,
        panel,
        load,
        room.astype(np.int64),
        start,
        at // 2,
        *_list_with_places(away, len(home)),
        *_list_with_places(full, room.size),
        np.array([len(away), len(full), conflicts, 0]),
        np.empty((8 * len(home) + 64, 2), dtype=np.int64),
    )


def _list_with_places(entries: Int64Array, most: int) -> tuple[Int64Array, Int64Array]:
    """A list with room for `most` entries, and where each of them stands in it, or -1."""
    values, at = np.full((2, most), -1, dtype=np.int64)
    values[: len(entries)] = entries
    at[entries] = np.arange(len(entries))
    return values, at


def _count(pair: Int64Array, panel: Int64Array, there: Int64Array) -> Int64Array:
    """Circuits of each pair on each panel."""
    on = np.zeros_like(there)
    np.add.at(on, (pair, panel), 1)
    return on
