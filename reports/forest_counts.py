"""What few trees cost before any is packed: as a table and as fields of JSON."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reports.units import time_text


@dataclass(frozen=True, slots=True, kw_only=True)
class CountRow:
    """`k` trees a root take `loss` longer than the optimum, relatively, and `seconds` at least."""

    k: int
    loss: Fraction
    seconds: Fraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestCounts:
    """The rows, of a collective on a fabric whose optimum is 1/x* = `optimum`.

    No forest has fewer than `trees` different trees, or is lower than `height`, if that is known.
    """

    collective: str
    subject: str
    optimum: Fraction
    trees: int
    height: int | None
    rows: tuple[CountRow, ...]


def counts_text(found: ForestCounts) -> str:
    """The table, and what holds for all rows.

    >>> row = CountRow(k=2, loss=Fraction(1, 14), seconds=Fraction(1, 10**5))
    >>> print(counts_text(ForestCounts(collective="allgather", subject="MI250(1)",
    ...     optimum=Fraction(7, 150), trees=16, height=5, rows=(row,))))
    allgather on MI250(1): nothing is packed yet
      1/x* 7/150; 16 different trees at least; height 5 at least
            k   loss %    at least
            2   7.1429     10.0 us
    """
    height = "" if found.height is None else f"; height {found.height} at least"
    timed = any(row.seconds is not None for row in found.rows)
    return "\n".join(
        [
            f"{found.collective} on {found.subject}: nothing is packed yet",
            f"  1/x* {found.optimum}; {found.trees} different trees at least{height}",
            "        k   loss %" + ("    at least" if timed else ""),
            *(
                f"  {row.k:7} {float(100 * row.loss):8.4f}"
                + ("" if row.seconds is None else f"  {time_text(row.seconds):>10}")
                for row in found.rows
            ),
        ]
    )


def counts_fields(found: ForestCounts) -> dict[str, Any]:
    """The same as JSON; fractions are strings."""
    return {
        "collective": found.collective,
        "subject": found.subject,
        "optimum": str(found.optimum),
        "least_trees": found.trees,
        "least_height": found.height,
        "counts": [
            {
                "k": row.k,
                "loss": str(row.loss),
                "seconds": None if row.seconds is None else float(row.seconds),
            }
            for row in found.rows
        ],
    }
