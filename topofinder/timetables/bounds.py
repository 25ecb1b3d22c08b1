"""What no timetable can beat, exactly: by cuts, by the nodes' own links, and by whole chunks.

Sources: theorem 1 of ForestColl (NSDI 2026) for the cuts, its appendix G for allreduces; the others
are proved where they are computed.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from generators.arrays import csr_by_node
from generators.errors import InvalidInput
from generators.topology import Int64Array, IntArray
from topofinder.forests.collectives.allreduce_cuts import LinkArrays, parts_rate
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network
from topofinder.model.forest import pair_bandwidths
from topofinder.timetables.bounds_kernels import distances_to
from topofinder.timetables.problem import ChunkProblem
from topofinder.timetables.rounds import round_times

MOST_CUT_NODES = 4096
"""The best of all cuts is looked for up to so many nodes; above, those of single nodes do."""
MOST_ARC_LOOKS = 1 << 26
"""Arcs that are looked at for distances, about; of the nodes those with the slowest links first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBounds:
    """Seconds that nothing takes less than; None where there is no such bound.

    `cut`, `release` and `exchange` hold for all ways to cut the same bytes into chunks, `rounds`
    for these chunks.
    """

    cut: Fraction | None = None
    release: Fraction | None = None
    exchange: Fraction | None = None
    rounds: Fraction | None = None

    @property
    def any_chunks(self) -> Fraction:
        """The best that holds however the bytes are cut."""
        known = (self.cut, self.release, self.exchange)
        return max((each for each in known if each is not None), default=Fraction(0))

    @property
    def known(self) -> tuple[tuple[str, Fraction], ...]:
        """Name and seconds of each that was worked out."""
        names = ("cut", "release", "exchange", "rounds")
        return tuple((name, value) for name in names if (value := getattr(self, name)) is not None)

    @property
    def best(self) -> Fraction:
        """The best of all."""
        return max(self.any_chunks, self.rounds or Fraction(0))


def timetable_bounds(
    problem: ChunkProblem,
    *,
    exchange: Fraction | None = None,
    whole_chunks: bool = True,
    most_cut_nodes: int = MOST_CUT_NODES,
    most_arc_looks: int = MOST_ARC_LOOKS,
) -> TimeBounds:
    """The bounds of a problem. `exchange` are seconds that the flows of an all-to-all take.

    To them the least latency of a link is added, after which the last bytes are there.
    Without `whole_chunks` the bound of rounds is left out, and with switches too: a route cuts
    through them, and does not take a chunk's time on every link.

    Raises InvalidInput when a chunk cannot reach a node that needs it.

    >>> from generators.families.hamming import hypercube
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> from topofinder.timetables.problem import gather_problem
    >>> units = LinkUnits(latency=Fraction(1), rate=Fraction(1))
    >>> problem = gather_problem(hypercube(3), size=Fraction(8), units=units)
    >>> timetable_bounds(problem)
    TimeBounds(cut=Fraction(10, 3), release=Fraction(10, 3), exchange=None, rounds=Fraction(6, 1))
    """
    if len(problem.hosts) < 2:
        return TimeBounds()
    problem.require_ticks()  # soon told, where a stranger's values have no common measure
    whole_chunks = whole_chunks and not problem.topology.switches
    release, rounds = Fraction(0), Fraction(0)
    sides = _sides(problem)
    if 2 * problem.topology.arcs * len(problem.hosts) > most_arc_looks:
        for side in sides:  # what is out of reach is told before the rates of all are added up
            side.levels(int(problem.hosts[0]))
    for side in sides:
        for v in side.slowest_nodes(most_arc_looks):
            release = max(release, _release_bound(side, v))
            if whole_chunks:
                rounds = max(rounds, _rounds_bound(side, v))
    if problem.target is not None:
        bounds = (exchange, _hop_bound(problem, most_arc_looks))
        exchange = max(each for each in bounds if each is not None)
        return TimeBounds(release=release, exchange=exchange + _least_latency(problem))
    cut = None
    if problem.topology.n <= most_cut_nodes:
        cut, whole = _cut_bounds(problem)
        rounds = max(rounds, whole)
    kept = rounds if whole_chunks else Fraction(0)
    return TimeBounds(cut=cut, release=release, rounds=kept or None)


