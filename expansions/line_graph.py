"""The line graph L(G): arcs become nodes (definition 12).

Node e of L(G) is arc e of G. There is an arc [e, f] for every pair where the head of e is the
tail of f. A graph of N nodes and degree d becomes one of dN nodes and the same degree, with a
diameter larger by one; self-loops stay self-loops, and the arcs of L(G) are always distinct.
"""

import numpy as np

from expansions.grouping import as_orbits, representatives, require_equal_links, require_room
from generators.topology import Int64Array, IntArray, Topology


def line_graph(topology: Topology) -> Topology:
    """L(G), whose node e is arc e of G.

    The arcs out of node e stand together, in the order of the arcs f they lead to; when G is
    d-regular, arc d*e + i leads to the i-th arc out of the head of e. Raises InvalidInput for
    unequal links and for a result larger than a Topology can be. Source: definition 12.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> line_graph(ring).head.tolist()
    [1, 2, 0]
    """
    require_equal_links(topology)
    out = topology.out_degrees.astype(np.int64)
    followers = out[topology.head]
    require_room(topology.arcs, int(followers.sum()))
    tail = np.repeat(np.arange(topology.arcs, dtype=np.int32), followers)
    return Topology(
        n=topology.arcs,
        tail=tail,
        head=_followers(topology, out, followers),
        orbits=as_orbits(_orbits(topology), topology.arcs),
    )


def _followers(topology: Topology, out: Int64Array, followers: Int64Array) -> IntArray:
    """For e = 0, 1, ...: the arcs out of the head of e, one list after the other."""
    by_tail = np.argsort(topology.tail, kind="stable").astype(np.int32)
    first_out = np.cumsum(out) - out
    first_here = np.cumsum(followers) - followers
    shift = np.repeat(first_out[topology.head] - first_here, followers)
    return by_tail[shift + np.arange(len(shift))]


def _orbits(topology: Topology) -> Int64Array:
    """One arc of each bundle of parallel arcs out of the representatives of G.

    An automorphism of G carries arcs to arcs and keeps their adjacency, so it is one of L(G);
    it carries every arc to one whose tail is a representative. Parallel arcs have the same
    neighbours in L(G), so exchanging two of them is an automorphism too.
    """
    leaving = np.flatnonzero(np.isin(topology.tail, representatives(topology)))
    keys = topology.tail[leaving].astype(np.int64) * topology.n + topology.head[leaving]
    return np.sort(leaving[np.unique(keys, return_index=True)[1]])
