"""Graphs near one that is wired: some nodes more or fewer, then few links exchanged.

Nodes are put on links of the graph, or taken out and their neighbours joined (also such as are
beside one another, which takes the fewest links); then exchanges of links are annealed on the exact
cost, while at most so many links are not those of the graph. From the diameter that the edits left
one step after another is taken off, as long as no pair is missed. A larger number of links begins
with the best graph of the smaller one. What is found is costed by its deferred schedule where that
takes less. Where it is told at which ports links end, edits and exchanges keep to them, see
`near_ports`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from expansions.cost import Cost
from expansions.graft import links_of
from expansions.lower_bounds import moore_steps, two_way_moore_steps
from generators.connectivity import unreachable_pair
from generators.topology import IntArray, Topology
from topofinder.discovery.grafts.found import WorkLeft, random_state, result_of
from topofinder.discovery.grafts.near_edits import (
    NodeEdit,
    count_new_links,
    remove_few_links,
)
from topofinder.discovery.grafts.near_kernels import anneal_near
from topofinder.discovery.grafts.near_ports import LinkPorts
from topofinder.discovery.grafts.near_roots import edit_nodes
from topofinder.discovery.grafts.state import DELAYS, MOST_DEGREE, annealed_graph, topology_of
from topofinder.discovery.grafts.state_kernels import PEAK
from topofinder.model.candidate import Method
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.deferral.least_costs import least_costs

EDIT_PART = 2
"""Edits take at most one of so many parts of the work."""
FEW_PART = 8
"""The same for those that take nodes out beside one another."""
HEATS = Fraction(1), Fraction(1, 10)
"""First and last temperature, in shards: colder, annealing ends with pairs missed."""
GROWTH = (Fraction(1), Fraction(6, 5), Fraction(3, 2))
"""Links that may be new, in terms of those that the edits alone make."""
PARTS = (Fraction(1, 4), Fraction(1, 2), Fraction(1))
"""Of a number of new links: smaller numbers that are tried too."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NearGraph:
    """A graph, so many links of which are `new`, and its costs forth and back by a `method`.

    `origin[v]` is the node that v was before, -1 for one that is new; shape (nodes,).
    """

    graph: Topology
    origin: IntArray
    new: int
    forth: Cost
    back: Cost
    method: Method


