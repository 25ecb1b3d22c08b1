"""The schedule that `topofinder schedule` is asked for, by the method that is asked for."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from expansions.collective import Collective
from expansions.compact_schedule import CompactSchedule
from expansions.cost import Cost
from expansions.recipe import Base, Recipe
from expansions.schedule import Schedule
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from generators.shown import shown
from generators.topology import IntArray, Topology
from topofinder.api.shared.subjects import Subject, subject_name, subject_of
from topofinder.finder.prediction import choose_candidate
from topofinder.model.candidate import Candidate, Method
from topofinder.model.workload import Workload
from topofinder.schedules.baselines.register import BASELINES, baseline_named
from topofinder.schedules.bfb.schedule import bfb_schedule, chunked_schedule, rounding_bound
from topofinder.schedules.bfb.unequal_links import unequal_schedule
from topofinder.schedules.collectives import (
    Allgathers,
    KnownIsomorphism,
    allgathers_by,
    collective_schedule,
    no_known_isomorphism,
    require_root,
    through_isomorphism,
    transpose_isomorphism,
)
from topofinder.schedules.compact import allgathers_about, bfb_collective_cost, compact_schedule
from topofinder.schedules.compose_recipe import allgathers_of
from topofinder.schedules.row_limits import Obstacle, compact_obstacle, is_compact, needs_one_source

AUTO = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRequest:
    """A collective on `subject`, a recipe or a topology file, by a method.

    `method` is "auto", "bfb", "expansion", "synthesis" or the name of a baseline; `chunks` asks
    for BFB schedules of so many equal chunks a shard; `root` belongs to broadcast and reduce.
    `workload` (alpha, bandwidth, one size) is needed where links are unequal.

    `compact` asks for the rows of node 0 and translations only, or (False) for all rows; None
    means all rows unless they are more than `most_rows`.
    """

    subject: Subject
    collective: Collective = Collective.ALLGATHER
    method: str = AUTO
    chunks: int | None = None
    root: int | None = None
    workload: Workload | None = None
    compact: bool | None = None
    most_rows: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeSchedule:
    """A schedule, the candidate that predicted its cost, and its time for a workload.

    `image` is the isomorphism from the graph to its transpose through which the schedule was
    reversed, None where that was not needed or none is known; `rounding` what theorem 20 lets a
    schedule of whole chunks lose, in units of M/B.
    """

    saved: SavedSchedule
    candidate: Candidate | None = None
    runtime: Fraction | None = None
    image: IntArray | None = None
    rounding: Fraction | None = None


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
    if topology.switches:
        raise InvalidInput("switches: a graph with switches is scheduled by --method forest")
    if topology.capacity is not None or topology.latency is not None:
        return _unequal(request, topology)
    require_root(topology, request.collective, request.root)
    method = _method(request, recipe)
    if method is None and request.method != AUTO:
        _form(request, topology, lambda: f"only bfb has that form, not {request.method}")
        made = MadeSchedule(
            saved=_saved(topology, _by_baseline(request, recipe), recipe, request.method)
        )
    else:
        made = _equal(request, method, recipe, topology, known)
    return replace(made, runtime=_runtime(request.workload, made.saved.cost))


def _equal(
    request: ScheduleRequest,
    method: Method | None,
    recipe: Recipe | None,
    topology: Topology,
    known: KnownIsomorphism,
) -> MadeSchedule:
    """The schedule over equal links, in chunks, by BFB or by the maps of a candidate."""
    candidate, rounding = None, None
    if request.chunks is not None:
        _form(request, topology, lambda: "schedules in whole chunks have no such form")
        label, gather = f"bfb, {request.chunks} chunks", _by_chunks(request, method, topology)
        rounding = _rounding(request, topology)
    else:
        if recipe is not None and method is not Method.BFB:
            candidate = choose_candidate(recipe, request.collective, method)
        if _form(request, topology, lambda: _obstacle(request, candidate, topology)):
            return _translated(request, candidate, topology, recipe)
        if method in (None, Method.BFB) and needs_one_source(topology, request.collective):
            return _about_one_node(request, topology, recipe)
        label, gather = Method.BFB.value, allgathers_by(topology, bfb_schedule)
        if candidate is not None:
            label, gather = candidate.method.value, allgathers_of(candidate)
    image = _image(request, candidate, topology, known)
    gather = through_isomorphism(topology, gather, image)
    made = collective_schedule(topology, request.collective, gather, request.root)
    saved = _saved(topology, made, recipe, label)
    return MadeSchedule(saved=saved, candidate=candidate, image=image, rounding=rounding)


def _form(request: ScheduleRequest, topology: Topology, obstacle: Obstacle) -> bool:
    """Whether the answer is compact; refuses what no file can hold before it is made."""
    return is_compact(
        topology,
        request.collective,
        wish=request.compact,
        most_rows=request.most_rows,
        obstacle=lambda: obstacle() or compact_obstacle(topology, request.collective),
    )


def _obstacle(
    request: ScheduleRequest, candidate: Candidate | None, topology: Topology
) -> str | None:
    """Why a compact schedule, which is by BFB, cannot stand in for that of a candidate."""
    if candidate is None or candidate.method is Method.BFB or request.collective.is_rooted:
        return None
    if request.method != AUTO:
        return f"only bfb has that form, not {candidate.method}"
    if request.compact or topology.translation is None:
        return None
    cost, known = (
        bfb_collective_cost(topology, request.collective),
        candidate.cost(request.collective),
    )
    if cost.steps <= known.steps and cost.bandwidth <= known.bandwidth:
        return None
    return f"only bfb has that form, at T_L {cost.steps} and T_B {cost.bandwidth}; --method bfb"


def _translated(
    request: ScheduleRequest, candidate: Candidate | None, topology: Topology, recipe: Recipe | None
) -> MadeSchedule:
    """A compact schedule by BFB, with the candidate's prediction where that is its cost."""
    made = compact_schedule(topology, request.collective)
    saved = _saved(topology, made, recipe, Method.BFB.value)
    if candidate is not None and candidate.cost(request.collective) != saved.cost:
        candidate = None
    return MadeSchedule(saved=saved, candidate=candidate)


