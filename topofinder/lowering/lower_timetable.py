"""Transfers of a timetable: one chunk a message, in the order in which channels send them.

A channel sends one chunk at a step, as soon as what it hands on is there: the timetable's rounds
without its clock. Routes through switches become messages from host to host.
"""

from math import gcd

import numpy as np

from generators.topology import Int64Array, IntArray
from topofinder.lowering.lower_schedule import have_reverses, number_parallel, require_size
from topofinder.model.timetable import Timetable, expand_timetable
from topofinder.model.timetable_digest import timetable_digest
from topofinder.model.transfers import Transfers


def lower_timetable(timetable: Timetable) -> Transfers:
    """The transfers of a timetable; a unit is the longest of which all chunks are multiples.

    Rank r is host r, in the order of nodes. In an all-to-all block `o * ranks + t` has the chunks
    that o has for t; without any, and on the diagonal, it is empty, unless all other pairs have
    equally many: then each rank keeps as many for itself. Raises Unsupported for too many sends.
    """
    require_size(timetable.all_sends, 0)
    digest = timetable_digest(timetable)
    table, graph = expand_timetable(timetable), timetable.topology
    hosts = np.setdiff1d(np.arange(graph.n), graph.switches).astype(np.int32)
    rank = np.zeros(graph.n, dtype=np.int32)
    rank[hosts] = np.arange(len(hosts))
    block = rank[table.origin].astype(np.int64)
    if table.target is not None:
        block = block * len(hosts) + rank[table.target]
    amount = table.amounts // gcd(*table.amounts.tolist())
    require_size(0, int(amount.astype(object).sum()) * 2)
    first, begin = _places(table, block, amount, len(hosts))
    tail, head = table.channel_ends()
    used = np.unique(table.channel) if len(table.routes[1]) else np.arange(table.channels)
    lane = np.zeros(len(tail), dtype=np.int32)
    lane[used] = number_parallel(tail[used], head[used])
    sender, receiver = tail[table.channel], head[table.channel]
    return Transfers(
        collective=table.collective,
        step=_steps(table, sender, receiver),
        sender=rank[sender],
        receiver=rank[receiver],
        lane=lane[table.channel],
        begin=begin[table.chunk],
        end=(begin + amount)[table.chunk],
        reducing=np.arange(table.sends) < table.reducing,
        first=first,
        nodes=hosts,
        names=None if graph.names is None else tuple(graph.names[host] for host in hosts),
        root=None if table.root is None else int(rank[table.root]),
        two_way=bool(graph.switches) or have_reverses(graph, sender, receiver),
        digest=digest,
        recipe=table.recipe,
        method=table.method,
    )


def _places(
    table: Timetable, block: Int64Array, amount: Int64Array, ranks: int
) -> tuple[Int64Array, Int64Array]:
    """Where blocks begin, and where each chunk does: chunks of a block follow each other."""
    order = np.argsort(block, kind="stable")
    length = np.zeros(ranks if table.target is None else ranks**2, dtype=np.int64)
    np.add.at(length, block, amount)
    if table.target is not None:
        pairs = length.reshape(ranks, ranks)
        others = pairs[~np.eye(ranks, dtype=bool)]
        if len(others) and (others == others[0]).all():
            np.fill_diagonal(pairs, others[0])
    first = np.concatenate([[0], np.cumsum(length)])
    within = np.cumsum(amount[order]) - amount[order]
    start = np.searchsorted(block[order], block[order])
    begin = np.empty(len(block), dtype=np.int64)
    begin[order] = first[block[order]] + within - within[start]
    return first, begin


def _steps(table: Timetable, sender: IntArray, receiver: IntArray) -> IntArray:
    """For every send one more than the last before it on its channel, and than what it hands on."""
    order = np.argsort(table.begin, kind="stable").tolist()
    chunk, channel = table.chunk.tolist(), table.channel.tolist()
    tail, head = sender.tolist(), receiver.tolist()
    busy = [0] * table.channels
    there: dict[tuple[int, int], int] = {}
    found = np.zeros(table.sends, dtype=np.int32)
    for row in order:
        x, c = chunk[row], channel[row]
        step = 1 + max(busy[c], there.get((x, tail[row]), 0))
        busy[c] = found[row] = step
        key = x, head[row]
        there[key] = max(there.get(key, 0), step)
    return found
