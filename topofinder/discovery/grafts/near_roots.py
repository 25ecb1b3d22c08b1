"""Line digraphs that grow or shrink through their roots: a node of G is d nodes of L(G).

Loads stay as even as those of a line digraph are, and few links are new. Of several edits of the
innermost root that seem best the line digraph is costed, by the quicker of its schedules. Where
ports are unlike, new links are given such as are free.
"""

from dataclasses import replace

import numpy as np

from generators.connectivity import unreachable_pair
from generators.topology import IntArray, Topology
from topofinder.discovery.grafts.found import WEIGHT, WorkLeft
from topofinder.discovery.grafts.near_edits import NodeEdit, edit_links, rated_edits
from topofinder.discovery.grafts.near_line_ports import fit_kinds
from topofinder.discovery.grafts.near_lines import lift_edit, line_root
from topofinder.discovery.grafts.near_ports import LinkPorts
from topofinder.schedules.deferral.least_costs import least_costs

KEPT = 6
"""Ways to edit the last node of a root that are costed, those that are rated best."""


def edit_nodes(
    graph: Topology,
    more: int,
    work: WorkLeft,
    share: int,
    seed: int,
    ports: LinkPorts,
    *,
    duplex: bool,
) -> list[NodeEdit]:
    """So many nodes put into the graph (below 0: taken out): through its root, and on its links.

    The latter where there is no root, and also where ports are unlike or some of the nodes are not
    those of a node of the root. It takes about so large a `share` of the work.
    """
    whole = more % graph.degree == 0
    before, through = work.left, None
    if more and not duplex:
        part = share if whole and ports.are_alike else share // 2
        through = edit_root_first(graph, more, work, part, seed, ports)
    if through and whole and ports.are_alike:
        return [through]
    share -= before - work.left
    alone = edit_links(graph, more, work, share, seed, duplex=duplex, ports=ports)
    return [one for one in (through, alone) if one is not None]


def edit_root_first(
    graph: Topology, more: int, work: WorkLeft, share: int, seed: int, ports: LinkPorts
) -> NodeEdit | None:
    """As many nodes put into L(G) by nodes of G as there can be, and the rest on its links.

    None where the graph is no line digraph, or where ports do not fit.
    """
    whole = int(more / graph.degree) * graph.degree
    rest = more - whole
    found = edit_root(graph, whole, work, share // 2 if rest else share, seed, ports)
    if not rest or found is None:
        return found
    left = replace(found.ports, ports=ports.ports[max(whole, 0) :])
    last = edit_links(found.graph, rest, work, share // 2, seed, duplex=False, ports=left)
    if last is None:
        return None
    return replace(last, origin=np.where(last.origin < 0, -1, found.origin[last.origin]))


def edit_root(
    graph: Topology, more: int, work: WorkLeft, share: int, seed: int, ports: LinkPorts
) -> NodeEdit | None:
    """A line digraph L(G) with `more` nodes, a multiple of d: more / d of G.

    None where it is none, or the new links find no ports.
    """
    if not more or line_root(graph) is None:
        return None
    ways = _lifted_edits(graph, more, work, share, seed)
    for result, origin in sorted(
        ways, key=lambda way: (_least_time(way[0]), _count_new_arcs(graph, *way))
    ):
        if ports.are_alike:
            kind: IntArray | None = np.zeros(result.arcs, dtype=np.int32)
        else:
            kind = fit_kinds(graph, ports, result, origin)
        if kind is not None:
            return NodeEdit(graph=result, origin=origin, ports=replace(ports, kind=kind))
    return None


def _lifted_edits(
    graph: Topology, more: int, work: WorkLeft, share: int, seed: int
) -> list[tuple[Topology, IntArray]]:
    """Edits of a line digraph, of its root's; of what is none, on its links."""
    root = line_root(graph) if more % graph.degree == 0 else None
    if root is not None:
        fewer = _lifted_edits(root, more // graph.degree, work, share, seed)
        return [lift_edit(graph, root, after, origin) for after, origin in fewer]
    alike = LinkPorts.alike(graph, more, duplex=False)
    found = rated_edits(graph, more, work, share, seed, duplex=False, ports=alike, kept=KEPT)
    return [(one.graph, one.origin) for one in found]


def _least_time(graph: Topology) -> float:
    """What an allreduce on a digraph takes, by the quicker of its schedules."""
    if unreachable_pair(graph):
        return np.inf
    costs = least_costs(graph)
    bandwidth = costs.forth.bandwidth + costs.back.bandwidth
    return float(costs.forth.steps + costs.back.steps + WEIGHT * bandwidth)


def _count_new_arcs(graph: Topology, result: Topology, origin: IntArray) -> int:
    """Arcs between nodes that no arc joined before; -1 is none of these."""
    there = graph.tail.astype(np.int64) * graph.n + graph.head
    tail, head = origin[result.tail].astype(np.int64), origin[result.head]
    kept = (tail >= 0) & (head >= 0) & np.isin(tail * graph.n + head, there)
    return int(np.count_nonzero(~kept))
