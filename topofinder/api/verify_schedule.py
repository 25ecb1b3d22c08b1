"""What `topofinder verify` finds out about a schedule in a file."""

from expansions.compact_schedule import CompactSchedule
from expansions.cost import Cost
from expansions.schedule_files.saved import SavedSchedule
from reports.schedule import ScheduleCheck
from topofinder.api.shared.same_graph import other_graph
from topofinder.api.shared.schedule_times import MAX_EXPANDED, simulated_seconds
from topofinder.model.workload import Workload
from topofinder.verification.compact_schedules import verify_compact_schedule
from topofinder.verification.schedules import ScheduleVerdict, verify_schedule


def check_schedule(
    saved: SavedSchedule,
    on: str | None = None,
    workload: Workload | None = None,
    *,
    most_expanded: int = MAX_EXPANDED,
) -> ScheduleCheck:
    """Replay a schedule on its own graph, which must be that of its recipe and of `on`.

    With a workload the times of a valid schedule are simulated; that without barriers is None
    for a compact schedule of more than `most_expanded` rows. Raises InvalidInput when `on` cannot
    be read.
    """
    graph, schedule = saved.topology, saved.schedule
    violation = other_graph(graph, saved.recipe, on)
    verdict = _verdict(saved)
    violation = violation or verdict.violation
    stepped = unsynchronised = None
    if workload is not None and violation is None:
        stepped, unsynchronised = simulated_seconds(saved, workload, most_rows=most_expanded)
    return ScheduleCheck(
        recipe=saved.recipe,
        n=graph.n,
        collective=schedule.collective.value,
        root=schedule.root,
        rows=schedule.rows,
        stored_rows=saved.stored_rows,
        cost=Cost(verdict.steps, verdict.bandwidth),
        redundant=verdict.redundant,
        violation=violation,
        digest=saved.digest,
        stepped=stepped,
        unsynchronised=unsynchronised,
        with_hosts=workload is not None and workload.hosts.lengthens_steps,
    )


def _verdict(saved: SavedSchedule) -> ScheduleVerdict:
    if isinstance(saved.schedule, CompactSchedule):
        return verify_compact_schedule(saved.topology, saved.schedule)
    return verify_schedule(saved.topology, saved.schedule)
