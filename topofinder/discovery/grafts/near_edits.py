"""Nodes put on links of a graph, or taken out and their neighbours joined: the best of many ways.

Node after node is put where loads stay even. Costs are made of the largest loads, and fall only
when the last of the busiest receivers has less; so ways are rated by means of fourth powers, which
fall with each of them, and only the last node by the cost. Where ports are unlike, nodes are put on
links whose ends they have ports for, and those whose neighbours can be joined are taken out.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from expansions.graft import links_of
from expansions.graft_edits import MASK, SHIFT, EditedGraph, heads, tails
from expansions.graft_ranks import matching_count, permutation_count
from generators.connectivity import unreachable_pair
from generators.errors import InvalidInput
from generators.topology import Int64Array, IntArray, Topology
from topofinder.discovery.grafts.found import WEIGHT, WorkLeft
from topofinder.discovery.grafts.near_leaving import (
    leaving_groups,
    ports_left_over,
    remove_nodes,
)
from topofinder.discovery.grafts.near_ports import LinkPorts
from topofinder.discovery.grafts.state import annealed_graph
from topofinder.discovery.grafts.trials import EDIT_LOADS, LARGEST_RANK, edited_topology
from topofinder.schedules.bfb.evaluation import evaluate

DrawEdit = Callable[
    [EditedGraph, LinkPorts, np.random.Generator], tuple[EditedGraph, LinkPorts] | None
]
"""A way to put nodes in, or take some out, that is drawn; None where none is."""
TRIES = 400
"""Drawn edits of which one must make no link from a node to itself and no parallel one."""
FEW_RUNS = 8
"""Ways to take out nodes that are beside one another, of which the best is taken."""
RUNS = 4
"""Ways to edit all nodes, of which the best is taken."""
MOST_WAYS = 2000
"""Ways to edit a node that are rated, at most."""
WHOLE = 4
"""Loads of a graph that is evaluated whole that take as long as one that an exchange changes."""
MISSED = 0.05
"""What a pair that is too far apart weighs, in shards on the links of all."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NodeEdit:
    """A graph after its nodes were edited, and the `ports` that its links end at.

    `origin[v]` is the node that v was before, -1 for one that is new; shape (nodes,).
    """

    graph: Topology
    origin: IntArray
    ports: LinkPorts


def edit_links(
    graph: Topology,
    more: int,
    work: WorkLeft,
    share: int,
    seed: int,
    *,
    duplex: bool,
    ports: LinkPorts,
) -> NodeEdit | None:
    """The best of many ways to put nodes into the graph, or to take some out (`more` below 0).

    It takes about so large a `share` of the work; None where it fails.
    """
    found = rated_edits(graph, more, work, share, seed, duplex=duplex, ports=ports)
    return min(found, key=lambda one: _time(one.graph, duplex)[1], default=None)


def rated_edits(
    graph: Topology,
    more: int,
    work: WorkLeft,
    share: int,
    seed: int,
    *,
    duplex: bool,
    ports: LinkPorts,
    kept: int = 1,
) -> list[NodeEdit]:
    """The best edits of several runs; of the last node so many are `kept`, those rated best."""
    ends = graph.degree * (1 if duplex else 2)
    ways = _ways_to_edit(graph, more, ends, ports, duplex=duplex)
    steps, found = evaluate(graph).cost.steps, list[NodeEdit]()
    for run in range(RUNS if more and ways else len(ways)):
        draws = ways[run % len(ways)]
        random = np.random.default_rng([seed, graph.n, run])
        part = share // (RUNS * max(1, len(draws)))
        best = _EditSearch(steps, duplex, work, part, kept).edit(graph, draws, ports, random)
        if not best:
            continue
        found += best
        steps += _time(best[0].graph, duplex)[0] > steps and run == 0
    return found


