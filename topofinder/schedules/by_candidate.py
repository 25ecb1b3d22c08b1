"""Schedules over a recipe's graph: by BFB, in whole chunks, or by the maps of a candidate.

A candidate is a prediction of what a schedule costs; `auto` takes the best of all kinds, the other
methods that of one kind. A graph without a recipe is scheduled by BFB, or deferred by `auto` where
that takes less.
"""

from fractions import Fraction
from functools import partial

from expansions.collective import Collective, total_size
from expansions.schedule import Schedule
from generators.errors import InvalidInput, Unsupported
from generators.topology import IntArray, Topology
from topofinder.model.candidate import Candidate, Method
from topofinder.schedules.bfb.schedule import bfb_schedule, chunked_schedule, rounding_bound
from topofinder.schedules.bfb.unequal_links import fewest_chunks, unequal_schedule
from topofinder.schedules.collectives import (
    allgathers_by,
    collective_schedule,
    through_isomorphism,
    transpose_isomorphism,
)
from topofinder.schedules.compact import allgathers_about, bfb_collective_cost, compact_schedule
from topofinder.schedules.compose_recipe import allgathers_of
from topofinder.schedules.deferral.least_costs import gains_by_deferral
from topofinder.schedules.deferral.schedule import deferred_schedule
from topofinder.schedules.register import AUTO, MadeSchedule, ScheduleTask
from topofinder.schedules.row_limits import MOST_AT_ONCE, needs_one_source, takes_compact_form


def schedule_by_candidate(task: ScheduleTask, most_at_once: int = MOST_AT_ONCE) -> MadeSchedule:
    """The schedule over equal links, in chunks, by BFB or by the maps of a candidate."""
    if task.chunks is not None:
        return _schedule_in_chunks(task, task.chunks)
    topology, method = task.topology, _kind_of(task)
    has_candidate = task.recipe is not None and method is not Method.BFB
    candidate = task.choose(method) if has_candidate else None
    if candidate is None and method not in (None, Method.BFB):
        raise Unsupported(f"{task.recipe}: has no schedule by {method}")
    if takes_compact_form(task, lambda: _obstacle_to_bfb(task, candidate)):
        return _compact(task, candidate)
    if method in (None, Method.BFB) and needs_one_source(topology, task.collective, most_at_once):
        return _schedule_about_root(task)
    if candidate is None and method is None and gains_by_deferral(topology, task.collective):
        return _schedule_deferred(task)
    label, gather = Method.BFB.value, allgathers_by(topology, bfb_schedule)
    if candidate is not None:
        label, gather = candidate.method.value, allgathers_of(candidate)
    image = _reversing_image(task, candidate)
    gather = through_isomorphism(topology, gather, image)
    schedule = collective_schedule(topology, task.collective, gather, task.root)
    return MadeSchedule(saved=task.label(schedule, label), candidate=candidate, image=image)


def schedule_unequal_links(task: ScheduleTask) -> MadeSchedule:
    """BFB over links of unequal bandwidth and latency, which depends on the size of the data."""
    workload = task.workload
    assert workload is not None, "the register requires one"
    size = total_size(task.collective, workload.sizes[0][0], task.topology.n)
    times: list[Fraction] = []
    fabric = (workload.alpha, size, workload.bandwidth)
    chunks = task.chunks
    if task.loss is not None:
        graphs = (task.topology, task.topology.transpose())
        chunks = max(fewest_chunks(graph, *fabric, task.loss) for graph in graphs)

    def make(graph: Topology) -> Schedule:
        found = unequal_schedule(graph, *fabric, chunks)
        times.append(found.seconds)
        return found.schedule

    gather = allgathers_by(task.topology, make)
    schedule = collective_schedule(task.topology, task.collective, gather, task.root)
    whole = None if task.collective.is_rooted else sum(times, Fraction())
    label = "bfb, unequal links" + ("" if chunks is None else f", {chunks} chunks")
    return MadeSchedule(saved=task.label(schedule, label), runtime=whole)


def _kind_of(task: ScheduleTask) -> Method | None:
    """The kind of candidate that is asked for, None for any."""
    return None if task.method == AUTO else Method(task.method)


def _schedule_in_chunks(task: ScheduleTask, chunks: int) -> MadeSchedule:
    """BFB with every shard in equal chunks."""
    takes_compact_form(task, lambda: "schedules in whole chunks have no such form")
    if (method := _kind_of(task)) not in (None, Method.BFB):
        raise InvalidInput(f"chunks: only BFB schedules are made of chunks, not {method}")
    gather = allgathers_by(task.topology, partial(chunked_schedule, chunks=chunks))
    rounding = _rounding_loss(task, chunks)
    image = _reversing_image(task, None)
    gather = through_isomorphism(task.topology, gather, image)
    schedule = collective_schedule(task.topology, task.collective, gather, task.root)
    saved = task.label(schedule, f"bfb, {chunks} chunks")
    return MadeSchedule(saved=saved, image=image, rounding=rounding)


def _obstacle_to_bfb(task: ScheduleTask, candidate: Candidate | None) -> str | None:
    """Why a compact schedule, which is by BFB, cannot stand in for that of a candidate."""
    if candidate is None or candidate.method is Method.BFB or task.collective.is_rooted:
        return None
    if task.method != AUTO:
        return f"only bfb has that form, not {candidate.method}"
    if task.compact or task.topology.translation is None:
        return None
    cost = bfb_collective_cost(task.topology, task.collective)
    known = candidate.cost(task.collective)
    if cost.steps <= known.steps and cost.bandwidth <= known.bandwidth:
        return None
    return f"only bfb has that form, at T_L {cost.steps} and T_B {cost.bandwidth}; --method bfb"


def _compact(task: ScheduleTask, candidate: Candidate | None) -> MadeSchedule:
    """A compact schedule by BFB, with the candidate's prediction where that is its cost."""
    saved = task.label(compact_schedule(task.topology, task.collective), Method.BFB.value)
    if candidate is not None and candidate.cost(task.collective) != saved.cost:
        candidate = None
    return MadeSchedule(saved=saved, candidate=candidate)


def _schedule_about_root(task: ScheduleTask) -> MadeSchedule:
    """A broadcast or reduce by BFB on a graph whose allgather would have too many rows."""
    root = task.root or 0
    gather = allgathers_about(task.topology, root)
    schedule = collective_schedule(task.topology, task.collective, gather, root)
    return MadeSchedule(saved=task.label(schedule, Method.BFB.value))


def _schedule_deferred(task: ScheduleTask) -> MadeSchedule:
    """The deferred schedule of a graph that nothing else is known of."""
    gather = allgathers_by(task.topology, deferred_schedule)
    schedule = collective_schedule(task.topology, task.collective, gather, task.root)
    return MadeSchedule(saved=task.label(schedule, Method.DEFERRED.value))


def _rounding_loss(task: ScheduleTask, chunks: int) -> Fraction | None:
    """Theorem 20's bound for the collective: an allreduce rounds twice."""
    if task.collective.is_rooted:
        return None
    once = rounding_bound(task.topology, chunks)
    return 2 * once if task.collective is Collective.ALLREDUCE else once


def _reversing_image(task: ScheduleTask, candidate: Candidate | None) -> IntArray | None:
    """The isomorphism to go through, where the transpose is needed and costs no less."""
    if task.collective in (Collective.ALLGATHER, Collective.BROADCAST):
        return None
    if candidate is not None and candidate.allgather != candidate.reduce_scatter:
        return None
    return transpose_isomorphism(task.topology, task.known)
