"""Simplex circuits split into perfect matchings: one for each port of a host, one after another.

Where every host has the same ports on each panel, and as many as circuits at most, the circuits
(made regular with idle ones) are a regular bipartite multigraph. It has a perfect matching, and
what is left is regular again (Koenig 1916), so this ends with every circuit on a panel. Each
matching is the one that is worth most: to a relaxation of the whole split, where there is one
within the budget, and to the circuits in place.
"""

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from generators.topology import FloatArray, Int64Array
from topofinder.patching.panels.kempe_chain_kernels import PanelSplit
from topofinder.patching.panels.lp_rounding import MOST_LP_VARIABLES, solve_relaxation

PLACE = 0.1
"""What being in place is worth, beside the share of a panel in a circuit."""


def split_into_matchings(state: PanelSplit, most_variables: int = MOST_LP_VARIABLES) -> bool:
    """Give a panel to every circuit of a state without any, in place; simplex only.

    False, and nothing is done, where hosts differ in ports, or the most circuits at an end are
    fewer or more than its ports. Above `most_variables` the relaxation is left out. The log of the
    state is left alone.
    """
    layers = np.repeat(np.arange(state.room.shape[1]), state.room[0])
    used = np.bincount(state.ends.ravel(), minlength=len(state.room))
    if (state.room != state.room[0]).any() or used.max() != len(layers):
        return False
    worth = _worth(state, most_variables)
    ends = _regular(state.ends, len(layers) - used)
    worth = np.concatenate([worth, np.zeros((len(ends) - len(worth), worth.shape[1]))])
    left = np.arange(len(ends))
    for step, panel in enumerate(layers.tolist()):
        later = worth[left][:, layers[step + 1 :]].max(axis=1, initial=0.0)
        chosen = _best_matching(ends[left], worth[left, panel] - later)
        state.panel[left[chosen][left[chosen] < len(state.panel)]] = panel
        left = np.delete(left, chosen)
    _book(state)
    return True


def _worth(state: PanelSplit, most_variables: int) -> FloatArray:
    """What each panel is worth to each circuit, shape (circuits, panels)."""
    there = _in_place(state)
    if there.size > most_variables:
        return there
    shares = solve_relaxation(state, np.arange(len(there)), "highs-ipm")
    return there if shares is None else shares + PLACE * there


def _in_place(state: PanelSplit) -> FloatArray:
    """Where each circuit is in place: of parallel ones each has circuits in place of its own."""
    there = np.zeros((len(state.pair), state.room.shape[1]))
    times, before = np.bincount(state.pair), np.zeros(len(state.spare), dtype=np.int64)
    for circuit, pair in enumerate(state.pair.tolist()):
        panels = np.repeat(np.arange(there.shape[1]), np.maximum(state.spare[pair], 0))
        there[circuit, panels[before[pair] :: times[pair]]] = 1.0
        before[pair] += 1
    return there


def _regular(ends: Int64Array, idle: Int64Array) -> Int64Array:
    """The circuits and idle ones after them, so that no end has a port to spare."""
    hosts = len(idle) // 2
    extra = [np.repeat(np.arange(side, side + hosts), idle[side:][:hosts]) for side in (0, hosts)]
    return np.concatenate([ends, np.stack(extra, axis=1)])


def _best_matching(ends: Int64Array, value: FloatArray) -> Int64Array:
    """The circuits of a perfect matching of most value."""
    hosts = ends.max() // 2 + 1
    tail, head = ends[:, 0], ends[:, 1] - hosts
    order = np.lexsort((-value, tail * hosts + head))
    pairs, first = np.unique((tail * hosts + head)[order], return_index=True)
    best = order[first]
    # Stored zeros would be no arcs; all matchings have one size, so that a shift does not matter.
    cost = value.max() + 1.0 - value[best]
    graph = csr_matrix((cost, (tail[best], head[best])), shape=(hosts, hosts))
    row, column = min_weight_full_bipartite_matching(graph)
    return np.asarray(best[np.searchsorted(pairs, row.astype(np.int64) * hosts + column)])


def _book(state: PanelSplit) -> None:
    """Take the ports and the circuits in place that the panels need."""
    np.subtract.at(state.spare, (state.pair, state.panel), 1)
    np.subtract.at(state.room, (state.ends, state.panel[:, None]), 1)
