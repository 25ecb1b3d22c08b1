"""What `topofinder verify` finds out about a schedule, a forest or a certificate in a file."""

from fractions import Fraction

from expansions.compact_schedule import CompactSchedule
from expansions.cost import Cost
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from reports.forest_check import ForestCheck
from reports.schedule import ScheduleCheck
from reports.throughput import Proof
from topofinder.alltoall.demand.patterns import pattern_demand
from topofinder.api.shared.forest_routes import describe_routes
from topofinder.api.shared.forest_times import Transfer, forest_time
from topofinder.api.shared.same_graph import other_damaged_graph, other_graph
from topofinder.api.shared.schedule_times import (
    MAX_EXPANDED,
    row_host_costs,
    row_workload,
    simulated_seconds,
)
from topofinder.api.throughput import MATRIX, UNIFORM
from topofinder.model.certificate import Certificate, demand_digest
from topofinder.model.forest import Forest
from topofinder.model.forest_files import forest_digest
from topofinder.progress import work_progress
from topofinder.simulation.pipeline import Pipeline, pipeline_times
from topofinder.verification.certificates import check_certificate
from topofinder.verification.compact_schedules import verify_compact_schedule
from topofinder.verification.forests import verify_forest
from topofinder.verification.schedules import ScheduleVerdict, verify_schedule

CHUNKS = (1, 16, 256, 4096)
"""Chunks of a forest's shards whose pipeline is simulated."""


def check_schedule(
    saved: SavedSchedule,
    on: str | None = None,
    transfer: Transfer | None = None,
    *,
    most_expanded: int = MAX_EXPANDED,
) -> ScheduleCheck:
    """Replay a schedule on its own graph, which must be that of its recipe and of `on`.

    With a transfer the times of a valid schedule are simulated; that without barriers is None
    for a compact schedule of more than `most_expanded` rows. Raises InvalidInput when `on` cannot
    be read, and for a transfer that does not go with the graph.
    """
    graph, schedule = saved.topology, saved.schedule
    workload = None if transfer is None else row_workload(graph, transfer)
    violation = other_graph(graph, saved.recipe, on)
    verdict = _replay(saved)
    violation = violation or verdict.violation
    stepped = unsynchronised = None
    if workload is not None and violation is None:
        work_progress.tell("times")
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
        with_hosts=workload is not None and row_host_costs(graph, workload).lengthens_steps,
    )


def _replay(saved: SavedSchedule) -> ScheduleVerdict:
    if isinstance(saved.schedule, CompactSchedule):
        return verify_compact_schedule(saved.topology, saved.schedule)
    return verify_schedule(saved.topology, saved.schedule)


def check_forest(
    saved: Forest, on: str | None = None, transfer: Transfer | None = None
) -> ForestCheck:
    """Check the trees, the links, the bound, and the graph against its name and against `on`.

    With a transfer, the time that it takes is worked out too. Raises InvalidInput when `on` cannot
    be read, and for a transfer that does not go with the graph.
    """
    if transfer is not None:
        transfer.require_fit(saved.topology)
    verdict = verify_forest(saved)
    work_progress.tell("pipeline of chunks")
    other = other_damaged_graph(saved.topology, saved.recipe, saved.damage, on)
    violation = other or verdict.violation
    return ForestCheck(
        collective=saved.collective.value,
        recipe=saved.recipe,
        damage=None if saved.recipe is None else saved.damage,
        hosts=saved.topology.n - len(saved.topology.switches),
        total=saved.total,
        k=saved.phases[-1].trees.k,
        time=saved.inverse_rate,
        optimum=saved.optimum,
        at_once=verdict.at_once,
        at_once_bound=verdict.at_once_bound,
        unit_rate=saved.topology.unit_rate,
        digest=forest_digest(saved),
        violation=violation,
        pipeline=() if violation else _pipeline(saved, verdict.at_once),
        routes=None if violation else describe_routes(saved, whole=True),
        duration=None if violation or transfer is None else forest_time(saved, transfer),
    )


def _pipeline(saved: Forest, at_once: Fraction | None) -> tuple[tuple[int, Fraction], ...]:
    """The pipelined time of all phases, relative to the time of the busiest links; of both at once
    where that is less.
    """
    if at_once is not None and at_once < saved.inverse_rate:
        assert saved.gather is not None
        assert saved.spread is not None
        both = Pipeline.from_phases(saved.topology, saved.gather, saved.spread)
        return tuple((count, both.seconds(count) / at_once) for count in CHUNKS)
    times = [pipeline_times(phase.topology, phase.trees, CHUNKS) for phase in saved.phases]
    whole = [sum(parts) / saved.inverse_rate for parts in zip(*times, strict=True)]
    return tuple(zip(CHUNKS, whole, strict=True))


def prove_certificate(certificate: Certificate, on: str | None = None) -> Proof:
    """What a certificate proves, on its own graph, which must be that of its recipe and of `on`.

    The demand must be that of the pattern. Raises InvalidInput when `on` cannot be read.
    """
    violation = other_graph(certificate.topology, certificate.recipe, on)
    violation = violation or other_demand(certificate)
    lower = upper = None
    if violation is None:
        proved = check_certificate(certificate)
        lower, upper, violation = proved.lower, proved.upper, proved.violation
    return Proof(
        recipe=certificate.recipe,
        n=certificate.topology.n,
        demand=certificate.demand_label,
        lower=lower,
        upper=upper,
        violation=violation,
        digest=certificate.digest,
    )


def other_demand(certificate: Certificate) -> str | None:
    """A line when the demand is not that of the certificate's pattern; a matrix may be anything."""
    named, asked = certificate.pattern, certificate.demand
    if (asked is None) != (named == UNIFORM):
        what = "no matrix of its own" if asked is None else "a matrix of its own"
        return f"pattern: the file says {excerpt(named)}, but its demand has {what}"
    if asked is None or named == MATRIX:
        return None
    try:
        known = pattern_demand(named, certificate.topology)
    except InvalidInput as error:
        return str(error).splitlines()[0]
    if demand_digest(known.low, known.high, known.unit) != demand_digest(
        asked.low, asked.high, asked.unit
    ):
        return f"pattern: the file's demand is not that of {named}"
    return None
