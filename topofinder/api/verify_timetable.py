"""What `topofinder verify` finds out about a timetable in a file."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from expansions.collective import Collective
from generators.errors import InvalidInput
from reports.timetable_check import TimetableCheck
from topofinder.api.shared.same_graph import other_damaged_graph
from topofinder.model.host_costs import NO_HOST_COSTS, HostCosts, host_costs_of
from topofinder.model.timetable import MAX_CHUNKS, Timetable, expand_timetable
from topofinder.model.timetable_digest import timetable_digest
from topofinder.progress import work_progress
from topofinder.timetables.bounds import allreduce_time_bound, timetable_bounds
from topofinder.timetables.problem import ChunkProblem
from topofinder.timetables.reverse import reverse_timetable
from topofinder.verification.timetable_bounds import port_bound
from topofinder.verification.timetables import verify_timetable


def check_timetable(
    saved: Timetable, on: str | None = None, hosts: HostCosts = NO_HOST_COSTS
) -> TimetableCheck:
    """Replay a timetable on its own graph, which must be that of its recipe and of `on`.

    A bound of the file must not exceed the time that it takes. Of `hosts` there may be the time
    that a collective takes besides, if the file tells no other. Raises InvalidInput when `on`
    cannot be read, and for other terms of hosts.
    """
    if hosts.lengthens_steps:
        told = "a timetable has its hosts' limits within"
        raise InvalidInput(f"--reduce-rate and --injection: {told}")
    late = host_costs_of(saved.topology, saved.units.rate, hosts).overhead
    graph = saved.topology
    verdict = verify_timetable(saved)
    other = other_damaged_graph(graph, saved.recipe, saved.damage, on)
    violation = other or verdict.violation
    work_progress.tell("bounds")
    copies = 1 if saved.translations is None else graph.n
    return TimetableCheck(
        collective=saved.collective.value,
        recipe=saved.recipe,
        damage=None if saved.recipe is None else saved.damage,
        method=saved.method,
        model=saved.model.value,
        hosts=graph.n - len(graph.switches),
        chunks=saved.chunks * copies,
        chunk_bytes=saved.chunk_bytes,
        sends=saved.sends * copies,
        stored_sends=saved.sends,
        tick=verdict.tick,
        makespan=verdict.makespan,
        bounds=() if violation else tuple((name, time + late) for name, time in bounds(saved)),
        claimed=None if saved.bound is None else saved.bound + late,
        overhead=late,
        digest=timetable_digest(saved),
        violation=violation,
    )


def bounds(timetable: Timetable) -> tuple[tuple[str, Fraction], ...]:
    """The names and seconds of the bounds that are worked out anew for what it carries out.

    That of the ports shares no code with makers; `timetables.bounds` has the others. All follow
    from topology, units and chunks alone.
    """
    found = [("ports", port_bound(timetable))]
    problem = _problem(timetable)
    if problem is None:
        return tuple(found)
    if timetable.collective is Collective.ALLREDUCE:
        return (*found, ("trees", allreduce_time_bound(problem)))
    return (*found, *timetable_bounds(problem).known)


def _problem(timetable: Timetable) -> ChunkProblem | None:
    """What it carries out, sums as what is spread over the transpose; None without chunks to send.

    None as well where translations stand for more chunks than a timetable may have.
    """
    graph = timetable.topology
    copies = 1 if timetable.translations is None else graph.n
    if not 0 < timetable.chunks * copies <= MAX_CHUNKS or graph.n - len(graph.switches) < 2:
        return None
    none, never = np.zeros(0, np.int32), np.zeros(0, np.int64)
    empty = replace(timetable, chunk=none, channel=none, begin=never, reducing=0)
    asked = expand_timetable(empty)
    if timetable.collective in (Collective.REDUCE_SCATTER, Collective.REDUCE):
        asked = reverse_timetable(asked)
    spread = asked.collective
    return ChunkProblem(
        topology=asked.topology,
        collective=Collective.ALLGATHER if spread is Collective.ALLREDUCE else spread,
        origin=asked.origin,
        chunk_bytes=asked.chunk_bytes,
        units=asked.units,
        model=asked.model,
        target=asked.target,
        amount=asked.amount,
        root=asked.root,
    )
