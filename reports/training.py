"""What one iteration of training takes on wirings, as text and as JSON."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from db.training_rows import BOUND, CANDIDATE, TrainingRow
from reports.text import table
from reports.units import rate_text, size_text, time_text

Ends = tuple[Fraction, Fraction]

VISIBLE = Fraction(1, 200)
"""How far the ends of an interval are apart, relatively, where both are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRecord:
    """A model on n hosts with d ports, and the rows of all wirings, the quickest first.

    `estimate` tells what compute times are estimates by, and is None where all are measured.
    `experts` tells how uneven experts' loads are, and is None where they are even. `left_out` are
    wirings that cannot run the model, each with the reason. Of the candidates that were
    `considered` exact bounds `excluded` some; these, and what is no quicker than the frontier, are
    in no row. With `is_partial` others, which the search did not keep, may be quicker;
    `interrupted` says that Ctrl-C came before all were looked at.
    """

    model: str
    parameters: int
    n: int
    d: int
    links: str
    unit: str
    units: Fraction
    microbatches: int
    sharded: bool
    splits: bool
    alpha: Fraction
    bandwidth: Fraction
    estimate: str | None
    rows: tuple[TrainingRow, ...]
    left_out: tuple[tuple[str, str], ...] = field(default=())
    experts: str | None = None
    considered: int = 0
    excluded: int = 0
    is_partial: bool = False
    interrupted: bool = False

    @property
    def best(self) -> TrainingRow:
        """The quickest wiring that there is; the bound is none."""
        return next(row for row in self.rows if row.kind != BOUND)


def training_text(record: TrainingRecord) -> str:
    """What was asked, a table of all wirings, and the best in words.

    Times are the most that is certain; the least stand beside them where they differ visibly.
    """
    best = record.best
    times = ["iteration", "at least"] if _is_wide(record) else ["iteration"]
    columns = [*times, "x best", "compute", *_other_names(record), "bucket", "wiring"]
    lines = [
        *_head_lines(record),
        "",
        table(columns, [_cells(row, best, record) for row in record.rows]),
        "",
        f"best: {best.recipe}, {time_text(best.seconds[1])} an iteration: {share_words(best)}",
    ]
    lines += [_candidates_line(record)]
    lines += [f"left out: {name}: {reason}" for name, reason in record.left_out]
    return "\n".join(lines)


def training_fields(record: TrainingRecord) -> dict[str, Any]:
    """What `train --json` prints: seconds, the least and the most, and bytes."""
    return {
        "model": record.model,
        "parameters": record.parameters,
        "n": record.n,
        "d": record.d,
        "links": record.links,
        "unit": record.unit,
        "units": str(record.units),
        "microbatches": record.microbatches,
        "sharded": record.sharded,
        "split_buckets": record.splits,
        "alpha": float(record.alpha),
        "bandwidth": float(record.bandwidth),
        "estimate": record.estimate,
        "experts": record.experts,
        "best": record.best.recipe,
        "rows": [_row_fields(row) for row in record.rows],
        "left_out": [{"wiring": name, "reason": reason} for name, reason in record.left_out],
        "candidates": {
            "considered": record.considered,
            "excluded": record.excluded,
            "complete": not (record.is_partial or record.interrupted),
        },
    }


def _candidates_line(record: TrainingRecord) -> str:
    """How many took part, and what became of those that are in no row."""
    listed = sum(row.kind == CANDIDATE for row in record.rows)
    slower = record.considered - record.excluded - listed
    told = f"{record.considered} considered, {record.excluded} excluded by bounds"
    told += f", {slower} no quicker than the frontier" if slower > 0 else ""
    if record.interrupted:
        told += "; interrupted"
    return f"candidates: {told}{'; --all considers more' if record.is_partial else ''}"


def _row_fields(row: TrainingRow) -> dict[str, Any]:
    named = {"kind": row.kind, "recipe": row.recipe, "schedule": row.schedule}
    return named | iteration_fields(row)


def iteration_fields(row: TrainingRow) -> dict[str, Any]:
    """The times of a row for programs: seconds, the least and the most, and bytes."""
    return {
        "seconds": _floats(row.seconds),
        "compute": float(row.compute),
        "exposed": _floats(row.exposed),
        "alltoall": _floats(row.exchange),
        "bucket": row.bucket,
        "by_bucket": [{"bucket": size, "seconds": float(most)} for size, most in row.by_bucket],
    }


def _floats(ends: Ends) -> list[float]:
    return [float(end) for end in ends]


def _head_lines(record: TrainingRecord) -> list[str]:
    each = f"{float(record.units):g} {record.unit}s a host"
    turns = f" in {record.microbatches} microbatches" if record.microbatches > 1 else ""
    links = f"{record.d} ports, {record.links}, alpha {time_text(record.alpha)}"
    compute = "compute times are measured"
    if record.estimate is not None:
        compute = f"compute times are estimates: {record.estimate}"
    experts = [] if record.experts is None else [f"loads of experts: {record.experts}"]
    return [
        f"{record.model}: {record.parameters:,} parameters, {each}{turns}",
        f"{record.n} hosts, {links}, {rate_text(record.bandwidth)}",
        compute,
        *experts,
    ]


def _is_wide(record: TrainingRecord) -> bool:
    """Whether an interval is wider than three digits show."""
    return any(row.seconds[1] > row.seconds[0] * (1 + VISIBLE) for row in record.rows)


def _other_names(record: TrainingRecord) -> list[str]:
    return ["gathers" if record.sharded else "allreduce", "all-to-all"]


def _cells(row: TrainingRow, best: TrainingRow, record: TrainingRecord) -> list[str]:
    wiring = f"{row.recipe}  ({row.schedule})" if row.schedule else row.recipe
    least = [time_text(row.seconds[0])] if _is_wide(record) else []
    return [
        time_text(row.seconds[1]),
        *least,
        f"{float(row.seconds[1] / best.seconds[1]):.2f}",
        time_text(row.compute),
        _time(row.exposed[1]),
        _time(row.exchange[1]),
        "-" if row.bucket is None else size_text(Fraction(row.bucket)),
        wiring,
    ]


def _time(seconds: Fraction) -> str:
    return time_text(seconds) if seconds else "0"


def share_words(row: TrainingRow) -> str:
    """What the time of an iteration goes to, in percent."""
    whole = row.seconds[1]
    names = ("compute", f"exposed {sharing_name(row)}", "all-to-all")
    parts = (row.compute, row.exposed[1], row.exchange[1])
    shown = [(part, name) for part, name in zip(parts, names, strict=True) if part]
    return ", ".join(f"{float(part / whole):.0%} {name}" for part, name in shown)


def sharing_name(row: TrainingRow) -> str:
    """How gradients are shared: sharded parameters are gathered, and have no buckets."""
    return "gathers" if row.bucket is None else "allreduce"
