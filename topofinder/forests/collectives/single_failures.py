"""What an allreduce takes after the loss of any one link or host: the worst and the mean.

Each is by low trees with both phases at once, made anew on what is left (`overlap_cost`): T_B in
M/B, with B that of a host of the intact fabric, of data that is as much on fewer hosts. Where
translations are known, all hosts are alike, and every link is the image of one at node 0. Of pairs
that fail together a sample is taken.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import BoolArray, Topology
from topofinder.forests.collectives.overlap_cost import OverlapCost, overlap_cost

FAILURE_TRIES = 4
"""Other ranks for each failure; see `share_levels`."""
FAILURE_LOSS = Fraction(1, 25)
"""No more are tried where trees take at most so much longer than their bound."""
MOST_PAIRS = 1 << 16

Link = tuple[int, int]
Loss = tuple[int | Link, ...]
"""What is lost together: hosts by number, links as (u, v), both ways where circuits are two-way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureTimes:
    """T_B of an allreduce after failures of one kind: `count` of them, of which `rated` apart.

    `worst` and `mean` are over all failures that leave the hosts connected; `bound` is what trees
    take at least after the worst. `parted` failures cut hosts off; with any, `worst` and `mean` are
    those of the others, None where there are none.
    """

    count: int
    rated: int
    worst: Fraction | None
    mean: Fraction | None
    bound: Fraction | None
    parted: int
    height: int

    @classmethod
    def of(cls, found: Iterable[tuple[OverlapCost | None, int]]) -> "FailureTimes":
        """From the cost after each failure, None where it parts hosts, and how often it occurs."""
        rated = list(found)
        known = [(cost, times) for cost, times in rated if cost is not None]
        count = sum(times for _, times in rated)
        left = sum(times for _, times in known)
        total = sum((cost.bandwidth * times for cost, times in known), Fraction())
        worst = max((cost for cost, _ in known), key=_slowness, default=None)
        return cls(
            count=count,
            rated=len(rated),
            worst=None if worst is None else worst.bandwidth,
            mean=total / left if left else None,
            bound=None if worst is None else worst.bound,
            parted=count - left,
            height=max((cost.height for cost, _ in known), default=0),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Resilience:
    """The allreduce of an intact fabric, and after the failure of a link, a host, or two links.

    `links` and `hosts` are over all single failures, `pairs` over a sample of two links, None where
    none was asked for.
    """

    intact: Fraction
    links: FailureTimes
    hosts: FailureTimes
    pairs: FailureTimes | None = None

    @property
    def rank(self) -> tuple[int, Fraction, Fraction]:
        """Failures that part hosts, the worst T_B of single failures, and their mean: less is
        better."""
        both = self.links, self.hosts
        count = sum(each.count - each.parted for each in both)
        total = sum(
            ((each.count - each.parted) * (each.mean or Fraction()) for each in both), Fraction()
        )
        worst = max((each.worst or Fraction() for each in both), default=Fraction())
        parted = sum(each.parted for each in both)
        return parted, worst, total / count if count else Fraction()


def rate_failures(
    topology: Topology,
    *,
    duplex: bool | None = None,
    pairs: int = 0,
    seed: int = 0,
    tries: int = FAILURE_TRIES,
) -> Resilience:
    """The worst and mean allreduce over all failures of one link or host, of `pairs` of links too.

    With `duplex` a link is a circuit, of an arc and the one back, else an arc; by default it is so
    where all arcs have one back. Raises InvalidInput for a topology with switches, one that is not
    strongly connected, and a number of pairs that is negative or too large.

    >>> from generators.families.circulant import circulant
    >>> found = rate_failures(circulant(16, (3, 4)))
    >>> found.intact, found.links.worst, found.links.count, found.links.rated
    (Fraction(15, 8), Fraction(60, 31), 32, 4)
    """
    if not 0 <= pairs <= MOST_PAIRS:
        raise InvalidInput(f"pairs: 0 to {MOST_PAIRS} of them, not {excerpt(pairs)}")
    if topology.switches:
        raise InvalidInput("resilience: for fabrics without switches")
    d = topology.degree
    intact = overlap_cost(topology, d, tries)
    if intact is None:
        raise InvalidInput("resilience: the hosts are not connected, or links are too many")
    two_way = topology.is_bidirectional if duplex is None else duplex
    links = _links(topology, two_way)

    def cost(lost: Loss) -> OverlapCost | None:
        left = topology_after(topology, lost, two_way)
        return None if left is None else overlap_cost(left, d, tries, FAILURE_LOSS)

    def after(losses: Iterable[tuple[Loss, int]]) -> FailureTimes:
        return FailureTimes.of((cost(lost), times) for lost, times in losses)

    return Resilience(
        intact=intact.bandwidth,
        links=after(_link_losses(topology, links)),
        hosts=after(_host_losses(topology)),
        pairs=after(_sample_pairs([*links.elements()], pairs, seed)) if pairs else None,
    )


def topology_after(topology: Topology, lost: Loss, two_way: bool) -> Topology | None:
    """What is left without some hosts, numbered anew, and links; None for fewer than two hosts.

    A link is lost both ways where it is `two_way`.
    """
    kept = np.ones(topology.arcs, dtype=np.bool_)
    nodes = np.ones(topology.n, dtype=np.bool_)
    for each in lost:
        if isinstance(each, tuple):
            _cut_link(topology, kept, each, two_way)
        else:
            nodes[each] = False
    kept &= nodes[topology.tail] & nodes[topology.head]
    if nodes.sum() < 2:
        return None
    number = np.cumsum(nodes) - 1
    width: Any = topology.capacity
    return replace(
        topology,
        n=int(nodes.sum()),
        tail=number[topology.tail[kept]].astype(np.int32),
        head=number[topology.head[kept]].astype(np.int32),
        capacity=None if width is None else tuple(width[e] for e in np.flatnonzero(kept)),
        latency=None,
        names=None,
        translation=None,
        orbits=None,
    )


def _slowness(cost: OverlapCost) -> tuple[Fraction, Fraction]:
    return cost.bandwidth, cost.bound


def _links(topology: Topology, two_way: bool) -> Counter[Link]:
    """The links, and how many are parallel; circuits from lower to higher nodes."""
    ends = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
    return Counter((u, v) for u, v in ends if (u < v if two_way else u != v))


def _cut_link(topology: Topology, kept: BoolArray, link: Link, two_way: bool) -> None:
    """Take out one more arc of a link, and one back where it is two-way."""
    ways = (link, link[::-1]) if two_way else (link,)
    for u, v in ways:
        there = np.flatnonzero(kept & (topology.tail == u) & (topology.head == v))
        kept[there[:1]] = False


def _link_losses(topology: Topology, links: Counter[Link]) -> list[tuple[Loss, int]]:
    """One link of each kind that translations tell apart, and how many there are."""
    if topology.translation is None or topology.capacity is not None:
        return [((link,), times) for link, times in links.items()]
    back = {}
    found: Counter[Link] = Counter()
    for (u, v), times in links.items():
        if u not in back:
            back[u] = np.argsort(topology.translation(u))
        found[0, int(back[u][v])] += times
    # A circuit may be carried to either of its arcs: both orders of its ends are the same loss.
    return [((link,), times) for link, times in sorted(found.items())]


def _host_losses(topology: Topology) -> list[tuple[Loss, int]]:
    if topology.translation is not None and topology.capacity is None:
        return [((0,), topology.n)]
    return [((host,), 1) for host in range(topology.n)]


def _sample_pairs(links: Sequence[Link], pairs: int, seed: int) -> list[tuple[Loss, int]]:
    """Pairs of links, each drawn by chance; one that is drawn twice counts twice."""
    if len(links) < 2:
        return []
    random = np.random.default_rng(seed)
    drawn = (sorted(random.choice(len(links), 2, replace=False).tolist()) for _ in range(pairs))
    counts = Counter((links[a], links[b]) for a, b in drawn)
    return list(counts.items())
