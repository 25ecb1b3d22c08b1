"""The register of schedule methods: ways of making the schedule of a collective on a graph.

A method is entered once, by `register_schedule_method`, in the file that implements it or, where
loading that takes long, in `topofinder.schedules.methods`; every baseline is one. All that knows
methods reads the register: the use case, its refusals and the help of the command line.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from expansions.collective import Collective, total_size
from expansions.compact_schedule import CompactSchedule
from expansions.recipe import Recipe
from expansions.schedule import Schedule
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.open_register import Register
from generators.topology import IntArray, Topology
from topofinder.model.candidate import Candidate, Method
from topofinder.model.host_links import HostLinks
from topofinder.model.workload import Workload
from topofinder.schedules.collectives import (
    KnownIsomorphism,
    no_known_isomorphism,
    require_root,
)

AUTO = "auto"
"""The method that chooses: the predicted candidate of least bandwidth, or BFB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeSchedule:
    """A schedule, the candidate that predicted its cost, and its time for a workload.

    `image` is the isomorphism from the graph to its transpose through which the schedule was
    reversed, None where that was not needed or none is known; `rounding` what theorem 20 lets a
    schedule of whole chunks lose, in units of M/B. `parts` are those of a pipeline, one number for
    each phase, where one was asked for; `without_pipeline` is the time of the schedule without.
    """

    saved: SavedSchedule
    candidate: Candidate | None = None
    runtime: Fraction | None = None
    image: IntArray | None = None
    rounding: Fraction | None = None
    parts: tuple[int, ...] = ()
    without_pipeline: Fraction | None = None


def _choose_none(method: Method | None) -> Candidate | None:
    return None


