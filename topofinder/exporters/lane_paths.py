"""The links that each lane of a collective runs over, through switches too."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from generators.errors import Unsupported
from topofinder.exporters.lane_links import Lane, LaneLinks, lane_links, pair_links
from topofinder.lowering.lower import Lowerable
from topofinder.lowering.lower_schedule import expand_rows
from topofinder.lowering.switched_rows import rows_between_hosts
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.forest import Forest
from topofinder.model.timetable import Timetable
from topofinder.model.transfers import Transfers

NodePath = tuple[int, ...]


class LanePaths(NamedTuple):
    """Links by their keys, with (latency, rate), and for each lane the keys of those on its way."""

    links: LaneLinks
    paths: dict[Lane, tuple[Lane, ...]]


def lane_paths(content: Lowerable, transfers: Transfers, units: LinkUnits) -> LanePaths:
    """The way of every lane that is used: one link of its own, or those to, between and from
    switches, where all parallel links of two nodes are one that is shared.

    Raises Unsupported where what a host has for another takes several ways through switches.

    >>> from expansions.schedule import Schedule
    >>> from expansions.schedule_files.saved import SavedSchedule
    >>> from fractions import Fraction
    >>> from generators.topology import Topology
    >>> from topofinder.lowering.lower import lower
    >>> star = Topology.from_arcs(3, [(0, 2), (2, 1), (1, 2), (2, 0)], switches=(2,))
    >>> rows = Schedule(source=[0, 0, 1, 1], arc=[0, 1, 2, 3], step=[1, 2, 1, 2], begin=[0] * 4,
    ...     end=[1] * 4)
    >>> saved = SavedSchedule(topology=star, schedule=rows)
    >>> units = LinkUnits(latency=Fraction(1), rate=Fraction(3))
    >>> lane_paths(saved, lower(saved), units).paths
    {(0, 1, 0): ((0, 2, 0), (2, 1, 0)), (1, 0, 0): ((1, 2, 0), (2, 0, 0))}
    """
    if not content.topology.switches:
        links = lane_links(content, transfers, units)
        return LanePaths(links, {lane: (lane,) for lane in links})
    known = _only_paths(_node_paths(content))
    nodes = transfers.nodes.tolist()
    lanes = zip(
        *(each.tolist() for each in (transfers.sender, transfers.receiver, transfers.lane)),
        strict=True,
    )
    paths = {
        lane: tuple((u, v, 0) for u, v in pairwise(known[nodes[lane[0]], nodes[lane[1]]]))
        for lane in sorted(set(lanes))
    }
    every = pair_links(content.topology, units)
    return LanePaths(
        {key: every[key] for key in sorted({k for p in paths.values() for k in p})}, paths
    )


def _only_paths(paths: Iterable[NodePath]) -> dict[tuple[int, int], NodePath]:
    """The way between each two hosts."""
    found: dict[tuple[int, int], NodePath] = {}
    for path in paths:
        if found.setdefault((path[0], path[-1]), path) != path:
            raise Unsupported(
                f"switches: node {path[0]} sends node {path[-1]} messages on more than one way"
            )
    return found


def _node_paths(content: Lowerable) -> Iterator[NodePath]:
    """The nodes on the ways of messages from host to host, each way at least once."""
    if isinstance(content, Forest):
        for phase in content.phases:
            back = -1 if phase.name == "gather" else 1
            node, start = phase.trees.node.tolist(), phase.trees.route_start.tolist()
            yield from (tuple(node[begin:end][::back]) for begin, end in pairwise(start))
    elif isinstance(content, Timetable):
        yield from _timetable_paths(content)
    else:
        rows, sums = expand_rows(content)
        found = rows_between_hosts(content.topology, rows, sums)
        nodes = np.column_stack([found.tail, found.via, found.head])
        for way in np.unique(nodes, axis=0).tolist():
            yield tuple(node for node in way if node >= 0)


def _timetable_paths(table: Timetable) -> Iterator[NodePath]:
    graph, (start, arcs) = table.topology, table.routes
    tail, head = graph.tail.tolist(), graph.head.tolist()
    for channel in np.unique(table.channel).tolist():
        at = channel - graph.arcs
        own = [channel] if at < 0 else arcs[start[at] : start[at + 1]].tolist()
        yield (tail[own[0]], *(head[arc] for arc in own))
