"""A plan that was made: as an answer, as its files, and as the database keeps it."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from os.path import realpath
from pathlib import Path
from typing import Any

from db.plan_rows import MoveRow, PlanRow
from expansions.schedule_files.digest import topology_digest
from generators.errors import InvalidInput
from generators.files import write_whole
from reports.plan import ChoiceRow, PlanSummary, plan_fields
from reports.plan import plan_text as plan_summary_text
from topofinder.api.plan_methods import Planned
from topofinder.api.shared.answer import Answer
from topofinder.model.plan import Plan
from topofinder.model.plan_files import (
    COLUMNS,
    FORMAT,
    PARTS,
    move_rows,
    plan_file_texts,
    plan_text,
)
from topofinder.patching.degraded import Choice, slower
from topofinder.verification.plan_wirings import ClaimedEnd

SUFFIXES = (".csv", ".json")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PlanAnswer(Answer):
    """A plan that was made: `found` holds it, `record` what there is to say of it."""

    found: Planned
    record: PlanSummary

    @property
    def plan(self) -> Plan:
        """The stages, with their rollback."""
        return self.found.plan

    @property
    def moves(self) -> int:
        """Circuits that are made."""
        return self.record.moves

    @property
    def files(self) -> tuple[str, ...]:
        """The files that were written."""
        return self.record.files

    def summary(self) -> dict[str, Any]:
        """The target, its size, the moves and their lower bound."""
        names = ("target", "n", "moves", "lower_bound", "stages")
        return {name: getattr(self.record, name) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `plan --json` prints."""
        return plan_fields(self.record)

    def __str__(self) -> str:
        return plan_summary_text(self.record)


def write_plan(plan: Plan, output: Path) -> tuple[str, ...]:
    """Write the files of a plan beside one another, named after `output` without its suffix.

    Files of an earlier plan of that name go first, so that whoever stops half-way never leaves
    the moves of one plan beside the rollback of another. Raises InvalidInput for another suffix
    than .csv or .json, and where the disk refuses.
    """
    require_suffix(output)
    paths = dict(zip(PARTS, files_of(output), strict=True))
    for path in paths.values():
        if path.is_file():
            path.unlink()
    for suffix, text in plan_file_texts(plan).items():
        write_whole(paths[suffix], text)
    return tuple(map(str, paths.values()))


def files_of(output: Path) -> tuple[Path, ...]:
    """The files that a plan is written to."""
    stem = output.with_suffix("")
    return tuple(stem.with_name(stem.name + suffix) for suffix in PARTS)


def require_output(output: Path, inputs: Mapping[str, Path | str | None]) -> None:
    """Refuse, before anything is searched for, a name that plans are not written under.

    `inputs` are the files that are read, by option: none of them is written over.
    """
    require_suffix(output)
    for option, file in inputs.items():
        for path in files_of(output):
            if file is not None and realpath(path) == realpath(file):
                raise InvalidInput(f"--output: {path} is the file of {option}")
    for suffix, path in zip(PARTS, files_of(output), strict=True):
        if path.is_file() and not _is_of_a_plan(path, suffix):
            raise InvalidInput(f"--output: {path} is there already, and not of an earlier plan")


def _is_of_a_plan(path: Path, suffix: str) -> bool:
    """Whether a file begins as one of a plan does: others of its name may be dear to someone."""
    begins = {".json": f'{{\n"format": "{FORMAT}"', ".wiring.csv": "panel,port_a,port_b,mode\n"}
    text = begins.get(suffix, ",".join(COLUMNS) + "\n").encode()
    try:
        with path.open("rb") as file:
            return file.read(len(text)) == text
    except OSError:
        return False


def require_suffix(output: Path) -> None:
    """Refuse a name without the suffix of a plan."""
    if output.suffix.lower() not in SUFFIXES:
        raise InvalidInput(f"--output: {output} ends in none of {', '.join(SUFFIXES)}")


def plan_digest(plan: Plan) -> str:
    """SHA-256 of the JSON text of a plan."""
    return hashlib.sha256(plan_text(plan).encode("utf-8")).hexdigest()


