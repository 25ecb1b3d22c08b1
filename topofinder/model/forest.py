"""The noun Forest: the trees that carry out a collective, with the topology they run on.

What trees put on the links gives the time: k trees a root take 1/k of a shard each, so a link of
bandwidth b that n trees use takes n / (k b) for a shard of 1 (ForestColl, NSDI 2026, theorem 11).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

import numpy as np

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.limbs import limbs
from generators.topology import Int64Array, Topology
from generators.weak_memo import remember_weakly
from topofinder.model.tree_set import TreeSet

LONGEST_LABEL = 4096
LARGEST_WEIGHT = 1 << 62
SPREADING = (Collective.ALLGATHER, Collective.ALLREDUCE, Collective.BROADCAST)
GATHERING = (Collective.REDUCE_SCATTER, Collective.ALLREDUCE, Collective.REDUCE)
Loads = dict[tuple[int, int], int]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Phase:
    """Trees in the direction in which they leave their roots: in-trees on the transpose."""

    name: str
    topology: Topology
    trees: TreeSet


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class Forest:
    """Out-trees `spread` and in-trees `gather`, whichever the collective needs.

    In-trees are kept root first too, as out-trees of the transpose: their messages run from child
    to parent, every route backwards. `weight` has an entry a node: how much it has to send or to
    end with, relative to the others, 0 at switches. `recipe` and `damage` (what failed, as options)
    and `method` are labels. Raises InvalidInput when trees or nodes do not fit.
    """

    topology: Topology
    collective: Collective
    weight: tuple[int, ...]
    spread: TreeSet | None = None
    gather: TreeSet | None = None
    root: int | None = None
    recipe: str | None = None
    damage: str | None = None
    method: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "collective", Collective(self.collective))
        if self.collective is Collective.ALLTOALL:
            raise InvalidInput("collective: spanning trees carry out no all-to-all")
        for name, wanted in (("spread", SPREADING), ("gather", GATHERING)):
            if (getattr(self, name) is not None) != (self.collective in wanted):
                raise InvalidInput(f"{name}: does not go with {self.collective.value}")
        for phase in self.phases:
            _require_nodes(phase)
        self._require_weights()
        for name in ("recipe", "damage", "method"):
            _require_label(name, getattr(self, name))

    def _require_weights(self) -> None:
        n = self.topology.n
        if len(self.weight) != n or any(
            type(w) is not int or not 0 <= w <= LARGEST_WEIGHT for w in self.weight
        ):
            raise InvalidInput(f"weight: {n} integers of at least 0 are needed, none above 2^62")
        for node in self.topology.switches:
            if self.weight[node]:
                raise InvalidInput(f"weight: node {node} is a switch and has no shard")
        if gcd(*self.weight) != 1:
            raise InvalidInput("weight: integers without a common divisor are needed")
        if self.collective.is_rooted != (self.root is not None):
            raise InvalidInput(f"root: {self.root} does not go with {self.collective.value}")
        if self.root is not None and self.weight != single_root_weights(n, self.root):
            raise InvalidInput(f"weight: only the root {self.root} has a weight, and it is 1")

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases in order of time: in-trees first."""
        found = []
        if self.gather is not None:
            turned = self.topology.transpose()
            found.append(Phase(name="gather", topology=turned, trees=self.gather))
        if self.spread is not None:
            found.append(Phase(name="spread", topology=self.topology, trees=self.spread))
        return tuple(found)

    @property
    def total(self) -> int:
        """The sum of all weights: N where all nodes send alike."""
        return sum(self.weight)

    @property
    def optimum(self) -> Fraction:
        """1/x* of the phases, one after the other: time a unit of weight, at link rate 1."""
        return sum((phase.trees.optimum for phase in self.phases), Fraction())

    @property
    def inverse_rate(self) -> Fraction:
        """The time that the trees take for a unit of weight, phases one after the other."""
        return sum((phase.trees.time for phase in self.phases), Fraction())

    @property
    def together(self) -> Fraction:
        """The same when all phases run at the same time, pipelined; for an allreduce."""
        parts = []
        for phase in self.phases:
            loads = link_loads(phase.trees)
            if phase.name != "spread":
                loads = {(v, u): load for (u, v), load in loads.items()}
            parts.append((loads, phase.trees.k))
        return _busiest_time(self.topology, parts)