def remove_few_links(
    graph: Topology,
    fewer: int,
    work: WorkLeft,
    share: int,
    seed: int,
    *,
    duplex: bool,
    ports: LinkPorts,
) -> NodeEdit | None:
    """Nodes taken out that are beside one another, so that few links are new; None where it fails.

    Of ways with as few links that of the most even loads is taken.
    """
    links = links_of(graph, duplex=duplex)
    groups = leaving_groups(ports_left_over(links, ports, graph.n), fewer)
    steps, runs = evaluate(graph).cost.steps, list[tuple[int, float, NodeEdit]]()
    for run in range(FEW_RUNS if groups else 0):
        counts = groups[run % len(groups)]
        random = np.random.default_rng([seed, graph.n, run])
        search = _EditSearch(steps, duplex, work, share // (FEW_RUNS * len(counts)), 1)
        draws: list[DrawEdit] = [
            partial(_remove_wired, count=count, links=links) for count in counts
        ]
        for found in search.edit(graph, draws, ports, random):
            new = count_new_links(graph, ports, found, duplex=duplex)
            runs.append((new, _time(found.graph, duplex)[1], found))
    return min(runs, key=lambda one: one[:2], default=(0, 0.0, None))[2]


def count_new_links(graph: Topology, ports: LinkPorts, after: NodeEdit, *, duplex: bool) -> int:
    """How many links `graph` has not between the same nodes and ports of the same kinds."""
    same = np.arange(graph.n, dtype=np.int32)
    there = _link_counts(NodeEdit(graph=graph, origin=same, ports=ports), duplex=duplex)
    wanted = _link_counts(after, duplex=duplex)
    new = sum(count for link, count in wanted.items() if min(link) < 0)
    kept = Counter({link: count for link, count in wanted.items() if min(link) >= 0})
    return new + (kept - there).total()


def _link_counts(edit: NodeEdit, *, duplex: bool) -> "Counter[tuple[int, ...]]":
    """Links by the origins of their ends, and the kind of port at the first."""
    links = links_of(edit.graph, duplex=duplex)
    ends = edit.origin[np.stack([links >> SHIFT, links & MASK])]
    return Counter(zip(*ends.tolist(), edit.ports.kind.tolist(), strict=True))


def _ways_to_edit(
    graph: Topology, more: int, ends: int, ports: LinkPorts, *, duplex: bool
) -> list[list[DrawEdit]]:
    """Lists of edits to try in turn, one after the other each; none where ports forbid it."""
    if more > 0:
        groups = ports.node_groups(ends)
        return (
            []
            if groups is None
            else [[partial(_insert, old=graph.n, group=group) for group in groups]]
        )
    if ports.are_alike:
        return [[_remove] * (-more // (2 if duplex and graph.degree % 2 else 1))]
    over = ports_left_over(links_of(graph, duplex=duplex), ports, graph.n)
    ways = leaving_groups(over, -more)
    return [[partial(_remove_wired, count=count) for count in counts] for counts in ways]


def _time(graph: Topology, duplex: bool) -> tuple[float, float]:
    """Steps of a graph, and what an allreduce takes; both without end where pairs are apart."""
    if unreachable_pair(graph):
        return np.inf, np.inf
    forth = evaluate(graph).cost
    back = forth if duplex else evaluate(graph.transpose()).cost
    time = forth.steps + back.steps + WEIGHT * (forth.bandwidth + back.bandwidth)
    return forth.steps, float(time)


class _EditSearch:
    """Edits of one node after the other, each the best of so many ways as a share pays for."""

    def __init__(self, steps: int, duplex: bool, work: WorkLeft, share: int, kept: int) -> None:
        self.steps, self.duplex, self.work = steps, duplex, work
        self.share, self.kept = share, kept

    def edit(
        self,
        graph: Topology,
        draws: list[DrawEdit],
        ports: LinkPorts,
        random: np.random.Generator,
    ) -> list[NodeEdit]:
        """All edits, one after the other, the last in several ways; none if one of them fails."""
        links = links_of(graph, duplex=self.duplex)
        ways = [(EditedGraph(graph.n, graph.degree, links, duplex=self.duplex), ports)]
        for left, draw in zip(range(len(draws), 0, -1), draws, strict=True):
            ways = self._best_edits(*ways[0], draw, random, last=left == 1)
            if not ways:
                return []
        return [_node_edit(graph, after, there) for after, there in ways]

    def _best_edits(
        self,
        edited: EditedGraph,
        ports: LinkPorts,
        draw: DrawEdit,
        random: np.random.Generator,
        *,
        last: bool,
    ) -> list[tuple[EditedGraph, LinkPorts]]:
        best, end = list[tuple[float, int, EditedGraph, LinkPorts]](), self.work.left - self.share
        for way in range(MOST_WAYS):
            after = draw(edited, ports, random)
            if after is None or (way and self.work.left <= end):
                break
            rating = self._rate(edited_topology(after[0]), last=last)
            if rating in (one[0] for one in best):  # the same edit, or its image
                continue
            if len(best) < self.kept or rating < best[-1][0]:
                best = sorted([*best, (rating, way, *after)], key=lambda one: one[:2])[: self.kept]
        return [(after, there) for _, _, after, there in best]

    def _rate(self, graph: Topology, *, last: bool) -> float:
        """Fourth means of loads, step by step; of the `last` node the largest ones before these."""
        state = annealed_graph(graph, self.steps, duplex=self.duplex)
        self.work.spend((state.loads[:, 1:].size + EDIT_LOADS) // WHOLE)
        loads, missed = state.loads[:, 1:] / state.scale[1], int(state.sums[:, 0].sum())
        even = np.sqrt(np.sqrt(((loads**2) ** 2).mean(axis=2))).sum()
        peaks = loads.max(axis=2).sum() + even / 1000 if last else even
        return float(peaks + MISSED * missed)


def _node_edit(graph: Topology, edited: EditedGraph, ports: LinkPorts) -> NodeEdit:
    stayed = np.setdiff1d(np.arange(graph.n), edited.removed)
    origin = np.array([*stayed, *[-1] * (edited.n - len(stayed))], dtype=np.int32)
    return NodeEdit(graph=edited_topology(edited), origin=origin, ports=ports)


def _insert(
    edited: EditedGraph,
    ports: LinkPorts,
    random: np.random.Generator,
    *,
    old: int,
    group: tuple[int, ...],
) -> tuple[EditedGraph, LinkPorts] | None:
    """The nodes of a group more, on links between nodes that were there before."""
    ends = edited.d * (1 if edited.duplex else 2)
    every = np.arange(len(edited.links))
    own = np.flatnonzero((tails(edited.links) < old) & (heads(edited.links) < old))
    for _ in range(TRIES):
        cuts = ports.draw_cuts(group, ends, own, random)
        cuts = cuts or ports.draw_cuts(group, ends, every, random)
        if cuts is None:
            continue
        links, left = ports.cut_links(edited.links, cuts, edited.n, duplex=edited.duplex)
        after = EditedGraph(edited.n + len(group), edited.d, links, duplex=edited.duplex)
        after.before, after.removed = edited.before, list(edited.removed)
        if _is_simpler(edited, after):
            return after, left
    return None


def _remove(
    edited: EditedGraph, ports: LinkPorts, random: np.random.Generator
) -> tuple[EditedGraph, LinkPorts] | None:
    """One node fewer (two of odd degree), its neighbours joined."""
    odd = edited.duplex and edited.d % 2
    ends = 2 * edited.d if odd else edited.d
    ways = matching_count(ends) if edited.duplex else permutation_count(edited.d)
    left = np.setdiff1d(np.arange(edited.before), edited.removed)
    for _ in range(TRIES):
        nodes = sorted(random.choice(left, 1 + odd, replace=False).tolist(), reverse=True)
        edit = (*nodes, int(random.integers(min(ways, LARGEST_RANK))))
        after = _removed_copy(edited, edit)
        if after is not None and _is_simpler(edited, after):
            return after, _alike(ports, len(after.links))
    return None


def _remove_wired(
    edited: EditedGraph,
    ports: LinkPorts,
    random: np.random.Generator,
    *,
    count: int,
    links: Int64Array | None = None,
) -> tuple[EditedGraph, LinkPorts] | None:
    """So many nodes fewer, their neighbours joined at ports that fit.

    With the `links` that there were at first, those leave at whom most are new by now.
    """
    made = None
    if links is not None:
        there = np.setdiff1d(np.arange(edited.before), edited.removed)
        pairs = there[tails(edited.links)] << SHIFT | there[heads(edited.links)]
        new = edited.links[~np.isin(pairs, links)]
        made = np.bincount(np.concatenate([tails(new), heads(new)]), minlength=edited.n)
    for _ in range(TRIES):
        found = remove_nodes(edited, ports, count, random, made=made)
        if found is not None and _is_simpler(edited, found[0]):
            return found
    return None


def _alike(ports: LinkPorts, links: int) -> LinkPorts:
    """Ports of one kind for so many links."""
    return replace(ports, kind=np.zeros(links, dtype=np.int32))


def _removed_copy(edited: EditedGraph, edit: tuple[int, ...]) -> EditedGraph | None:
    """A copy without nodes; None where that joins a node to itself, or leaves other degrees."""
    after = EditedGraph(edited.n, edited.d, edited.links, duplex=edited.duplex)
    after.before, after.removed = edited.before, list(edited.removed)
    try:
        after.remove(edit)
    except InvalidInput:
        return None
    return after


def _is_simpler(before: EditedGraph, after: EditedGraph) -> bool:
    """Whether an edit has made no loops, no other degrees and no parallel links."""
    loops = (tails(after.links) == heads(after.links)).any()
    degrees = np.bincount(tails(after.arcs()), minlength=after.n)
    parallel = [len(one.links) - len(np.unique(one.links)) for one in (before, after)]
    return not loops and bool((degrees == after.d).all()) and parallel[1] <= parallel[0]
