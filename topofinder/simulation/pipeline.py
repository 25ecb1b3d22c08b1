"""A forest run as a pipeline: every message in equal chunks that follow one another down the trees.

In round t a tree sends chunk t - p over each of its hops that begin p hops from the root, as soon
as it is there; a round lasts as long as its busiest link. With c chunks the time is at most
(c + depth - 1) / c times that of the busiest link, which the pipeline approaches as c grows
(ForestColl, section 4). In-trees run the same rounds backwards. Where links have latencies, all
that a link carries in a round is one message: it takes the latency, then the time of its bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from expansions.loads import sum_loads
from generators.errors import InvalidInput
from generators.limbs import sum_exactly
from generators.topology import Topology
from topofinder.model.tree_set import TreeSet
from topofinder.simulation.pipeline_kernels import deepest_hop, hop_loads

AnyArray = NDArray[Any]
ZERO = Fraction(0)
ONE = Fraction(1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pipeline:
    """What every link carries by depth, and how fast it is.

    `sums[l, p]` counts the trees that take link l in a hop that begins less than p hops from the
    root; integers of shape (links, depth + 1). `kinds` lists links that are alike: (bandwidth,
    latency, which links), in the topology's units; hosts with an injection limit count as links.
    `k` trees carry a unit of weight.
    """

    k: int
    sums: AnyArray
    kinds: list[tuple[Fraction, Fraction, AnyArray]] = field(repr=False)

    @classmethod
    def from_trees(cls, topology: Topology, trees: TreeSet) -> "Pipeline":
        """The pipeline of trees that are sound, as `verify_forest` finds out.

        Hops that switches spare are not sent. Parallel links are one link; it has the largest of
        their latencies. Raises InvalidInput for nodes that the topology does not have.
        """
        if trees.uses and max(int(trees.node.max()), int(trees.root.max())) >= topology.n:
            raise InvalidInput(f"node: {trees.node.max()} is not in 0..{topology.n - 1}")
        links = _link_kinds(topology)
        table = _loads_by_depth(topology, trees, np.array(list(links), dtype=np.int64))
        alike: dict[tuple[Fraction, Fraction], list[int]] = {}
        for place, kind in enumerate(links.values()):
            alike.setdefault(kind, []).append(place)
        kinds = [(*kind, np.array(places)) for kind, places in alike.items()]
        made = cls(k=trees.k, sums=_prefix_sums(table), kinds=kinds)
        return made._with_hosts(topology, np.array(list(links), dtype=np.int64))

    def _with_hosts(self, topology: Topology, links: AnyArray) -> "Pipeline":
        """With what every host sends, and receives, as links at its limit, if there is one.

        `links` are the keys of the first rows; such a link has the longest latency of any.
        """
        limit = topology.injection
        if limit is None:
            return self
        hosts = np.setdiff1d(np.arange(topology.n), topology.switches)
        moved = []
        for ends in np.divmod(links, topology.n):
            rows = np.zeros((topology.n, self.sums.shape[1]), dtype=object)
            np.add.at(rows, ends, self.sums[: len(links)].astype(object))
            moved.append(rows[hosts])
        sums = np.concatenate([self.sums.astype(object), *moved])
        late = max((late for _, late, _ in self.kinds), default=ZERO)
        kind = (limit, late, np.arange(len(self.sums), len(sums)))
        return Pipeline(k=self.k, sums=sums, kinds=[*self.kinds, kind])

    @classmethod
    def from_phases(cls, topology: Topology, gather: TreeSet, spread: TreeSet) -> "Pipeline":
        """The pipeline of an allreduce whose phases run at once, chunk after chunk of every shard.

        In-trees, on the transposed topology, run backwards: the deepest hops come first. A chunk is
        spread as soon as it is summed up.
        """
        open_links = replace(topology, injection=None)
        turned, whole = (
            cls.from_trees(open_links.transpose(), gather),
            cls.from_trees(open_links, spread),
        )
        keys = np.array(list(_link_kinds(topology)), dtype=np.int64)
        back = keys % topology.n * topology.n + keys // topology.n
        place = np.searchsorted(np.sort(back), back)
        k = lcm(gather.k, spread.k)
        there = np.diff(turned.sums[place], axis=1)[:, ::-1]
        parts = (there, k // gather.k), (np.diff(whole.sums, axis=1), k // spread.k)
        wide = sum(int(part.sum(axis=1).max()) * times for part, times in parts) >= 1 << 62
        kind = object if wide else np.int64
        table = np.concatenate([part.astype(kind) * times for part, times in parts], axis=1)
        made = cls(k=k, sums=_prefix_sums(table), kinds=whole.kinds)
        return made._with_hosts(topology, keys)

    @classmethod
    def from_steps(
        cls, topology: Topology, step: AnyArray, arc: AnyArray, length: AnyArray, denominator: int
    ) -> "Pipeline":
        """The pipeline of a step schedule: a step is what a depth is of trees, an arc is a link.

        Rows have `step` from 1, `arc`, and the `length` of their piece, of which `denominator` are
        a shard; a unit of weight is a shard.
        """
        carried = sum_loads(step, arc, length, topology.arcs)
        steps, total = int(step.max(initial=0)), carried.total
        table = np.zeros((topology.arcs, steps), dtype=total.dtype)
        table[carried.arc, carried.level] = total
        alike: dict[tuple[Fraction, Fraction], list[int]] = {}
        for link in range(topology.arcs):
            bandwidth = ONE if topology.capacity is None else topology.capacity[link]
            late = ONE if topology.latency is None else topology.latency[link]
            alike.setdefault((bandwidth, late), []).append(link)
        kinds = [(*kind, np.array(places)) for kind, places in alike.items()]
        return cls(k=denominator, sums=_prefix_sums(table), kinds=kinds)

    @property
    def depth(self) -> int:
        """Hops from a root to the farthest node, in links; of a step schedule its steps."""
        return int(self.sums.shape[1]) - 1

    def seconds(self, chunks: int, unit: Fraction = ONE, alpha: Fraction = ZERO) -> Fraction:
        """The sum of all rounds; those in which every depth is busy are alike.

        `unit` is the time of a unit of weight on a link of bandwidth 1, `alpha` that of a latency
        of 1. Raises InvalidInput for less than one chunk.
        """
        if chunks < 1:
            raise InvalidInput(f"chunks: at least 1, not {chunks}")
        share = unit / (self.k * chunks)
        ends = self.windows(chunks)
        total = sum((self.round_seconds(*each, share, alpha) for each in ends), ZERO)
        if chunks > self.depth:
            total += (chunks - self.depth) * self.round_seconds(0, self.depth, share, alpha)
        return total

    def windows(self, chunks: int) -> list[tuple[int, int]]:
        """The depths that are busy in each round, as (first, end); of equal rounds only one."""
        steady = min(chunks, self.depth)
        rounds = range(steady + self.depth - 1)
        return [(max(0, t - steady + 1), min(t + 1, self.depth)) for t in rounds]

    def round_seconds(self, low: int, high: int, share: Fraction, alpha: Fraction) -> Fraction:
        """The time of one round, when a tree's message takes `share` on a link of bandwidth 1."""
        return max(
            (late * alpha + slope * share for late, slope in self.busiest(low, high)), default=ZERO
        )

    def busiest(self, low: int, high: int) -> list[tuple[Fraction, Fraction]]:
        """The largest load over bandwidth for each latency among the links that are busy."""
        found: dict[Fraction, Fraction] = {}
        load = self.sums[:, high] - self.sums[:, low]
        for bandwidth, late, links in self.kinds:
            most = int(load[links].max())
            if most:
                found[late] = max(found.get(late, ZERO), most / bandwidth)
        return list(found.items())


