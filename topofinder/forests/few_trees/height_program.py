"""What trees no higher than so many hops must lose: a linear programme over levels, proved exactly.

Let y(r, e, l) be how much of what root r sends enters over arc e at level l. Trees that are no
higher than h have

    the sum of y(r, e, l) over levels up to h and arcs e into v    = what r sends, for each v,
    y(r, (u, v), l) <= the sum of y(r, e, l - 1) over arcs e into u that do not begin at v,
    the sum of y(r, e, l) over roots and levels                    <= time * capacity of e,

so no forest of that height takes less than the least time of this programme. The solver only
proposes prices of the constraints: whole numbers that are no less than 0 prove a bound, whatever
they are (weak duality), which is worked out exactly.

Trees of a single root that need all that leads out of it leave it by one arc each, and none enters
it: below it they are trees of its neighbours, a level lower, and their programme proves more.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np

from generators.arrays import csr_by_node
from generators.topology import FloatArray, Int64Array
from topofinder.forests.optimality.network import Network
from topofinder.kernels import hop_table

MOST_ENTRIES = 1 << 13
"""Roots times arcs times levels up to which the programme is solved, in some tenths of a second."""
SCALE = 1 << 24
"""Prices are multiples of 1/SCALE of the largest."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeightProgram:
    """The variables: `root`, `arc` and `level` of each; and which follow on which.

    Row i of the second kind of constraints is that of variable `later[i]`; what it may follow on
    are the variables `before[j]` with `row[j]` = i. Hosts are places in `network.compute`, which
    has no switches. All int64.
    """

    network: Network
    root: Int64Array
    arc: Int64Array
    level: Int64Array
    later: Int64Array
    row: Int64Array
    before: Int64Array

    @classmethod
    def of(cls, network: Network, height: int) -> "HeightProgram":
        """The programme of a network without switches for trees no higher than this."""
        tail, head = network.tail.astype(np.int64), network.head.astype(np.int64)
        start, out = csr_by_node(tail, network.n)
        hops: Any = hop_table(start, head[out].astype(np.int32))
        roots = np.flatnonzero(np.array(network.weight) > 0)
        near = (hops[roots][:, tail] >= 0) & (head != roots[:, None])
        levels = np.arange(1, height + 1)
        reached = hops[roots][:, tail][:, :, None] < levels
        first = (tail == roots[:, None])[:, :, None] == (levels == 1)
        there = near[:, :, None] & reached & first
        which, arc, level = (column.astype(np.int64) for column in np.nonzero(there))
        number = np.full(there.shape, -1)
        number[which, arc, level] = np.arange(len(arc))
        later = np.flatnonzero(level > 0)
        pairs = _consecutive_arcs(tail, head)
        row, before = [], []
        place = np.full(len(arc), -1)
        place[later] = np.arange(len(later))
        for at in range(1, height):
            then, now = number[:, pairs[0], at - 1], number[:, pairs[1], at]
            both = (then >= 0) & (now >= 0)
            row.append(place[now[both]])
            before.append(then[both])
        none = [np.zeros(0, np.int64)]
        return cls(
            network=network,
            root=roots[which],
            arc=arc,
            level=level + 1,
            later=later,
            row=np.concatenate(row or none),
            before=np.concatenate(before or none),
        )

    def prices(self) -> tuple[Int64Array, Int64Array] | None:
        """Whole prices of the arcs and of the rows, as the solver proposes; None if it has none."""
        from scipy.optimize import linprog
        from scipy.sparse import vstack

        enter, sent = self._entries()
        limits: Any = vstack([self._rows(), self._loads()])
        found: Any = linprog(
            np.append(np.zeros(len(self.root)), 1.0),
            A_ub=limits,
            b_ub=np.zeros(limits.shape[0]),
            A_eq=enter,
            b_eq=sent,
            method="highs-ds",
        )
        if found.status != 0:
            return None
        price = np.maximum(-found.ineqlin.marginals, 0)
        whole = np.rint(price / max(price.max(), 1e-9) * SCALE).astype(np.int64)
        return whole[len(self.later) :], whole[: len(self.later)]

    def _entries(self) -> tuple[Any, FloatArray]:
        """What enters each host of each root, and how much that is to be; the time comes last."""
        n = self.network.n
        pairs = self.root * n + self.network.head[self.arc]
        wanted, row = np.unique(pairs, return_inverse=True)
        sent = _relative(self.network.weight)[wanted // n]
        return self._matrix([(row.ravel(), np.arange(len(self.root)), 1.0)], len(wanted)), sent

    def _rows(self) -> Any:
        """What follows, less what it follows on."""
        rows = np.arange(len(self.later))
        return self._matrix([(rows, self.later, 1.0), (self.row, self.before, -1.0)], len(rows))

    def _loads(self) -> Any:
        """What every arc carries, less what it can in the time."""
        width = _relative(self.network.capacity)
        arcs, count = np.arange(len(width)), len(self.root)
        time = np.full(len(width), count)
        return self._matrix([(self.arc, np.arange(count), 1.0), (arcs, time, -width)], len(width))

    def _matrix(self, parts: list[tuple[Int64Array, Int64Array, Any]], rows: int) -> Any:
        """A sparse matrix of entries (row, column, value), with a column for the time."""
        from scipy.sparse import csr_array

        row, column = (np.concatenate([part[at] for part in parts]) for at in (0, 1))
        value = np.concatenate([np.broadcast_to(part[2], len(part[0])) for part in parts])
        return csr_array((value, (row, column)), shape=(rows, len(self.root) + 1))

    def bound(self, arc_price: Int64Array, row_price: Int64Array) -> Fraction:
        """What these prices, none below 0, prove that trees take at least, for a unit of weight.

        The reduced cost of a variable is the price of its arc and its row, less those of the rows
        it relieves; the least of those by which root r enters v is a price of that entry.
        """
        capacity = sum(
            price * c for price, c in zip(arc_price.tolist(), self.network.capacity, strict=True)
        )
        if not capacity:
            return Fraction(0)
        cost = arc_price[self.arc]
        cost[self.later] += row_price
        np.subtract.at(cost, self.before, row_price[self.row])
        n = self.network.n
        entry = np.full(n * n, np.iinfo(np.int64).max)
        np.minimum.at(entry, self.root * n + self.network.head[self.arc], cost)
        total = sum(
            weight * int(entry[r * n + v])
            for r, weight in enumerate(self.network.weight) if weight
            for v in range(n) if v != r
        )  # fmt: skip
        return Fraction(total, capacity) / self.network.unit


def least_time(network: Network, height: int) -> Fraction | None:
    """What no forest that is no higher than `height` beats, for a unit of weight.

    For networks without switches whose hosts are all within so many hops; None where the programme
    would be too large.

    >>> from generators.families.torus import torus
    >>> from topofinder.model.forest import single_root_weights
    >>> network = Network.of(torus(8, 8), single_root_weights(64, 0))
    >>> least_time(network, 8), least_time(network, 9)
    (Fraction(1, 3), Fraction(1, 4))
    """
    roots = sum(1 for weight in network.weight if weight)
    if network.switches.size or roots * len(network.tail) * height > MOST_ENTRIES:
        return None
    program = HeightProgram.of(network, height)
    prices = program.prices()
    return None if prices is None else program.bound(*prices)


def raise_bound(network: Network, low: int, height: int, time: Fraction) -> int:
    """What no forest that takes no longer than `time` is below, from `low` up to `height`.

    `low` itself, the distance bound, where the programme would be too large.

    >>> from generators.families.torus import torus
    >>> from topofinder.model.forest import single_root_weights
    >>> network = Network.of(torus(8, 8), single_root_weights(64, 0))
    >>> raise_bound(network, 8, 13, Fraction(1, 4)), raise_bound(network, 8, 13, Fraction(1, 3))
    (9, 8)
    """
    low = _raise_plainly(network, time, low, height)
    below = _network_below_root(network, time)
    if below is None:
        return low
    far = max(low - 1, _farthest(below[0]))
    return 1 + _raise_plainly(*below, far, height - 1)


def _raise_plainly(network: Network, time: Fraction, low: int, height: int) -> int:
    """The same by the programme of this network alone."""
    while low < height:
        least = least_time(network, low)
        if least is None or least <= time:
            break
        low += 1
    return low


def _network_below_root(network: Network, time: Fraction) -> tuple[Network, Fraction] | None:
    """The other nodes of a network whose only root sends all it can, and their time for a unit of
    weight; None for any other network.

    A neighbour weighs as much as the arc to it carries.
    """
    roots = np.flatnonzero(np.array(network.weight))
    if len(roots) != 1 or network.switches.size or network.n < 3:
        return None
    root = int(roots[0])
    arcs = list(zip(network.tail.tolist(), network.head.tolist(), network.capacity, strict=True))
    first = {v: c for u, v, c in arcs if u == root}
    if time * sum(first.values()) * network.unit > network.weight[root]:
        return None
    part = gcd(*first.values())
    kept = [(u - (u > root), v - (v > root), c) for u, v, c in arcs if root not in (u, v)]
    weight = [first.get(v, 0) // part for v in range(network.n) if v != root]
    if not kept:
        return None
    tail, head, capacity = zip(*kept, strict=True)
    below = replace(
        network,
        n=network.n - 1,
        tail=np.array(tail, np.int32),
        head=np.array(head, np.int32),
        capacity=tuple(capacity),
        compute=np.arange(network.n - 1, dtype=np.int32),
        weight=tuple(weight),
        names=None,
        tiers=None,
        translation=None,
    )
    return below, 1 / (part * network.unit)


def _farthest(network: Network) -> int:
    """Hops from a root to the farthest node that it reaches."""
    start, out = csr_by_node(network.tail, network.n)
    hops: Any = hop_table(start, network.head[out])
    return int(hops[np.array(network.weight) > 0].max())


def _relative(numbers: tuple[int, ...]) -> FloatArray:
    """Integers of any size as parts of the largest."""
    return np.array([float(Fraction(each, max(numbers))) for each in numbers])


def _consecutive_arcs(tail: Int64Array, head: Int64Array) -> tuple[Int64Array, Int64Array]:
    """All pairs of an arc and one that goes on from its end, but not back."""
    start, out = csr_by_node(tail, int(max(tail.max(), head.max())) + 1)
    count = np.diff(start)[head]
    first = np.repeat(np.arange(len(tail)), count)
    within = np.arange(len(first)) - np.repeat(np.cumsum(count) - count, count)
    then = out[start[head[first]] + within].astype(np.int64)
    onward = head[then] != tail[first]
    return first[onward], then[onward]
