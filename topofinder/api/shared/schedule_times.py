"""What a schedule of rows takes for a size of data, played in a time model."""

from fractions import Fraction
from typing import Any

from expansions.collective import total_size
from expansions.compact_schedule import CompactSchedule
from expansions.schedule_files.saved import SavedSchedule
from topofinder.model.host_costs import host_costs_of
from topofinder.model.time_model import TimeModel
from topofinder.model.workload import Workload
from topofinder.simulation.alpha_beta import compact_step_ends, simulate

MAX_EXPANDED = 1 << 22
"""Rows of a compact schedule that are expanded to simulate it without barriers."""


def simulated_seconds(
    saved: SavedSchedule,
    workload: Workload,
    model: TimeModel = TimeModel.OCCUPIED,
    *,
    most_rows: int = MAX_EXPANDED,
) -> tuple[Fraction, Fraction | None]:
    """Seconds with a barrier after every step, and without barriers.

    The latter is None for a compact schedule of more than `most_rows` rows, and where hosts, by
    the workload or by the topology, lengthen steps.
    """
    graph, schedule = saved.topology, saved.schedule
    rate = workload.bandwidth / max(graph.degree, 1)
    fabric: dict[str, Any] = {
        "alpha": workload.alpha,
        "size": total_size(schedule.collective, workload.sizes[0][0], graph.n),
        "node_bandwidth": workload.bandwidth,
        "hosts": host_costs_of(graph, rate, workload.hosts),
    }
    if isinstance(schedule, CompactSchedule):
        if schedule.rows > most_rows:
            return compact_step_ends(graph, schedule, **fabric)[-1], None
        schedule = schedule.expand(graph)
    found = simulate(graph, schedule, rows_apart=False, model=model, **fabric)
    return found.stepped, found.unsynchronised


def schedule_seconds(saved: SavedSchedule, workload: Workload, model: TimeModel) -> Fraction:
    """The least time that is known: without barriers where that can be played."""
    stepped, unsynchronised = simulated_seconds(saved, workload, model)
    return stepped if unsynchronised is None else min(stepped, unsynchronised)
