"""Up-down routes: the network in which no route goes up again once it has come down.

Every switch w becomes two nodes: one that is reached from below and leads up, one that is reached
from above and leads down, and an arc from the first to the second where routes turn round. A link
between two switches of one tier leads from the first kind to the second. Paths from host to host
are then the valley-free ones, and no others, so whatever is split off stays valley-free; up-down
routes have no cycle of channel dependencies (Schroeder et al., Autonet, 1991).

How much turns round at a switch is what comes from below less what goes up, which keeps every node
balanced. First links upwards lose what nothing from below could fill. Then every part below the
core, the highest tier, keeps only as much capacity into it as its trees need: what all others send
must come in, what its own hosts send must go out. Where that breaks a cut, link after link gives up
what the cuts allow: to take the way up, round and down off and turn round below is to split edges
off (ForestColl, NSDI 2026, theorem 6).
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from generators.topology import BoolArray, Int64Array
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Network
from topofinder.forests.switch_removal.split_state import Splitting

MAX_TRIMMED = 1 << 15
"""Links times hosts up to which links are trimmed one by one."""
WIDER = Fraction(5, 4)
"""Capacity into the core, over what parts need, where that is not enough and links are many."""


def updown_splitting(network: Network, held: list[int], supply: list[int]) -> Splitting | None:
    """The network of up-down routes, with the capacity into the core that it needs.

    `held` trees fit on each arc, `supply` are rooted at each node. None where up-down routes cannot
    carry them, or a link holds more one way than the other.

    >>> from generators.fabrics.fat_tree import fat_tree
    >>> tree = Network.of(fat_tree(4))
    >>> lanes = updown_splitting(tree, [15] * tree.arcs, list(tree.weight))
    >>> int(lanes.capacity[:tree.arcs][(tree.head >= 32) & (tree.tail >= 24)].sum())
    48
    """
    lanes = _Lanes.of(network, supply)
    if lanes is None:
        return None
    capacity = np.array(held, dtype=np.int64)
    if not np.array_equal(capacity, capacity[lanes.back]):
        return None
    capacity = lanes.fit_upward(capacity)
    if not lanes.allows(capacity):
        return None
    capacity = lanes.trim(capacity)
    return Splitting(2 * network.n, lanes.tail, lanes.head, lanes.with_turns(capacity), lanes.stops)


def parts_below(network: Network, tier: int, alive: BoolArray) -> Int64Array:
    """What hangs together below a tier along the arcs that are `alive`: a label for every node."""
    tiers = np.array(network.tiers, dtype=np.int64)
    low = (tiers[network.tail] < tier) & (tiers[network.head] < tier) & alive
    ends = network.tail[low], network.head[low]
    links = coo_array((np.ones(int(low.sum())), ends), shape=(network.n, network.n))
    return connected_components(links, directed=False)[1].astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _Lanes:
    """The arcs of the up-down network: those of the network first, then a turn at every node.

    `back` is the opposite of each of the network's arcs, `up` tells which lead up (or sideways),
    `stops` the node of the network that each arc leads to.
    """

    network: Network
    supply: list[int]
    tier: Int64Array
    back: Int64Array
    up: BoolArray
    tail: Int64Array
    head: Int64Array
    stops: Int64Array

    @classmethod
    def of(cls, network: Network, supply: list[int]) -> "_Lanes | None":
        n = network.n
        tail, head = network.tail.astype(np.int64), network.head.astype(np.int64)
        keys = tail * n + head
        back = np.minimum(np.searchsorted(keys, head * n + tail), len(keys) - 1)
        if not np.array_equal(keys[back], head * n + tail):
            return None
        tier = np.array(network.tiers, dtype=np.int64)
        below, above = tier[tail], tier[head]
        turn = np.arange(n)
        return cls(
            network=network,
            supply=supply,
            tier=tier,
            back=back,
            up=(below <= above) & (above > 0),
            tail=np.concatenate([np.where(below > above, tail + n, tail), turn]),
            head=np.concatenate(
                [np.where((above > 0) & (below >= above), head + n, head), turn + n]
            ),
            stops=np.concatenate([head, turn]),
        )

    def turns(self, capacity: Int64Array) -> Int64Array:
        """What turns round at every node; 0 at hosts. Negative where more goes up than can."""
        tail = self.network.tail
        found = np.bincount(tail, np.where(self.up, -capacity, capacity), minlength=len(self.tier))
        return np.where(self.tier > 0, np.rint(found), 0).astype(np.int64)

    def with_turns(self, capacity: Int64Array) -> Int64Array:
        """The capacity of all arcs, turns included."""
        return np.concatenate([capacity, self.turns(capacity)])

    def fit_upward(self, capacity: Int64Array) -> Int64Array:
        """Without the capacity upwards that nothing from below can fill, the lowest tier first."""
        capacity = capacity.copy()
        for w in sorted(self.network.switches.tolist(), key=lambda w: (self.tier[w], w)):
            above = np.flatnonzero(self.up & (self.network.tail == w))
            excess = -int(self.turns(capacity)[w])
            if excess > 0:
                self._scale(capacity, above, int(capacity[above].sum()) - excess)
        return capacity

    def allows(self, capacity: Int64Array) -> bool:
        """Whether no more goes up than comes, and no cut is violated."""
        return not (self.turns(capacity) < 0).any() and self._unmet_need(capacity) == 0

    def trim(self, capacity: Int64Array) -> Int64Array:
        """With as little capacity into the highest tier as the parts below it need."""
        tier = int(self.tier.max())
        below = self.tier[self.network.tail]
        links = np.flatnonzero(
            (below > 0) & (below < tier) & (self.tier[self.network.head] == tier)
        )
        trimmed = self._narrow_to_need(capacity, tier, links, Fraction(1))
        if not links.size or self.allows(trimmed):
            return trimmed
        if len(links) * len(self.network.compute) > MAX_TRIMMED:
            wider = self._narrow_to_need(capacity, tier, links, WIDER)
            return wider if self.allows(wider) else capacity
        return self._trim_singly(capacity, links)

    def _narrow_to_need(
        self, capacity: Int64Array, tier: int, links: Int64Array, slack: Fraction
    ) -> Int64Array:
        """Each part's links upwards, narrowed alike to what the part has to take in or send."""
        tail, head = self.network.tail, self.network.head
        part = parts_below(self.network, tier, capacity > 0)
        own = np.bincount(part, np.array(self.supply, dtype=np.float64), len(self.tier))
        need = np.maximum(own, sum(self.supply) - own).astype(np.int64)
        need = need * slack.numerator // slack.denominator
        capacity = capacity.copy()
        leaving = np.flatnonzero((self.tier[tail] < tier) & (self.tier[head] == tier))
        fixed = np.setdiff1d(leaving, links)
        for p in np.unique(part[tail[links]]).tolist():
            rest = int(need[p]) - int(capacity[fixed[part[tail[fixed]] == p]].sum())
            mine = links[part[tail[links]] == p]
            if 0 <= rest < capacity[mine].sum():
                self._scale(capacity, mine[np.argsort(head[mine], kind="stable")], rest)
        return capacity

    def _trim_singly(self, capacity: Int64Array, links: Int64Array) -> Int64Array:
        """Each link in turn narrowed by as much as the cuts and what turns round allow."""
        for e in links.tolist():
            amount = min(int(capacity[e]), int(self.turns(capacity)[self.network.head[e]]))
            while amount > 0:
                tried = capacity.copy()
                tried[[e, self.back[e]]] -= amount
                lacking = self._unmet_need(tried)
                if not lacking:
                    capacity = tried
                    break
                amount -= lacking
        return capacity

    def _unmet_need(self, capacity: Int64Array) -> int:
        """What the first violated cut lacks; 0 if none is."""
        whole = self.with_turns(capacity)
        alive = np.flatnonzero(whole)
        cuts = Cuts(2 * self.network.n, self.tail[alive], self.head[alive], self.network.compute)
        cuts.load(whole[alive], [*self.supply, *(0 for _ in self.supply)])
        return 0 if cuts.test() == len(cuts.order) else int(cuts.unmet)

    def _scale(self, capacity: Int64Array, links: Int64Array, total: int) -> None:
        """Narrow links, both ways, to this total, as evenly as whole numbers allow."""
        old = capacity[links].astype(object)
        new = old * total // int(old.sum())
        order = np.argsort(new - old * total / int(old.sum()), kind="stable")
        new[order[: total - int(new.sum())]] += 1
        capacity[links] = capacity[self.back[links]] = new.astype(np.int64)
