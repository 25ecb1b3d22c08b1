"""An order of few moves that keeps the hosts connected, sought by trying and taking back.

Where the greedy order gets stuck, another choice of the first moves may not. States are told
apart by what is still in place and what is made; each is met once. One circuit is made a stage.
"""

from topofinder.model.inventory.wiring import Stage
from topofinder.patching.moves.occupancy import ConnectOption
from topofinder.patching.moves.ordering import MoveTask, Ordering, count_dark_stages, greedy_order

MOST_WANTED = 16
"""Circuits to make, at most, for a search."""
MOST_STATES = 1000
MOST_STATE_CIRCUITS = 200_000
"""States that are looked at before the search gives up, and these times circuits in place."""

Steps = tuple[tuple[int, ConnectOption], ...]


def order_moves(task: MoveTask, *, keep_connected: bool) -> tuple[Stage, ...]:
    """The stages of a task; with `keep_connected`, as few of them dark as are found."""
    stages = greedy_order(task, keep_connected=keep_connected)
    if keep_connected and count_dark_stages(stages):
        return connected_order(task) or stages
    return stages


def connected_order(task: MoveTask) -> tuple[Stage, ...] | None:
    """Stages none of which is dark; None where there are none, or none was found."""
    if len(task.wanted) > MOST_WANTED:
        return None
    search = _Search(task)
    steps = search.steps(frozenset(), frozenset())
    if steps is None:
        return None
    order = Ordering(task, keep_connected=True)
    made = tuple(order.make_stage(number, option) for number, option in steps)
    return made + tuple(order.stages())


class _Search:
    """Depth first over states; `order` is where the search is."""

    def __init__(self, task: MoveTask) -> None:
        self.order = Ordering(task, keep_connected=True)
        self._wanted = range(len(task.wanted))
        self._met: set[tuple[frozenset[int], frozenset[int]]] = set()
        self._most = min(MOST_STATES, MOST_STATE_CIRCUITS // (1 + len(task.place.circuits)))

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
                self.order.put(number, option)
                rest = self.steps(*state)
                self.order.take_back(number, option)
                if rest is not None:
                    return ((number, option), *rest)
        return None