def summarise_plan(
    found: Planned, output: Path | None, files: tuple[str, ...], digest: str
) -> PlanSummary:
    """What there is to say of a plan, written to files or not."""
    plan = found.plan
    end = ClaimedEnd(plan.fabric, plan.claim)
    return PlanSummary(
        target=plan.subject,
        recipe=plan.recipe,
        n=plan.topology.n,
        d=plan.topology.degree,
        mode="duplex" if plan.duplex else "simplex",
        moves=plan.moves,
        lower_bound=plan.bound.moves,
        bound=plan.bound.name,
        kept=plan.kept,
        disconnects=plan.frees,
        missing=len(plan.missing),
        missing_proved=plan.missing_proved,
        placement_missing=plan.placement_missing,
        placement_moves=plan.placement_moves,
        stages=len(plan.stages),
        dark_stages=plan.dark,
        connected=plan.working.connected,
        working=plan.topology.n - len(plan.working.joining),
        groups=plan.working.groups,
        joining=tuple(plan.fabric.hosts[host] for host in plan.working.joining.tolist()),
        leaving=tuple(plan.fabric.hosts[host] for host in plan.working.leaving.tolist()),
        parts=end.parts(plan.after.to),
        keep_connected=plan.keep_connected,
        estimated=plan.seconds_estimated,
        rollback=sum((stage.seconds for stage in plan.rollback), start=plan.seconds_estimated * 0),
        found=plan.found,
        seed=plan.seed,
        seconds=plan.seconds,
        file=None if output is None else str(output),
        files=files,
        content=digest,
        panels=_panels(plan),
        choices=tuple(_row(found.choices[0], choice) for choice in found.choices),
    )


def _panels(plan: Plan) -> tuple[tuple[str, int, int], ...]:
    counts = [[0, 0] for _ in plan.fabric.panels]
    for stage in plan.stages:
        for kind, circuits in enumerate((stage.connects, stage.frees)):
            for circuit in circuits:
                counts[plan.fabric.panel[circuit.a]][kind] += 1
    rows = zip(plan.fabric.panels, counts, strict=True)
    return tuple((panel.name, made, freed) for panel, (made, freed) in rows)


def _row(intact: Choice, choice: Choice) -> ChoiceRow:
    return ChoiceRow(
        kind=choice.kind,
        name=choice.target.subject,
        n=choice.target.topology.n,
        d=choice.target.topology.degree,
        links=choice.links,
        allgather=choice.allgather,
        reduce_scatter=choice.reduce_scatter,
        rate=choice.rate,
        slower=slower(intact, choice),
    )


def plan_row(plan: Plan, output: Path | None, digest: str) -> PlanRow:
    """The row of the database, with the moves, for a plan written under `output` or not at all."""
    rows = move_rows(plan.fabric, plan.stages)
    return PlanRow(
        content=digest,
        before=plan.before.digest,
        after=plan.after.digest,
        topology=topology_digest(plan.topology),
        path="" if output is None else str(output.resolve()),
        target=plan.subject,
        recipe=plan.recipe,
        mode="duplex" if plan.duplex else "simplex",
        n=plan.topology.n,
        d=plan.topology.degree,
        moves=plan.moves,
        lower_bound=plan.bound.moves,
        bound=plan.bound.name,
        kept=plan.kept,
        disconnects=plan.frees,
        missing=len(plan.missing),
        stages=len(plan.stages),
        dark_stages=len(plan.dark),
        estimated=plan.seconds_estimated,
        found=plan.found,
        seed=plan.seed,
        keep_connected=plan.keep_connected,
        seconds=plan.seconds,
        listed=tuple(_move(row) for row in rows),
    )


def _move(row: tuple[str, ...]) -> MoveRow:
    number, stage, panel, action, mode, port_a, port_b, *_ = row
    return MoveRow(
        move=int(number),
        stage=int(stage),
        panel=panel,
        action=action,
        mode=mode,
        port_a=port_a,
        port_b=port_b,
    )
