"""What a schedule, forest or timetable sends, as chunks between ranks: for comparisons alone."""

from dataclasses import dataclass
from itertools import pairwise
from math import gcd, lcm

import numpy as np

from expansions.compact_schedule import CompactSchedule
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from generators.topology import Int64Array, Topology
from topofinder.model.forest import Forest
from topofinder.model.timetable import Timetable, expand_timetable

ScheduledContent = SavedSchedule | Forest | Timetable


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScheduledRows:
    """Rows of a collective: at `moment`, `sender` hands units [begin, end) to `receiver`.

    Columns are int64 (rows,); ranks are hosts in the order of nodes. `arc` tells parallel links
    apart. Moments are steps, or ticks of a timetable; `units` are all that there are.
    """

    collective: str
    ranks: int
    units: int
    moment: Int64Array
    sender: Int64Array
    receiver: Int64Array
    arc: Int64Array
    begin: Int64Array
    end: Int64Array


def scheduled_rows(content: ScheduledContent) -> ScheduledRows:
    """The rows of a schedule, forest or timetable."""
    if isinstance(content, Forest):
        return _forest_rows(content)
    if isinstance(content, Timetable):
        return _timetable_rows(content)
    return _schedule_rows(content)


def _host_ranks(topology: Topology) -> Int64Array:
    """The rank of every host, and -1 for switches."""
    rank = np.full(topology.n, -1, dtype=np.int64)
    hosts = [node for node in range(topology.n) if node not in set(topology.switches)]
    rank[hosts] = np.arange(len(hosts))
    return rank


def _schedule_rows(saved: SavedSchedule) -> ScheduledRows:
    graph, schedule = saved.topology, saved.schedule
    if isinstance(schedule, CompactSchedule):
        schedule = schedule.expand(graph)
    if graph.switches:
        raise InvalidInput("against: a schedule through switches has no ranks for them")
    whole = schedule.denominator
    first = 0 if schedule.root is not None else schedule.source.astype(np.int64) * whole
    return ScheduledRows(
        collective=schedule.collective.value,
        ranks=graph.n,
        units=whole if schedule.root is not None else whole * graph.n,
        moment=schedule.step.astype(np.int64),
        sender=graph.tail[schedule.arc].astype(np.int64),
        receiver=graph.head[schedule.arc].astype(np.int64),
        arc=schedule.arc.astype(np.int64),
        begin=first + schedule.begin,
        end=first + schedule.end,
    )


def _forest_rows(forest: Forest) -> ScheduledRows:
    rank = _host_ranks(forest.topology)
    whole = lcm(*(phase.trees.k for phase in forest.phases))
    hosts = np.flatnonzero(rank >= 0).tolist()
    first, units = {}, 0
    for host in hosts:
        first[host] = units
        units += whole * forest.weight[host]
    found: list[tuple[int, int, int, int, int]] = []
    passed = 0
    for phase in forest.phases:
        rows = _tree_edges(phase.trees, first, whole // phase.trees.k)
        height = max((depth for depth, *_ in rows), default=0)
        for depth, parent, child, begin, end in rows:
            if phase.name == "gather":
                found.append((passed + height + 1 - depth, child, parent, begin, end))
            else:
                found.append((passed + depth, parent, child, begin, end))
        passed += height
    table = np.array(found, dtype=np.int64).reshape(-1, 5)
    sender, receiver = rank[table[:, 1]], rank[table[:, 2]]
    return ScheduledRows(
        collective=forest.collective.value, ranks=len(hosts), units=units, moment=table[:, 0],
        sender=sender, receiver=receiver, arc=sender * len(hosts) + receiver,
        begin=table[:, 3], end=table[:, 4],
    )  # fmt: skip


def _tree_edges(
    trees: object, first: dict[int, int], scale: int
) -> list[tuple[int, int, int, int, int]]:
    """Depth, parent, child and units of every edge of every tree."""
    from topofinder.model.tree_set import TreeSet

    if not isinstance(trees, TreeSet):
        raise InvalidInput("against: a forest has trees")
    parent, child = trees.tails()[trees.route].tolist(), trees.heads()[trees.route].tolist()
    taken = dict.fromkeys(first, 0)
    found = []
    spans = pairwise(trees.start.tolist())
    for root, copies, (low, high) in zip(
        trees.root.tolist(), trees.copies.tolist(), spans, strict=True
    ):
        begin = first[root] + taken[root] * scale
        taken[root] += copies
        depth = {root: 0}
        for edge in range(low, high):
            depth[child[edge]] = depth[parent[edge]] + 1
            row = (depth[child[edge]], parent[edge], child[edge], begin, begin + copies * scale)
            found.append(row)
    return found


def _timetable_rows(timetable: Timetable) -> ScheduledRows:
    table, rank = expand_timetable(timetable), _host_ranks(timetable.topology)
    ranks = int((rank >= 0).sum())
    amount = table.amounts // gcd(*table.amounts.tolist())
    block = rank[table.origin]
    blocks = ranks
    if table.target is not None:
        block, blocks = block * ranks + rank[table.target], ranks * ranks
    length = np.zeros(blocks, dtype=np.int64)
    np.add.at(length, block, amount)
    if table.target is not None:  # what a rank has for itself is sent nowhere
        length[np.arange(ranks) * (ranks + 1)] = length.max(initial=0)
    after = (np.cumsum(length) - length).tolist()
    begin = np.zeros(len(block), dtype=np.int64)
    for chunk, (home, size) in enumerate(zip(block.tolist(), amount.tolist(), strict=True)):
        begin[chunk] = after[home]
        after[home] += size
    tail, head = table.channel_ends()
    return ScheduledRows(
        collective=table.collective.value, ranks=ranks, units=int(length.sum()),
        moment=table.begin.astype(np.int64), sender=rank[tail[table.channel]],
        receiver=rank[head[table.channel]], arc=table.channel.astype(np.int64),
        begin=begin[table.chunk], end=(begin + amount)[table.chunk],
    )  # fmt: skip
