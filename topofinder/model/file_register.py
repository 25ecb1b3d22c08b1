"""The register of file kinds: what each is called, how it is recognised, read and written.

A command that is given a file asks here what it is. What comes with topofinder is entered below;
`register_file_kind` enters the kinds of others.
"""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from generators.errors import InvalidInput
from generators.files import open_bounded, read_bounded
from generators.formats.archive import read_header_text
from generators.formats.by_suffix import FORMATS, read_topology, write_topology
from generators.formats.document import MAX_JSON
from generators.formats.fabric_reader import FORMAT as FABRIC
from generators.open_register import Register

SHARED_SUFFIXES = (".npz", ".json")
"""Those that several kinds have: what the file says of itself tells which it is."""
VALUES = "3 · 2^22 values in all arrays of an .npz"
XML = ".xml"
"""One that several kinds have too, told apart by their first element."""
_BEGINNING = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class FileKind:
    """A kind of file: `noun` is what a message calls one, `taken_by` which commands take it.

    It has one of `suffixes`. Of files in SHARED_SUFFIXES it is those whose field `format` is one
    of `formats`, or that are JSON and have one of `fields`, which no other kind has. Of .xml files
    it is those whose first element is one of `elements`.

    `read(path)` gives what a file holds; with `names_ports` it takes the PortMap of the fabric
    too. `write(content, path)` writes an instance of the class `holds`, given by its full name.
    Both raise InvalidInput, and are None for files that are only recognised. `limit` states what
    such a file may hold at most, and `large` what it may hold with `--large`: then `read`, if there
    is one, takes `large=True` too.

    >>> FILE_KINDS["forest"].noun, FILE_KINDS["forest"].holds
    ('a forest file', 'topofinder.model.forest.Forest')
    """

    name: str
    noun: str
    taken_by: str
    suffixes: tuple[str, ...]
    formats: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    elements: tuple[str, ...] = ()
    holds: str | None = None
    read: Callable[..., Any] | None = None
    write: Callable[[Any, Path], Any] | None = None
    names_ports: bool = False
    limit: str = ""
    large: str = ""


FILE_KINDS: Register[FileKind] = Register("file kind")
"""By name."""


def register_file_kind(kind: FileKind) -> FileKind:
    """Enter a kind in the register; a name, a format and a suffix of its own are taken once."""
    for other in FILE_KINDS.specs_entered():
        own = set(kind.suffixes) - {*SHARED_SUFFIXES, XML}
        for taken in (own & set(other.suffixes), set(kind.formats) & set(other.formats)):
            if taken:
                raise InvalidInput(f"file kind {kind.name!r}: {min(taken)} is {other.noun}")
    return FILE_KINDS.enter(kind.name, kind)


def recognise_file(path: str | PathLike[str]) -> FileKind | None:
    """The kind of a file, by its suffix or by what it says; None where neither tells.

    Of a JSON file only the beginning is read, and nothing is parsed: while a refusal is handled,
    what was parsed before it still takes memory.

    >>> recognise_file("ring.edges").noun, recognise_file("K(4)")
    ('a topology file', None)
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".npz":
        return declared_kind(path)
    if suffix == ".json":
        return _kind_by_beginning(path)
    if suffix == XML:
        return _kind_by_element(path)
    return next((kind for kind in FILE_KINDS.values() if suffix in kind.suffixes), None)


def declared_kind(path: str | PathLike[str]) -> FileKind | None:
    """The kind whose format a file says that it has; None too for one that cannot be read."""
    said = declared_format(path)
    return next((kind for kind in FILE_KINDS.values() if said in kind.formats), None)


def kind_of_content(content: object) -> FileKind | None:
    """The kind of file that holds such a thing; None where no kind does.

    >>> from generators.topology import Topology
    >>> kind_of_content(Topology.from_arcs(2, [(0, 1), (1, 0)])).name
    'topology'
    """
    names = {f"{one.__module__}.{one.__qualname__}" for one in type(content).__mro__}
    return next((kind for kind in FILE_KINDS.values() if kind.holds in names), None)


def _kind_by_beginning(path: str | PathLike[str]) -> FileKind | None:
    """The kind by what comes first in a JSON file: a format, or a field that only one has."""
    fields = {text: kind for kind in FILE_KINDS.values() for text in kind.fields}
    formats = {text: kind for kind in FILE_KINDS.values() for text in kind.formats}
    known, own = ("|".join(map(re.escape, texts)) for texts in (formats, fields))
    said = rf'"format"\s*:\s*"(topofinder-[a-z]+|{known})"|"({own})"\s*:'
    try:
        with open_bounded(path) as file:
            found = re.search(said.encode(), file.read(_BEGINNING))
    except InvalidInput:
        return None
    if found is None:
        return None
    return formats.get(found[1].decode()) if found[1] else fields[found[2].decode()]


def _kind_by_element(path: str | PathLike[str]) -> FileKind | None:
    """The kind by the first element of an XML file, which is not parsed."""
    elements = {text: kind for kind in FILE_KINDS.values() for text in kind.elements}
    try:
        with open_bounded(path) as file:
            found = re.search(rb"<([A-Za-z][\w-]*)", file.read(_BEGINNING))
    except InvalidInput:
        return None
    return None if found is None else elements.get(found[1].decode())


def _import_late(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is imported when it is called: most commands read no file."""

    def call(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(module), name)(*arguments, **options)

    return call


