"""A bound from Euler's formula: faces need cycles, and the other graph has few short ones."""

import networkx as nx

from topofinder.planning.bounds.cycles import Cycles
from topofinder.planning.bounds.profile import multiplicities
from topofinder.planning.bounds.squares import MOST, euler_characteristic, simple_graph, squares
from topofinder.planning.circuits import Circuits


def face_bound(graph: Circuits, other: Cycles) -> int:
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
    bipartite, so is what stays, and only even cycles count. So if the cycles of `other`, at |Z|
    once and at |Z| + s once more, cheapest first, cannot be given to E - V + X walks within 2E,
    fewer edges stay.

    >>> import numpy as np
    >>> from topofinder.planning.bounds.cycles import cycles
    >>> ends = np.arange(25)
    >>> right, down = ends // 5 * 5 + (ends + 1) % 5, (ends + 5) % 25
    >>> torus = Circuits(n=25, duplex=True, tail=np.tile(ends, 2), head=np.append(right, down))
    >>> face_bound(torus, cycles(torus))
    0
    """
    if not graph.duplex or graph.count > MOST or (multiplicities(graph) > 1).any():
        return 0
    drawn = simple_graph(graph)
    characteristic = euler_characteristic(drawn, squares(drawn))
    if characteristic is None:
        return 0
    edges, nodes = drawn.number_of_edges(), graph.n
    lengths = _lengths(other, even=nx.is_bipartite(drawn))
    most: int = max(0, edges - nodes - (2 - characteristic))
    for gone in range(most):
        left = edges - gone
        if _least(lengths, left - nodes + characteristic) <= 2 * left:
            return gone
    return most


def _lengths(other: Cycles, *, even: bool) -> list[tuple[int, int]]:
    """Prices of walks and how many are to be had for each; the last price has no end of them."""
    number = {
        length: int(other.whole[length])
        for length in range(3, other.longest + 1)
        if not (even and length % 2)
    }
    beyond = other.longest + 1
    beyond += beyond % 2 if even else 0
    shortest = next((length for length, cycles in number.items() if cycles), beyond)
    again = {length + shortest: cycles for length, cycles in number.items()}
    prices = sorted(set(number) | {price for price in again if price < beyond})
    offers = [(price, number.get(price, 0) + again.get(price, 0)) for price in prices]
    return [*offers, (beyond, 1 << 40)]


def _least(lengths: list[tuple[int, int]], walks: int) -> int:
    """The least total length of that many walks."""
    total = 0
    for price, number in lengths:
        taken = min(walks, number)
        total += taken * price
        walks -= taken
    return total
