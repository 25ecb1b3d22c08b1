"""Nodes put on links of a graph, or taken out and their neighbours joined: the best of many ways.

Node after node is put where loads stay even. Costs are made of the largest loads, and fall only
when the last of the busiest receivers has less; so ways are rated by means of fourth powers, which
fall with each of them, and only the last node by the cost. A line digraph grows through its root.
Where ports are unlike, nodes are put on links whose ends they have ports for.
"""

from dataclasses import dataclass, replace

import numpy as np

from expansions.graft import links_of
from expansions.graft_edits import EditedGraph, heads, tails
from expansions.graft_ranks import matching_count, permutation_count
from generators.connectivity import unreachable_pair
from generators.errors import InvalidInput
from generators.topology import IntArray, Topology
from topofinder.discovery.grafts.found import WEIGHT, WorkLeft
from topofinder.discovery.grafts.near_lines import lift_edit, line_root
from topofinder.discovery.grafts.near_ports import LinkPorts
from topofinder.discovery.grafts.state import annealed_graph
from topofinder.discovery.grafts.trials import EDIT_LOADS, LARGEST_RANK, edited_topology
from topofinder.schedules.bfb.evaluation import evaluate

TRIES = 400
"""Drawn edits of which one must make no link from a node to itself and no parallel one."""
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


def edit_nodes(
    graph: Topology,
    more: int,
    work: WorkLeft,
    share: int,
    seed: int,
    *,
    duplex: bool,
    ports: LinkPorts | None = None,
) -> NodeEdit | None:
    """The best of many ways to put nodes into the graph, or to take some out (`more` below 0).

    `ports` are alike unless they are told; none is taken out where they are not. It takes about so
    large a `share` of the work; None where it fails.
    """
    ends = graph.degree * (1 if duplex else 2)
    ports = ports or LinkPorts.alike(graph, more, duplex=duplex)
    through = not duplex and more and more % graph.degree == 0 and ports.are_alike
    if through and (root := line_root(graph)):
        found = edit_nodes(root, more // graph.degree, work, share, seed, duplex=False)
        if found is not None:
            result, origin = lift_edit(graph, root, found.graph, found.origin)
            return NodeEdit(graph=result, origin=origin, ports=_alike(ports, result.arcs))
    step = 2 if duplex and graph.degree % 2 else 1
    gone: list[tuple[int, ...]] = [()] * (-more // step)
    groups = ports.node_groups(ends) if more > 0 else gone
    if groups is None or (more < 0 and not ports.are_alike):
        return None
    steps, runs = evaluate(graph).cost.steps, list[NodeEdit]()
    for run in range(RUNS if more else 1):
        random = np.random.default_rng([seed, graph.n, run])
        search = _EditSearch(steps, duplex, work, share // (RUNS * max(1, len(groups))))
        if (found := search.edit(graph, groups, ports, random)) is None:
            continue
        runs.append(found)
        steps += _time(found.graph, duplex)[0] > steps and run == 0
    return min(runs, key=lambda one: _time(one.graph, duplex)[1], default=None)


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

    def __init__(self, steps: int, duplex: bool, work: WorkLeft, share: int) -> None:
        self.steps, self.duplex, self.work, self.share = steps, duplex, work, share

    def edit(
        self,
        graph: Topology,
        groups: list[tuple[int, ...]],
        ports: LinkPorts,
        random: np.random.Generator,
    ) -> NodeEdit | None:
        """All edits, a group of new nodes (empty: of those that leave) each; None if one fails."""
        links = links_of(graph, duplex=self.duplex)
        edited = EditedGraph(graph.n, graph.degree, links, duplex=self.duplex)
        for left, group in zip(range(len(groups), 0, -1), groups, strict=True):
            after = self._best_edit(edited, ports, graph.n, group, random, last=left == 1)
            if after is None:
                return None
            edited, ports = after
        stayed = np.setdiff1d(np.arange(graph.n), edited.removed)
        origin = np.array([*stayed, *[-1] * (edited.n - len(stayed))], dtype=np.int32)
        return NodeEdit(graph=edited_topology(edited), origin=origin, ports=ports)

    def _best_edit(
        self,
        edited: EditedGraph,
        ports: LinkPorts,
        old: int,
        group: tuple[int, ...],
        random: np.random.Generator,
        *,
        last: bool,
    ) -> tuple[EditedGraph, LinkPorts] | None:
        best, least, end = None, np.inf, self.work.left - self.share
        for way in range(MOST_WAYS):
            if group:
                after = _insert(edited, ports, old, group, random)
            else:
                after = _remove(edited, ports, random)
            if after is None or (way and self.work.left <= end):
                break
            rating = self._rate(edited_topology(after[0]), last=last)
            if rating < least:
                best, least = after, rating
        return best

    def _rate(self, graph: Topology, *, last: bool) -> float:
        """Fourth means of loads, step by step; of the `last` node the largest ones before these."""
        state = annealed_graph(graph, self.steps, duplex=self.duplex)
        self.work.spend((state.loads[:, 1:].size + EDIT_LOADS) // WHOLE)
        loads, missed = state.loads[:, 1:] / state.scale[1], int(state.sums[:, 0].sum())
        even = np.sqrt(np.sqrt(((loads**2) ** 2).mean(axis=2))).sum()
        peaks = loads.max(axis=2).sum() + even / 1000 if last else even
        return float(peaks + MISSED * missed)


def _insert(
    edited: EditedGraph,
    ports: LinkPorts,
    old: int,
    group: tuple[int, ...],
    random: np.random.Generator,
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
