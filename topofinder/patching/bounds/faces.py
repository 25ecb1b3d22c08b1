"""A bound from Euler's formula: faces need cycles, and the other graph has few short ones."""

import networkx as nx

from topofinder.patching.bounds.cycles import CycleCounts, list_cycles
from topofinder.patching.bounds.invariants import multiplicities
from topofinder.patching.bounds.sides import CycleSupply, most_staying_edges
from topofinder.patching.bounds.surfaces import (
    MOST,
    euler_characteristic,
    four_cycles,
    simple_graph,
)
from topofinder.patching.circuits import Circuits

LISTED = 1000
"""Cycles that are looked at one by one, at most."""


def face_bound(graph: Circuits, other: Circuits, counts: CycleCounts) -> int:
    """How many circuits of `graph` must go before the rest fits into `other`, at least.

    For two-way graphs without parallels that their 4-cycles draw on a closed surface (tori,
    circulants of degree 4); 0 for the rest.

    Proof. In a drawing, given by the order of edges round each node, count facial walks (F), a
    bare node having one of length 0, and components (c). Taking an edge away never lowers
    F - E + V - 2c: a bridge has one walk on both sides, which becomes two, and c grows by one;
    otherwise c stays and at most one walk is lost. It begins at X - 2, X being the Euler
    characteristic; so what stays, and any components of it alone, has F >= E - V + 2c - g with
    g summed over those components (g = 2 - F + E - V for each) and g at most 2 - X in all.

    A walk whose edges hold no cycle goes round a whole component, a tree. A walk in another
    component holds a cycle, no longer than the walk; give it one. A cycle Z is given to two
    walks at most, one for each side of its edges, and then both pass each edge of Z once. If either
    passes some other edge once, its edges passed once, less Z, hold a second cycle, and both
    together have length 2|Z| + s at least, s being the length of the shortest cycle. If neither
    does, both sides of every other edge they meet are theirs, and they are all the walks of
    their component: it has F = 2, and E - V = g. Leave out trees and such components: E - V of the
    rest is at least that of all, less the g left out. So if E - V > 2 - X the rest is not empty,
    c >= 1, and at least E - V + X walks of total length 2E at most remain. Where the graph is
    bipartite, so is what stays, and only even cycles count. The cycles are those of `other`, at |Z|
    once and at |Z| + s once more. And the walks that are given cycles through an edge pass it, so
    they are two at most, and none if it goes. How many edges can stay is a packing problem;
    `most_edges` bounds it. `counts` are the cycles of `other`.

    >>> import numpy as np
    >>> from topofinder.patching.bounds.cycles import cycle_counts
    >>> ends = np.arange(25)
    >>> right, down = ends // 5 * 5 + (ends + 1) % 5, (ends + 5) % 25
    >>> torus = Circuits(n=25, duplex=True, tail=np.tile(ends, 2), head=np.append(right, down))
    >>> face_bound(torus, torus, cycle_counts(torus))
    0
    """
    if not graph.duplex or graph.count > MOST or (multiplicities(graph) > 1).any():
        return 0
    drawn = simple_graph(graph)
    characteristic = euler_characteristic(drawn, four_cycles(drawn))
    if characteristic is None:
        return 0
    edges, nodes = int(drawn.number_of_edges()), graph.n
    most = max(0, edges - nodes - (2 - characteristic))
    prices = _cycle_supply(other, counts, even=nx.is_bipartite(drawn))
    return min(most, max(0, edges - most_staying_edges(prices, nodes - characteristic)))


def _cycle_supply(other: Circuits, counts: CycleCounts, *, even: bool) -> CycleSupply:
    """The cycles that can be given to walks: the short ones one by one, the rest by length."""
    found = [cycle[cycle >= 0] for cycle in list_cycles(other, counts, LISTED)]
    found = [cycle for cycle in found if not (even and len(cycle) % 2)]
    reach = max(map(len, found), default=2)
    longer = {
        length: int(counts.whole[length])
        for length in range(reach + 1, counts.longest + 1)
        if not (even and length % 2)
    }
    beyond = counts.longest + 1
    beyond += beyond % 2 if even else 0
    lengths = [len(cycle) for cycle in found] + [length for length in longer if longer[length]]
    return CycleSupply(
        edges=counts.through.shape[1],
        cycles=found,
        longer=longer,
        again=min(lengths, default=beyond),
        beyond=beyond,
    )
