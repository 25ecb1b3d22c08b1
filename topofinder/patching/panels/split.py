"""Which panel carries each circuit, when every port of a host is wired to one panel.

A circuit exists only inside one panel, so circuits are coloured by panels and a host has as many
of a colour as it has ports there. Simplex: if every host has the same c(p) ports on panel p and
they sum to at least d, then a d-regular digraph always splits (Koenig: a bipartite graph splits
into matchings). Duplex: the split is an edge colouring that may not exist. On panels with one
port a host it is a 1-factorisation, which an odd number of hosts never has.
"""

import numpy as np

from generators.arrays import csr_by_node
from generators.topology import Int64Array, IntArray
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.panels.kempe_chain_kernels import (
    PanelSplit,
    anneal_panels,
    improve_panels,
    place_circuits,
)
from topofinder.patching.panels.lp_rounding import round_relaxation
from topofinder.patching.panels.matchings import split_into_matchings

WALKS = 2000
"""How often room for one circuit is sought."""
WALK_TRIES = 32
"""Walks of which the best is made."""
ROUGH = 1.0, 0.15, 40
"""The annealing over walks: first and last temperature in circuits, walks for each circuit."""
FINE = 0.2, 0.05, 10
"""The same where the panels are good to begin with: hotter and longer brought no more."""


def split_over_panels(
    wiring: Circuits,
    placed: Circuits,
    ports: IntArray,
    seed: int,
    *,
    receivers: IntArray | None = None,
) -> IntArray:
    """The panel of each circuit between hosts, -1 where none was found that has room.

    `ports` (hosts, panels) counts usable ports, `receivers` receiving fibres where they are not as
    many. As many circuits as are found stay on the panel where the wiring has them.

    >>> ring = Circuits(n=4, duplex=True, tail=np.arange(4), head=np.array([1, 2, 3, 0]))
    >>> sorted(split_over_panels(ring, ring, np.ones((4, 2), dtype=np.int32), 0).tolist())
    [0, 0, 1, 1]
    """
    if not placed.count or ports.shape[1] == 1:
        return _one_panel(placed, ports)
    state = empty_split(wiring, placed, ports, receivers)
    if round_relaxation(state):
        return state.panel.astype(np.int32)
    other = empty_split(wiring, placed, ports, receivers)
    if not placed.duplex and split_into_matchings(other):
        begun = [state] if (state.panel >= 0).any() else []
        ways = [_place_and_anneal(one, FINE, seed) for one in (other, *begun)]
    else:
        _keep_in_place(other)
        ways = [_place_and_anneal(one, ROUGH, seed) for one in (state, other)]
    return min(ways, key=lambda way: way[:2])[2].astype(np.int32)


def _place_and_anneal(
    state: PanelSplit, annealing: tuple[float, float, int], seed: int
) -> tuple[int, int, Int64Array]:
    """Find room for the circuits without a panel, then let more stay, by walks.

    Returns the circuits left out, those of the wiring that do not stay, and the panels.
    """
    left = place_circuits(state, WALKS, WALK_TRIES, seed)
    gone = int(np.maximum(0, state.spare).sum())
    heat, cold, effort = annealing
    gained = anneal_panels(state, effort * len(state.panel), heat, cold, seed) + improve_panels(
        state, seed
    )
    return left, gone - gained, state.panel


def least_unplaced(target: Circuits, constraints: Constraints) -> int:
    """A lower bound on the circuits that no panel takes, for any placement, by counting ports.

    A duplex circuit takes two ports of one panel, so an odd port of a panel is of no use.

    >>> ring = Circuits(n=3, duplex=True, tail=np.arange(3), head=np.array([1, 2, 0]))
    >>> least_unplaced(ring, Constraints(ports=np.ones((5, 2), dtype=np.int32)))
    1
    """
    if constraints.ports is None or constraints.receivers is None:
        return 0
    sides = []
    for ports, uses in (
        (constraints.ports, target.sends),
        (constraints.receivers, target.receives),
    ):
        allowed = ports if constraints.allowed is None else ports[constraints.allowed]
        # The hosts with the most ports on a panel, node after node the neediest.
        most = -np.sort(-allowed, axis=0)[: target.n]
        sides.append(np.minimum(most, -np.sort(-uses)[: len(most), None]).sum(axis=0))
    each = sides[0] // 2 if target.duplex else np.minimum(*sides)
    return max(0, target.count - int(each.sum()))


def _one_panel(placed: Circuits, ports: IntArray) -> IntArray:
    """Everything on panel 0, but circuits beyond a host's ports, which the rules exclude."""
    return np.zeros(placed.count, dtype=np.int32)


def empty_split(
    wiring: Circuits, placed: Circuits, ports: IntArray, receivers: IntArray | None = None
) -> PanelSplit:
    """No circuit has a panel yet."""
    hosts, panels = ports.shape
    ends = np.stack([placed.tail, placed.head], axis=1).astype(np.int64)
    room = ports.astype(np.int64)
    if not placed.duplex:
        ends[:, 1] += hosts
        hears = ports if receivers is None else receivers
        room = np.concatenate([room, hears.astype(np.int64)])
    start, order = csr_by_node(ends.ravel(), len(room))
    pair, spare = _spare(wiring, placed, panels)
    return PanelSplit(
        ends,
        np.full(placed.count, -1, dtype=np.int64),
        room.copy(),
        start,
        order // 2,
        pair,
        spare,
        np.empty((4 * placed.count + 16, 2), dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


def _spare(wiring: Circuits, placed: Circuits, panels: int) -> tuple[Int64Array, Int64Array]:
    """The pair of ends of each circuit, numbered, and the circuits in place for each, by panel."""
    keys = []
    for circuits in (placed, wiring):
        ends = np.stack([circuits.tail, circuits.head]).astype(np.int64)
        keys.append(np.sort(ends, axis=0) if placed.duplex else ends)
    pairs, pair = np.unique(keys[0][0] * wiring.n + keys[0][1], return_inverse=True)
    there = keys[1][0] * wiring.n + keys[1][1]
    at = np.minimum(np.searchsorted(pairs, there), len(pairs) - 1)
    known = pairs[at] == there
    spare = np.zeros((len(pairs), panels), dtype=np.int64)
    panel = np.zeros(wiring.count, dtype=np.int64) if wiring.panel is None else wiring.panel
    np.add.at(spare, (at[known], panel[known]), 1)
    return pair.astype(np.int64), spare


def _keep_in_place(state: PanelSplit) -> None:
    """Leave every circuit where it is in place, as far as there are ports."""
    for circuit, (one, two) in enumerate(state.ends.tolist()):
        spare = state.spare[state.pair[circuit]]
        fits = np.flatnonzero((spare > 0) & (state.room[one] > 0) & (state.room[two] > 0))
        if fits.size:
            panel = int(fits[0])
            state.panel[circuit] = panel
            spare[panel] -= 1
            state.room[[one, two], panel] -= 1
