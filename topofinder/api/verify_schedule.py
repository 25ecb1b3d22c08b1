"""What `topofinder verify` finds out about a schedule in a file."""

from fractions import Fraction
from typing import Any

from expansions.compact_schedule import CompactSchedule
from expansions.cost import Cost
from expansions.schedule_files.saved import SavedSchedule
from reports.schedule import ScheduleCheck
from topofinder.api.shared.same_graph import other_graph
from topofinder.model.workload import Workload
from topofinder.simulation.alpha_beta import compact_step_ends, simulate
from topofinder.verification.compact_schedules import verify_compact_schedule
from topofinder.verification.schedules import ScheduleVerdict, verify_schedule

MAX_EXPANDED = 1 << 22
"""Rows of a compact schedule that are expanded to simulate it without barriers."""


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
        stepped, unsynchronised = _simulated_seconds(saved, workload, most_expanded)
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
    )


def _verdict(saved: SavedSchedule) -> ScheduleVerdict:
    if isinstance(saved.schedule, CompactSchedule):
        return verify_compact_schedule(saved.topology, saved.schedule)
    return verify_schedule(saved.topology, saved.schedule)


def _simulated_seconds(
    saved: SavedSchedule, workload: Workload, most_expanded: int
) -> tuple[Fraction, Fraction | None]:
    """Seconds with a barrier after every step, and without barriers."""
    graph, schedule = saved.topology, saved.schedule
    fabric: dict[str, Any] = {
        "alpha": workload.alpha,
        "size": workload.sizes[0][0],
        "node_bandwidth": workload.bandwidth,
    }
    if isinstance(schedule, CompactSchedule):
        if schedule.rows > most_expanded:
            return compact_step_ends(graph, schedule, **fabric)[-1], None
        schedule = schedule.expand(graph)
    found = simulate(graph, schedule, rows_apart=False, **fabric)
    return found.stepped, found.unsynchronised
