"""`load` and `save`: every kind of file that topofinder reads and writes, told by what is in it."""

from os import PathLike
from pathlib import Path

from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.model.certificate import Certificate
from topofinder.model.file_register import kind_of_content, recognise_file
from topofinder.model.forest import Forest
from topofinder.model.inventory.document import Inventory
from topofinder.model.inventory.ports import read_port_map
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan
from topofinder.model.program import ProgramSet
from topofinder.model.timetable import Timetable
from topofinder.verification.plan_reader import SavedPlan

PathName = str | PathLike[str]
Loaded = (
    Topology
    | SavedSchedule
    | Forest
    | Timetable
    | ProgramSet
    | Certificate
    | Inventory
    | SavedPlan
    | Wiring
)


def load(file: PathName, *, inventory: PathName | None = None, large: bool = False) -> Loaded:
    """A file's topology, schedule, forest, timetable, certificate, inventory, plan or wiring.

    Files of CPU programs are read too. The suffix tells the kind, or what the file says of itself.
    Plans, and wirings in .csv files, name ports, so that they are read with the `inventory` of
    their fabric. With `large` schedules, forests, timetables and certificates may be above the
    ordinary limits: they take as much time and memory as their makers please. Raises InvalidInput
    for files of another kind, and for those that cannot be read.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = save(Topology.from_arcs(2, [(0, 1), (1, 0)]), f"{folder}/pair.edges")
    ...     load(file).n
    2
    """
    kind = recognise_file(file)
    if kind is not None and kind.names_ports and inventory is None:
        raise InvalidInput(
            f"{file}: {kind.noun} names ports: give the inventory of its fabric, --inventory"
        )
    if inventory is not None and not (kind is not None and kind.names_ports):
        raise InvalidInput(f"inventory: is for plans and wirings, not for {file}")
    if kind is None or kind.read is None:
        raise InvalidInput(f"{file}: is no file that topofinder reads")
    ports = [] if inventory is None else [read_port_map(inventory)]
    found: Loaded = kind.read(file, *ports, **({"large": True} if large and kind.large else {}))
    return found


def save(
    noun: Topology
    | SavedSchedule
    | Forest
    | Timetable
    | ProgramSet
    | Certificate
    | Inventory
    | Plan,
    file: PathName,
) -> Path:
    """Write a noun to a file whose suffix tells the format, whole or not at all; gives its path.

    A plan is written beside its rollback and wiring, as `plan` writes it. Raises InvalidInput for
    other objects, for other suffixes, and where the file cannot be written.
    """
    kind, path = kind_of_content(noun), Path(file)
    if kind is None or kind.write is None:
        raise InvalidInput(f"save: no file holds a {type(noun).__name__}")
    kind.write(noun, path)
    return path
