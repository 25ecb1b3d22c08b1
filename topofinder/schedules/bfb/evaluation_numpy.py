"""The profile kernels in numpy alone: for a small job that should not wait for a compiler.

Loading compiled kernels takes a quarter of a second, compiling them some seconds. Up to 2000 nodes
of degree 5 the same bit sets, held as numpy arrays, answer within milliseconds; of a degree up to
10 the sets of in-neighbours that may send are counted, within a fifth of a second.
"""

from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generators.topology import BoolArray, Int64Array, IntArray

ALWAYS, ONCE, NEVER = 2, 1, 0
"""For all, for the first, for none that is known."""


MOST_MET = 5
"""Up to so many in-neighbours, shards that all of a set lack are met as bit sets; beyond, each
shard has the set of its senders."""

MOST_NODES_IN_NUMPY = 1 << 11
"""Nodes a graph may have; beyond, compiled kernels are worth waiting for."""

MOST_SETS = 1 << 21
"""Sets of in-neighbours that are counted, of all receivers together."""

MOST_SENDERS = 16
"""In-neighbours whose sets are counted."""

MOST_PAIRS = 1 << 26
"""Pairs of nodes times steps that are gone through while compiled kernels would be loaded."""
QUICKER = 8
"""How many times as many, of graphs that are quick."""


def is_quick_in_numpy(n: int, d: int) -> bool:
    """Whether numpy evaluates a graph of n nodes, of d in-neighbours each, within milliseconds.

    >>> is_quick_in_numpy(2000, 5), is_quick_in_numpy(2000, 6)
    (True, False)
    """
    return n <= MOST_NODES_IN_NUMPY and d <= MOST_MET


def can_do_in_numpy(n: int, d: int, receivers: int) -> bool:
    """Whether to evaluate so many receivers takes less time than compiled kernels take to load.

    >>> [can_do_in_numpy(2000, d, receivers) for d, receivers in ((10, 2000), (12, 2000), (12, 8))]
    [True, False, True]
    """
    return n <= MOST_NODES_IN_NUMPY and d <= MOST_SENDERS and receivers << d <= MOST_SETS


def most_steps_in_numpy(n: int, d: int) -> int:
    """Steps after which a graph is left to compiled kernels, which take a while to load.

    >>> most_steps_in_numpy(2000, 5), most_steps_in_numpy(2000, 6)
    (134, 16)
    """
    return (QUICKER if is_quick_in_numpy(n, d) else 1) * MOST_PAIRS // n**2


Profile = tuple[int, Int64Array, Int64Array, Int64Array, Int64Array]