def _about_one_node(
    request: ScheduleRequest, topology: Topology, recipe: Recipe | None
) -> MadeSchedule:
    """A broadcast or reduce by BFB on a graph whose allgather would have too many rows."""
    root = request.root or 0
    made = collective_schedule(topology, request.collective, allgathers_about(topology, root), root)
    return MadeSchedule(saved=_saved(topology, made, recipe, Method.BFB.value))


def _rounding(request: ScheduleRequest, topology: Topology) -> Fraction | None:
    """Theorem 20's bound for the collective: an allreduce rounds twice."""
    if request.collective.is_rooted:
        return None
    once = rounding_bound(topology, request.chunks or 0)
    return 2 * once if request.collective is Collective.ALLREDUCE else once


def _image(
    request: ScheduleRequest,
    candidate: Candidate | None,
    topology: Topology,
    known: KnownIsomorphism,
) -> IntArray | None:
    """The isomorphism to go through, where the transpose is needed and costs no less."""
    if request.collective in (Collective.ALLGATHER, Collective.BROADCAST):
        return None
    if candidate is not None and candidate.allgather != candidate.reduce_scatter:
        return None
    return transpose_isomorphism(topology, known)


def _saved(
    topology: Topology, made: Schedule | CompactSchedule, recipe: Recipe | None, method: str
) -> SavedSchedule:
    name = None if recipe is None else str(recipe)
    return SavedSchedule(topology=topology, schedule=made, recipe=name, method=method)


def _method(request: ScheduleRequest, recipe: Recipe | None) -> Method | None:
    """The method of a candidate that was asked for; None for a baseline, and for auto."""
    if request.method in (AUTO, *BASELINES):
        return None
    if request.method not in set(Method):
        known = ", ".join([AUTO, *Method, *BASELINES])
        raise InvalidInput(f"method: {shown(request.method)} is none of {known}")
    method = Method(request.method)
    if recipe is None and method is not Method.BFB:
        raise InvalidInput(f"method: {method} needs a recipe; a topology file is scheduled by bfb")
    return method


def _by_baseline(request: ScheduleRequest, recipe: Recipe | None) -> Schedule:
    baseline = baseline_named(request.method)
    if not isinstance(recipe, Base):
        raise InvalidInput(
            f"method: {request.method} runs on a base graph, not {subject_name(request.subject)}"
        )
    if request.chunks is not None:
        raise InvalidInput(f"chunks: {request.method} has its own pieces, not {request.chunks}")
    return baseline.schedule(recipe, request.collective, request.root)


def _by_chunks(request: ScheduleRequest, method: Method | None, topology: Topology) -> Allgathers:
    if method not in (None, Method.BFB):
        raise InvalidInput(f"chunks: only BFB schedules are made of chunks, not {method}")
    return allgathers_by(topology, partial(chunked_schedule, chunks=request.chunks or 0))


def _unequal(request: ScheduleRequest, topology: Topology) -> MadeSchedule:
    """BFB over links of unequal bandwidth and latency, which depends on the size of the data."""
    workload = request.workload
    if workload is None:
        raise InvalidInput("unequal links need --alpha, --size and --bandwidth")
    if request.method not in (AUTO, Method.BFB) or request.chunks is not None:
        raise InvalidInput("unequal links are scheduled by bfb, without chunks")
    times: list[Fraction] = []

    def make(graph: Topology) -> Schedule:
        found = unequal_schedule(graph, workload.alpha, workload.sizes[0][0], workload.bandwidth)
        times.append(found.seconds)
        return found.schedule

    gather = allgathers_by(topology, make)
    schedule = collective_schedule(topology, request.collective, gather, request.root)
    saved = SavedSchedule(topology=topology, schedule=schedule, method="bfb, unequal links")
    whole = None if request.collective.is_rooted else sum(times, Fraction())
    return MadeSchedule(saved=saved, runtime=whole)


def _runtime(workload: Workload | None, cost: Cost) -> Fraction | None:
    if workload is None:
        return None
    return cost.runtime(workload.alpha, workload.sizes[0][0], workload.bandwidth)
