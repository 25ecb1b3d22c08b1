"""The line graph L(G): arcs become nodes (definition 12), and its allgather (definition 1).

Node e of L(G) is arc e of G. There is an arc [e, f] for every pair where the head of e is the
tail of f. A graph of N nodes and degree d becomes one of dN nodes and the same degree, with a
diameter larger by one; self-loops stay self-loops, and the arcs of L(G) are always distinct. The
schedule delivers to the neighbours, then follows that of G.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from expansions.arc_order import as_orbits, representatives, require_equal_links, require_room
from expansions.canonical import line
from expansions.costs import line_cost
from expansions.pieces import Rows, join_rows, repeat_indices, require_allgather, require_room_for
from expansions.properties import properties
from expansions.recipe import Recipe
from expansions.register import Expansion, Source, register_expansion
from expansions.schedule import Schedule
from expansions.size import Size, size
from generators.arrays import csr_by_node
from generators.errors import InvalidInput
from generators.registry import GraphProperties
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


def line_schedule(topology: Topology, schedule: Schedule) -> Schedule:
    """The schedule of L(G), numbered as `line_graph(topology)`, from an allgather on G.

    One step more; T_B grows by at most 1/N for a regular G (theorem 7). Raises InvalidInput for
    another collective, for unequal links, and for a schedule that does not fit the graph.

    >>> triangle = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)])
    >>> direct = Schedule(source=[0, 1, 2, 1, 2, 0], arc=range(6), step=[1] * 6, begin=[0] * 6,
    ...                   end=[1] * 6)
    >>> line_schedule(triangle, direct).cost(line_graph(triangle))
    Cost(steps=2, bandwidth=Fraction(1, 1))
    """
    require_allgather(schedule)
    require_equal_links(topology)
    schedule.require_fit(topology)
    return join_rows(
        [_deliver(topology, schedule.denominator), _follow(topology, schedule)],
        schedule.denominator,
    )


def require_regular(recipe: Recipe, graph: Topology | None = None) -> None:
    """Refuse a line graph of a graph with nodes of unequal degree, which theorem 7 excludes."""
    regular = properties(recipe.parts[0]).regular if graph is None else graph.is_regular
    if regular is False:
        raise InvalidInput(f"{recipe}: the graph inside has nodes of unequal degree")


def line_gain(steps: int, n: int, d: int, times: int) -> Fraction:
    """How much less than corollary 7.1 says an allgather on L^times(G) can take.

    At each step at most the shards of walks that overlap the receiver's own are not due.
    """
    return Fraction(steps * d * sum(d**k for k in range(times)), n)


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


def _deliver(topology: Topology, whole: int) -> Rows:
    """The first step: node e of L(G) sends its shard on all its arcs to others."""
    order, first, out = _arcs_by_end(topology.tail, topology.n)
    e, place = repeat_indices(out[topology.head])
    f = order[first[topology.head[e]] + place]
    arc = np.flatnonzero(e != f)
    ones = np.ones_like(arc)
    return Rows(e[arc], arc, ones, 0 * ones, whole * ones)


def _follow(topology: Topology, schedule: Schedule) -> Rows:
    """The later steps: a row ((v, C), e, t) of G makes one for every v'v and every follower of e.

    Arc v'v is the source in L(G), and the follower f the receiver, unless the two are one.
    """
    out_order, out_first, out = _arcs_by_end(topology.tail, topology.n)
    in_order, in_first, into = _arcs_by_end(topology.head, topology.n)
    followers = out[topology.head]
    first_arc = np.cumsum(followers) - followers
    require_room_for(int((followers[schedule.arc] * into[schedule.source]).sum()))
    sent, place = repeat_indices(followers[schedule.arc])
    e, v = schedule.arc[sent], schedule.source[sent]
    arc, f = first_arc[e] + place, out_order[out_first[topology.head[e]] + place]
    copy, place = repeat_indices(into[v])
    source = in_order[in_first[v[copy]] + place]
    kept = source != f[copy]
    copy = copy[kept]
    row = sent[copy]
    return Rows(
        source[kept], arc[copy], schedule.step[row] + 1, schedule.begin[row], schedule.end[row]
    )


def _arcs_by_end(ends: IntArray, n: int) -> tuple[Int64Array, Int64Array, Int64Array]:
    """The arcs by their ends: those of node v are order[first[v]:first[v] + count[v]]."""
    start, order = csr_by_node(ends, n)
    return order, start[:-1], np.diff(start)


def _properties(recipe: Recipe) -> GraphProperties:
    """L(G): arc e leads to f at most once, and to itself if it is a self-loop.

    It is two-way where all walks of two arcs return: where G has two nodes, with parallel arcs
    from either to the other. Of a ring, L(G) is the ring.
    """
    inner, (n, d) = properties(recipe), size(recipe)
    if d == 1:
        return inner
    returning = inner.loop_free if n == 2 else False
    return replace(inner, bidirectional=returning, simple=True, transitive=None)


def _sources(n: int, d: int, duplex: bool) -> Iterator[Source]:
    if not duplex and d > 1 and n % d == 0:
        yield Source(n // d, d, duplex, (1,))


register_expansion(
    Expansion(
        symbol="L",
        title="line graph",
        signature="L^k(G)",
        numbers=("times",),
        repeats=True,
        size=lambda inner: Size(inner.n * inner.d, inner.d),
        build=line_graph,
        cost=lambda inner: line_cost(*inner),
        exact=False,
        schedule=lambda inner: line_schedule(inner.topology, inner.schedule),
        keeps_bfb=True,
        gain=line_gain,
        diameter=lambda inner: inner + 1,
        properties=_properties,
        require=require_regular,
        make=line,
        sources=_sources,
        letter="L",
        place=1,
        published=True,
    )
)
