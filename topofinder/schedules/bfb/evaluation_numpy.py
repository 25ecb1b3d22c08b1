"""The profile kernels in numpy alone: for a small job that should not wait for a compiler.

Loading compiled kernels takes half a second, compiling them some seconds. Up to a few thousand
nodes of degree 5 the same bit sets, held as numpy arrays, answer within milliseconds.
"""

from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generators.topology import BoolArray, Int64Array, IntArray

ALWAYS, ONCE, NEVER = 2, 1, 0
"""For all, for the first, for none that is known."""


MOST_IN_NEIGHBOURS = 5
"""In-neighbours a receiver may have: all sets of them are counted."""

MOST_NODES_IN_NUMPY = 1 << 11
"""Nodes a graph may have; beyond, compiled kernels are worth waiting for."""


def is_quick_in_numpy(n: int, d: int) -> bool:
    """Whether a graph of n nodes, each of d in-neighbours, can do without compiled kernels.

    >>> is_quick_in_numpy(2000, 5), is_quick_in_numpy(2000, 6)
    (True, False)
    """
    return n <= MOST_NODES_IN_NUMPY and d <= MOST_IN_NEIGHBOURS


Profile = tuple[int, Int64Array, Int64Array, Int64Array, Int64Array]


def group_in_numpy(
    end: IntArray, other: IntArray, n: int
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Distinct nodes `other` that share an arc with each node `end`: as `group_neighbours`."""
    proper = end != other
    keys, links = np.unique(end[proper].astype(np.int64) * n + other[proper], return_counts=True)
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
) -> Profile:
    """What `profile_by_bits` returns, for at most MOST_IN_NEIGHBOURS in-neighbours a node."""
    n = len(in_start) - 1
    senders = _padded_rows(in_start, in_node, np.arange(n))
    weights = _padded_rows(in_start, in_links, np.zeros(n, np.int64))
    first = np.append(out_node, 0)[out_start[:-1]]
    followers = _padded_rows(out_start, out_node, first)[receivers]
    branching = bool((np.diff(out_start) + looped > 1).all())
    scale = _load_scales(weights[receivers])
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
        fresh = following[receivers] & ~reach[receivers]
        loads = _least_loads(fresh, reach, senders[receivers], *scale)
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
    common = lcm(*np.unique(links[links > 0]).tolist())
    return np.where(links > 0, common // np.maximum(links, 1), 0), common


def _least_loads(
    fresh: Any, reach: Any, senders: Int64Array, scale: Int64Array, common: int
) -> Int64Array:
    """Least maximal load of each receiver, in units of 1/common shards (theorem 19)."""
    meet = [fresh]
    for column in range(senders.shape[1]):
        lacking = ~reach[senders[:, column]]
        meet += [bits & lacking for bits in meet]
    inside = np.stack([np.bitwise_count(bits).sum(axis=1, dtype=np.int64) for bits in meet], axis=1)
    best: Int64Array = (inside * scale).max(axis=1)
    return best


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
