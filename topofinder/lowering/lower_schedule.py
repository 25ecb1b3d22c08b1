"""Transfers of a step schedule: its rows, with ranks for arcs and units for pieces."""

import numpy as np

from expansions.collective import Collective
from expansions.compact_schedule import CompactSchedule
from expansions.schedule import Schedule
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import Unsupported
from generators.topology import BoolArray, Int64Array, IntArray, Topology
from topofinder.lowering.switched_rows import rows_between_hosts
from topofinder.model.transfers import MAX_TRANSFERS, MAX_UNITS, Transfers

SUMMING = (Collective.REDUCE_SCATTER, Collective.REDUCE)


def lower_schedule(saved: SavedSchedule) -> Transfers:
    """The transfers of a schedule; a unit is 1/denominator of a shard, ranks are hosts in order.

    Rows through switches become messages from host to host. Raises Unsupported where a switch cuts
    pieces anew, and for too many rows.

    >>> ring = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> from expansions.schedule import Schedule
    >>> swap = Schedule(source=[0, 1], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 1])
    >>> transfers = lower_schedule(SavedSchedule(topology=ring, schedule=swap))
    >>> transfers.sender.tolist(), transfers.begin.tolist()
    ([0, 1], [0, 1])
    """
    graph, rows = saved.topology, saved.schedule
    hosts = np.setdiff1d(np.arange(graph.n), graph.switches).astype(np.int32)
    require_size(rows.rows, len(hosts) * rows.denominator)
    rows, sums = expand_rows(saved)
    rank = np.zeros(graph.n, dtype=np.int32)
    rank[hosts] = np.arange(len(hosts), dtype=np.int32)
    root = None if rows.root is None else int(rank[rows.root])
    first = block_offsets(len(hosts), rows.denominator, root)
    tail, head, row = graph.tail[rows.arc], graph.head[rows.arc], np.arange(rows.rows)
    if graph.switches:
        found = rows_between_hosts(graph, rows, sums)
        tail, head, row = found.tail, found.head, found.row
    before = first[rank[rows.source[row]]]
    return Transfers(
        collective=rows.collective,
        step=rows.step[row],
        sender=rank[tail],
        receiver=rank[head],
        lane=number_parallel(graph.tail, graph.head)[rows.arc[row]],
        begin=before + rows.begin[row],
        end=before + rows.end[row],
        reducing=sums[row],
        first=first,
        nodes=hosts,
        names=None if graph.names is None else tuple(graph.names[host] for host in hosts.tolist()),
        root=root,
        two_way=bool(graph.switches) or have_reverses(graph, tail, head),
        digest=saved.digest,
        recipe=saved.recipe,
        method=saved.method,
    )


def expand_rows(saved: SavedSchedule) -> tuple[Schedule, BoolArray]:
    """All rows of a schedule, and which of them carry partial sums; (rows,)."""
    rows = saved.schedule
    if isinstance(rows, CompactSchedule):
        rows = rows.expand(saved.topology)
    return rows, rows.step <= _last_sum(rows.collective, rows.turn, rows.steps)


def _last_sum(collective: Collective, turn: int | None, steps: int) -> int:
    """The last step at which rows carry partial sums."""
    if turn is not None:
        return turn
    return steps if collective in SUMMING else 0


def require_size(rows: int, units: int) -> None:
    """Refuse what has too many rows or too fine pieces, before any of it is made."""
    if rows > MAX_TRANSFERS:
        raise Unsupported(f"rows: at most {MAX_TRANSFERS} can be lowered, not {rows}")
    if units > MAX_UNITS:
        raise Unsupported(f"pieces: at most 2^62 units of all shards, not {units}")


def block_offsets(ranks: int, units: int, root: int | None) -> Int64Array:
    """Where blocks begin that have `units` each, or that of the root alone; (ranks + 1,).

    >>> block_offsets(3, 2, None).tolist(), block_offsets(3, 2, 1).tolist()
    ([0, 2, 4, 6], [0, 0, 2, 2])
    """
    length = np.full(ranks, units, dtype=np.int64)
    if root is not None:
        length[np.arange(ranks) != root] = 0
    return np.concatenate([[0], np.cumsum(length)])


def number_parallel(tail: IntArray, head: IntArray) -> IntArray:
    """For every arc how many before it join the same two nodes; int32 of shape (arcs,).

    >>> number_parallel(np.array([0, 1, 0]), np.array([1, 0, 1])).tolist()
    [0, 0, 1]
    """
    order = np.lexsort((np.arange(len(tail)), head, tail))
    new = np.ones(len(tail), dtype=bool)
    new[1:] = (np.diff(tail[order]) != 0) | (np.diff(head[order]) != 0)
    starts = np.flatnonzero(new)
    run = np.diff(starts, append=len(tail))
    found = np.empty(len(tail), dtype=np.int32)
    found[order] = np.arange(len(tail)) - np.repeat(starts, run)
    return found


def have_reverses(graph: Topology, tail: IntArray, head: IntArray) -> bool:
    """Whether the graph has an arc back for each of these pairs."""
    n = np.int64(graph.n)
    used, there = tail * n + head, graph.tail * n + graph.head
    return bool(np.isin(np.unique(used % n * n + used // n), there).all())