def pipeline_times(
    topology: Topology, trees: TreeSet, chunks: Sequence[int]
) -> tuple[Fraction, ...]:
    """The time that the trees take with each number of chunks, for a unit of weight.

    Latencies are left out. Raises InvalidInput as `Pipeline` does.

    >>> pair = Topology.from_arcs(3, [(0, 1), (1, 2)])
    >>> chain = TreeSet(k=1, root=[0], copies=[1], start=[0, 2], route=[0, 1],
    ...     route_start=[0, 2, 4], node=[0, 1, 1, 2], cut=[0],
    ...     optimum=Fraction(1), time=Fraction(1))
    >>> list(map(str, pipeline_times(pair, chain, (1, 2, 4))))
    ['2', '3/2', '5/4']
    """
    made = Pipeline.from_trees(topology, trees)
    return tuple(made.seconds(count) for count in chunks)


def _prefix_sums(table: AnyArray) -> AnyArray:
    """What stands before each column, row by row; a column more than the table."""
    return np.concatenate([np.zeros_like(table[:, :1]), np.cumsum(table, axis=1)], axis=1)


def _link_kinds(topology: Topology) -> dict[int, tuple[Fraction, Fraction]]:
    """Bandwidth and latency of every pair (u, v) with links, by u n + v, in ascending order."""
    found: dict[int, tuple[Fraction, Fraction]] = {}
    keys = topology.tail.astype(np.int64) * topology.n + topology.head
    for arc, key in enumerate(keys.tolist()):
        more = ONE if topology.capacity is None else topology.capacity[arc]
        late = ONE if topology.latency is None else topology.latency[arc]
        bandwidth, latest = found.get(key, (ZERO, late))
        found[key] = bandwidth + more, max(late, latest)
    return dict(sorted(found.items()))


def _loads_by_depth(topology: Topology, trees: TreeSet, known: AnyArray) -> AnyArray:
    """Trees on each link (rows) by the depth at which they take it.

    Of type int64 where the sum of each row fits, else of Python's integers.
    """
    node = trees.node.astype(np.int64)
    ahead = np.append(node[1:], 0)
    link = np.minimum(np.searchsorted(known, node * topology.n + ahead), len(known) - 1)
    arrays = (
        trees.root,
        trees.start,
        trees.route,
        trees.multicast_skips,
        trees.route_start,
        trees.node,
    )
    scratch = np.zeros(topology.n, dtype=np.int64)
    depth = int(deepest_hop(*arrays, scratch))

    def loads_of(copies: AnyArray) -> AnyArray:
        table = np.zeros((len(known), max(depth, 1)), dtype=np.int64)
        hop_loads(*arrays, scratch, copies, link, table)
        return table

    # A link's whole row, and so every sum within it, counts a tree once a hop at most.
    return sum_exactly(trees.copies, trees.hops, loads_of)