def _no_host_links(topology: Topology) -> HostLinks:
    raise InvalidInput("switches: a graph with switches is scheduled by --method forest")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleTask:
    """What a method is asked for: a collective on a topology, which a recipe may name.

    `method` is the name that was asked for, `subject` what the user calls the topology. `chunks`
    asks for as many equal chunks a shard, `loss` for as few as take so much longer at most over
    unequal links; `root` is the node of a broadcast or reduce. `workload`
    (alpha, bandwidth, one size) is there where times matter. `compact` asks for the rows of node
    0 and translations only, or (False) for all rows; None means all rows unless they are many or
    more than `most_rows`. `choose` predicts the best candidate of the recipe, by one kind of
    schedule or by any; `known` tells isomorphisms to the transpose that were found before,
    `host_links` the links between hosts that a graph with switches is worth, `seconds` what a
    schedule takes where several are made to choose from.
    """

    topology: Topology
    recipe: Recipe | None = None
    subject: str = ""
    method: str = AUTO
    collective: Collective = Collective.ALLGATHER
    root: int | None = None
    chunks: int | None = None
    loss: Fraction | None = None
    workload: Workload | None = None
    compact: bool | None = None
    most_rows: int | None = None
    choose: Callable[[Method | None], Candidate | None] = _choose_none
    known: KnownIsomorphism = no_known_isomorphism
    host_links: Callable[[Topology], HostLinks] = _no_host_links
    seconds: Callable[[SavedSchedule], Fraction] | None = None

    @property
    def has_unequal_links(self) -> bool:
        """Whether links differ in bandwidth or latency."""
        return self.topology.capacity is not None or self.topology.latency is not None

    def label(self, schedule: Schedule | CompactSchedule, method: str) -> SavedSchedule:
        """A schedule with the topology, the recipe, and the name of the method that made it."""
        recipe = None if self.recipe is None else str(self.recipe)
        return SavedSchedule(
            topology=self.topology, schedule=schedule, recipe=recipe, method=method
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleMethod:
    """A way of making schedules, with a line that describes it.

    `make` answers a task on a direct-connect topology. Tasks with unequal links come to methods
    that take them, those without a recipe to methods that do not need one; one that
    `takes_switches` takes any of them, and tasks with switches go to `through_switches` where a
    method has that. A method whose answers are no schedules of rows, such as forests, has `answer`
    in the place of `make`: it takes the arguments of the use case by name. `options` are those of
    the use case that belong to it alone. `place` orders the names in lists, those of one place by
    name.
    """

    name: str
    description: str
    make: Callable[[ScheduleTask], MadeSchedule] | None = None
    answer: Callable[..., Any] | None = None
    takes_unequal_links: bool = False
    takes_switches: bool = False
    through_switches: Callable[[ScheduleTask], MadeSchedule] | None = None
    needs_recipe: bool = False
    options: frozenset[str] = frozenset()
    place: int = 100


SCHEDULE_METHODS: Register[ScheduleMethod] = Register(
    "schedule method",
    (
        "topofinder.schedules.methods",
        "topofinder.schedules.compose_hosts",
        "topofinder.schedules.baselines.register_all",
    ),
    place=lambda method: method.place,
)


def register_schedule_method(method: ScheduleMethod) -> ScheduleMethod:
    """Enter a method in the register; a name is taken once."""
    return SCHEDULE_METHODS.enter(method.name, method)


def schedule_method_names() -> list[str]:
    """What may be asked for, `auto` first.

    >>> schedule_method_names()[:4]
    ['auto', 'bfb', 'expansion', 'synthesis']
    """
    return list(SCHEDULE_METHODS)


def schedule_method_named(name: str) -> ScheduleMethod:
    """The method of that name. Raises InvalidInput that lists the register if there is none."""
    if name not in SCHEDULE_METHODS:
        known = ", ".join(schedule_method_names())
        raise InvalidInput(f"method: {excerpt(name)} is none of {known}")
    return SCHEDULE_METHODS[name]


def answer_task(task: ScheduleTask) -> MadeSchedule:
    """The schedule that a task asks for, and its time where a workload is given.

    Raises InvalidInput for methods that are unknown and for options that do not go together,
    Unsupported where no method that is implemented applies.

    >>> from generators.families.complete import complete
    >>> answer_task(ScheduleTask(topology=complete(4), method="bfb")).saved.cost
    Cost(steps=1, bandwidth=Fraction(3, 4))
    """
    if task.collective is Collective.ALLTOALL:
        raise InvalidInput("--collective: an all-to-all is scheduled by --method timed")
    method = schedule_method_named(task.method)
    if method.takes_switches:
        return _require_make(method)(task)
    if task.topology.switches and method.through_switches is not None:
        if task.chunks is not None and task.loss is not None:
            raise InvalidInput("--chunks and --loss exclude each other")
        return method.through_switches(task)
    if task.topology.switches:
        raise InvalidInput("switches: a graph with switches is scheduled by --method forest")
    if task.has_unequal_links:
        _require_unequal_links(task, method)
        return _require_make(method)(task)
    if task.loss is not None:
        raise InvalidInput("--loss: links are equal; it is for forests, and for unequal links")
    require_root(task.topology, task.collective, task.root)
    if method.needs_recipe and task.recipe is None:
        raise InvalidInput(
            f"method: {method.name} needs a recipe; a topology file is scheduled by bfb"
        )
    made = _require_make(method)(task)
    return replace(made, runtime=_runtime(task, made))


def refuse_chunks(task: ScheduleTask) -> None:
    """Refuse a number of chunks where a method cuts shards as it needs."""
    if task.chunks is not None:
        raise InvalidInput(f"chunks: {task.method} has its own pieces, not {task.chunks}")


def _require_unequal_links(task: ScheduleTask, method: ScheduleMethod) -> None:
    if task.workload is None:
        raise InvalidInput("unequal links need --alpha, --size and --bandwidth")
    if not method.takes_unequal_links:
        raise InvalidInput("unequal links are scheduled by bfb")
    if task.chunks is not None and task.loss is not None:
        raise InvalidInput("--chunks and --loss exclude each other")


def _require_make(method: ScheduleMethod) -> Callable[[ScheduleTask], MadeSchedule]:
    if method.make is None:
        raise InvalidInput(f"method: {method.name} makes no schedule of rows")
    return method.make


def _runtime(task: ScheduleTask, made: MadeSchedule) -> Fraction | None:
    workload = task.workload
    if workload is None:
        return None
    size = total_size(task.collective, workload.sizes[0][0], task.topology.n)
    return made.saved.cost.runtime(workload.alpha, size, workload.bandwidth)
