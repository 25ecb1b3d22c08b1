"""What `topofinder verify` finds out about a forest in a file."""

from fractions import Fraction

from reports.forest_check import ForestCheck
from topofinder.api.shared.forest_routes import describe_routes
from topofinder.api.shared.forest_times import Transfer, forest_time
from topofinder.api.shared.same_graph import other_damaged_graph
from topofinder.model.forest import Forest
from topofinder.model.forest_files import forest_digest
from topofinder.simulation.pipeline import Pipeline, pipeline_times
from topofinder.verification.forests import verify_forest

CHUNKS = (1, 16, 256, 4096)


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
