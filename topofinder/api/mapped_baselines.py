"""Customary collectives on the user's own graph: one as a schedule, or all side by side."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from expansions.collective import Collective
from generators.errors import InvalidInput, TopofinderError
from generators.formats.container import container_suffix
from generators.topology import Topology
from reports.mapped_baselines import (
    MappedRow,
    MappedTable,
    mapped_fields,
    mapped_rows,
    mapped_text,
)
from topofinder.api.schedule_forest import ForestRequest, keep_forest
from topofinder.api.shared.allreduce_bounds import limit_record, phase_bound
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.forest_seeds import WeighedForest
from topofinder.api.shared.forest_times import Transfer, forest_time
from topofinder.api.shared.places import check_places
from topofinder.api.shared.subjects import Subject, forest_subject, subject_name
from topofinder.forests.baselines.register import (
    EACH_ROOT,
    MAPPED_PATTERNS,
    keep_at_hosts,
    leads_through_hosts,
    map_baseline,
)
from topofinder.forests.baselines.titles import TITLES
from topofinder.forests.clock import TellLine
from topofinder.model.forest import Forest

if TYPE_CHECKING:
    from topofinder.api.forest_records import ForestAnswer


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MappedBaselines(Answer):
    """What each customary collective takes on one graph, beside what none can beat.

    >>> compare_baselines("DGXA100(2)").table.rows[0].name
    'nccl-ring'
    """

    table: MappedTable

    def summary(self) -> dict[str, Any]:
        """The graph, and which takes least."""
        known = [row for row in self.table.rows if row.time is not None]
        best = min(known, key=lambda row: row.time or Fraction(), default=None)
        return {"subject": self.table.subject, "least": best and best.name}

    def to_dict(self) -> dict[str, Any]:
        """What `show --baselines --json` prints."""
        return mapped_fields(self.table)

    def table_rows(self) -> list[dict[str, Any]]:
        """A line for each."""
        return mapped_rows(self.table)

    def __str__(self) -> str:
        return mapped_text(self.table)


def compare_baselines(
    subject: Subject,
    collective: Collective | str = Collective.ALLREDUCE,
    transfer: Transfer | None = None,
) -> MappedBaselines:
    """Every customary collective on a recipe's graph, a fabric, or one in a file.

    Times are those of the busiest link, or host with a limit, and with a `transfer` those of a size
    of data in the best number of chunks. What a collective cannot do here is told. Raises
    InvalidInput for a graph that is not strongly connected.
    """
    what = Collective(collective)
    if what not in EACH_ROOT:
        raise InvalidInput(f"--collective: {', '.join(EACH_ROOT)}, not {what}")
    recipe, topology = forest_subject(subject)
    if transfer is not None:
        transfer.require_fit(topology)
        topology = transfer.limit_hosts(topology)
    bound = phase_bound(topology, what)
    rows = tuple(_row(name, topology, what, transfer) for name in MAPPED_PATTERNS)
    return MappedBaselines(
        table=MappedTable(
            subject=recipe or subject_name(subject),
            collective=what.value,
            hosts=topology.n - len(topology.switches),
            bound=bound,
            unit_rate=topology.unit_rate,
            size=None if transfer is None else transfer.size,
            rows=rows,
            limits=limit_record(topology, bound) if what is Collective.ALLREDUCE else None,
        )
    )


def _row(
    name: str, topology: Topology, collective: Collective, transfer: Transfer | None
) -> MappedRow:
    try:
        made = map_baseline(name, topology, collective)
    except TopofinderError as error:
        return MappedRow(name=name, title=TITLES[name], reason=_reason(name, error))
    return MappedRow(
        name=name,
        title=TITLES[name],
        time=made.inverse_rate / made.total,
        height=max(int(phase.trees.hop_heights().max(initial=0)) for phase in made.phases),
        seconds=None if transfer is None else _seconds(made, transfer),
        through_hosts=leads_through_hosts(made),
    )


def _reason(name: str, error: TopofinderError) -> str:
    return str(error).splitlines()[0].removeprefix(f"{name}: ")


def _seconds(made: Forest, transfer: Transfer) -> Fraction:
    found = forest_time(made, transfer)
    return found.bare if found.best is None else found.best


def answer_baseline(
    name: str,
    subject: Subject,
    file: Path | None,
    collective: Collective,
    root: int | str | None,
    options: Mapping[str, Any],
    db: str | PathLike[str] | None,
    transfer: Transfer | None,
    tell: TellLine | None,
) -> "ForestAnswer":
    """Make the trees of one, write them, and remember them.

    Where routes lead through hosts, these keep what passes them, and what the routes took is told.
    """
    if file is not None:
        container_suffix(file)
    if root is not None:
        raise InvalidInput(f"--root: {name} carries out {', '.join(EACH_ROOT)}")
    check_places(db, file)
    recipe, topology = forest_subject(subject)
    if transfer is not None:
        transfer.require_fit(topology)
        topology = transfer.limit_hosts(topology)
    begun = perf_counter()
    mapped = replace(map_baseline(name, topology, collective), recipe=recipe)
    passed = leads_through_hosts(mapped)
    made = keep_at_hosts(mapped) if passed else mapped
    request = ForestRequest(subject=subject, collective=collective, transfer=transfer)
    spent = perf_counter() - begun
    found = keep_forest(WeighedForest(forest=made), request, file, db, spent)
    if not passed:
        return found
    return replace(found, record=replace(found.record, passing=mapped.inverse_rate))
