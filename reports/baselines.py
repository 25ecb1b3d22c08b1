"""The customary wirings beside a frontier: what their own schedules cost and take."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from expansions.cost import Cost
from reports.text import table
from reports.units import time_text


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineRow:
    """A baseline on one wiring: the cost of a collective, and the time for a workload.

    A pipelined baseline has a cost for every number of chunks; `cost` is the one that is best
    for the workload, and None where that depends on the size.
    """

    name: str
    recipe: str
    collective: str
    cost: Cost | None
    seconds: Fraction | None


def baselines_text(rows: Sequence[BaselineRow]) -> str:
    """A table, or a line that there is none.

    >>> print(baselines_text([BaselineRow(name="ring", recipe="BiRing(2,4)",
    ...     collective="allreduce", cost=Cost(6, Fraction(3, 2)), seconds=Fraction(1, 10**4))]))
    Baselines, allreduce:
    <BLANKLINE>
    T_L  T_B    T_B exact  time      baseline  recipe
    ---  -----  ---------  --------  --------  -----------
      6  1.500        3/2  100.0 us  ring      BiRing(2,4)
    """
    if not rows:
        return "No baseline has this size and degree."
    columns = ["T_L", "T_B", "T_B exact", "time", "baseline", "recipe"]
    cells = [_cells(row) for row in rows]
    if all(row.seconds is None for row in rows):
        columns.remove("time")
        cells = [[*row[:3], *row[4:]] for row in cells]
    return f"Baselines, {rows[0].collective}:\n\n{table(columns, cells)}"


def baseline_fields(row: BaselineRow) -> dict[str, Any]:
    """One baseline as a JSON object; fractions are strings, times are seconds."""
    return {
        "baseline": row.name,
        "recipe": row.recipe,
        "collective": row.collective,
        "steps": row.cost and row.cost.steps,
        "bandwidth": row.cost and str(row.cost.bandwidth),
        "seconds": None if row.seconds is None else float(row.seconds),
    }


def _cells(row: BaselineRow) -> list[str]:
    cost = row.cost
    known = ["", "", ""]
    if cost is not None:
        known = [str(cost.steps), f"{float(cost.bandwidth):.3f}", str(cost.bandwidth)]
    time = "" if row.seconds is None else time_text(row.seconds)
    return [*known, time, row.name, row.recipe]
