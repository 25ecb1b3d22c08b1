"""What a baseline is, and the register of all baselines."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from functools import partial

import numpy as np

from expansions.build import build
from expansions.collective import Collective
from expansions.cost import Cost
from expansions.isomorphic_copy import carry_schedule
from expansions.recipe import Base
from expansions.schedule import Schedule
from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from generators.open_register import Register
from generators.topology import Topology
from topofinder.schedules.collectives import collective_schedule
from topofinder.schedules.register import (
    MadeSchedule,
    ScheduleMethod,
    ScheduleTask,
    refuse_chunks,
    register_schedule_method,
)

Costs = tuple[Cost, ...]

BASELINES_PLACE = 50
"""Where baselines stand among the schedule methods."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A wiring, the schedule that is customary on it, and what that costs.

    `wirings(n, d)` yields the base graphs with n hosts of d ports that it runs on. `check`
    raises InvalidInput for a base graph that it does not run on. `allgather` makes the rows of
    an allgather and `cost` says, by a formula, what they cost; both are None where the baseline
    is an allreduce only. `allreduce` gives the costs of an allreduce for every number of chunks
    that may be chosen; None means reduce-scatter followed by allgather. All wirings here are
    two-way, so the allgather run backwards is a reduce-scatter of the same cost.
    """

    name: str
    title: str
    source: str
    wirings: Callable[[int, int], Iterator[Base]]
    check: Callable[[Base], None]
    cost: Callable[[Base], Cost] | None = None
    allgather: Callable[[Base], Schedule] | None = None
    allreduce: Callable[[Base], Costs] | None = None

    def costs(self, base: Base, collective: Collective = Collective.ALLREDUCE) -> Costs:
        """Exact costs of a collective on a wiring: one, or one for each number of chunks.

        Raises InvalidInput for a wiring it does not run on, Unsupported for a collective that
        the baseline has no schedule for.
        """
        self.check(base)
        if collective is Collective.ALLREDUCE and self.allreduce is not None:
            return self.allreduce(base)
        if self.cost is None or collective.is_rooted:
            raise Unsupported(f"{self.name}: has no schedule of its own for {collective}")
        once = self.cost(base)
        return (once + once,) if collective is Collective.ALLREDUCE else (once,)

    def seconds(
        self,
        base: Base,
        alpha: Fraction,
        size: Fraction,
        node_bandwidth: Fraction,
        collective: Collective = Collective.ALLREDUCE,
    ) -> Fraction:
        """The least time in seconds over the numbers of chunks that may be chosen."""
        costs = self.costs(base, collective)
        return min(cost.runtime(alpha, size, node_bandwidth) for cost in costs)

    def schedule(
        self,
        base: Base,
        collective: Collective = Collective.ALLGATHER,
        root: int | None = None,
    ) -> Schedule:
        """The rows of a collective on `build(base)`. Raises as `costs` does."""
        self.check(base)
        if self.allgather is None:
            raise Unsupported(f"{self.name}: has no schedule of shards for {collective}")
        forth, topology = self.allgather(base), build(base)

        def gather(back: bool) -> Schedule:
            return _rename_to_transpose(forth, topology) if back else forth

        return collective_schedule(topology, collective, gather, root)


def _rename_to_transpose(forth: Schedule, topology: Topology) -> Schedule:
    """An allgather on a two-way graph as one of its transpose."""
    return carry_schedule(
        forth, topology, topology.transpose(), np.arange(topology.n, dtype=np.int32)
    )


BASELINES: Register[Baseline] = Register(
    "baseline", ("topofinder.schedules.baselines.register_all",)
)


def register_baseline(baseline: Baseline) -> Baseline:
    """Enter a baseline in its register and in that of schedule methods; a name is taken once."""
    BASELINES.enter(baseline.name, baseline)
    register_schedule_method(
        ScheduleMethod(
            name=baseline.name,
            description=baseline.title,
            make=partial(_make_by_baseline, baseline),
            place=BASELINES_PLACE,
        )
    )
    return baseline


def _make_by_baseline(baseline: Baseline, task: ScheduleTask) -> MadeSchedule:
    from topofinder.schedules.row_limits import takes_compact_form

    takes_compact_form(task, lambda: f"only bfb has that form, not {baseline.name}")
    if not isinstance(task.recipe, Base):
        raise InvalidInput(f"method: {baseline.name} runs on a base graph, not {task.subject}")
    refuse_chunks(task)
    schedule = baseline.schedule(task.recipe, task.collective, task.root)
    return MadeSchedule(saved=task.label(schedule, baseline.name))


def baseline_named(name: str) -> Baseline:
    """The registered baseline of that name, or InvalidInput with the names close to it."""
    if name in BASELINES:
        return BASELINES[name]
    close = get_close_matches(name, BASELINES, n=3) or sorted(BASELINES)
    raise InvalidInput(f"unknown baseline {excerpt(name)}; did you mean {' or '.join(close)}?")


def baselines_at(n: int, d: int) -> Iterator[tuple[Baseline, Base]]:
    """Every baseline, on every wiring of n hosts with d ports that it runs on."""
    for baseline in BASELINES.values():
        for base in baseline.wirings(n, d):
            yield baseline, base


def require_family(name: str, base: Base, family: str) -> None:
    """Refuse a base graph of another family than the baseline runs on."""
    if base.name != family:
        raise InvalidInput(f"{name}: runs on {family}, not on {base}")
