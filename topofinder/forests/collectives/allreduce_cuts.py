"""Sets of nodes that an answer to the allreduce program overwhelms, by maximum flows.

For a host t, what is rooted anywhere must reach t over the out-trees' shares: a smaller maximum
flow has a minimum cut that is such a set. In-trees are the same on the turned shares.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from generators.topology import BoolArray, FloatArray, Int64Array

UNITS = 1 << 30
"""Flows are in integers that add up to at most this; the solver takes 32 bits."""


@dataclass(frozen=True, slots=True)
class LinkArrays:
    """Pairs of nodes with a link, their exact bandwidth, and the nodes that are hosts."""

    tail: Int64Array
    head: Int64Array
    bandwidth: tuple[Fraction, ...]
    hosts: Int64Array
    n: int

    @classmethod
    def of(
        cls, bandwidth: Mapping[tuple[int, int], Fraction], n: int, switches: Sequence[int]
    ) -> "LinkArrays":
        """The links of a table of bandwidths by (tail, head)."""
        ends = np.array(list(bandwidth), dtype=np.int64).reshape(-1, 2)
        hosts = np.setdiff1d(np.arange(n), switches)
        return cls(ends[:, 0], ends[:, 1], tuple(bandwidth.values()), hosts, n)


@dataclass(frozen=True, slots=True)
class CutProgramSolution:
    """x of the hosts, the shares of the links, and the dual weights of the sets."""

    x: FloatArray
    out_share: FloatArray
    in_share: FloatArray
    out_weight: Sequence[float]
    in_weight: Sequence[float]


def new_violated_cuts(links: LinkArrays, answer: CutProgramSolution, known: BoolArray) -> BoolArray:
    """Sets that are overwhelmed and not yet known, one a host and direction at most."""
    found = []
    for tail, head, share in (
        (links.tail, links.head, answer.out_share),
        (links.head, links.tail, answer.in_share),
    ):
        found += violated_cuts(links, tail, head, share, answer.x)
    if not found:
        return known[:0]
    fresh = np.unique(np.array(found), axis=0)
    old = {row.tobytes() for row in known}
    return fresh[[row.tobytes() not in old for row in fresh]]


def violated_cuts(
    links: LinkArrays, tail: Int64Array, head: Int64Array, share: FloatArray, x: FloatArray
) -> list[BoolArray]:
    """Sets, bool (n,): one for each host that not all of `x` can reach over the shares of links."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    scale = UNITS / max(float(share.sum() + 2 * x.sum()), 1e-9)
    supply, room = (np.floor(np.maximum(part, 0) * scale).astype(np.int32) for part in (x, share))
    source, n = links.n, links.n + 1
    # scipy 1.13 takes 32-bit indices only.
    rows = np.concatenate([tail, np.full(len(links.hosts), source)]).astype(np.int32)
    columns = np.concatenate([head, links.hosts]).astype(np.int32)
    graph = csr_array((np.concatenate([room, supply]), (rows, columns)), shape=(n, n))
    slack = 1e-7 * float(supply.sum()) + len(rows)
    found = []
    for target in links.hosts.tolist():
        flow: Any = maximum_flow(graph, source, target)
        if flow.flow_value + slack >= supply.sum():
            continue
        left = (graph - flow.flow).tocsr()
        left.data = np.maximum(left.data, 0)
        left.eliminate_zeros()
        reached = breadth_first_order(left, source, return_predecessors=False)
        inside = np.zeros(n, dtype=np.bool_)
        inside[reached] = True
        found.append(inside[:-1])
    return found