def single_root_weights(n: int, root: int) -> tuple[int, ...]:
    """The weights of a broadcast from, or a reduce to, one node.

    >>> single_root_weights(3, 1)
    (0, 1, 0)
    """
    return tuple(int(node == root) for node in range(n))


def _require_nodes(phase: Phase) -> None:
    """Every hop must be a link; everything else is for verification to find."""
    trees, n = phase.trees, phase.topology.n
    for name in ("root", "node", "cut"):
        values: Sequence[int] = getattr(trees, name)
        if len(values) and int(np.max(values)) >= n:
            raise InvalidInput(f"{phase.name} {name}: node {np.max(values)} is not in 0..{n - 1}")


def _require_label(name: str, text: str | None) -> None:
    if text is not None and not (
        isinstance(text, str) and text.isprintable() and 0 < len(text) <= LONGEST_LABEL
    ):
        raise InvalidInput(
            f"{name}: up to {LONGEST_LABEL} printable characters, not {excerpt(text)}"
        )


@remember_weakly
def link_loads(trees: TreeSet) -> Loads:
    """How many trees take the link from u to v, for every pair (u, v) that some tree takes.

    Hops that multicast makes needless do not count.

    >>> pair = TreeSet(k=2, root=[0], copies=[2], start=[0, 1], route=[0], route_start=[0, 3],
    ...     node=[0, 2, 1], optimum=Fraction(1), time=Fraction(1), cut=[0], skip=[1])
    >>> link_loads(pair)
    {(2, 1): 2}
    """
    found: Loads = {}
    # A tree takes a link once for each hop of each of its edges at most.
    for shift, copies in limbs(trees.copies, trees.hops):
        for pair, load in _loads_of(trees, copies).items():
            found[pair] = found.get(pair, 0) + (load << shift)
    return found


