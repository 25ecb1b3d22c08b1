"""An order of few moves that holds its limits, sought by trying and taking back.

Where the greedy order gets stuck, another choice of the first moves may not. States are told
apart by what is still in place and what is made; each is met once. One circuit is made a stage.
Where traffic is to be carried, stages are cut in halves until it is, before that.
"""

from fractions import Fraction

from topofinder.model.inventory.wiring import Stage
from topofinder.patching.moves.limits import Carries, StageLimits
from topofinder.patching.moves.middles import stage_rates, wiring_of
from topofinder.patching.moves.occupancy import ConnectOption
from topofinder.patching.moves.ordering import MoveTask, Ordering, greedy_order

MOST_WANTED = 16
"""Circuits to make, at most, for a search."""
MOST_STATES = 1000
MOST_STATE_CIRCUITS = 200_000
"""States that are looked at before the search gives up, and these times circuits in place."""
MOST_CARRYING = 200
"""States that are looked at where each is asked what it carries."""

Steps = tuple[tuple[int, ConnectOption], ...]


def order_moves(task: MoveTask, limits: StageLimits) -> tuple[Stage, ...]:
    """The stages of a task, as few of them beyond the limits as are found."""
    stages, holds = _order_halving(task, limits)
    return stages if holds else searched_order(task, limits) or stages


def _order_halving(task: MoveTask, limits: StageLimits) -> tuple[tuple[Stage, ...], bool]:
    """Greedy orders of stages that make as many circuits as they can, half as many, and so on.

    Where none holds the limits the last one is given, with the smallest stages.
    """
    stages, faults = greedy_order(task, limits)
    most = max((len(stage.connects) for stage in stages), default=0)
    while limits.carries is not None:
        if not faults and _all_carry(task, stages, limits.carries):
            return stages, True
        if most <= 1:
            return stages, False
        most //= 2
        stages, faults = greedy_order(task, limits, most=most)
    return stages, not faults


def _all_carry(task: MoveTask, stages: tuple[Stage, ...], carries: Carries) -> bool:
    """Whether in the middle of every stage enough is carried."""
    before = wiring_of(task.place.circuits, task.place.fabric.ports)
    return all(stage_rates(before, stages, lambda to: Fraction(carries(to)), Fraction(1)))


def searched_order(task: MoveTask, limits: StageLimits) -> tuple[Stage, ...] | None:
    """Stages none of which breaks a limit; None where there are none, or none was found."""
    if len(task.wanted) > MOST_WANTED:
        return None
    search = _Search(task, limits)
    steps = search.steps(frozenset(), frozenset())
    if steps is None:
        return None
    order = Ordering(task, limits)
    made = tuple(order.make_stage(number, option) for number, option in steps)
    return made + tuple(order.stages())


class _Search:
    """Depth first over states; `order` is where the search is."""

    def __init__(self, task: MoveTask, limits: StageLimits) -> None:
        self.order = Ordering(task, limits)
        self._wanted = range(len(task.wanted))
        self._met: set[tuple[frozenset[int], frozenset[int]]] = set()
        self._most = min(MOST_STATES, MOST_STATE_CIRCUITS // (1 + len(task.place.circuits)))
        if limits.carries is not None:
            self._most = min(self._most, MOST_CARRYING)

    def steps(self, gone: frozenset[int], done: frozenset[int]) -> Steps | None:
        """The moves from here to the end; `gone` are out, `done` made."""
        if len(done) == len(self._wanted):
            return ()
        for number in self._wanted:
            for option in self.order.options(number) if number not in done else ():
                state = gone.union(option.frees), done | {number}
                if state in self._met or not self.order.may_go(option.frees):
                    continue
                if len(self._met) >= self._most:
                    return None
                self._met.add(state)
                if not self.order.carries_without(option.frees):
                    continue
                self.order.put(number, option)
                rest = self.steps(*state)
                self.order.take_back(number, option)
                if rest is not None:
                    return ((number, option), *rest)
        return None
