"""Who plays which node where some circuits must not be made.

Of up to 8 hosts all placements are tried, those that can be best first, each with its best panels
and ports. Of more the placement that the search finds, which knows where hosts must not be joined
on a panel, is repaired by exchanges of two hosts until as few circuits as possible have no way to
be made, then as many as possible stay (min-conflicts, Minton and others 1992). Other seeds lead to
other copies of a target that has symmetries, which may be nearer to one that is allowed.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from math import perm

import numpy as np

from generators.topology import BoolArray, Int64Array, IntArray
from topofinder.patching.circuits import Circuits
from topofinder.patching.placement.integer_program import Effort
from topofinder.patching.placement.port_split import CircuitWays, PortSplit, split_over_ports

MOST_TRIED = 8
"""Hosts that may play, at most, of which all placements are tried."""
SPLITS_A_SECOND = 150
"""Placements that are split over panels and ports for each second that is offered."""
NodePair = tuple[int, int, int]
"""Two nodes, and the place of a rate among those of ports."""
IN_VAIN = 30
"""Exchanges of two hosts one after the other that better nothing, at most."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AllowedPlacement:
    """Host `host[v]` plays node v; `whole`: none is better, as all were tried."""

    host: IntArray
    split: PortSplit
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AllowedSearch:
    """A target to place: `fixed[v]` is a host or -1; hosts that are `allowed` (hosts,) may play.

    `effort` is asked for what may be spent from now on.
    """

    ways: CircuitWays
    target: Circuits
    fixed: IntArray | None
    allowed: BoolArray
    effort: Callable[[], Effort]

    @property
    def eligible(self) -> list[int]:
        """The hosts that may play."""
        return [int(host) for host in np.flatnonzero(self.allowed)]

    @property
    def is_small(self) -> bool:
        """Whether all placements can be tried."""
        return self.target.n <= len(self.eligible) <= MOST_TRIED

    def try_all(self, time: float) -> AllowedPlacement | None:
        """The best of all placements of a few hosts; None where a fixed host may not play."""
        placements = self._placements()
        if not len(placements):
            return None
        out, kept = self._promises(placements)
        order = np.lexsort((-kept, out))
        best: AllowedPlacement | None = None
        left, whole, effort = int(SPLITS_A_SECOND * (1 + time)), True, self.effort()
        for place in order.tolist():
            if best is not None:
                least, made = best.split.price
                if out[place] > least:
                    break
                if out[place] == least and self.target.count - least - kept[place] >= made:
                    continue
            if not left or (best is not None and effort.seconds() <= 0):
                whole = False
                break
            left -= 1
            split = split_over_ports(self.ways, self.target, placements[place], effort)
            whole &= split.price == (split.out, split.made)
            if best is None or split.price < best.split.price:
                host = placements[place].astype(np.int32)
                best = AllowedPlacement(host=host, split=split, whole=False)
        if best is None:
            return None
        return AllowedPlacement(host=best.host, split=best.split, whole=whole)

    def _placements(self) -> Int64Array:
        """One of the placements of each choice of joined hosts, shape (placements, nodes)."""
        hosts, n = self.eligible, self.target.n
        rows = np.array(list(permutations(hosts, n)), dtype=np.int64).reshape(
            perm(len(hosts), n), n
        )
        if self.fixed is not None:
            rows = rows[((self.fixed < 0) | (rows == self.fixed)).all(axis=1)]
        ends = rows[:, [self.target.tail, self.target.head]]
        if self.target.duplex:
            ends.sort(axis=1)
        hosts_of, rate = len(self.allowed), np.array(self.target.rows).reshape(-1, 3)[:, 2]
        joined = np.sort((rate * hosts_of + ends[:, 0]) * hosts_of + ends[:, 1], axis=1)
        return rows[np.sort(np.unique(joined, axis=0, return_index=True)[1])]

    def _promises(self, placements: Int64Array) -> tuple[Int64Array, Int64Array]:
        """The circuits that each placement leaves out at least, and keeps at most."""
        wanted = _times(self.target)
        shape = max((rate for *_, rate in wanted), default=0) + 1, *(len(self.allowed),) * 2
        most, stay = (np.zeros(shape, dtype=np.int64) for _ in range(2))
        for rate, a, b in product(range(shape[0]), self.eligible, self.eligible):
            if a != b:
                pair = self.ways.pair(a, b, rate)
                most[rate, a, b] = self.ways.most(pair)
                stay[rate, a, b] = self.ways.kept_at_most(pair)
        out, kept = np.zeros(len(placements), dtype=np.int64), np.zeros_like(placements[:, 0])
        for (u, v, rate), times in wanted.items():
            ends = rate, placements[:, u], placements[:, v]
            out += np.maximum(0, times - most[ends])
            kept += np.minimum(times, stay[ends])
        return np.maximum(out, self._lacking_ports(placements)), kept

    def _lacking_ports(self, placements: Int64Array) -> Int64Array:
        """The circuits that each placement leaves out for want of ports, at least."""
        found = np.zeros(len(placements), dtype=np.int64)
        room = self.ways.place.room(range(self.ways.place.pinned)).sum(axis=2)
        for side, need in enumerate((self.target.sends, self.target.receives)):
            short = np.maximum(0, need - room[side][placements]).sum(axis=1)
            found = np.maximum(found, -(-short // 2) if self.target.duplex else short)
        return found

    def repair(self, host: IntArray, seed: int) -> AllowedPlacement:
        """The placement after exchanges of hosts, with its best panels and ports."""
        repaired = _Exchanges(self, host, seed).run(self.effort())
        split = split_over_ports(self.ways, self.target, repaired, self.effort())
        return AllowedPlacement(host=np.array(repaired, dtype=np.int32), split=split, whole=False)


def _times(target: Circuits) -> dict[NodePair, int]:
    """How many circuits join each pair of nodes at each rate."""
    found = defaultdict[NodePair, int](int)
    for u, v, rate in target.rows:
        found[(min(u, v), max(u, v), rate) if target.duplex else (u, v, rate)] += 1
    return dict(found)


class _Exchanges:
    """A placement that is repaired: an exchange of two hosts, or with one that plays no node."""

    def __init__(self, search: AllowedSearch, host: IntArray, seed: int) -> None:
        self.search, self.host = search, [int(one) for one in host]
        self.random = np.random.default_rng(seed)
        self.times = _times(search.target)
        self.at = defaultdict[int, set[NodePair]](set)
        for pair in self.times:
            for node in pair[:2]:
                self.at[node].add(pair)
        self.fixed = search.fixed if search.fixed is not None else np.full(len(host), -1)
        self.need = np.stack([search.target.sends, search.target.receives], axis=1)
        self.room = search.ways.place.room(range(search.ways.place.pinned)).sum(axis=2).T

    def run(self, effort: Effort) -> list[int]:
        """Exchange as long as circuits have no way to be made; the best placement.

        Half of the seconds of the effort may be taken.
        """
        best, now = list(self.host), self._cost(self.times)
        least = now
        in_vain, leave = 0, effort.seconds() / 2
        while max(now) and in_vain < IN_VAIN and effort.seconds() > leave:
            in_vain += 1
            kind = 0 if now[0] else 1
            wrong = [pair for pair in self.times if self._cost([pair])[kind]]
            u, v, _ = wrong[int(self.random.integers(len(wrong)))]
            moves = [self._change(move) for node in (u, v) for move in self._moves(node)]
            if not moves:
                continue
            cheapest = min(change for change, _ in moves)
            if kind and cheapest > (0, 0):
                continue
            ties = [hosts for change, hosts in moves if change == cheapest]
            self._place(ties[int(self.random.integers(len(ties)))])
            now = now[0] + cheapest[0], now[1] + cheapest[1]
            if now < least:
                best, least, in_vain = list(self.host), now, 0
        return best

    def _cost(self, pairs: Sequence[NodePair] | dict[NodePair, int]) -> tuple[int, int]:
        """Circuits of these pairs of nodes that have no way to be made, and that do not stay."""
        ways, barred, new = self.search.ways, 0, 0
        for pair in pairs:
            u, v, rate = pair
            times, hosts = self.times[pair], ways.pair(self.host[u], self.host[v], rate)
            barred += max(0, times - ways.most(hosts))
            new += max(0, times - ways.kept_at_most(hosts))
        return barred, new

    def _moves(self, node: int) -> Iterator[dict[int, int]]:
        """Hosts of a node, and of the one that it changes with, after an exchange."""
        if self.fixed[node] >= 0:
            return
        player = {host: other for other, host in enumerate(self.host)}
        for host in self.search.eligible:
            other = player.get(host)
            moved = {node: host} if other is None else {node: host, other: self.host[node]}
            if other != node and all(map(self._may_play, moved, moved.values())):
                yield moved

    def _may_play(self, node: int, host: int) -> bool:
        return self.fixed[node] < 0 and bool((self.need[node] <= self.room[host]).all())

    def _change(self, moved: dict[int, int]) -> tuple[tuple[int, int], dict[int, int]]:
        """What an exchange adds to the cost, and the exchange."""
        pairs = list(set().union(*(self.at[node] for node in moved)))
        before, old = self._cost(pairs), {node: self.host[node] for node in moved}
        self._place(moved)
        after = self._cost(pairs)
        self._place(old)
        return (after[0] - before[0], after[1] - before[1]), moved

    def _place(self, moved: dict[int, int]) -> None:
        for node, host in moved.items():
            self.host[node] = host
