"""The schedule that `topofinder schedule` is asked for, by the method that is asked for."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from expansions.collective import Collective
from expansions.parser import parse
from expansions.recipe import Recipe
from expansions.schedule_files.saved import SavedSchedule
from expansions.size import size
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.limits import LARGEST_BUILT, MAX_NODES
from generators.memory import memory_text, require_memory
from generators.topology import Topology
from topofinder.api.schedule_pipeline import PipelineParts, pipeline_made
from topofinder.api.shared.forest_times import Transfer
from topofinder.api.shared.schedule_times import row_host_costs, row_workload, simulated_seconds
from topofinder.api.shared.subjects import (
    Subject,
    is_named_fabric,
    is_topology_file,
    subject_name,
    subject_of,
)
from topofinder.finder.prediction import choose_candidate
from topofinder.forests.switch_removal.host_links import host_links
from topofinder.model.candidate import Method
from topofinder.model.host_costs import NO_HOST_COSTS
from topofinder.model.workload import Workload
from topofinder.schedules.collectives import KnownIsomorphism, no_known_isomorphism
from topofinder.schedules.register import AUTO, MadeSchedule, ScheduleTask, answer_task
from topofinder.schedules.row_limits import NODE_BYTES, ROW_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRequest:
    """A collective on `subject`, a recipe or a topology file, by a method.

    `method` is a name in the register of schedule methods; `chunks` asks for BFB schedules of so
    many equal chunks a shard, `loss` for as few as that allows over unequal links; `root` belongs
    to broadcast and reduce. A `transfer` of one size is needed where links are unequal.

    `compact` asks for the rows of node 0 and translations only, or (False) for all rows; None
    means all rows unless they are many, or more than `most_rows`. `pipeline` runs the schedule in
    so many parts, or in as many as are the quickest ("auto"). `seconds` tells what a schedule takes
    where several are made to choose from; unless told, with barriers, and as a pipeline if it is.
    """

    subject: Subject
    collective: Collective = Collective.ALLGATHER
    method: str = AUTO
    chunks: int | None = None
    loss: Fraction | None = None
    root: int | None = None
    transfer: Transfer | None = None
    compact: bool | None = None
    most_rows: int | None = None
    pipeline: PipelineParts | None = None
    seconds: Callable[[SavedSchedule], Fraction] | None = None


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
    recipe, topology = _graph_of(request)
    sent = request.transfer
    workload = None if sent is None else row_workload(topology, sent)
    large = topology.n > LARGEST_BUILT
    task = ScheduleTask(
        topology=topology,
        recipe=recipe,
        subject=subject_name(request.subject),
        method=Method.BFB if large else request.method,
        collective=request.collective,
        root=request.root,
        chunks=request.chunks,
        loss=request.loss,
        workload=workload,
        compact=request.compact,
        most_rows=request.most_rows,
        known=known,
    )
    if recipe is not None and not large:
        task = replace(task, choose=partial(choose_candidate, recipe, request.collective))
    task = replace(task, host_links=host_links)
    if workload is not None:
        task = replace(task, seconds=request.seconds or partial(_seconds, request, workload))
    made = _with_host_costs(answer_task(task), workload)
    if request.pipeline is None:
        return made
    return _in_parts(made, request, workload)


def _with_host_costs(made: MadeSchedule, workload: Workload | None) -> MadeSchedule:
    """The same, with its time where hosts add to it: played with a barrier after every step."""
    if workload is None or not (_hosts_add(made, workload) or made.saved.topology.switches):
        return made
    return replace(made, runtime=simulated_seconds(made.saved, workload)[0])


def _seconds(request: ScheduleRequest, workload: Workload, saved: SavedSchedule) -> Fraction:
    """What a schedule takes, with a barrier after every step or round."""
    made = _with_host_costs(MadeSchedule(saved=saved), workload)
    if request.pipeline is not None:
        made = _in_parts(made, request, workload)
    assert made.runtime is not None, "there is a workload"
    return made.runtime


def _hosts_add(made: MadeSchedule, workload: Workload) -> bool:
    return row_host_costs(made.saved.topology, workload) != NO_HOST_COSTS


def _in_parts(
    made: MadeSchedule, request: ScheduleRequest, workload: Workload | None
) -> MadeSchedule:
    """The same as a pipeline; "auto" leaves it where what hosts add makes parts no quicker."""
    assert request.pipeline is not None, "asked for"
    cut = pipeline_made(made, request.pipeline, workload, request.most_rows)
    if workload is None or not _hosts_add(made, workload):
        return cut
    alone, cut = made.runtime, _with_host_costs(cut, workload)
    assert alone is not None, "there is a workload"
    assert cut.runtime is not None, "there is a workload"
    if request.pipeline == "auto" and cut.runtime >= alone:
        return replace(made, parts=(1,) * len(cut.parts), without_pipeline=alone)
    return replace(cut, without_pipeline=alone)


def _graph_of(request: ScheduleRequest) -> tuple[Recipe | None, Topology]:
    """The graph; above the ordinary limit where a file may keep the rows of node 0 alone."""
    subject = request.subject
    if isinstance(subject, str) and not is_topology_file(subject) and not is_named_fabric(subject):
        subject = parse(subject)
    if not isinstance(subject, Recipe) or (n := size(subject).n) <= LARGEST_BUILT:
        return subject_of(subject)
    if reason := _not_by_one_node(request):
        rows = n * (n - 1)
        raise InvalidInput(
            f"{subject} has {n} nodes, more than the limit of {LARGEST_BUILT}: a schedule has "
            f"{rows} rows or more ({memory_text(ROW_BYTES * rows)} of memory), and {reason}"
        )
    require_memory(f"schedule: the rows of one of {n} nodes", NODE_BYTES * n)
    return subject_of(subject, MAX_NODES)


def _not_by_one_node(request: ScheduleRequest) -> str | None:
    """Why the answer cannot be compact, whatever the graph; None if it may."""
    if request.collective.is_rooted:
        return f"a {request.collective} has no compact form"
    if request.method not in (AUTO, Method.BFB):
        return f"only bfb has the compact form, not {request.method}"
    if request.chunks is not None:
        return "schedules in whole chunks have no compact form"
    if request.compact is False or (request.compact is None and request.most_rows is None):
        return "the compact form, in an .npz file or with --compact, is not asked for"
    return None


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
