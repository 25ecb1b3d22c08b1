"""What a base graph adds to the frontiers, as text for a person and as JSON for a program."""

from collections.abc import Sequence
from dataclasses import dataclass

from expansions.cost import Cost
from reports.text import table


@dataclass(frozen=True, slots=True, kw_only=True)
class ImprovementRow:
    """A frontier point that is built on the base graph, and the costs of the points it beats."""

    n: int
    d: int
    recipe: str
    cost: Cost
    published: tuple[Cost, ...]
    previous: tuple[Cost, ...]


def improvements_text(rows: Sequence[ImprovementRow], links: str, most: int) -> str:
    """A table of the points, or one line where there is none.

    >>> print(improvements_text((), "simplex", 2000))
    Adds no point to any frontier of simplex links up to 2000 nodes.
    """
    if not rows:
        return f"Adds no point to any frontier of {links} links up to {most} nodes."
    columns = ["N", "d", "T_L", "T_B", "beats published", "beats previous", "recipe"]
    return "\n".join(
        [
            f"Frontier points built on it, {links} links, up to {most} nodes"
            " (T_L in alpha, T_B in M/B):",
            "",
            table(columns, [_cells(row) for row in rows]),
        ]
    )


def improvement_fields(row: ImprovementRow) -> dict[str, object]:
    """One point as JSON holds it; fractions are strings."""
    return {
        "n": row.n,
        "d": row.d,
        "recipe": row.recipe,
        **_fields(row.cost),
        "beats_published": list(map(_fields, row.published)),
        "beats_previous": list(map(_fields, row.previous)),
    }


def _cells(row: ImprovementRow) -> list[str]:
    beaten = ["; ".join(map(_pair, costs)) or "-" for costs in (row.published, row.previous)]
    cost = row.cost
    return [str(row.n), str(row.d), str(cost.steps), str(cost.bandwidth), *beaten, row.recipe]


def _pair(cost: Cost) -> str:
    return f"{cost.steps}, {cost.bandwidth}"


def _fields(cost: Cost) -> dict[str, object]:
    return {"steps": cost.steps, "bandwidth": str(cost.bandwidth)}
