"""What a schedule of rows takes for a size of data, played in a time model."""

from fractions import Fraction
from typing import Any

from expansions.collective import total_size
from expansions.compact_schedule import CompactSchedule
from expansions.schedule_files.saved import SavedSchedule
from generators.topology import Topology
from topofinder.api.shared.forest_times import Transfer
from topofinder.api.shared.workloads import require_times
from topofinder.model.host_costs import HostCosts, host_costs_of
from topofinder.model.time_model import TimeModel
from topofinder.model.workload import Workload, link_rate
from topofinder.simulation.alpha_beta import compact_step_ends, simulate

MAX_EXPANDED = 1 << 22
"""Rows of a compact schedule that are expanded to simulate it without barriers."""


def row_workload(topology: Topology, transfer: Transfer) -> Workload:
    """A transfer by rows over a topology, whose links' own rates and latencies stand for options.

    The egress of a node is that of d links of capacity 1, d being the topology's degree. Raises
    InvalidInput for what neither tells, and for what is told twice.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)], unit_rate=5)
    >>> row_workload(pair, Transfer(size=Fraction(8), alpha=Fraction(1))).bandwidth
    Fraction(5, 1)
    """
    latency = transfer.alpha if topology.unit_latency is None else topology.unit_latency
    require_times(latency, topology.unit_rate or transfer.bandwidth, transfer.size)
    transfer.require_fit(topology)
    assert latency is not None, "required"
    return Workload(
        alpha=latency,
        bandwidth=link_rate(topology, transfer.bandwidth) * max(topology.degree, 1),
        sizes=((transfer.size, 1),),
        hosts=transfer.hosts,
    )


def row_host_costs(topology: Topology, workload: Workload) -> HostCosts:
    """What hosts add, by the workload and by the topology; raises InvalidInput if told twice."""
    rate = workload.bandwidth / max(topology.degree, 1)
    return host_costs_of(topology, rate, workload.hosts)


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
    fabric: dict[str, Any] = {
        "alpha": workload.alpha,
        "size": total_size(schedule.collective, workload.sizes[0][0], graph.n),
        "node_bandwidth": workload.bandwidth,
        "hosts": row_host_costs(graph, workload),
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
