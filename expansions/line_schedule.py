"""The allgather of a line graph (definition 1): deliver to the neighbours, then follow G."""

import numpy as np

from expansions.grouping import require_equal_links
from expansions.pieces import Rows, joined, require_allgather, require_room_for, spread
from expansions.schedule import Schedule
from generators.arrays import csr_by_node
from generators.topology import Int64Array, IntArray, Topology


def line_schedule(topology: Topology, schedule: Schedule) -> Schedule:
    """The schedule of L(G), numbered as `line_graph(topology)`, from an allgather on G.

    One step more; T_B grows by at most 1/N for a regular G (theorem 7). Raises InvalidInput for
    another collective, for unequal links, and for a schedule that does not fit the graph.

    >>> from expansions.line_graph import line_graph
    >>> triangle = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)])
    >>> direct = Schedule(source=[0, 1, 2, 1, 2, 0], arc=range(6), step=[1] * 6, begin=[0] * 6,
    ...                   end=[1] * 6)
    >>> line_schedule(triangle, direct).cost(line_graph(triangle))
    Cost(steps=2, bandwidth=Fraction(1, 1))
    """
    require_allgather(schedule)
    require_equal_links(topology)
    schedule.require_fit(topology)
    return joined(
        [_deliver(topology, schedule.denominator), _follow(topology, schedule)],
        schedule.denominator,
    )


def _deliver(topology: Topology, whole: int) -> Rows:
    """The first step: node e of L(G) sends its shard on all its arcs to others."""
    order, first, out = _listed(topology.tail, topology.n)
    e, place = spread(out[topology.head])
    f = order[first[topology.head[e]] + place]
    arc = np.flatnonzero(e != f)
    ones = np.ones_like(arc)
    return Rows(e[arc], arc, ones, 0 * ones, whole * ones)


def _follow(topology: Topology, schedule: Schedule) -> Rows:
    """The later steps: a row ((v, C), e, t) of G makes one for every v'v and every follower of e.

    Arc v'v is the source in L(G), and the follower f the receiver, unless the two are one.
    """
    out_order, out_first, out = _listed(topology.tail, topology.n)
    in_order, in_first, into = _listed(topology.head, topology.n)
    followers = out[topology.head]
    first_arc = np.cumsum(followers) - followers
    require_room_for(int((followers[schedule.arc] * into[schedule.source]).sum()))
    sent, place = spread(followers[schedule.arc])
    e, v = schedule.arc[sent], schedule.source[sent]
    arc, f = first_arc[e] + place, out_order[out_first[topology.head[e]] + place]
    copy, place = spread(into[v])
    source = in_order[in_first[v[copy]] + place]
    kept = source != f[copy]
    copy = copy[kept]
    row = sent[copy]
    return Rows(
        source[kept], arc[copy], schedule.step[row] + 1, schedule.begin[row], schedule.end[row]
    )


def _listed(ends: IntArray, n: int) -> tuple[Int64Array, Int64Array, Int64Array]:
    """The arcs by their ends: those of node v are order[first[v]:first[v] + count[v]]."""
    start, order = csr_by_node(ends, n)
    return order, start[:-1], np.diff(start)
