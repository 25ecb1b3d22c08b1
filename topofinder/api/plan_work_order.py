"""The page of a plan for those who carry it out."""

from collections.abc import Mapping
from pathlib import Path

from generators.errors import InvalidInput
from generators.files import write_whole
from reports.work_order import Pair, PanelWork, WorkMove, WorkOrder, work_order_html
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan
from topofinder.model.plan_files import move_rows

SUFFIX = ".html"


def require_page(page: Path, inputs: Mapping[str, str | None]) -> None:
    """Refuse a name that pages are not written under, and that of a file that is read."""
    if page.suffix.lower() != SUFFIX:
        raise InvalidInput(f"--work-order: {page} does not end in {SUFFIX}")
    for option, file in inputs.items():
        if file is not None and page.resolve() == Path(file).resolve():
            raise InvalidInput(f"--work-order: {page} is the file of {option}")


def write_work_order(plan: Plan, page: Path, digest: str) -> str:
    """Write the page of a plan with that digest; its name."""
    write_whole(page, work_order_html(work_order(plan, digest)))
    return str(page)


def work_order(plan: Plan, digest: str) -> WorkOrder:
    """The moves of a plan panel by panel, and when each stage is done."""
    moves: dict[str, list[WorkMove]] = {panel.name: [] for panel in plan.fabric.panels}
    for row in move_rows(plan.fabric, plan.stages):
        number, stage, panel, action, mode, *names = row
        moves[panel].append(
            WorkMove(
                move=int(number),
                stage=int(stage),
                connect=action == "connect",
                mode=mode,
                ports=(names[0], names[1]),
                positions=(names[2], names[3]),
            )
        )
    before, after = (_joined_positions(plan, wiring) for wiring in (plan.before, plan.after))
    seconds = [stage.seconds for stage in plan.stages]
    return WorkOrder(
        target=plan.subject,
        digest=digest,
        panels=tuple(
            PanelWork(
                name=name,
                moves=tuple(listed),
                before=tuple(before.get(name, ())),
                after=tuple(after.get(name, ())),
            )
            for name, listed in moves.items()
        ),
        ends=tuple(sum(seconds[: count + 1], seconds[0] * 0) for count in range(len(seconds))),
    )


def _joined_positions(plan: Plan, wiring: Wiring) -> dict[str, list[Pair]]:
    """The positions of transmitters and receivers that are joined, by panel."""
    fabric, found = plan.fabric, dict[str, list[Pair]]()
    for a, b, _ in wiring.circuits(split=True):
        (panel, _, one), (_, _, two) = (fabric.positions[port].rpartition(":") for port in (a, b))
        found.setdefault(panel, []).append((int(one), int(two)))
    return found
