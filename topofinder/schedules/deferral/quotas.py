"""Quotas of links, step by step, under which an allgather takes the least bandwidth time.

Breadth-first broadcast sends every shard as early as it can come. Where nodes receive unlike
numbers of shards at a step, links of the one are idle while those of the other are busy. Quotas
make the busy ones wait: a shard that nobody needs yet comes at a later step, when links are idle,
and no later than within the diameter. So T_L stays, and T_B falls, often to the bound (N - 1)/N.

That is met if no link is ever idle. So a quota is as large as leaves no node short of shards at
hand, after the quotas of the steps before: in one pass over the steps, which often is enough. Where
a node must receive more at some step, as what it put off can wait no longer, quotas were too small:
where graphs are small, single quotas are changed by one as long as that is of use. Quotas are tried
as well that are shares of what links carry on average in a breadth-first broadcast, and changed
likewise. Trials are counted, and no time: a graph has one deferred allgather.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from expansions.cost import Cost
from generators.errors import Unsupported
from generators.topology import Int64Array, Topology
from topofinder.schedules.bfb.evaluation import evaluate, prefers_compiled
from topofinder.schedules.bfb.grouped_arcs import GroupedArcs, group_arcs
from topofinder.schedules.bfb.in_arcs import require_uniform_links
from topofinder.schedules.bfb.row_kernels import fill_next_reach, initial_reach
from topofinder.schedules.deferral.acceptance_kernels import accept_shards, fill_deadlines

FIRST_SHARE, LESS, STILL_LESS, MORE = (Fraction(share, 20) for share in (18, 16, 14, 19))
"""Parts of the average load that are tried as quotas; the third where the second is better than
the best so far, else the fourth."""
SHARES = 3
"""So many of them are tried."""
MUCH = Fraction(1, 32)
"""All four are, where graphs are too large for more trials, and such a part of the time is idle."""
MOST_TRIALS, TRIAL_WORK = 60, 4 * 10**7
"""Quotas of a graph that are tried: so many by n^2 times the steps, once from links that are
filled, once from shares of averages, and these in any case."""
FINENESS = 16
"""Single quotas are changed by a part of themselves: one of so many."""
LARGEST_DEFERRED = 1 << 13
"""Nodes of the largest graphs: deadlines take two bytes a pair of nodes."""

Quotas = tuple[int, ...]
Loads = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferral:
    """A deferred allgather of a graph with n nodes of d links.

    `quotas`: shards that a link may carry at each step but the last; none where a breadth-first
    broadcast is as good. `loads`: shards that the busiest link carries at each step.
    """

    n: int
    d: int
    quotas: Quotas
    loads: Loads

    @property
    def cost(self) -> Cost:
        """T_L is the diameter, T_B (d/N) times the sum of the loads (equation 2)."""
        return Cost(len(self.loads), Fraction(self.d, self.n) * sum(self.loads, Fraction()))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    """A step that was taken under a quota: what nodes hold then, and the busiest link's load.

    `rest` is what the busiest link carries at least at all later steps.
    """

    quota: int
    reach: NDArray[np.uint64]
    load: Fraction
    rest: Fraction


class DeferredSteps:
    """The steps of deferred allgathers of one graph: bit sets of what nodes hold, step by step.

    Raises InvalidInput where some node cannot reach another, and for capacities, latencies and
    switches; Unsupported beyond 63 in-neighbours.
    """

    def __init__(self, topology: Topology) -> None:
        require_uniform_links(topology)
        if topology.n > LARGEST_DEFERRED:
            raise Unsupported(f"deferred: {topology.n} nodes are more than {LARGEST_DEFERRED}")
        self.topology = topology
        self.eager = evaluate(topology).loads
        self.steps = len(self.eager)
        self._path: list[_Taken] = []

    @cached_property
    def _arcs(self) -> GroupedArcs:
        return group_arcs(self.topology, compiled=prefers_compiled(self.topology))

    @cached_property
    def links(self) -> Int64Array:
        """Links by which each node can receive: self-loops are none."""
        start, node, links = self._arcs.into
        heads = np.repeat(np.arange(self.topology.n), np.diff(start))
        found = np.bincount(heads, links * (node != heads), self.topology.n)
        return np.asarray(found, np.int64)

    @cached_property
    def least(self) -> Fraction:
        """What the loads are together at least: a node with the fewest links is never idle then."""
        return Fraction(self.topology.n - 1, max(int(self.links.min()), 1))

    @cached_property
    def _deadlines(self) -> NDArray[np.int16]:
        n = self.topology.n
        deadlines = np.empty((n, n), np.int16)
        fill_deadlines(self._arcs.out.start, self._arcs.out.node, self.steps, deadlines)
        return deadlines

    def advance(self, step: int, quotas: Quotas, reach: Any, following: Any) -> Fraction:
        """Fill what nodes hold after a step from what they held before; the busiest link's load."""
        quota = quotas[step - 1] if step <= len(quotas) else self.topology.n
        into = tuple(self._arcs.into)
        shards, links = accept_shards(step, quota, reach, into, self._deadlines, following)
        return Fraction(int(shards), int(links))

    def loads(self, quotas: Quotas, below: Fraction | float = inf) -> Loads | None:
        """The load of the busiest link at each step; None once they are `below` together, or more.

        That is told as soon as what some node misses still makes it clear.
        """
        loads = Loads()
        for step, quota in enumerate((*quotas[: self.steps - 1], self.topology.n), 1):
            loads = (*loads, self._take(step, quota))
            if sum(loads, self._path[step - 1].rest) >= below:
                return None
        return loads

    def fill_links(self) -> Quotas:
        """The largest quotas for which all nodes have shards at hand, step by step.

        A node that has more links than others may leave them idle for what it needs less. Quotas
        are larger where some node must receive more.

        >>> from generators.families.generalized_kautz import generalized_kautz
        >>> steps = DeferredSteps(generalized_kautz(4, 100))
        >>> quotas = steps.fill_links()
        >>> quotas, str(sum(steps.loads(quotas))), str(steps.least)
        ((1, 4, 12), '92/3', '99/4')
        """
        n, (in_start, in_node, _) = self.topology.n, self._arcs.into
        allowed = [floor(self.least * links) - n for links in self.links.tolist()]
        quotas, following = Quotas(), np.empty_like(self._reach(1))
        for step in range(1, self.steps):
            fill_next_reach(self._reach(step), in_start, in_node, following)
            held = np.bitwise_count(following).sum(axis=1, dtype=np.int64)
            most = int(((held + allowed) // self.links).min()) - sum(quotas)
            quotas = (*quotas, self._least_quota(step, max(1, most)))
        return quotas

    def _least_quota(self, step: int, quota: int) -> int:
        """The quota, or what some node must receive."""
        while (load := floor(self._take(step, quota))) > quota:
            quota = load
        return quota

    def _take(self, step: int, quota: int) -> Fraction:
        """Take a step after those taken before, unless it was under the same quota; the load."""
        if len(self._path) >= step and self._path[step - 1].quota == quota:
            return self._path[step - 1].load
        reach = self._reach(step)
        del self._path[step - 1 :]
        following = np.empty_like(reach)
        load = self.advance(step, (quota,) * step, reach, following)
        rest = self._rest(following)
        self._path.append(_Taken(quota=quota, reach=following, load=load, rest=rest))
        return load

    def _rest(self, reach: NDArray[np.uint64]) -> Fraction:
        """What the links of some node must carry at least until it holds all, in shards a link."""
        missing = self.topology.n - np.bitwise_count(reach).sum(axis=1, dtype=np.int64)
        counts = set(self.links.tolist())
        return max(Fraction(int(missing[self.links == k].max()), max(k, 1)) for k in counts)

    def _reach(self, step: int) -> NDArray[np.uint64]:
        """What nodes hold before a step."""
        return self._path[step - 2].reach if step > 1 else initial_reach(self.topology.n)

    @cached_property
    def averages(self) -> list[Fraction]:
        """What a link carries on average at each step of a breadth-first broadcast, in shards."""
        n, (in_start, in_node, _) = self.topology.n, self._arcs.into
        reach, held = initial_reach(n), [n]
        following = np.empty_like(reach)
        for _ in range(self.steps):
            fill_next_reach(reach, in_start, in_node, following)
            held.append(int(np.bitwise_count(following).sum(dtype=np.int64)))
            reach, following = following, reach
        return [Fraction(new, n * self.topology.degree) for new in np.diff(held).tolist()]


def defer_shards(topology: Topology) -> Deferral:
    """The deferred allgather of a graph; links are taken as equal. Raises as DeferredSteps does.

    >>> from generators.families.generalized_kautz import generalized_kautz
    >>> graph = generalized_kautz(4, 100)
    >>> str(evaluate(graph).cost.bandwidth), str(defer_shards(graph).cost.bandwidth)
    ('19/15', '86/75')
    >>> defer_shards(graph).quotas
    (1, 3, 12)
    """
    steps = DeferredSteps(topology)
    trials = min(MOST_TRIALS, TRIAL_WORK // (topology.n**2 * max(steps.steps, 1)))
    best = _QuotaSearch(steps)
    if not best.is_done:
        best.try_quotas(steps.fill_links())
        best.change_single_quotas(trials - 1)
    if not best.is_done:
        other = _QuotaSearch(steps)
        if trials <= SHARES:  # nothing follows that is not better than the best
            other.loads, other.quotas = best.loads, best.quotas
        other.try_shares()
        if trials <= SHARES and other.idle > MUCH * steps.least:
            other.try_share(STILL_LESS)
        other.change_single_quotas(trials - SHARES)
        best = min(best, other, key=lambda one: one.idle)
    return Deferral(n=topology.n, d=topology.degree, quotas=best.quotas, loads=tuple(best.loads))


class _QuotaSearch:
    """The best quotas so far of a graph."""

    def __init__(self, steps: DeferredSteps) -> None:
        self.steps, self.loads, self.quotas = steps, steps.eager, Quotas()

    @property
    def idle(self) -> Fraction:
        """Shards that links are idle for, at a node with the fewest."""
        return sum(self.loads, -self.steps.least)

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to gain."""
        return self.steps.steps < 2 or self.idle <= 0

    def try_quotas(self, quotas: Quotas) -> bool:
        """Keep quotas if they are better than all before; whether they are."""
        loads = self.steps.loads(quotas, sum(self.loads, Fraction()))
        if loads is None:
            return False
        self.loads, self.quotas = loads, quotas
        return True

    def try_shares(self) -> None:
        """Try some shares of what links carry on average."""
        self.try_share(FIRST_SHARE)
        self.try_share(STILL_LESS if self.try_share(LESS) else MORE)

    def try_share(self, share: Fraction) -> bool:
        """Try a share of what links carry on average; whether it is better than all before."""
        averages = self.steps.averages[:-1]
        return self.try_quotas(tuple(max(1, round(share * average)) for average in averages))

    def change_single_quotas(self, trials: int) -> None:
        """Change one quota after the other, as long as that is better."""
        improved = True
        while improved:
            improved = False
            for place in range(self.steps.steps - 2, 0, -1):
                for sign in (-1, 1):
                    changed = list(self.quotas or map(ceil, self.loads[:-1]))
                    changed[place] += sign * max(1, changed[place] // FINENESS)
                    if trials < 1 or self.is_done:
                        return
                    if min(changed) > 0:
                        trials -= 1
                        improved |= self.try_quotas(tuple(changed))
