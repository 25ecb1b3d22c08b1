"""The order in which groups and targets are searched: rounds over all groups, growing budgets.

In every round each group of the order is climbed once for each target: a largest number of steps
for which a smaller T_B than the known one may exist. A group with few generator lists is
exhausted instead, and then done with. The order does not depend on time or on other processes,
and neither does the answer of a unit of work: one group, some targets, so many trials.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from expansions.cost import Cost
from generators.cayley.notation import parse_group
from generators.topology import Int64Array
from topofinder.discovery.evaluation_kernels import sum_excesses
from topofinder.discovery.generator_lists import ListLayout, list_layouts
from topofinder.discovery.goal import SearchGoal
from topofinder.discovery.groups import groups_of
from topofinder.discovery.multiplication_table import (
    GroupTable,
    group_table,
)
from topofinder.discovery.results import DiscoveredGraph, best_bandwidth, discovered_frontier
from topofinder.discovery.search_kernels import climb_lists, exhaust_lists
from topofinder.dispatch.kernel import expect_long_work
from topofinder.model.candidate import LinkMode

BUDGET = 2048
"""Trials for one group and target in the first round; each later round has twice as many."""

LARGE = 8
"""Binary digits of an order up to which rounds begin so; twice as many trials a digit more, for the
larger groups are, the longer it takes to make the next one."""

GROWTH = 5
"""Doublings after which budgets grow no more, so that a unit of work stays short."""

FEW_LISTS = 8
"""A group is exhausted when it has at most so many times the round's trials of lists."""

WINDOW = 4
"""Targets from the Moore bound up, and from the least diameter that was found."""

FAR = 48
"""The target that is tried while no diameter is known."""

STALL = 800
"""Trials without gain before a climb starts anew."""

LONG_WORK = 1 << 16
"""Trials times nodes from which plain Python takes longer than to compile: a second and more."""

