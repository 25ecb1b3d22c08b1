"""`topofinder search --max-moves`: the quickest wiring that so many moves lead to from this one."""

from dataclasses import dataclass
from os import PathLike
from typing import Any

from generators.errors import InvalidInput
from reports.reached import COLUMNS, ReachedSummary, reached_fields, reached_text
from topofinder.api.plan import plan
from topofinder.api.plan_records import PlanAnswer
from topofinder.api.shared.answer import Answer
from topofinder.model.candidate import LinkMode
from topofinder.model.inventory.ports import read_port_map
from topofinder.model.inventory.switch_state import read_current
from topofinder.model.plan_files import COLUMNS as MOVE_COLUMNS
from topofinder.model.plan_files import move_rows
from topofinder.model.workload import Workload
from topofinder.patching.existing_circuits import wired_topology
from topofinder.patching.planner import eligible_hosts

PathName = str | PathLike[str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ReachedWiring(Answer):
    """The quickest wiring within a number of moves; `found` is the plan that leads there."""

    record: ReachedSummary
    found: PlanAnswer

    def summary(self) -> dict[str, Any]:
        """What is wired, and by how many moves."""
        return {"reached": self.record.chosen.name, "moves": self.record.moves}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `search --max-moves --json` prints."""
        return reached_fields(self.record)

    def __str__(self) -> str:
        return reached_text(self.record)

    def table_rows(self) -> list[dict[str, Any]]:
        """A line for each move."""
        return [dict(zip(COLUMNS, row, strict=True)) for row in self.record.listed]

    def _drawn_noun(self) -> object:
        return self.found.plan


def search_moves(
    n: int,
    inventory: PathName,
    current: PathName,
    max_moves: int,
    links: LinkMode | str | None = None,
    db: PathName | None = None,
    *,
    d: int | None = None,
    workload: Workload | None = None,
    output: PathName | None = None,
    time: float | str = 60.0,
) -> ReachedWiring:
    """The quickest wiring of `n` hosts that is at most `max_moves` moves from the one in place.

    Target and placement are chosen together, as `plan` does: of the frontier and the pool of the
    size, of wirings a few circuits away from the one in `current`, and of that itself. Where `n` is
    not the number of hosts in place, hosts of the `inventory` join or leave. The allreduce of the
    `workload` judges, one of 1 MiB at 10 us and 100 Gbps if none is given. The `links` are those in
    place unless they are told, and `d`, if told, has to be their number at a host. The plan is
    stored in `db`, and written to `output` as that of `plan`.

    Raises InvalidInput for what is wrong with the input, and where no wiring is within the moves.
    """
    in_place, ports, duplex = _wired_size(inventory, current, links)
    if d is not None and d != ports:
        raise InvalidInput(f"--d: hosts in place use {ports} ports, not {d}")
    mode = LinkMode.DUPLEX if duplex else LinkMode.SIMPLEX
    found = plan(
        inventory,
        current,
        output=output,
        max_moves=max_moves,
        grow=n - in_place,
        workload=workload,
        mode=mode,
        time=time,
        db=db,
    )
    told = found.record
    places = [MOVE_COLUMNS.index(name) for name in COLUMNS]
    rows = move_rows(found.plan.fabric, found.plan.stages)
    record = ReachedSummary(
        n=n,
        d=ports,
        links=mode.value,
        max_moves=max_moves,
        targets=told.targets,
        moves=told.moves,
        taken_out=told.disconnects,
        proved=told.lower_bound == told.moves,
        listed=tuple(tuple(row[place] for place in places) for row in rows),
        files=told.files,
    )
    return ReachedWiring(record=record, found=found)


def _wired_size(
    inventory: PathName, current: PathName, links: LinkMode | str | None
) -> tuple[int, int, bool]:
    """The hosts in place, the ports that each uses, and whether circuits are two-way."""
    fabric = read_port_map(inventory)
    wiring = read_current(current, fabric).wiring
    if links not in (None, *LinkMode):
        raise InvalidInput(f"--links: duplex or simplex, not {links}")
    duplex = links == LinkMode.DUPLEX
    if links is None:
        duplex = all(circuit.duplex for circuit in wiring.circuits())
    allowed = eligible_hosts(fabric, None)
    there = wired_topology(fabric, wiring, duplex=duplex, allowed=allowed)
    if there is None:
        raise InvalidInput("--current: no circuits are in place; plan --to makes the first")
    return there.n, there.degree, duplex
