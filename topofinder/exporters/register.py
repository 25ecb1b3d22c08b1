"""The register of exporters: what writes answers in the formats of other programs.

An exporter is entered by `register_exporter`, in the file that implements it. All that writes such
files reads the register: use cases, refusals and the help of the command line.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.open_register import Register

if TYPE_CHECKING:
    from topofinder.lowering.lower import Lowerable
    from topofinder.model.transfers import Transfers


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequest:
    """What exporters of transfers take: a schedule, forest or timetable and what it lowers to.

    `content` is what the file holds, `transfers` its rows as units between ranks. `options` are
    those of the format that were given, by name; what is not in it was left to the exporter.
    """

    content: "Lowerable"
    transfers: "Transfers"
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporter:
    """A file format of another program, with a line that describes it.

    `takes` says what it writes: "routes" (`topofinder.exporters.route_files.Routes`) or
    "transfers" (`ExportRequest`). `suffix` is that of its files, in small letters and with its
    dot, or nothing for a folder of files. `write(answer, path)` writes one of them, whole or not
    at all, and raises InvalidInput for an answer that the format cannot hold.

    Of transfers it gives facts about what it wrote, by name, which the command prints. `options`
    are the words after `--` that it takes, such as "channels": no other format is offered these.
    `place` orders the formats in lists, those of one place by name. `row_bytes` is the memory that
    a row takes until all is written, 0 where that is little: what will not fit is refused.
    """

    name: str
    takes: str
    suffix: str
    description: str
    write: Callable[[Any, str | os.PathLike[str]], Mapping[str, Any] | None]
    options: frozenset[str] = frozenset()
    place: int = 100
    row_bytes: int = 0

    def __post_init__(self) -> None:
        folder = self.takes == "transfers" and not self.suffix
        if not folder and (not self.suffix.startswith(".") or self.suffix != self.suffix.lower()):
            raise InvalidInput(
                f"exporter {self.name}: {excerpt(self.suffix)} is no suffix like .csv"
            )


EXPORTERS: Register[Exporter] = Register(
    "exporter",
    tuple(
        f"topofinder.exporters.{name}"
        for name in ("route_files", "msccl_xml", "mscclpp_plan", "cpu_xml", "chakra", "simgrid")
    ),
    place=lambda exporter: exporter.place,
)


def register_exporter(exporter: Exporter) -> Exporter:
    """Enter an exporter in the register; a name is taken once."""
    return EXPORTERS.enter(exporter.name, exporter)


def exporters_of(takes: str) -> list[Exporter]:
    """The exporters that write one kind of answer, in the order of their places and names.

    >>> [exporter.suffix for exporter in exporters_of("routes")]
    ['.csv', '.json']
    """
    return [exporter for exporter in EXPORTERS.values() if exporter.takes == takes]


def find_exporter(takes: str, path: str | os.PathLike[str]) -> Exporter:
    """The first exporter of a kind of answer that has a file's suffix; InvalidInput for none.

    >>> find_exporter("routes", "a.CSV").name
    'routes-csv'
    """
    suffix = Path(path).suffix.lower()
    known = {exporter.suffix: exporter for exporter in reversed(exporters_of(takes))}
    if suffix not in known:
        suffixes = dict.fromkeys(exporter.suffix for exporter in exporters_of(takes))
        raise InvalidInput(f"{path}: suffix {excerpt(suffix)} is none of {', '.join(suffixes)}")
    return known[suffix]


def named_exporter(takes: str, name: str) -> Exporter:
    """The exporter of a kind of answer that has a name; InvalidInput for none.

    >>> named_exporter("transfers", "msccl").suffix
    '.xml'
    """
    known = {exporter.name: exporter for exporter in exporters_of(takes)}
    if name not in known:
        raise InvalidInput(f"format: {excerpt(name)} is none of {', '.join(known)}")
    return known[name]