UNJUDGED = 1 << 60
"""Above every sum of excesses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkUnit:
    """Climb to each of `targets` (largest numbers of steps) with `trials` trials; or, with no
    trials, judge every list of the group with at most targets[-1] steps.
    """

    goal: SearchGoal
    group: str
    targets: tuple[int, ...]
    trials: int
    seed: int
    turn: int

    @property
    def place(self) -> str:
        """What tells the unit from others of its search: the round, or all, and the group."""
        return f"{self.turn if self.trials else 'all'} {self.group}"

    def run(self) -> tuple[int, list[DiscoveredGraph]]:
        """How many lists were judged, and the best found at each number of steps."""
        table = _group_table(self.group)
        found: dict[int, DiscoveredGraph] = {}
        judged = 0
        for target in self.targets if self.trials else self.targets[-1:]:
            best = np.full(target + 1, UNJUDGED, np.int64)
            chosen = np.zeros((target + 1, self.goal.d), np.int64)
            for layout in list_layouts(table.inverse, self.goal.d, self.goal.links):
                judge = self._climb if self.trials else self._exhaust
                judged += judge(table, layout, best, chosen)
            for steps in np.flatnonzero(best < UNJUDGED):
                graph = self._discovered_graph(table, chosen[steps], judged)
                known = found.get(int(steps), graph)
                found[int(steps)] = min(known, graph, key=self._searched_cost)
        return judged, list(found.values())

    def _searched_cost(self, graph: DiscoveredGraph) -> Cost:
        return graph.searched_cost(self.goal.both)

    def _climb(
        self, table: GroupTable, layout: ListLayout, best: Int64Array, chosen: Int64Array
    ) -> int:
        goal = self.goal
        if self.trials * goal.n >= LONG_WORK:
            expect_long_work(climb_lists)
        state = np.array([self._random_state(layout.pairs, len(best))], np.uint64)
        judged: int = climb_lists(
            *table, layout, goal.two_searches, goal.unit, goal.scale,
            self.trials, STALL, state, best, chosen,
        )  # fmt: skip
        return judged

    def _exhaust(
        self, table: GroupTable, layout: ListLayout, best: Int64Array, chosen: Int64Array
    ) -> int:
        goal, judged = self.goal, 0
        if layout.count(goal.d) * goal.n >= LONG_WORK:
            expect_long_work(exhaust_lists)
        for first in range(len(layout.paired if layout.pairs else layout.singles)):
            judged += exhaust_lists(
                *table, layout, goal.two_searches, first, goal.scale, best, chosen
            )
        return judged

    def _random_state(self, *place: int) -> int:
        """The random state at the start of a climb, from all that tells it from others."""
        goal = self.goal
        size = (goal.n, goal.d, goal.links.value, goal.both)
        told = (self.seed, *size, self.group, self.turn, *place)
        return int.from_bytes(blake2b(repr(told).encode(), digest_size=8).digest(), "little")

    def _discovered_graph(
        self, table: GroupTable, picks: Int64Array, trials: int
    ) -> DiscoveredGraph:
        forth, back = (
            Cost(steps, self.goal.bandwidth(excess))
            for excess, steps in (
                sum_excesses(table.columns, own, self.goal.scale)
                for own in (picks, table.inverse[picks])
            )
        )
        generators = tuple(sorted(picks.tolist()))
        return DiscoveredGraph(
            group=self.group,
            generators=generators,
            forth=forth,
            back=back,
            seed=self.seed,
            trials=trials,
        )


class DiscoverySearch:
    """A search for one goal: gives units of work in turn, and keeps the frontier of finds."""

    def __init__(
        self,
        goal: SearchGoal,
        seed: int,
        known: Iterable[DiscoveredGraph] = (),
        *,
        groups: int | None = None,
        group: str | None = None,
        budget: int = BUDGET,
    ) -> None:
        self.goal = goal
        self.seed = seed
        self.groups = groups
        self.group = group
        self.budget = budget
        self.finds = discovered_frontier(known, goal.both)
        self._exhausted: set[str] = set()

    def work_units(self, turn: int) -> Iterator[WorkUnit]:
        """The units of work of one round, each made when asked for, from what is known by then."""
        for group in (self.group,) if self.group else groups_of(self.goal.n, self.groups):
            unit = self.work_unit(group, turn)
            if unit:
                yield unit

    @property
    def is_open(self) -> bool:
        """Whether another round has something to do."""
        groups = (self.group,) if self.group else groups_of(self.goal.n, self.groups)
        return bool(self.targets()) and any(group not in self._exhausted for group in groups)

    def skip_groups(self, groups: Iterable[str]) -> None:
        """Leave out groups of which every list was judged."""
        self._exhausted |= set(groups)

    def work_unit(self, group: str, turn: int) -> WorkUnit | None:
        """What a round does with a group; None if nothing."""
        targets = self.targets()
        if not targets or group in self._exhausted:
            return None
        ahead = max(0, self.goal.n.bit_length() - LARGE)
        budget = self.budget << min(turn + ahead, GROWTH)
        few = count_lists(group, self.goal.d, self.goal.links) <= FEW_LISTS * budget
        return WorkUnit(
            goal=self.goal,
            group=group,
            targets=targets,
            trials=0 if few else budget,
            seed=self.seed,
            turn=turn,
        )

    def targets(self) -> tuple[int, ...]:
        """Numbers of steps at which something better than what is known may exist."""
        least = self.goal.least_steps
        wanted = set(range(least, least + WINDOW))
        if self.finds:
            first = self.finds[0].forth.steps
            wanted |= set(range(max(least, first - 1), first + WINDOW))
        else:
            wanted.add(FAR)
        return tuple(sorted(t for t in wanted if not self._is_settled(t)))

    def take_results(
        self, unit: WorkUnit, finds: Iterable[DiscoveredGraph]
    ) -> list[DiscoveredGraph]:
        """Keep what a unit found that better the frontier; returns these."""
        if not unit.trials:
            self._exhausted.add(unit.group)
        before = set(self.finds)
        self.finds = discovered_frontier([*self.finds, *finds], self.goal.both)
        return [find for find in self.finds if find not in before]

    def _is_settled(self, steps: int) -> bool:
        known = best_bandwidth(self.finds, steps, self.goal.both)
        return known == self.goal.bandwidth(0)


@lru_cache(maxsize=4)
def _group_table(text: str) -> GroupTable:
    return group_table(parse_group(text))


def count_lists(group: str, d: int, links: LinkMode) -> int:
    """How many generator lists of d elements a group has, order apart."""
    inverse = parse_group(group).inverses.astype(np.int64)
    return sum(layout.count(d) for layout in list_layouts(inverse, d, links))