TOPOLOGY = register_file_kind(
    FileKind(
        name="topology",
        noun="a topology file",
        taken_by="show, schedule, throughput, inventory, plan --to and verify --on",
        suffixes=tuple(end for known in FORMATS.values() for end in known.suffixes),
        formats=(FABRIC,),
        fields=("nodes",),
        elements=("graphml",),
        holds="generators.topology.Topology",
        read=read_topology,
        write=write_topology,
        limit="2^18 nodes, 3 · 2^19 arcs, 2^15 different capacities and as many latencies",
    )
)
SCHEDULE = register_file_kind(
    FileKind(
        name="schedule",
        noun="a schedule file",
        taken_by="show, verify and export",
        suffixes=SHARED_SUFFIXES,
        formats=("topofinder-schedule",),
        holds="expansions.schedule_files.saved.SavedSchedule",
        read=_import_late("expansions.schedule_files.files", "read_schedule"),
        write=_import_late("expansions.schedule_files.files", "write_schedule"),
        limit=f"{VALUES}, of them 2^18 rows in no order, 2^16 steps; 2^20 rows in JSON",
        large="2^26 rows",
    )
)
FOREST = register_file_kind(
    FileKind(
        name="forest",
        noun="a forest file",
        taken_by="show, verify and export",
        suffixes=SHARED_SUFFIXES,
        formats=("topofinder-forest",),
        holds="topofinder.model.forest.Forest",
        read=_import_late("topofinder.model.forest_files", "read_forest"),
        write=_import_late("topofinder.model.forest_files", "write_forest"),
        limit=f"{VALUES}; 2^20 in an array in JSON",
        large="2^26 in an array",
    )
)
TIMETABLE = register_file_kind(
    FileKind(
        name="timetable",
        noun="a timetable file",
        taken_by="show, verify and export",
        suffixes=SHARED_SUFFIXES,
        formats=("topofinder-timetable",),
        holds="topofinder.model.timetable.Timetable",
        read=_import_late("topofinder.model.timetable_files", "read_timetable"),
        write=_import_late("topofinder.model.timetable_files", "write_timetable"),
        limit=f"{VALUES}, of them 2^18 sends in no order; 2^20 sends in JSON",
        large="2^26 sends",
    )
)
ROUNDS = register_file_kind(
    FileKind(
        name="rounds",
        noun="a timetable in rounds",
        taken_by="verify --large",
        suffixes=SHARED_SUFFIXES,
        formats=("topofinder-rounds",),
        limit="none but with `--large`",
        large="2^42 sends, 2^24 in a block; 2^33 chunks times nodes are replayed",
    )
)
PROGRAMS = register_file_kind(
    FileKind(
        name="programs",
        noun="a file of CPU programs",
        taken_by="run and verify",
        suffixes=(XML,),
        elements=("cpu-programs",),
        holds="topofinder.model.program.ProgramSet",
        read=_import_late("topofinder.model.program_files", "read_programs"),
        write=_import_late("topofinder.model.program_files", "write_programs"),
        limit="48 MiB, 3 · 2^17 elements, 3 · 2^16 parts of messages, 2^12 ranks",
        large="256 MiB, 2^24 elements, 2^20 parts of messages",
    )
)
CERTIFICATE = register_file_kind(
    FileKind(
        name="certificate",
        noun="a throughput certificate",
        taken_by="verify",
        suffixes=SHARED_SUFFIXES,
        formats=("topofinder-throughput",),
        holds="topofinder.model.certificate.Certificate",
        read=_import_late("topofinder.model.certificate_files", "read_certificate"),
        write=_import_late("topofinder.model.certificate_files", "write_certificate"),
        limit=f"{VALUES}; 2^20 in an array in JSON",
        large="2^26 in an array",
    )
)
PLAN = register_file_kind(
    FileKind(
        name="plan",
        noun="a plan",
        taken_by="replay",
        suffixes=(".json",),
        formats=("topofinder-plan",),
        holds="topofinder.model.plan.Plan",
        read=_import_late("topofinder.verification.plan_reader", "read_plan"),
        write=_import_late("topofinder.model.plan_files", "write_plan"),
        names_ports=True,
        limit="32 MiB, less for small fabrics, 165 MB in memory, two stages for each port",
    )
)
INVENTORY = register_file_kind(
    FileKind(
        name="inventory",
        noun="an inventory",
        taken_by="plan, plan-jobs and replay (--inventory)",
        suffixes=(".json",),
        formats=("topofinder-inventory",),
        fields=("panels",),
        holds="topofinder.model.inventory.document.Inventory",
        read=_import_late("topofinder.model.inventory.ports", "read_inventory"),
        write=_import_late("topofinder.model.inventory.ports", "write_inventory"),
        limit="32 MiB, and 48 MB once it is in memory",
    )
)
TABLE = register_file_kind(
    FileKind(
        name="table",
        noun="a table",
        taken_by="plan (--current, --start), replay and throughput (--demand)",
        suffixes=(".csv",),
        read=_import_late("topofinder.model.inventory.cross_connects", "read_wiring"),
        names_ports=True,
        limit="16 MiB, 2^19 lines of 64 KiB; of a demand 16 MiB, 2^20 entries",
    )
)
EXECUTION_PLAN = register_file_kind(
    FileKind(
        name="execution-plan",
        noun="an MSCCL++ execution plan",
        taken_by="verify",
        suffixes=(".json",),
        fields=("gpus",),
        limit="32 MiB, and 90 MB once it is in memory",
    )
)
JOBS = register_file_kind(
    FileKind(
        name="jobs",
        noun="a list of jobs",
        taken_by="plan-jobs",
        suffixes=(".json",),
        fields=("jobs",),
        limit="1 MiB, 1000 jobs",
    )
)
DATABASE = register_file_kind(
    FileKind(
        name="database",
        noun="a database",
        taken_by="search, sweep, query, report, serve, export-db and merge",
        suffixes=(".db",),
        limit="merged: 128 MiB, 2^14 sizes, 2^17 candidates, 2^12 rows of other tables",
        large="any",
    )
)
DRAWING = register_file_kind(
    FileKind(
        name="drawing",
        noun="a file for other programs",
        taken_by="no command",
        suffixes=(".dot", ".gv", ".adj", ".adjlist"),
    )
)


_FORMAT = re.compile(rb'"format"\s*+:\s*+"([a-z-]+)"')
"""Only one object of a file has such a field, and a quote within a text is escaped."""


def declared_format(path: str | os.PathLike[str]) -> str | None:
    """The field `format` of an .npz or .json file; None where there is none to read.

    Nothing else of the file is checked, and nothing parsed: whoever reads it for good says what is
    wrong with it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.json"
    ...     _ = path.write_text('{"format": "topofinder-schedule"}')
    ...     declared_format(path), declared_format(path.with_suffix(".npz"))
    ('topofinder-schedule', None)
    """
    suffix = Path(path).suffix.lower()
    try:
        if suffix == ".npz":
            with open_bounded(path) as file:
                content = read_header_text(file)
        elif suffix == ".json":
            content = read_bounded(path, MAX_JSON)
        else:
            return None
    except InvalidInput:
        return None
    found = _FORMAT.search(content)
    return None if found is None else found[1].decode()