def _loads_of(trees: TreeSet, copies: Int64Array) -> Loads:
    """The loads when entry i stands for `copies[i]` trees."""
    tail, head, count = _hops(trees, copies)
    n = int(trees.node.max(initial=0)) + 1
    keys, total = _sum_by_key(tail * n + head, count, n * n)
    ends = zip((keys // n).tolist(), (keys % n).tolist(), strict=True)
    return {pair: load for pair, load in zip(ends, total.tolist(), strict=True) if load}


def _sum_by_key(
    keys: Int64Array, values: Int64Array, largest: int
) -> tuple[Int64Array, Int64Array]:
    """Different keys below `largest`, ascending, and the sum of the values of each.

    A table of all keys takes a tenth of the time of sorting, where it is not much larger.
    """
    if largest <= 4 * len(keys):
        table = np.zeros(largest, dtype=np.int64)
        met = np.zeros(largest, dtype=np.bool_)
        np.add.at(table, keys, values)
        met[keys] = True
        found = np.flatnonzero(met)
        return found, table[found]
    found, where = np.unique(keys, return_inverse=True)
    total = np.zeros(len(found), dtype=np.int64)
    np.add.at(total, where, values)
    return found, total


def _hops(trees: TreeSet, copies: Int64Array) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Tail, head and number of trees of every hop of every route that is used."""
    route, skip, count = _route_kinds(trees, copies)
    first = trees.route_start[route] + skip
    hops = trees.route_start[route + 1] - 1 - first
    base = np.repeat(first - (np.cumsum(hops) - hops), hops)
    at = base + np.arange(int(hops.sum()))
    nodes = trees.node.astype(np.int64)
    return nodes[at], nodes[at + 1], np.repeat(count, hops)


def _route_kinds(trees: TreeSet, copies: Int64Array) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Every route with every number of hops that are spared on it, and how many trees that is."""
    copies, skips = np.repeat(copies, np.diff(trees.start)), trees.multicast_skips
    late = np.flatnonzero(skips)
    whole = np.zeros(trees.routes, dtype=np.int64)
    np.add.at(whole, trees.route, copies)
    np.subtract.at(whole, trees.route[late], copies[late])
    most = int(skips.max(initial=0)) + 1
    marks, parts = _sum_by_key(
        trees.route[late] * np.int64(most) + skips[late], copies[late], trees.routes * most
    )
    route, skip = np.divmod(marks, most)
    every = np.flatnonzero(whole)
    return (
        np.concatenate([every, route]),
        np.concatenate([np.zeros_like(every), skip]),
        np.concatenate([whole[every], parts]),
    )


def pair_bandwidths(topology: Topology) -> dict[tuple[int, int], Fraction]:
    """The bandwidth of all parallel links from u to v together; self-loops carry nothing."""
    found: dict[tuple[int, int], Fraction] = {}
    capacity = topology.capacity or (Fraction(1),) * topology.arcs
    ends = zip(topology.tail.tolist(), topology.head.tolist(), capacity, strict=True)
    for u, v, value in ends:
        if u != v:
            found[u, v] = found[u, v] + value if (u, v) in found else value
    return found


def inverse_rate(topology: Topology, *sets: TreeSet) -> Fraction:
    """The time that the busiest link takes for a shard of 1 from every node of weight 1.

    With several sets, of one and the same topology, all of them run at the same time.
    """
    return _busiest_time(topology, [(link_loads(trees), trees.k) for trees in sets])


def _busiest_time(topology: Topology, parts: Sequence[tuple[Loads, int]]) -> Fraction:
    """The time of the busiest link or host, of loads in units of 1/k of a shard each.

    Of the links of one bandwidth, which are many, only the largest sum is made a fraction. They are
    told apart by object, as fractions take long to hash; links alike mostly share theirs.
    """
    common = lcm(*(k for _, k in parts))
    busy: Loads = {}
    for loads, k in parts:
        for pair, load in loads.items():
            busy[pair] = busy.get(pair, 0) + load * (common // k)
    bandwidth = pair_bandwidths(topology)
    rates: dict[int, Fraction] = {}
    most: dict[int, int] = {}
    for pair, load in busy.items():
        rate = bandwidth[pair]
        if load > most.get(id(rate), 0):
            rates[id(rate)], most[id(rate)] = rate, load
    times = [load / (rates[key] * common) for key, load in most.items()]
    if topology.injection is not None:
        times.append(Fraction(_busiest_host(topology, busy), common) / topology.injection)
    return max(times, default=Fraction())


def _busiest_host(topology: Topology, busy: Loads) -> int:
    """The most that a host sends, or receives, over all its links."""
    sent, received = [0] * topology.n, [0] * topology.n
    for (u, v), load in busy.items():
        sent[u] += load
        received[v] += load
    switches = set(topology.switches)
    return max(max(sent[v], received[v]) for v in range(topology.n) if v not in switches)


def link_traffic(trees: TreeSet) -> Fraction:
    """Shards that cross a link, summed over all links; see `link_loads`."""
    return Fraction(sum(link_loads(trees).values()), trees.k)


def spared_traffic(trees: TreeSet) -> Fraction:
    """Shards that need not cross a link since switches multicast, summed over all links."""
    skips = np.concatenate([[0], np.cumsum(trees.multicast_skips, dtype=np.int64)])
    each = zip(np.diff(skips[trees.start]).tolist(), trees.copies.tolist(), strict=True)
    return Fraction(sum(count * copies for count, copies in each), trees.k)
