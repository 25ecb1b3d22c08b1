"""A forest run as a pipeline: every message in equal chunks that follow one another down the trees.

In round t a tree sends chunk t - p over each of its hops that begin p hops from the root, as soon
as it is there; a round lasts as long as its busiest link. With c chunks the time is at most
(c + depth - 1) / c times that of the busiest link, which the pipeline approaches as c grows
(ForestColl, section 4). In-trees run the same rounds backwards.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.simulate.rounds import deepest_hop, hop_loads
from topofinder.trees.tree_set import TreeSet

Long = NDArray[np.int64]


def pipelined(topology: Topology, trees: TreeSet, chunks: Sequence[int]) -> tuple[Fraction, ...]:
    """The time that the trees take with each number of chunks, for a unit of weight.

    Hops that switches spare are not sent. The trees must be sound, as `verify_forest` finds out.

    >>> pair = Topology.from_arcs(3, [(0, 1), (1, 2)])
    >>> chain = TreeSet(k=1, root=[0], copies=[1], start=[0, 2], route=[0, 1],
    ...     route_start=[0, 2, 4], node=[0, 1, 1, 2], cut=[0],
    ...     optimum=Fraction(1), time=Fraction(1))
    >>> list(map(str, pipelined(pair, chain, (1, 2, 4))))
    ['2', '3/2', '5/4']
    """
    if trees.uses and max(int(trees.node.max()), int(trees.root.max())) >= topology.n:
        raise InvalidInput(f"node: {trees.node.max()} is not in 0..{topology.n - 1}")
    if min(chunks, default=1) < 1:
        raise InvalidInput(f"chunks: at least 1, not {min(chunks)}")
    table, bandwidth = _table(topology, trees)
    sums = np.concatenate([np.zeros((len(table), 1), dtype=np.int64), table.cumsum(axis=1)], axis=1)
    groups = [
        (value, np.array([i for i, b in enumerate(bandwidth) if b == value]))
        for value in dict.fromkeys(bandwidth)
    ]
    return tuple(_time(sums, groups, count) / trees.k for count in chunks)


def _time(sums: Long, groups: list[tuple[Fraction, Long]], chunks: int) -> Fraction:
    """The sum of all rounds; those in which every depth is busy are alike."""
    depth = sums.shape[1] - 1
    total = Fraction(0)
    same = chunks - depth + 1
    rounds = chunks + depth - 1
    for t in range(rounds):
        if same > 1 and depth - 1 < t < chunks:
            continue
        low, high = max(0, t - chunks + 1), min(t + 1, depth)
        round_time = _busiest(sums[:, high] - sums[:, low], groups)
        total += round_time * (same if same > 1 and t == depth - 1 else 1)
    return total / chunks


def _busiest(load: Long, groups: list[tuple[Fraction, Long]]) -> Fraction:
    return max((int(load[links].max()) / value for value, links in groups), default=Fraction(0))


def _table(topology: Topology, trees: TreeSet) -> tuple[Long, list[Fraction]]:
    """Trees on each link (rows) by the depth at which they take it, and the links' bandwidths."""
    bandwidth: dict[int, Fraction] = {}
    keys = topology.tail.astype(np.int64) * topology.n + topology.head
    for arc, key in enumerate(keys.tolist()):
        more = Fraction(1) if topology.capacity is None else topology.capacity[arc]
        bandwidth[key] = bandwidth.get(key, Fraction(0)) + more
    known = np.array(sorted(bandwidth), dtype=np.int64)
    node = trees.node.astype(np.int64)
    ahead = np.append(node[1:], 0)
    link = np.minimum(np.searchsorted(known, node * topology.n + ahead), len(known) - 1)
    arrays = (trees.root, trees.start, trees.route, trees.spared, trees.route_start, trees.node)
    scratch = np.zeros(topology.n, dtype=np.int64)
    depth = int(deepest_hop(*arrays, scratch))
    table = np.zeros((len(known), max(depth, 1)), dtype=np.int64)
    hop_loads(*arrays, scratch, trees.copies, link, table)
    return table, [bandwidth[key] for key in known.tolist()]
