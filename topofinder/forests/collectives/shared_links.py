"""Links that in-trees and out-trees of an allreduce share, and the places entered over them.

In a tree of an allreduce every node but the root is entered once on the way out, and left once on
the way in. Where all links are two-way, in-trees may be the out-trees run backwards, and both
directions of a link together carry what out-trees take of it either way (ForestColl, NSDI 2026,
appendix G): trees are spanning trees of an undirected graph (Tutte 1961, Nash-Williams 1961).
Elsewhere in-trees and out-trees are apart, on the same links.

How often places are entered bounds the time: by all links together, and by those that hold every
link of some places (Hall's theorem). Of a generalized Kautz graph four nodes enter the same four,
so that one arc less between them, or a self-loop, leaves 15 arcs to 8 places.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from generators.arrays import csr_by_node
from generators.errors import Unsupported
from generators.topology import BoolArray, Int64Array
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import least_inverse_tree
from topofinder.forests.packing.shared_level_kernels import fill_links, relieve_links

MAX_CHOICES = 1 << 25
"""Options times roots."""
MAX_PAIRS = 1 << 24
"""Pairs of options of one place, over all places."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SharedLinks:
    """Links of `capacity`, in the network's unit, and who can be entered by which.

    Places are the nodes, twice if not `two_way`: those of out-trees, then those of in-trees.
    Options of place x are start[x] to start[x + 1], from place `above` over `link`; `arc` is the
    arc of the network, which in-trees take from head to tail. All int64, an entry an option.
    """

    network: Network
    two_way: bool
    capacity: tuple[int, ...]
    start: Int64Array
    above: Int64Array
    link: Int64Array
    arc: Int64Array
    core: tuple[tuple[int, ...], int] = ((), 0)
    """Capacities of the links that hold every link of some places, and how often one tree a root of
    weight 1 enters these: where that is most over capacity, if it is more than over all links."""

    @classmethod
    def of(cls, network: Network) -> "SharedLinks":
        """The links of a network without switches; Unsupported where tables would be too large."""
        if network.switches.size:
            raise Unsupported("--overlap: level forests are for networks without switches")
        ends = list(zip(network.tail.tolist(), network.head.tolist(), strict=True))
        width = dict(zip(ends, network.capacity, strict=True))
        two_way = all(width.get((v, u)) == c for (u, v), c in width.items())
        pairs = [pair for pair in ends if pair[0] < pair[1] or not two_way]
        numbers = {pair: e for e, pair in enumerate(pairs)}
        number = np.array([numbers[tuple(sorted(p)) if two_way else p] for p in ends])
        start, arc = csr_by_node(network.head, network.n)
        above = network.tail[arc].astype(np.int64)
        if not two_way:
            after, out = csr_by_node(network.tail, network.n)
            start = np.concatenate([start[:-1], after + len(arc)])
            above = np.concatenate([above, network.head[out] + network.n])
            arc = np.concatenate([arc, out])
        if len(arc) * network.n > MAX_CHOICES or int((np.diff(start) ** 2).sum()) > MAX_PAIRS:
            raise Unsupported("--overlap: too many links for level forests that share them")
        found = cls(
            network=network,
            two_way=two_way,
            capacity=tuple(width[pair] for pair in pairs),
            start=start,
            above=above,
            link=number[arc],
            arc=arc,
        )
        return replace(found, core=_fullest_links(found))

    @property
    def need(self) -> Int64Array:
        """How often each place is entered by one tree a root of weight 1."""
        weight = np.array(self.network.weight, dtype=np.int64)
        return np.tile(self.network.total - weight, self.places // self.network.n)

    @property
    def places(self) -> int:
        """How many places there are: n or 2 n."""
        return len(self.start) - 1

    @property
    def demand(self) -> int:
        """How often places are entered by one tree a root of weight 1."""
        return self.network.total * (self.network.n - 1) * (1 if self.two_way else 2)

    @property
    def bound(self) -> Fraction:
        """Time a unit of weight that no trees of these weights beat: all that enters nodes over all
        bandwidth, or what enters the core over its bandwidth.

        >>> from generators.families.hamming import hypercube
        >>> SharedLinks.of(Network.of(hypercube(3))).bound
        Fraction(14, 3)
        """
        width, need = self.core
        most = Fraction(self.demand, sum(self.capacity))
        return (max(most, Fraction(need, sum(width))) if width else most) / self.network.unit

    def least_time(self, k: int) -> Fraction:
        """The same for k trees a root, each of one width, of which links hold a whole number."""
        return self.least_width(k) / k / self.network.unit

    def least_width(self, k: int) -> Fraction:
        """The least U, in capacities, of which links hold floor(U c) trees, in all those needed."""
        width, need = self.core
        most = least_inverse_tree(list(self.capacity), k * self.demand)
        return max(most, least_inverse_tree(list(width), k * need)) if width else most

    def rooms(self, width: Fraction) -> Int64Array:
        """How many trees of which `width` fill one unit each link holds."""
        top, below = width.numerator, width.denominator
        return np.array([c * top // below for c in self.capacity], dtype=np.int64)


def _fullest_links(links: SharedLinks) -> tuple[tuple[int, ...], int]:
    """The core: links that cannot be relieved together whatever trees look like.

    As if all trees had one root that every link comes from: then any link suits.
    """
    above = np.full_like(links.above, links.places)
    rank = np.ones((links.places + 1, 1), dtype=np.int32)
    rank[-1] = 0
    table = links.start, above, links.link, rank
    room = links.rooms(links.least_width(1))
    given, load = fill_links(*table, links.need[:, None], room)
    core: tuple[tuple[int, ...], int] = (), 0
    while True:
        full: BoolArray = relieve_links(*table, room, given, load)
        if not full.any():
            return core
        core = tuple(links.capacity[e] for e in np.flatnonzero(full)), int(load[full].sum())
        room = np.maximum(room, links.rooms(least_inverse_tree(list(core[0]), core[1])))
