"""`topofinder export`: a schedule, forest or timetable in the format of another program."""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from expansions.schedule_files.files import read_schedule
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import require_new, require_place
from generators.memory import require_memory
from reports.export import ExportRecord, export_fields, export_text
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.file_kinds import explain_wrong_file
from topofinder.api.shared.workloads import read_seconds
from topofinder.exporters.register import Exporter, ExportRequest, named_exporter
from topofinder.interrupts import end_early, is_ending
from topofinder.lowering.lower import Lowerable, lower
from topofinder.model.file_register import FOREST, SCHEDULE, TIMETABLE, declared_kind
from topofinder.model.forest_files import read_forest
from topofinder.model.timetable_files import read_timetable
from topofinder.progress import work_progress

UNFINISHED = "export: not done"
ONE_WAY = "some links have no link back: acknowledgements of any transport need a path of their own"
"""Said of graphs that are not two-way: TCP, InfiniBand, RoCE and NVLink all acknowledge."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ExportAnswer(Answer):
    """What was written, and what it asks of the program that reads it."""

    record: ExportRecord

    def summary(self) -> dict[str, Any]:
        """The format and the file."""
        return {"format": self.record.format, "output": self.record.output}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `export --json` prints."""
        return export_fields(self.record)

    def __str__(self) -> str:
        return export_text(self.record)


def export(
    subject: str | PathLike[str] | Lowerable,
    output: str | PathLike[str],
    *,
    format: str,
    verified: bool = False,
    force: bool = False,
    large: bool = False,
    time: float | str | None = None,
    **options: Any,
) -> ExportAnswer:
    """Write a schedule, forest or timetable, from a file or as such, in another program's format.

    It is verified first, unless it is said to be `verified`. What is there already is replaced
    with `force` alone; the output, a file or a folder, is written whole or not at all. With `large`
    the file that is read may be above the ordinary limits. `options`
    are those of the format, such as `protocol="LL"`; None is one that was not given.

    After `time`, seconds or a text such as "60s", it is given up: Unsupported, with how far it was.
    Raises InvalidInput for what is not valid, for options that the format does not take, and for
    what it cannot hold.

    >>> from tempfile import TemporaryDirectory
    >>> from topofinder.api.schedule import schedule
    >>> with TemporaryDirectory() as folder:
    ...     export(schedule("K(4)").saved, f"{folder}/a.xml", format="msccl").to_dict()["steps"]
    1
    """
    exporter = named_exporter("transfers", format)
    given = {name: value for name, value in options.items() if value is not None}
    _require_options(exporter, given)
    _require_output(exporter, output, force)
    seconds = None if time is None else read_seconds(time)
    with end_early(), work_progress.time_limit(UNFINISHED, seconds, is_ending):
        work_progress.tell("reading")
        content = (
            read_lowerable(subject, command="export", large=large)
            if isinstance(subject, str | PathLike)
            else subject
        )
        if not verified:
            with work_progress.part("verifying"):
                _require_valid(subject, content)
        work_progress.tell("lowering to what ranks send")
        transfers = lower(content)
        require_memory(
            f"export: {transfers.rows} rows in format {format}", exporter.row_bytes * transfers.rows
        )
        request = ExportRequest(content=content, transfers=transfers, options=given)
        work_progress.tell(f"writing {transfers.ranks:,} programs")
        facts = exporter.write(request, output) or {}
        return ExportAnswer(record=_record(exporter, request, Path(output), facts))


def read_lowerable(file: str | PathLike[str], *, command: str, large: bool) -> Lowerable:
    """The schedule, forest or timetable in a file; `command` is what refuses any other kind."""
    kind = declared_kind(file)
    if kind is FOREST:
        return read_forest(file, large=large)
    if kind is TIMETABLE:
        return read_timetable(file, large=large)
    with explain_wrong_file(command, file, SCHEDULE):
        return read_schedule(Path(file), large=large)


def _require_options(exporter: Exporter, given: Mapping[str, Any]) -> None:
    for name in given:
        if name not in exporter.options:
            word = excerpt(name.replace("_", "-")).strip("'")
            raise InvalidInput(f"{word}: is not for format {exporter.name}")


def _require_output(exporter: Exporter, output: str | PathLike[str], force: bool) -> None:
    """Refuse, before any work, what could not be written or should not be."""
    if exporter.suffix and not fspath(output).lower().endswith(exporter.suffix):
        raise InvalidInput(f"output: {excerpt(fspath(output))} does not end in {exporter.suffix}")
    if not force:
        require_new(output, "output")
    if exporter.suffix:
        require_place(output)


def _require_valid(subject: str | PathLike[str] | Lowerable, content: Lowerable) -> None:
    from topofinder.api.verify import verify

    verdict = verify(content)
    if not verdict.valid:
        name = subject if isinstance(subject, str | PathLike) else "schedule"
        raise InvalidInput(f"{name}: not valid: {verdict.violation}")


def _record(
    exporter: Exporter, request: ExportRequest, output: Path, facts: Mapping[str, Any]
) -> ExportRecord:
    transfers = request.transfers
    parts = [path for path in sorted(output.rglob("*")) if path.is_file()]
    files = [output] if output.is_file() else parts
    return ExportRecord(
        format=exporter.name,
        output=str(output),
        files=len(files),
        size=sum(path.stat().st_size for path in files),
        collective=transfers.collective.value,
        recipe=transfers.recipe,
        ranks=transfers.ranks,
        steps=transfers.steps,
        units=transfers.units,
        digest=transfers.digest,
        facts=tuple(facts.items()),
        remark=None if transfers.two_way else ONE_WAY,
    )