def allreduce_time_bound(
    problem: ChunkProblem,
    *,
    most_cut_nodes: int = MOST_CUT_NODES,
    most_arc_looks: int = MOST_ARC_LOOKS,
) -> Fraction:
    """Seconds that an allreduce of an allgather's bytes takes, wherever their sums end.

    Every chunk is summed along an in-tree and spread along an out-tree of the same root. Of a cut
    with hosts on both sides, each chunk leaves the inside once at least: spread if its root is
    inside, summed if not. Of disjoint parts of the hosts, an out-tree enters each but that of its
    root and an in-tree leaves each but that: see `parts_rate`. If links of bandwidth B are to carry
    W bytes, the last of them is there a latency after W / B. And every host needs what every other
    has, so that it takes the longest latency from host to host.
    """
    if len(problem.hosts) < 2:
        return Fraction(0)
    topology, amount = problem.topology, _amount_at(problem)
    total = int(amount.sum()) * problem.chunk_bytes
    rates, longest = [], 0
    sides = _sides(problem)
    if 2 * problem.topology.arcs * len(problem.hosts) > most_arc_looks:
        for side in sides:  # what is out of reach is told before the rates of all are added up
            side.levels(int(problem.hosts[0]))
    for side in sides:
        for v in side.slowest_nodes(most_arc_looks):
            far = side.distances(v)
            side.require_reach(v, far, problem.hosts)
            rates.append(side.rate(v))
            longest = max(longest, int(far[problem.hosts].max()))
    if topology.n <= most_cut_nodes:
        network = Network.of(topology, amount.tolist())
        best = find_optimum(network)
        links = LinkArrays.of(pair_bandwidths(topology), topology.n, topology.switches)
        together = parts_rate(topology, links, network.weight, best.inverse_rate)
        rates += [best.exiting * problem.units.rate]
        rates += [] if together is None else [together * problem.units.rate]
    return max(total / min(rates) + _least_latency(problem), longest * problem.tick)


def tree_allreduce_bound(problem: ChunkProblem) -> Fraction:
    """Seconds of an allreduce that sums every chunk at a root, its origin, before it is spread.

    The sum at r is not complete before the farthest host's part has come, at e(r), and reaches host
    v a distance later. So what is released at time t or later, r by r, passes the links into v in
    all but t of the time. Timetables and forests are made of such trees; a schedule in which hosts
    sum the same parts side by side, such as recursive doubling, may take less. Raises InvalidInput
    where a host cannot reach another.

    >>> from generators.families.ring import one_way_ring
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> from topofinder.timetables.problem import gather_problem
    >>> units = LinkUnits(latency=Fraction(1), rate=Fraction(1))
    >>> tree_allreduce_bound(gather_problem(one_way_ring(1, 5), size=Fraction(5), units=units))
    Fraction(9, 1)
    """
    side, hosts, amount = _sides(problem)[0], problem.hosts, _amount_at(problem)
    far = np.stack([side.distances(int(v)) for v in hosts])  # [v, u]: from u to v
    for v, row in zip(hosts.tolist(), far, strict=True):
        side.require_reach(v, row, hosts)
    last = np.zeros(problem.topology.n, dtype=np.int64)
    last[hosts] = far[:, hosts].max(axis=1)
    found = Fraction(0)
    for v, row in zip(hosts.tolist(), far, strict=True):
        others = hosts[hosts != v]
        release = last[others] + row[others]
        order = np.argsort(-release, kind="stable")
        part = problem.chunk_bytes / side.rate(v) / problem.tick
        beyond = np.cumsum(amount[others][order])
        p, q = part.numerator, part.denominator
        found = max(found, Fraction(_largest_sum(release[order], q, beyond, p), q))
    return found * problem.tick


