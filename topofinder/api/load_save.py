"""`load` and `save`: every kind of file that topofinder reads and writes, told by what is in it."""

from os import PathLike
from pathlib import Path

from expansions.schedule_files.files import read_schedule, write_schedule
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from generators.files import write_whole
from generators.formats import read_topology, write_topology
from generators.topology import Topology
from topofinder.api.shared.file_kinds import (
    CERTIFICATE,
    FOREST,
    INVENTORY,
    PLAN,
    SCHEDULE,
    TABLE,
    TOPOLOGY,
    kind_of,
)
from topofinder.model.certificate import Certificate
from topofinder.model.certificate_files import read_certificate, write_certificate
from topofinder.model.forest import Forest
from topofinder.model.forest_files import read_forest, write_forest
from topofinder.model.inventory.cross_connects import read_wiring
from topofinder.model.inventory.document import Inventory
from topofinder.model.inventory.ports import inventory_text, read_inventory, read_port_map
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan
from topofinder.verification.plan_reader import SavedPlan, read_plan

PathName = str | PathLike[str]
Loaded = Topology | SavedSchedule | Forest | Certificate | Inventory | SavedPlan | Wiring


def load(file: PathName, *, inventory: PathName | None = None) -> Loaded:
    """What a file holds: a topology, schedule, forest, certificate, inventory, plan or wiring.

    The suffix tells the kind, or what the file says of itself. Plans, and wirings in .csv files,
    name ports, so that they are read with the `inventory` of their fabric. Raises InvalidInput for
    files of another kind, and for those that cannot be read.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = save(Topology.from_arcs(2, [(0, 1), (1, 0)]), f"{folder}/pair.edges")
    ...     load(file).n
    2
    """
    kind = kind_of(str(file))
    if kind in (PLAN, TABLE):
        if inventory is None:
            raise InvalidInput(
                f"{file}: {kind.name} names ports: give the inventory= of its fabric"
            )
        fabric = read_port_map(inventory)
        return read_plan(file, fabric) if kind == PLAN else read_wiring(file, fabric)
    if inventory is not None:
        raise InvalidInput(f"inventory: is for plans and wirings, not for {file}")
    if kind == SCHEDULE:
        return read_schedule(Path(file))
    if kind == FOREST:
        return read_forest(file)
    if kind == CERTIFICATE:
        return read_certificate(file)
    if kind == INVENTORY:
        return read_inventory(file)
    if kind == TOPOLOGY:
        return read_topology(file)
    raise InvalidInput(f"{file}: is no file that topofinder reads")


def save(
    noun: Topology | SavedSchedule | Forest | Certificate | Inventory | Plan, file: PathName
) -> Path:
    """Write a noun to a file whose suffix tells the format, whole or not at all; gives its path.

    A plan is written beside its rollback and wiring, as `plan` writes it. Raises InvalidInput for
    other objects, for other suffixes, and where the file cannot be written.
    """
    path = Path(file)
    if isinstance(noun, Topology):
        write_topology(noun, path)
    elif isinstance(noun, SavedSchedule):
        write_schedule(noun, path)
    elif isinstance(noun, Forest):
        write_forest(noun, path)
    elif isinstance(noun, Certificate):
        write_certificate(noun, path)
    elif isinstance(noun, Inventory):
        write_whole(path, inventory_text(noun))
    elif isinstance(noun, Plan):
        from topofinder.api.plan_records import write_plan

        write_plan(noun, path)
    else:
        raise InvalidInput(f"save: no file holds a {type(noun).__name__}")
    return path
