"""Quotas of links, step by step, under which an allgather takes the least bandwidth time.

Breadth-first broadcast sends every shard as early as it can come. Where nodes receive unlike
numbers of shards at a step, links of the one are idle while those of the other are busy. Quotas
make the busy ones wait: a shard that nobody needs yet comes at a later step, when links are idle,
and no later than within the diameter. So T_L stays, and T_B falls, often to the bound (N - 1)/N.

Quotas are shares of what a link carries on average in a breadth-first broadcast. Few shares are
tried, as many for every graph of a size, so that a graph has one deferred allgather; then, where
graphs are small, single quotas are changed by one as long as that is of use.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from expansions.cost import Cost
from generators.errors import Unsupported
from generators.topology import Topology
from topofinder.schedules.bfb.evaluation import evaluate, prefers_compiled
from topofinder.schedules.bfb.grouped_arcs import GroupedArcs, group_arcs
from topofinder.schedules.bfb.in_arcs import require_uniform_links
from topofinder.schedules.bfb.row_kernels import fill_next_reach, initial_reach
from topofinder.schedules.deferral.acceptance_kernels import accept_shards, fill_deadlines

FIRST_SHARE, LESS, STILL_LESS, MORE = (Fraction(share, 20) for share in (18, 16, 14, 19))
"""Parts of the average load that are tried as quotas; the third where the second is better than
the first, else the fourth."""
FEWEST_TRIALS, MOST_TRIALS = 3, 60
TRIAL_WORK = 4 * 10**7
"""Trials of a graph: so many by n^2 times the steps."""
FINENESS = 16
"""Single quotas are changed by a part of themselves: one of so many."""
LARGEST_DEFERRED = 1 << 13
"""Nodes of the largest graphs: deadlines take two bytes a pair of nodes."""

Quotas = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferral:
    """A deferred allgather of a graph with n nodes of d links.

    `quotas`: shards that a link may carry at each step but the last; none where a breadth-first
    broadcast is as good. `loads`: shards that the busiest link carries at each step.
    """

    n: int
    d: int
    quotas: Quotas
    loads: tuple[Fraction, ...]

    @property
    def cost(self) -> Cost:
        """T_L is the diameter, T_B (d/N) times the sum of the loads (equation 2)."""
        return Cost(len(self.loads), Fraction(self.d, self.n) * sum(self.loads, Fraction()))


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

    @cached_property
    def _arcs(self) -> GroupedArcs:
        return group_arcs(self.topology, compiled=prefers_compiled(self.topology))

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

    def loads(self, quotas: Quotas) -> tuple[Fraction, ...]:
        """The load of the busiest link at each step."""
        reach, loads = initial_reach(self.topology.n), []
        following = np.empty_like(reach)
        for step in range(1, self.steps + 1):
            loads.append(self.advance(step, quotas, reach, following))
            reach, following = following, reach
        return tuple(loads)

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
    search = _QuotaSearch(DeferredSteps(topology))
    if not search.is_done:
        search.try_shares()
        search.change_single_quotas()
    return Deferral(
        n=topology.n, d=topology.degree, quotas=search.quotas, loads=tuple(search.loads)
    )


class _QuotaSearch:
    """The best quotas so far of a graph, and how many may still be tried."""

    def __init__(self, steps: DeferredSteps) -> None:
        n, self.steps = steps.topology.n, steps
        work = n * n * max(steps.steps, 1)
        self.left = max(FEWEST_TRIALS, min(MOST_TRIALS, TRIAL_WORK // work))
        self.loads, self.quotas = steps.eager, Quotas()
        self.least = Fraction(n - 1, max(steps.topology.degree, 1))

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to try, or to gain."""
        return not self.left or self.steps.steps < 2 or sum(self.loads) <= self.least

    def offer(self, quotas: Quotas) -> bool:
        """Try quotas; whether they are better than all before."""
        if self.is_done or min(quotas) < 1:
            return False
        self.left -= 1
        loads = self.steps.loads(quotas)
        if sum(loads) >= sum(self.loads):
            return False
        self.loads, self.quotas = loads, quotas
        return True

    def try_shares(self) -> None:
        """Try shares of what links carry on average."""
        averages = self.steps.averages()[:-1]

        def offer(share: Fraction) -> bool:
            return self.offer(tuple(max(1, round(share * average)) for average in averages))

        offer(FIRST_SHARE)
        offer(STILL_LESS if offer(LESS) else MORE)

    def change_single_quotas(self) -> None:
        """Change one quota after the other, as long as that is better."""
        improved = True
        while improved and not self.is_done:
            improved = False
            for place in range(self.steps.steps - 2, 0, -1):
                for sign in (-1, 1):
                    changed = list(self.quotas or map(ceil, self.loads[:-1]))
                    changed[place] += sign * max(1, changed[place] // FINENESS)
                    improved |= self.offer(tuple(changed))
