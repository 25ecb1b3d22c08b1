"""A schedule that was made, and one that was checked, as text and as JSON."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from expansions.cost import Cost
from reports.allreduce_limits import AllreduceLimitRecord, limit_fields, limit_lines
from reports.method_times import MethodTime, method_time_fields, method_time_lines
from reports.units import time_text


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRecord:
    """A schedule: what it runs on, what it costs, how long it took to make, and its file if any.

    `stored_rows` are those in the file: fewer than `rows` in a compact schedule.
    `predicted` is what the theorems say, `exact` whether as an equality; `runtime` is the time
    of the collective for a workload, `seconds` that of making it. `rounding` is what theorem 20
    lets whole chunks lose, in M/B; `through_isomorphism` says that the reversal went
    through an isomorphism from the graph to its transpose. `parts` are those of a pipeline, where
    one was asked for, and `without_pipeline` the time of the schedule without. `methods` are the
    times of all schedule methods, where the quickest was asked for. `limits` are what no allreduce
    can beat, in M/B, where it is one.
    """

    subject: str
    recipe: str | None
    n: int
    d: int
    collective: str
    root: int | None
    method: str
    rows: int
    stored_rows: int
    cost: Cost
    predicted: Cost | None
    exact: bool
    denominator: int
    runtime: Fraction | None
    seconds: float
    digest: str
    file: str | None
    rounding: Fraction | None = None
    through_isomorphism: bool = False
    parts: tuple[int, ...] = ()
    without_pipeline: Fraction | None = None
    methods: tuple[MethodTime, ...] = ()
    limits: AllreduceLimitRecord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleCheck:
    """What an independent replay found; `violation` is None for a valid schedule.

    `stored_rows` are those in the file: fewer than `rows` in a compact schedule. `stepped` and
    `unsynchronised` are simulated times for a workload, with a barrier after each step and
    without; the latter is None where there are too many rows, and where times are `with_hosts`
    that lengthen steps.
    """

    recipe: str | None
    n: int
    collective: str
    root: int | None
    rows: int
    stored_rows: int
    cost: Cost
    redundant: Fraction | None
    violation: str | None
    digest: str
    stepped: Fraction | None = None
    unsynchronised: Fraction | None = None
    with_hosts: bool = False


def schedule_text(record: ScheduleRecord) -> str:
    """A few lines for a person.

    >>> cost = Cost(3, Fraction(1))
    >>> print(schedule_text(ScheduleRecord(subject="L(K(4,4))", recipe="L(K(4,4))", n=32, d=4,
    ...     collective="allgather", root=None, method="bfb", rows=1376, stored_rows=1376, cost=cost,
    ...     predicted=cost, exact=True, denominator=4, runtime=None, seconds=0.1, digest="ab",
    ...     file="a.npz")))
    allgather on L(K(4,4)) by bfb: T_L 3 alpha, T_B 1 M/B, as predicted
    1376 rows, pieces of 1/4 shard, written to a.npz
    """
    what = _collective_text(record.collective, record.root)
    parts = [f"{what} on {record.subject} by {record.method}: "]
    parts.append(_cost(record.cost) + _comparison(record))
    if record.runtime is not None:
        parts.append(f", {time_text(record.runtime)}")
    if record.rounding is not None:
        parts.append(f"\nwhole chunks lose at most {record.rounding} M/B (theorem 20)")
    if record.through_isomorphism:
        parts.append("\nreversed through an isomorphism from the graph to its transpose")
    parts += _pipeline_words(record)
    pieces = f"pieces of 1/{record.denominator} shard"
    rows = rows_text(record.rows, record.stored_rows)
    written = "" if record.file is None else f", written to {record.file}"
    limits = [] if record.limits is None else limit_lines(record.limits, " M/B")
    lines = [
        "".join(parts),
        *limits,
        *method_time_lines(record.methods),
        f"{rows}, {pieces}{written}",
    ]
    return "\n".join(lines)


def _pipeline_words(record: ScheduleRecord) -> list[str]:
    """A line on the pipeline, if one was asked for."""
    if not record.parts:
        return []
    if set(record.parts) == {1}:
        return ["\nas it is: no pipeline of parts takes less"]
    counts = dict.fromkeys(record.parts)
    line = f"\nrun in {' and '.join(map(str, counts))} parts as a pipeline"
    if record.without_pipeline is not None:
        line += f"; {time_text(record.without_pipeline)} without"
    return [line]


def schedule_fields(record: ScheduleRecord) -> dict[str, Any]:
    """The fields that `schedule --json` promises; fractions are strings, times are seconds."""
    found: dict[str, Any] = {
        "recipe": record.recipe,
        "n": record.n,
        "d": record.d,
        "collective": record.collective,
        "root": record.root,
        "method": record.method,
        "rows": record.rows,
        "stored_rows": record.stored_rows,
        "steps": record.cost.steps,
        "bandwidth": str(record.cost.bandwidth),
        "denominator": record.denominator,
        "predicted": None
        if record.predicted is None
        else {**_cost_fields(record.predicted), "exact": record.exact},
        "runtime": _float(record.runtime),
        "seconds": round(record.seconds, 6),
        "rounding_bound": None if record.rounding is None else str(record.rounding),
        "reversed_through_isomorphism": record.through_isomorphism,
        "digest": record.digest,
        "file": record.file,
    }
    if record.parts:
        found["pipeline"] = {
            "parts": list(record.parts),
            "runtime_without": _float(record.without_pipeline),
        }
    if record.limits is not None:
        found["any_allreduce"] = limit_fields(record.limits)
    if record.methods:
        found["methods"] = method_time_fields(record.methods)
    return found


def schedule_check_text(checked: ScheduleCheck) -> str:
    """One line on the schedule, and one on its simulated times.

    >>> print(schedule_check_text(ScheduleCheck(recipe="K(2)", n=2, collective="broadcast",
    ...     root=1, rows=1, stored_rows=1, cost=Cost(1, Fraction(1, 2)), redundant=Fraction(0),
    ...     violation=None, digest="ab")))
    valid: broadcast from node 1 on K(2), 1 rows, T_L 1 alpha, T_B 1/2 M/B
    """
    if checked.violation is not None:
        return f"not valid: {checked.violation}"
    graph = checked.recipe or f"{checked.n} nodes"
    what = f"{_collective_text(checked.collective, checked.root)} on {graph}"
    rows = rows_text(checked.rows, checked.stored_rows)
    line = f"valid: {what}, {rows}, {_cost(checked.cost)}"
    if checked.redundant:
        line += f"; {checked.redundant} shards are sent more than needed"
    if checked.stepped is not None:
        line += f"\nsimulated: {time_text(checked.stepped)} in steps"
        if checked.unsynchronised is None:
            many = "; too many rows to simulate without barriers"
            return line + (", with what hosts add" if checked.with_hosts else many)
        line += f", {time_text(checked.unsynchronised)} without barriers"
    return line


def rows_text(rows: int, stored_rows: int) -> str:
    """How many rows a schedule has, and how many of them a compact file keeps.

    >>> rows_text(320, 20), rows_text(6, 6)
    ('320 rows (the 20 of node 0, translated)', '6 rows')
    """
    if stored_rows == rows:
        return f"{rows} rows"
    return f"{rows} rows (the {stored_rows} of node 0, translated)"


def schedule_check_fields(checked: ScheduleCheck) -> dict[str, Any]:
    """The fields that `verify --json` promises."""
    if checked.violation is not None:
        return {"valid": False, "violation": checked.violation}
    found: dict[str, Any] = {
        "valid": True,
        "collective": checked.collective,
        "root": checked.root,
        "recipe": checked.recipe,
        "n": checked.n,
        "rows": checked.rows,
        "stored_rows": checked.stored_rows,
        **_cost_fields(checked.cost),
        "redundant": None if checked.redundant is None else str(checked.redundant),
        "digest": checked.digest,
    }
    if checked.stepped is not None:
        found["simulated"] = {
            "stepped": _float(checked.stepped),
            "unsynchronised": _float(checked.unsynchronised),
        }
    return found


def _comparison(record: ScheduleRecord) -> str:
    if record.predicted is None:
        return ""
    if record.cost == record.predicted:
        return ", as predicted"
    return f" (predicted: at most {_cost(record.predicted)})"


def _collective_text(collective: str, root: int | None) -> str:
    if root is None:
        return collective
    return f"{collective} {'from' if collective == 'broadcast' else 'to'} node {root}"


def _cost(cost: Cost) -> str:
    return f"T_L {cost.steps} alpha, T_B {cost.bandwidth} M/B"


def _cost_fields(cost: Cost) -> dict[str, Any]:
    return {"steps": cost.steps, "bandwidth": str(cost.bandwidth)}


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
