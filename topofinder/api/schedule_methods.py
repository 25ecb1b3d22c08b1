"""The schedule that `topofinder schedule` is asked for, by the method that is asked for."""

from dataclasses import dataclass, replace
from functools import partial

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.api.schedule_pipeline import PipelineParts, pipeline_made
from topofinder.api.shared.subjects import Subject, subject_name, subject_of
from topofinder.finder.prediction import choose_candidate
from topofinder.model.workload import Workload
from topofinder.schedules.collectives import KnownIsomorphism, no_known_isomorphism
from topofinder.schedules.register import AUTO, MadeSchedule, ScheduleTask, answer_task


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRequest:
    """A collective on `subject`, a recipe or a topology file, by a method.

    `method` is a name in the register of schedule methods; `chunks` asks for BFB schedules of so
    many equal chunks a shard; `root` belongs to broadcast and reduce. `workload` (alpha, bandwidth,
    one size) is needed where links are unequal.

    `compact` asks for the rows of node 0 and translations only, or (False) for all rows; None
    means all rows unless they are many, or more than `most_rows`. `pipeline` runs the schedule in
    so many parts, or in as many as are the quickest ("auto").
    """

    subject: Subject
    collective: Collective = Collective.ALLGATHER
    method: str = AUTO
    chunks: int | None = None
    root: int | None = None
    workload: Workload | None = None
    compact: bool | None = None
    most_rows: int | None = None
    pipeline: PipelineParts | None = None


def make_schedule(
    request: ScheduleRequest, known: KnownIsomorphism = no_known_isomorphism
) -> MadeSchedule:
    """The schedule that was asked for; `known` tells isomorphisms that were found before.

    Raises InvalidInput for subjects and methods that cannot be read and for options that do not
    go together, Unsupported where no method that is implemented applies.

    >>> request = ScheduleRequest(subject="L(K(4,4))", collective=Collective.BROADCAST, root=3)
    >>> found = make_schedule(request)
    >>> found.saved.method, found.saved.schedule.steps
    ('bfb', 3)
    """
    recipe, topology = subject_of(request.subject)
    task = ScheduleTask(
        topology=topology,
        recipe=recipe,
        subject=subject_name(request.subject),
        method=request.method,
        collective=request.collective,
        root=request.root,
        chunks=request.chunks,
        workload=request.workload,
        compact=request.compact,
        most_rows=request.most_rows,
        known=known,
    )
    if recipe is not None:
        task = replace(task, choose=partial(choose_candidate, recipe, request.collective))
    made = answer_task(task)
    if request.pipeline is None:
        return made
    return pipeline_made(made, request.pipeline, request.workload, request.most_rows)


def read_root_number(root: int | str | None) -> int | None:
    """The number of a root, where nodes have no names. Raises InvalidInput for other texts.

    >>> read_root_number("12")
    12
    """
    if root is None or isinstance(root, int):
        return root
    if not (root.isascii() and root.removeprefix("-").isdigit() and len(root) < 12):
        raise InvalidInput(f"--root: the number of a node is needed, not {excerpt(root)}")
    return int(root)
