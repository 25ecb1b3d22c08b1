"""What a schedule file says of itself, not replayed, as text and as JSON."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from expansions.cost import Cost
from reports.schedule import rows_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
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


def described_text(told: Described) -> str:
    """Some lines for a person.

    >>> print(described_text(Described(file="a.npz", recipe="K(2)", n=2, d=1,
    ...     collective="allgather", root=None, method="bfb", rows=2, stored_rows=2,
    ...     denominator=1, cost=Cost(1, Fraction(1, 2)), loads=(Fraction(1),), digest="ab")))
    a.npz: a schedule, not verified here
      allgather on K(2) by bfb, 2 nodes, degree 1
      T_L 1 alpha, T_B 1/2 M/B, 2 rows, pieces of 1/1 shard
      busiest link by step, in shards: 1
      content ab
    """
    root = "" if told.root is None else f", root {told.root}"
    graph = told.recipe or "a graph without a recipe"
    by = "" if told.method is None else f" by {told.method}"
    rows = rows_text(told.rows, told.stored_rows)
    cost = f"T_L {told.cost.steps} alpha, T_B {told.cost.bandwidth} M/B"
    return "\n".join(
        [
            f"{told.file}: a schedule, not verified here",
            f"  {told.collective}{root} on {graph}{by}, {told.n} nodes, degree {told.d}",
            f"  {cost}, {rows}, pieces of 1/{told.denominator} shard",
            f"  busiest link by step, in shards: {' '.join(map(str, told.loads))}",
            f"  content {told.digest}",
        ]
    )


def described_fields(told: Described) -> dict[str, Any]:
    """The same as the fields of a JSON object; fractions are strings."""
    return {
        "file": told.file,
        "recipe": told.recipe,
        "n": told.n,
        "d": told.d,
        "collective": told.collective,
        "root": told.root,
        "method": told.method,
        "rows": told.rows,
        "stored_rows": told.stored_rows,
        "steps": told.cost.steps,
        "bandwidth": str(told.cost.bandwidth),
        "denominator": told.denominator,
        "loads": list(map(str, told.loads)),
        "digest": told.digest,
    }
