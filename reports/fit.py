"""Constants of the cost model that were fitted to measured times, as text."""

from fractions import Fraction
from typing import Any

from reports.text import table
from reports.units import rate_text, time_text

COLUMNS = ("schedule", "collective", "ranks", "bytes", "T_L", "T_B", "measured", "fitted", "error")


def fit_text(found: dict[str, Any]) -> str:
    """The constants with their errors, and a row for each time that was measured."""
    rate = found["bandwidth"]
    told = "not told by these sizes" if rate is None else rate_text(Fraction(round(rate)))
    constants = f"alpha {_seconds(found['alpha'])}, epsilon {_seconds(found['epsilon'])}, B "
    lines = [
        constants + told,
        f"relative error: mean {found['mean_error']:.1%}, largest {found['largest_error']:.1%}",
        *(f"{name} cannot be told from the others, and is taken as 0" for name in found["fixed"]),
        table(COLUMNS, [_cells(row) for row in found["rows"]]),
    ]  # fmt: skip
    return "\n".join(lines)


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        row["schedule"] or "-",
        row["collective"],
        str(row["ranks"]),
        str(row["bytes"]),
        str(row["steps"]),
        row["bandwidth"],
        _seconds(row["seconds"]),
        _seconds(row["fitted"]),
        f"{row['error']:+.1%}",
    ]


def _seconds(value: float) -> str:
    return time_text(Fraction(value)) if value else "0"