def find_near_graphs(
    graph: Topology,
    more: int,
    *,
    duplex: bool,
    most: int | None,
    loads: int,
    seed: int = 0,
    ports: LinkPorts | None = None,
) -> list[NearGraph]:
    """Graphs with so many nodes more (below 0: fewer) and few links that `graph` has not.

    With `most` none has more new links than that, but the first where hosts come or go: it tells
    how many these edits need. With `ports` all links fit there, those that stay where they are.
    `loads` counts loads that are computed. Empty where the graph is not regular, has loops or more
    than 8 links a node, or nodes of an odd degree, which come in pairs, are an odd number. The same
    arguments give the same graphs.

    >>> from generators.families.circulant import circulant
    >>> found = find_near_graphs(circulant(12, (1, 3)), 1, duplex=True, most=None, loads=20_000)
    >>> found[0].graph.n, found[0].new
    (13, 4)
    """
    d = graph.degree
    usable = graph.is_regular and not graph.has_loops and 2 <= d <= MOST_DEGREE
    if not usable or (duplex and d % 2 and more % 2) or graph.n + more <= d + 1:
        return []
    work = WorkLeft(loads)
    ports = ports or LinkPorts.alike(graph, more, duplex=duplex)
    edits = edit_nodes(graph, more, work, loads // EDIT_PART, seed, ports, duplex=duplex)
    found: list[NearGraph] = []
    if more < 0:
        share = loads // FEW_PART
        few = remove_few_links(graph, -more, work, share, seed, duplex=duplex, ports=ports)
        if few is not None and not unreachable_pair(few.graph):
            found.append(_near_graph(graph, ports, few, duplex=duplex))
    for part, edited in enumerate(edits):
        left = work.share(1, len(edits) - part)
        found += _anneal_edit(graph, ports, edited, most, left, work, seed, duplex=duplex)
    return found


def _anneal_edit(
    graph: Topology,
    ports: LinkPorts,
    edited: NodeEdit,
    most: int | None,
    loads: int,
    work: WorkLeft,
    seed: int,
    *,
    duplex: bool,
) -> list[NearGraph]:
    """An edited graph, and what annealing from there finds within so many loads."""
    home = _home_links(graph, edited.origin, ports, duplex=duplex)
    least = count_new_links(graph, ports, edited, duplex=duplex)
    budgets, end = _budgets(least, most), work.left - loads
    found: list[NearGraph] = []
    if not unreachable_pair(edited.graph):
        found.append(_near_graph(graph, ports, edited, duplex=duplex))
    for part, budget in enumerate(budgets):
        share = (work.left - end) // (len(budgets) - part)
        for one in _anneal_steps(edited, home, budget, share, work, seed, duplex=duplex):
            edited = one
            if not unreachable_pair(edited.graph):
                found.append(_near_graph(graph, ports, edited, duplex=duplex))
    return found


def _budgets(least: int, most: int | None) -> list[int]:
    """Numbers of new links that are tried, ascending."""
    if most is not None and not least:
        wanted = {int(part * most) for part in PARTS}
    else:
        wanted = {int(part * least) for part in GROWTH}
        wanted |= set() if most is None else {most}
    return sorted(one for one in wanted if least <= one and one > 0 and one <= (most or one))


def _home_links(graph: Topology, origin: IntArray, ports: LinkPorts, *, duplex: bool) -> IntArray:
    """The links of a graph as slots of nodes with these origins, -1 where one is gone.

    They are numbers: the kind of port times the nodes, and the node at the other end.
    """
    number = np.full(graph.n, -1, dtype=np.int32)
    number[origin[origin >= 0]] = np.flatnonzero(origin >= 0)
    order = np.lexsort((graph.head, graph.tail))
    others = [graph.head[order]]
    if not duplex:
        others.insert(0, graph.tail[np.lexsort((graph.tail, graph.head))])
    kinds = ports.slot_kinds(links_of(graph, duplex=duplex), duplex=duplex)
    tables = []
    for other, kind in zip(others, np.split(kinds, len(others)), strict=True):
        slots = np.full((len(origin), graph.degree), -1, dtype=np.int32)
        near = number[other]
        rows = np.where(near < 0, -1, kind * len(origin) + near).reshape(graph.n, graph.degree)
        slots[origin >= 0] = rows[origin[origin >= 0]]
        tables.append(slots.ravel())
    return np.concatenate(tables)


def _near_graph(graph: Topology, ports: LinkPorts, after: NodeEdit, *, duplex: bool) -> NearGraph:
    costs = least_costs(after.graph)
    return NearGraph(
        graph=after.graph,
        origin=after.origin,
        new=count_new_links(graph, ports, after, duplex=duplex),
        forth=costs.forth,
        back=costs.back,
        method=costs.method,
    )


def _anneal_steps(
    start: NodeEdit,
    home: IntArray,
    most: int,
    loads: int,
    work: WorkLeft,
    seed: int,
    *,
    duplex: bool,
) -> Iterator[NodeEdit]:
    """Graphs with at most so many new links, each of as few steps as it can be annealed to."""
    graph = start.graph
    least = (two_way_moore_steps if duplex else moore_steps)(graph.n, graph.degree)
    steps = least + 2 if unreachable_pair(graph) else evaluate(graph).cost.steps
    while steps >= least and loads > 0:
        before = work.left
        after, missed = _anneal_at(start, home, most, steps, loads // 2, work, seed, duplex=duplex)
        loads -= before - work.left
        if missed:
            return
        start = after
        yield start
        steps -= 1


def _anneal_at(
    start: NodeEdit,
    home: IntArray,
    most: int,
    steps: int,
    loads: int,
    work: WorkLeft,
    seed: int,
    *,
    duplex: bool,
) -> tuple[NodeEdit, bool]:
    """The best graph at so many steps, and whether pairs are missed there."""
    n, ports = start.graph.n, start.ports
    graph = annealed_graph(start.graph, steps, duplex=duplex)
    kinds = ports.slot_kinds(links_of(start.graph, duplex=duplex), duplex=duplex)
    random, tally = random_state(seed, most, steps), np.zeros(4, np.int64)
    best = np.empty_like(graph.slots)
    span = np.array([int(heat * PEAK * int(graph.scale[1])) for heat in HEATS])
    anneal_near(graph, home, kinds, most, max(loads, 1), span, DELAYS, random, best, tally)
    work.spend(int(tally[3]))
    found = annealed_graph(topology_of(best, n, duplex=duplex), steps, duplex=duplex)
    after = replace(
        start,
        graph=result_of(best, n, duplex=duplex),
        ports=ports.of_slots(best, kinds, n, duplex=duplex),
    )
    return after, bool(found.sums[0, 0])
