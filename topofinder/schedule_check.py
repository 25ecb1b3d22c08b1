"""What `topofinder verify` finds out about a schedule in a file."""

from dataclasses import replace

from expansions.build import LIMIT, build
from expansions.cost import Cost
from expansions.parser import parse
from expansions.schedule_files import SavedSchedule
from generators.errors import InvalidInput
from generators.topology import Topology
from reports.schedule import Checked
from topofinder.schedule_request import subject_of
from topofinder.simulate import simulate
from topofinder.verify import verify
from topofinder.workload import Workload


def check(saved: SavedSchedule, on: str | None = None, workload: Workload | None = None) -> Checked:
    """Replay a schedule on its own graph, which must be that of its recipe and of `on`.

    With a workload the times of a valid schedule are simulated. Raises InvalidInput when `on`
    cannot be read.
    """
    graph, schedule = saved.topology, saved.schedule
    violation = _other_graph(graph, saved.recipe)
    if violation is None and on is not None:
        violation = _differing(graph, subject_of(on)[1], on)
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


def _other_graph(graph: Topology, recipe: str | None) -> str | None:
    """A line when the graph is not the one that the file's recipe names; too large ones pass."""
    if recipe is None or graph.n > LIMIT:
        return None
    try:
        named = build(parse(recipe))
    except InvalidInput as error:
        return f"the file's recipe {recipe} names no graph: {error}"
    return _differing(graph, named, recipe)


def _differing(graph: Topology, other: Topology, name: str) -> str | None:
    if replace(graph, names=None).same_wiring(replace(other, names=None)):
        return None
    return f"the file's graph is not that of {name}"
