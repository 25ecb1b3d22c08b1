"""What `topofinder verify` finds out about a schedule in a file."""

from expansions.cost import Cost
from expansions.schedule_files import SavedSchedule
from reports.schedule import Checked
from topofinder.same_graph import other_graph
from topofinder.simulate import simulate
from topofinder.verify import verify
from topofinder.workload import Workload


def check(saved: SavedSchedule, on: str | None = None, workload: Workload | None = None) -> Checked:
    """Replay a schedule on its own graph, which must be that of its recipe and of `on`.

    With a workload the times of a valid schedule are simulated. Raises InvalidInput when `on`
    cannot be read.
    """
    graph, schedule = saved.topology, saved.schedule
    violation = other_graph(graph, saved.recipe, on)
    verdict = verify(graph, schedule)
    violation = violation or verdict.violation
    stepped = unsynchronised = None
    if workload is not None and violation is None:
        found = simulate(
            graph,
            schedule,
            alpha=workload.alpha,
            size=workload.sizes[0][0],
            node_bandwidth=workload.bandwidth,
        )
        stepped, unsynchronised = found.stepped, found.unsynchronised
    return Checked(
        recipe=saved.recipe,
        n=graph.n,
        collective=schedule.collective.value,
        root=schedule.root,
        rows=schedule.rows,
        cost=Cost(verdict.steps, verdict.bandwidth),
        redundant=verdict.redundant,
        violation=violation,
        digest=saved.digest,
        stepped=stepped,
        unsynchronised=unsynchronised,
    )
