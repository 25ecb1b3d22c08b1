"""The page of a plan for those who carry it out."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import accumulate
from pathlib import Path

from generators.errors import InvalidInput
from generators.files import write_whole
from reports.work_list import WorkItem, work_list_csv
from reports.work_order import PanelWork, PositionPair, WorkOrder, work_order_html
from topofinder.api.plan_crews import CrewSchedule
from topofinder.model.inventory.cross_connects import fibre_wiring
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan
from topofinder.model.plan_files import move_rows

SUFFIXES = (".html", ".csv")


def require_page(page: Path, inputs: Mapping[str, str | None]) -> None:
    """Refuse a name that pages are not written under, and that of a file that is read."""
    if page.suffix.lower() not in SUFFIXES:
        raise InvalidInput(f"--work-order: {page} ends in none of {', '.join(SUFFIXES)}")
    for option, file in inputs.items():
        if file is not None and page.resolve() == Path(file).resolve():
            raise InvalidInput(f"--work-order: {page} is the file of {option}")


def write_work_order(plan: Plan, page: Path, digest: str, crews: CrewSchedule | None = None) -> str:
    """Write the page, or the list, of a plan with that digest; its name."""
    if page.suffix.lower() == SUFFIXES[0]:
        write_whole(page, work_order_html(work_order(plan, digest, crews)))
    else:
        write_whole(page, work_list_csv(work_items(plan, crews)))
    return str(page)


def work_items(plan: Plan, crews: CrewSchedule | None = None) -> Iterator[WorkItem]:
    """The moves of a plan, with who makes them when, and what is written at their ports."""
    fabric, begin = plan.fabric, Fraction()
    number = {panel.name: place for place, panel in enumerate(fabric.panels)}
    ends = stage_ends(plan) if crews is None else crews.ends
    starts = [begin, *ends]
    for row in move_rows(fabric, plan.stages):
        move, stage, name, action, mode, *names = row
        place, panel = int(stage) - 1, number[name]
        visit = None if crews is None else crews.visits.get((place, panel))
        one, two = (fabric.number[port] for port in names[:2])
        racks = [fabric.racks[fabric.host[port]] for port in (one, two)]
        yield WorkItem(
            crew=None if visit is None else visit.crew,
            stage=place + 1,
            panel=name,
            panel_rack=fabric.panels[panel].rack or "",
            move=int(move),
            action=action,
            mode=mode,
            ports=(names[0], names[1]),
            positions=(names[2], names[3]),
            racks=(racks[0], racks[1]),
            labels=(fabric.labels[one], fabric.labels[two]),
            cables=(fabric.cables[one], fabric.cables[two]),
            length=fabric.circuit_length(one, two),
            starts=starts[place] if visit is None else visit.start,
            ends=ends[place] if visit is None else visit.end,
        )


def stage_ends(plan: Plan) -> tuple[Fraction, ...]:
    """When each stage is done, in seconds from the start."""
    return tuple(accumulate(stage.seconds for stage in plan.stages))


def work_order(plan: Plan, digest: str, crews: CrewSchedule | None = None) -> WorkOrder:
    """The moves of a plan panel by panel, those of a rack together, and when each stage is done."""
    moves: dict[str, list[WorkItem]] = {panel.name: [] for panel in plan.fabric.panels}
    for item in work_items(plan, crews):
        moves[item.panel].append(item)
    before, after = (_joined_positions(plan, wiring) for wiring in (plan.before, plan.after))
    return WorkOrder(
        target=plan.subject,
        digest=digest,
        panels=tuple(
            PanelWork(
                name=panel.name,
                rack=panel.rack or "",
                moves=tuple(moves[panel.name]),
                before=tuple(before.get(panel.name, ())),
                after=tuple(after.get(panel.name, ())),
            )
            for panel in sorted(plan.fabric.panels, key=lambda panel: panel.rack or "")
        ),
        ends=stage_ends(plan) if crews is None else crews.ends,
    )


def _joined_positions(plan: Plan, wiring: Wiring) -> dict[str, list[PositionPair]]:
    """The positions of transmitters and receivers that are joined, by panel."""
    found, fabric = dict[str, list[PositionPair]](), plan.fabric.by_fibre
    for a, b, _ in fibre_wiring(plan.fabric, wiring).circuits(split=True):
        (panel, _, one), (_, _, two) = (fabric.positions[port].rpartition(":") for port in (a, b))
        if not one.endswith("B"):
            found.setdefault(panel, []).append((int(one.rstrip("A")), int(two.rstrip("B"))))
    return found