def _least_latency(problem: ChunkProblem) -> Fraction:
    """Of all links: whatever they carry last is there so much later, and they are idle by then."""
    return int(problem.empty.times.latency[_links(problem)].min()) * problem.tick


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _LinkSide:
    """The links on one side of every node, and what must pass over them.

    Links of node v are `link[start[v]:start[v + 1]]`, to or from nodes `other`. With `inward` they
    are those into it, and all that is not its own comes over them, else those out of it.
    """

    problem: ChunkProblem
    inward: bool
    start: Int64Array
    link: Int64Array
    other: Int64Array

    @classmethod
    def of(cls, problem: ChunkProblem, links: Int64Array, *, inward: bool) -> "_LinkSide":
        """One side; `links` are the arcs that count."""
        ends = problem.topology.head[links], problem.topology.tail[links]
        near, far = ends if inward else ends[::-1]
        start, order = csr_by_node(near, problem.topology.n)
        return cls(
            problem=problem,
            inward=inward,
            start=start,
            link=links[order],
            other=far[order].astype(np.int64),
        )

    def slowest_nodes(self, most_arc_looks: int) -> list[int]:
        """Hosts to look at, those with the least rate first; one where all are alike."""
        topology = self.problem.topology
        plain = topology.capacity is None and topology.latency is None
        counts = _amount_at(self.problem)
        alike = self.problem.target is None and bool((counts == counts[0]).all())
        if plain and alike and topology.is_transitive:
            return [0]
        hosts = self.problem.hosts
        count = max(1, most_arc_looks // (2 * topology.arcs + 1))
        if count >= len(hosts):
            return list(map(int, hosts))
        if topology.capacity is None:
            hosts = hosts[np.argsort(np.diff(self.start)[hosts], kind="stable")[:count]]
            return list(map(int, hosts))
        return sorted(map(int, hosts), key=self.rate)[:count]

    def rate(self, v: int) -> Fraction:
        """Bytes a second of all links of node v."""
        mine, width = self.link[self.start[v] : self.start[v + 1]], self.problem.topology.capacity
        units = len(mine) if width is None else sum(width[e] for e in mine.tolist())
        return units * self.problem.units.rate

    def distances(self, v: int, *, hops: bool = False) -> Int64Array:
        """Ticks of latency, or links, from every node to v, or from v to it; int64 (n,)."""
        length = self.problem.channels.latency[self.link]
        found: Int64Array = distances_to(
            v, self.start, self.other, np.ones_like(length) if hops else length
        )
        return found

    def require_reach(self, v: int, far: Int64Array, nodes: IntArray | Int64Array) -> None:
        """Refuse nodes that are out of reach."""
        lost = nodes[far[nodes] < 0]
        if lost.size:
            names = self.problem.topology.names
            ends = [names[u] if names else u for u in (int(lost[0]), v)]
            first, last = ends if self.inward else ends[::-1]
            raise InvalidInput(f"node {first} cannot reach node {last}")

    def levels(self, v: int, *, hops: bool = False) -> tuple[Int64Array, Int64Array]:
        """Distances, and amounts that come from there or farther over the links of v.

        Where v spreads the same to all, its amount goes to the farthest.
        """
        far, amount = self.distances(v, hops=hops), self._amount_beyond(v)
        used = np.flatnonzero(amount)
        self.require_reach(v, far, used)
        if len(used) and not self.inward and self.problem.target is None:
            used = used[[int(far[used].argmax())]]
        order = used[np.argsort(-far[used], kind="stable")]
        return far[order], np.cumsum(amount[order])

    def _amount_beyond(self, v: int) -> Int64Array:
        """What node v gets from every node, or gives to it; int64 of shape (n,)."""
        problem = self.problem
        found = _amount_at(problem)
        if problem.target is not None:
            ends = (problem.target, problem.origin)
            here, there = ends if self.inward else ends[::-1]
            found = np.zeros_like(found)
            np.add.at(found, there[here == v], problem.amounts[here == v])
        elif not self.inward:
            found[problem.hosts] = found[v]
        found[v] = 0
        return found


def _sides(problem: ChunkProblem) -> list[_LinkSide]:
    links = _links(problem)
    return [_LinkSide.of(problem, links, inward=inward) for inward in (True, False)]


def _links(problem: ChunkProblem) -> Int64Array:
    """The arcs that are no self-loops."""
    return np.flatnonzero(problem.topology.tail != problem.topology.head)


def _amount_at(problem: ChunkProblem) -> Int64Array:
    """The amount of the chunks of every node; int64 of shape (n,)."""
    found = np.zeros(problem.topology.n, dtype=np.int64)
    np.add.at(found, problem.origin, problem.amounts)
    return found


def _release_bound(side: _LinkSide, v: int) -> Fraction:
    """What comes from latency r or farther passes the links of v in all but r of the time.

    Into v: a byte leaves its origin r before it arrives at v, so that a link of rate b, which takes
    a latency, has sent nothing of it before its arrival minus r: b (T - r) bytes at most. Out of
    v likewise: what leaves later than T - r is late.
    """
    problem = side.problem
    far, amount = side.levels(v)
    if not len(far):
        return Fraction(0)
    part = problem.chunk_bytes / side.rate(v) / problem.tick
    p, q = part.numerator, part.denominator
    return Fraction(_largest_sum(far, q, amount, p), q) * problem.tick


def _rounds_bound(side: _LinkSide, v: int) -> Fraction:
    """The same for whole chunks on equal links: some link of v sends so many of those chunks.

    Each hop takes an arrival's time, for a chunk is passed on once it is there whole.
    """
    times = round_times(side.problem)
    if times is None:
        return Fraction(0)
    links = int(side.start[v + 1] - side.start[v])
    amount = int(side.problem.amounts[0])
    hops, beyond = side.levels(v, hops=True)
    rounds = -(-beyond // amount // links) - 1
    return _largest_sum(rounds, times.length, hops, times.arrival) * side.problem.tick


def _largest_sum(first: Int64Array, times: int, second: Int64Array, by: int) -> int:
    """The most of times * first[i] + by * second[i], none of them below 0; 0 where there is no i.

    >>> _largest_sum(np.array([1, 2]), 10**30, np.array([5, 0]), 1)
    2000000000000000000000000000000
    """
    if not len(first):
        return 0
    if int(first.max()) * times + int(second.max()) * by < 1 << 63:
        return int((first * times + second * by).max())
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    sums: list[int] = [one * times + other * by for one, other in pairs]
    return max(sums)


def _cut_bounds(problem: ChunkProblem) -> tuple[Fraction, Fraction]:
    """What the best cut S proves: w(S) bytes leave it at rate B(S), the last a latency later.

    And in whole chunks on equal links, 0 elsewhere: some link that leaves takes so many of them.
    """
    topology, amount = problem.topology, _amount_at(problem)
    best = find_optimum(Network.of(topology, amount.tolist(), one_way=True))
    inside = np.zeros(topology.n, dtype=np.bool_)
    inside[best.cut] = True
    leaving = np.flatnonzero(inside[topology.tail] & ~inside[topology.head])
    weight = int(amount[inside].sum())
    wait = int(problem.empty.times.latency[leaving].min()) * problem.tick
    cut = weight * problem.chunk_bytes / (best.exiting * problem.units.rate) + wait
    times = round_times(problem)
    if times is None:
        return cut, Fraction(0)
    busiest = -(-weight // int(problem.amounts[0]) // len(leaving))
    return cut, ((busiest - 1) * times.length + times.arrival) * problem.tick


def _hop_bound(problem: ChunkProblem, most_arc_looks: int) -> Fraction:
    """Bytes times links on the shortest ways, over the rates of all links together."""
    assert problem.target is not None
    side, width = _sides(problem)[0], problem.topology.capacity
    total = 0
    for v in side.slowest_nodes(most_arc_looks):
        total += sum(hops * part for hops, part in _by_source(side, v))
    rate = len(side.link) if width is None else sum(width[e] for e in side.link.tolist())
    return total * problem.chunk_bytes / (rate * problem.units.rate)


def _by_source(side: _LinkSide, v: int) -> list[tuple[int, int]]:
    """Hops and amount of what comes to v, one by one."""
    hops, beyond = side.levels(v, hops=True)
    return list(zip(hops.tolist(), np.diff(beyond, prepend=0).tolist(), strict=True))
