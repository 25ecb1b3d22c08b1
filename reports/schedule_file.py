"""What a schedule file says of itself, not replayed, as text and as JSON."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from expansions.cost import Cost
from reports.schedule import rows_text


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleFileRecord:
    """A schedule file: its graph, labels and cost; `loads` of the busiest links, in shards."""

    file: str
    recipe: str | None
    n: int
    d: int
    collective: str
    root: int | None
    method: str | None
    rows: int
    stored_rows: int
    denominator: int
    cost: Cost
    loads: tuple[Fraction, ...]
    digest: str


def schedule_file_text(record: ScheduleFileRecord) -> str:
    """Some lines for a person.

    >>> print(schedule_file_text(ScheduleFileRecord(file="a.npz", recipe="K(2)", n=2, d=1,
    ...     collective="allgather", root=None, method="bfb", rows=2, stored_rows=2,
    ...     denominator=1, cost=Cost(1, Fraction(1, 2)), loads=(Fraction(1),), digest="ab")))
    a.npz: a schedule, not verified here
      allgather on K(2) by bfb, 2 nodes, degree 1
      T_L 1 alpha, T_B 1/2 M/B, 2 rows, pieces of 1/1 shard
      busiest link by step, in shards: 1
      content ab
    """
    root = "" if record.root is None else f", root {record.root}"
    graph = record.recipe or "a graph without a recipe"
    by = "" if record.method is None else f" by {record.method}"
    rows = rows_text(record.rows, record.stored_rows)
    cost = f"T_L {record.cost.steps} alpha, T_B {record.cost.bandwidth} M/B"
    return "\n".join(
        [
            f"{record.file}: a schedule, not verified here",
            f"  {record.collective}{root} on {graph}{by}, {record.n} nodes, degree {record.d}",
            f"  {cost}, {rows}, pieces of 1/{record.denominator} shard",
            f"  busiest link by step, in shards: {' '.join(map(str, record.loads))}",
            f"  content {record.digest}",
        ]
    )


def schedule_file_fields(record: ScheduleFileRecord) -> dict[str, Any]:
    """The same as the fields of a JSON object; fractions are strings."""
    return {
        "file": record.file,
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
        "loads": list(map(str, record.loads)),
        "digest": record.digest,
    }