def group_in_numpy(
    end: IntArray, other: IntArray, n: int
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Distinct nodes `other` that share an arc with each node `end`: as `group_neighbours`."""
    proper = end != other
    arcs = np.sort(end[proper].astype(np.int64) * n + other[proper])
    first = np.flatnonzero(np.diff(arcs, prepend=-1))  # np.unique takes numpy.ma along: 15 ms
    keys, links = arcs[first], np.diff(first, append=len(arcs))
    start = np.searchsorted(keys, np.arange(n + 1, dtype=np.int64) * n)
    return start.astype(np.int64), keys % n, links.astype(np.int64)


def profile_in_numpy(
    in_start: Int64Array,
    in_node: Int64Array,
    in_links: Int64Array,
    out_start: Int64Array,
    out_node: Int64Array,
    looped: BoolArray,
    receivers: IntArray,
) -> Profile | None:
    """What `profile_by_bits` returns, of graphs that numpy can do; None where that takes long."""
    n = len(in_start) - 1
    senders = _padded_rows(in_start, in_node, np.arange(n))
    weights = _padded_rows(in_start, in_links, np.zeros(n, np.int64))
    first = np.append(out_node, 0)[out_start[:-1]]
    followers = _padded_rows(out_start, out_node, first)[receivers]
    branching = bool((np.diff(out_start) + looped > 1).all())
    scale = _load_scales(weights[receivers])
    count_inside = _count_met if senders.shape[1] <= MOST_MET else _count_by_senders
    most_steps = most_steps_in_numpy(n, senders.shape[1])
    reach = _own_bits(n)
    near = np.where(looped, 0, n + 1)
    shards, links = np.zeros(n + 1, np.int64), np.ones(n + 1, np.int64)
    levels = np.zeros(n + 1, np.int64)
    members, step = n, 0
    while members < n * n:
        following = reach | np.bitwise_or.reduce(reach[senders], axis=1)
        before, members = members, int(np.bitwise_count(following).sum())
        if members == before:
            return -1, shards, links, levels, near
        step += 1
        if step > most_steps:
            return None
        fresh = following[receivers] & ~reach[receivers]
        inside = count_inside(fresh, reach, senders[receivers])
        loads = (inside * scale[0]).max(axis=1)  # theorem 19, in units of 1 / scale[1] shards
        back = _contains(following[receivers], followers)
        late = back & ~_contains(reach[receivers], followers)
        level = np.where(late.all(axis=1), NEVER, ONCE)
        level[(near[receivers] < step) | (step == 1 and branching)] = ALWAYS
        near[receivers[(near[receivers] > n) & back.any(axis=1)]] = step
        shards[step], links[step] = loads.max(), scale[1]
        levels[step] = level[loads == loads.max()].max()
        reach = following
    return step, shards, links, levels, near


def _padded_rows(start: Int64Array, values: Int64Array, spare: Int64Array) -> Int64Array:
    """Values of each node as a row of a table; short rows are filled with the node's spare."""
    counts = np.diff(start)
    column = np.arange(max(int(counts.max(initial=0)), 1))
    at = np.minimum(start[:-1, None] + column, len(values))
    return np.where(column < counts[:, None], np.append(values, 0)[at], spare[:, None])


def _load_scales(weights: Int64Array) -> tuple[Int64Array, int]:
    """For each receiver and each set Q of in-neighbours: common / links outside Q, and common.

    0 stands where no links are outside Q. Multiplying a count of shards by it gives the load in
    units of 1/common.
    """
    k = weights.shape[1]
    avoided = np.arange(1 << k)
    outside = ~avoided[:, None] >> np.arange(k) & 1
    links = weights @ outside.T
    counts = np.flatnonzero(np.bincount(links.ravel()))
    common = lcm(*counts[counts > 0].tolist())
    return np.where(links > 0, common // np.maximum(links, 1), 0), common


def _count_met(fresh: Any, reach: Any, senders: Int64Array) -> Int64Array:
    """New shards of each receiver that no in-neighbour in Q can send; shape (receivers, sets Q)."""
    meet = [fresh]
    for column in range(senders.shape[1]):
        lacking = ~reach[senders[:, column]]
        meet += [bits & lacking for bits in meet]
    return np.stack([np.bitwise_count(bits).sum(axis=1, dtype=np.int64) for bits in meet], axis=1)


def _count_by_senders(fresh: Any, reach: Any, senders: Int64Array) -> Int64Array:
    """The same, by the set of senders of each shard: what is inside the complement of Q."""
    receivers, k = senders.shape
    sends = np.zeros(len(reach), np.bool_)
    sends[senders] = True
    held, row = _as_bytes(reach[sends]), (np.cumsum(sends) - 1)[senders]
    able = np.zeros((receivers, held.shape[1]), np.uint8 if k <= 8 else np.uint16)
    for column in range(k):
        able |= held[row[:, column]] << able.dtype.type(column)
    is_new = _as_bytes(fresh).view(np.bool_)
    first = np.repeat(np.arange(receivers) << k, np.count_nonzero(is_new, axis=1))
    counts = np.bincount(first + able[is_new], minlength=receivers << k)
    for column in range(k):
        pairs = counts.reshape(-1, 2, 1 << column)
        pairs[:, 1] += pairs[:, 0]  # shards of a set without the sender are inside that with it
    return counts.reshape(receivers, 1 << k)[:, ::-1]


def _as_bytes(sets: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Each bit as a byte of 0 or 1."""
    words = np.ascontiguousarray(sets).astype("<u8", copy=False)
    return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")


def _own_bits(n: int) -> NDArray[np.uint64]:
    reach = np.zeros((n, (n + 63) // 64), np.uint64)
    nodes = np.arange(n)
    reach[nodes, nodes >> 6] = np.uint64(1) << (nodes & 63).astype(np.uint64)
    return reach


def _contains(sets: NDArray[np.uint64], nodes: Int64Array) -> BoolArray:
    """Whether row u of `sets` holds each node of row u of `nodes`."""
    words = np.take_along_axis(sets, nodes >> 6, axis=1)
    held: BoolArray = words >> (nodes & 63).astype(np.uint64) & np.uint64(1) != 0
    return held
