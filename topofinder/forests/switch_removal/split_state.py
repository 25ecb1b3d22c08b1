"""A digraph whose arcs at switches are split off, the record of every split, and the routes.

Source: ForestColl (NSDI 2026), section 5.3, appendix E.2 and the routing table of algorithm 3. To
split off (u, w) and (w, t) by an amount takes this from both and gives it to the logical arc (u,
t). What would return to where it came from (u = t) is dropped.
"""

from typing import Any

import numpy as np

from generators.topology import AnyIntArray, Int64Array
from topofinder.forests.switch_removal.split_kernels import replay_splits

Bundles = tuple[Int64Array, Int64Array, Int64Array, Any]


class Splitting:
    """Arcs and capacities that change while switches are removed; arcs are only ever added.

    `splits` lists arrays (arc in, arc out, logical arc or -1, amount), in the order of time.
    `stops` are the nodes that the first arcs lead to where several nodes here stand for one.
    """

    def __init__(
        self,
        n: int,
        tail: AnyIntArray,
        head: AnyIntArray,
        capacity: Any,
        stops: Int64Array | None = None,
    ) -> None:
        self.n, self.stops = n, stops
        self.first = np.array(capacity, dtype=np.int64)
        self.tail, self.head = tail.astype(np.int64), head.astype(np.int64)
        self.capacity = self.first.copy()
        self.splits: list[tuple[Int64Array, Int64Array, Int64Array, Int64Array]] = []
        keys = self.tail * n + self.head
        self.arcs_by_key = np.argsort(keys)
        self.keys = keys[self.arcs_by_key]

    def copy(self) -> "Splitting":
        """The state as it is now, to go on from twice."""
        twin = Splitting(self.n, self.tail, self.head, self.capacity, self.stops)
        twin.splits, twin.first = list(self.splits), self.first
        return twin

    def logical_arcs(self, into: Int64Array, out: Int64Array) -> Int64Array:
        """The arcs (tail of into, head of out), added with capacity 0 where missing; -1 for loops.

        Shapes: all int64 of shape (splits,).
        """
        keys = self.tail[into] * self.n + self.head[out]
        loops = self.tail[into] == self.head[out]
        spots = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        fresh = np.sort(keys[~loops & (self.keys[spots] != keys)])
        fresh = fresh[np.diff(fresh, prepend=-1) > 0]
        if fresh.size:
            named = len(self.tail) + np.arange(len(fresh))
            self.tail = np.concatenate([self.tail, fresh // self.n])
            self.head = np.concatenate([self.head, fresh % self.n])
            self.capacity = np.concatenate([self.capacity, np.zeros(len(fresh), np.int64)])
            spots = np.searchsorted(self.keys, fresh)
            self.keys = np.insert(self.keys, spots, fresh)
            self.arcs_by_key = np.insert(self.arcs_by_key, spots, named)
        spots = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(loops, -1, self.arcs_by_key[spots])

    def split(self, into: Int64Array, out: Int64Array, amount: Int64Array) -> None:
        """Split off pairs of arcs that meet in a switch, in this order."""
        made = self.logical_arcs(into, out)
        np.subtract.at(self.capacity, into, amount)
        np.subtract.at(self.capacity, out, amount)
        kept = made >= 0
        np.add.at(self.capacity, made[kept], amount[kept])
        self.splits.append((into, out, made, amount))

    def ports(self, nodes: list[int]) -> list[tuple[Int64Array, Int64Array]]:
        """For each node, the arcs into and out of it that still have capacity."""
        alive = np.flatnonzero(self.capacity)
        into, out = (self._group_by_node(end[alive], nodes) for end in (self.head, self.tail))
        return [(alive[i], alive[o]) for i, o in zip(into, out, strict=True)]

    def route_bundles(self, wanted: Int64Array) -> Bundles:
        """The routes behind the arcs `wanted`, found by replaying the splits.

        Returns (bundle_start, amount, route_start, route) as in `PackedForest`. No route visits a
        node twice, nor two that stand for one.
        """
        if not self.splits:
            start = np.arange(len(wanted) + 1)
            return start, self.first[wanted], start, wanted
        columns = [np.concatenate(column) for column in zip(*self.splits, strict=True)]
        visited = self.head.copy()
        if self.stops is not None:
            visited[: len(self.stops)] = self.stops
        found: Bundles = replay_splits(
            visited, self.first, np.ascontiguousarray(np.stack(columns, axis=1)), wanted
        )
        return found

    @staticmethod
    def _group_by_node(ends: Int64Array, nodes: list[int]) -> list[Int64Array]:
        """For each node, the positions at which it stands among the ends."""
        order = np.argsort(ends, kind="stable")
        bounds = np.searchsorted(ends[order], [[v, v + 1] for v in nodes])
        return [order[first:last] for first, last in bounds.tolist()]
