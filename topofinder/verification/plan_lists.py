"""The CSV files beside a plan: whoever carries moves reads these, so they must tell the same.

`plan.csv` and `plan.rollback.csv` have the moves of the stages there and back, in their order,
`plan.wiring.csv` the wiring at the end. Columns of other names are not read.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from generators.errors import InvalidInput
from topofinder.model.inventory.cross_connects import read_csv, read_wiring
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Circuit, Stage
from topofinder.verification.plan_reader import SavedPlan, largest_file
from topofinder.verification.plan_wirings import false_value

Row = dict[str, str]
COLUMNS = (
    *("move", "stage", "panel", "action", "mode", "port_a", "port_b"),
    *("position_a", "position_b", "host_a", "host_b"),
)


def plan_file(path: Path) -> Path:
    """The JSON file of a plan that is called by it, or by the list of its moves."""
    return path.with_suffix(".json") if path.suffix.lower() == ".csv" else path


def lists_beside(path: Path) -> tuple[Path, ...]:
    """The lists of moves there and back, and of the circuits at the end, that are there."""
    names = (path.with_suffix(suffix) for suffix in (".csv", ".rollback.csv", ".wiring.csv"))
    return tuple(name for name in names if name.is_file())


def list_difference(plan: SavedPlan, path: Path) -> str | None:
    """A line on the first place at which a list tells something else than the plan."""
    try:
        if path.name.endswith(".wiring.csv"):
            digest = read_wiring(path, plan.fabric).digest
            after = plan.fields.after
            return None if digest == after else f"{path}: {false_value('after', after, digest)}"
        back = path.name.endswith(".rollback.csv")
        stages = plan.rollback if back else plan.stages
        return _row_difference(path, largest_file(plan.fabric), _rows(plan.fabric, stages))
    except InvalidInput as error:
        return str(error)


def _row_difference(path: Path, limit: int, wanted: Iterator[Row]) -> str | None:
    listed = read_csv(path, limit)
    head = [name.lower() for name in next(listed, (0, []))[1]]
    for column in COLUMNS:
        if head.count(column) != 1:
            return f"{path}: {head.count(column)} columns are called {column}, not one"
    for number, fields in listed:
        row = next(wanted, None)
        if row is None:
            return f"{path}, line {number}: a move that the plan has not"
        if line := _field_difference(head, fields, row):
            return f"{path}, line {number}: {line}"
    rest = next(wanted, None)
    return None if rest is None else f"{path}: move {rest['move']} of the plan is not there"


def _field_difference(head: list[str], fields: list[str], row: Row) -> str | None:
    if len(fields) != len(head):
        return f"{len(fields)} fields, where the head has {len(head)}"
    told = dict(zip(head, fields, strict=True))
    wrong = (column for column in COLUMNS if told[column] != row[column])
    return next((false_value(column, row[column], told[column]) for column in wrong), None)


def _rows(fabric: PortMap, stages: Sequence[Stage]) -> Iterator[Row]:
    number = 0
    for count, stage in enumerate(stages, 1):
        steps = [("disconnect", circuit) for circuit in stage.frees]
        steps += [("connect", circuit) for circuit in stage.connects]
        for action, circuit in steps:
            number += 1
            yield {"move": str(number), "stage": str(count), "action": action} | _row(
                fabric, circuit
            )


def _row(fabric: PortMap, circuit: Circuit) -> Row:
    row = {
        "panel": fabric.panels[fabric.panel[circuit.a]].name,
        "mode": "duplex" if circuit.duplex else "simplex",
    }
    for end, port in (("a", circuit.a), ("b", circuit.b)):
        row[f"port_{end}"] = fabric.names[port]
        row[f"position_{end}"] = fabric.positions[port]
        row[f"host_{end}"] = fabric.hosts[fabric.host[port]]
    return row
