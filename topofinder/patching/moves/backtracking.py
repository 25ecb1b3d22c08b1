"""An order of few moves that keeps the hosts connected, sought by trying and taking back.

Where the greedy order gets stuck, another choice of the first moves may not. States are told
apart by what is still in place and what is made; each is met once. One circuit is made a stage.
"""

from topofinder.model.inventory.wiring import Stage
from topofinder.patching.moves.occupancy import Way
from topofinder.patching.moves.ordering import Ordering, Task, breaks, greedy

MOST_WANTED = 16
"""Circuits to make, at most, for a search."""
MOST_STATES = 1000
MOST_WORK = 200_000
"""States that are looked at before the search gives up, and these times circuits in place."""

Steps = tuple[tuple[int, Way], ...]


def ordered(task: Task, *, keep_connected: bool) -> tuple[Stage, ...]:
    """The stages of a task; with `keep_connected`, as few of them dark as are found."""
    stages = greedy(task, keep_connected=keep_connected)
    if keep_connected and breaks(stages):
        return connected_order(task) or stages
    return stages


def connected_order(task: Task) -> tuple[Stage, ...] | None:
    """Stages none of which is dark; None where there are none, or none was found."""
    if len(task.wanted) > MOST_WANTED:
        return None
    search = _Search(task)
    steps = search.steps(frozenset(), frozenset())
    if steps is None:
        return None
    order = Ordering(task, keep_connected=True)
    made = tuple(order.make(number, way) for number, way in steps)
    return made + tuple(order.stages())


class _Search:
    """Depth first over states; `order` is where the search is."""

    def __init__(self, task: Task) -> None:
        self.order = Ordering(task, keep_connected=True)
        self._wanted = range(len(task.wanted))
        self._met: set[tuple[frozenset[int], frozenset[int]]] = set()
        self._most = min(MOST_STATES, MOST_WORK // (1 + len(task.place.circuits)))

    def steps(self, gone: frozenset[int], done: frozenset[int]) -> Steps | None:
        """The moves from here to the end; `gone` are out, `done` made."""
        if len(done) == len(self._wanted):
            return ()
        for number in self._wanted:
            for way in self.order.ways(number) if number not in done else ():
                state = gone.union(way.frees), done | {number}
                if state in self._met or not self.order.may_go(way.frees):
                    continue
                if len(self._met) >= self._most:
                    return None
                self._met.add(state)
                self.order.put(number, way)
                rest = self.steps(*state)
                self.order.take_back(number, way)
                if rest is not None:
                    return ((number, way), *rest)
        return None
