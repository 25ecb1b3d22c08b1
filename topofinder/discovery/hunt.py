"""The order in which groups and targets are searched: rounds over all groups, growing budgets.

In every round each group of the order is climbed once for each target: a largest number of steps
for which a smaller T_B than the known one may exist. A group with few generator lists is
exhausted instead, and then done with. The order does not depend on time or on other processes.
"""

from collections.abc import Iterable, Iterator

from topofinder.discovery.find import Find, best_bandwidth, frontier
from topofinder.discovery.goal import Aim
from topofinder.discovery.groups import groups_of
from topofinder.discovery.leg import Leg, number_of_lists

BUDGET = 2048
"""Trials for one group and target in the first round; each later round has twice as many."""

GROWTH = 5
"""Rounds after which budgets grow no more, so that a leg stays short."""

FEW = 8
"""A group is exhausted when it has at most so many times the round's trials of lists."""

WINDOW = 4
"""Targets from the Moore bound up, and from the least diameter that was found."""

FAR = 48
"""The target that is tried while no diameter is known."""


class Hunt:
    """A search for one aim: gives legs in turn, takes their finds, keeps the frontier."""

    def __init__(
        self,
        aim: Aim,
        seed: int,
        known: Iterable[Find] = (),
        *,
        groups: int | None = None,
        group: str | None = None,
        budget: int = BUDGET,
    ) -> None:
        self.aim = aim
        self.seed = seed
        self.groups = groups
        self.group = group
        self.budget = budget
        self.finds = frontier(known, aim.both)
        self._exhausted: set[str] = set()

    def legs(self, turn: int) -> Iterator[Leg]:
        """The legs of one round, each made when it is asked for, from what is known by then."""
        for group in (self.group,) if self.group else groups_of(self.aim.n, self.groups):
            leg = self.leg(group, turn)
            if leg:
                yield leg

    @property
    def open(self) -> bool:
        """Whether another round has something to do."""
        groups = (self.group,) if self.group else groups_of(self.aim.n, self.groups)
        return bool(self.targets()) and any(group not in self._exhausted for group in groups)

    def forget(self, groups: Iterable[str]) -> None:
        """Leave out groups of which every list was judged."""
        self._exhausted |= set(groups)

    def leg(self, group: str, turn: int) -> Leg | None:
        """What a round does with a group; None if nothing."""
        targets = self.targets()
        if not targets or group in self._exhausted:
            return None
        budget = self.budget << min(turn, GROWTH)
        few = number_of_lists(group, self.aim.d, self.aim.links) <= FEW * budget
        return Leg(
            aim=self.aim,
            group=group,
            targets=targets,
            trials=0 if few else budget,
            seed=self.seed,
            turn=turn,
        )

    def targets(self) -> tuple[int, ...]:
        """Numbers of steps at which something better than what is known may exist."""
        least = self.aim.least_steps
        wanted = set(range(least, least + WINDOW))
        if self.finds:
            first = self.finds[0].forth.steps
            wanted |= set(range(max(least, first - 1), first + WINDOW))
        else:
            wanted.add(FAR)
        return tuple(sorted(t for t in wanted if not self._closed(t)))

    def take(self, leg: Leg, finds: Iterable[Find]) -> list[Find]:
        """Keep the finds of a leg that better the frontier; returns these."""
        if not leg.trials:
            self._exhausted.add(leg.group)
        before = set(self.finds)
        self.finds = frontier([*self.finds, *finds], self.aim.both)
        return [find for find in self.finds if find not in before]

    def _closed(self, steps: int) -> bool:
        known = best_bandwidth(self.finds, steps, self.aim.both)
        return known == self.aim.bandwidth(0)
