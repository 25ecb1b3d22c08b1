"""The targets among which a plan was chosen, as text and as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from expansions.collective_costs import TwoPhaseAllreduce
from expansions.cost import Cost
from reports.text import table


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRow(TwoPhaseAllreduce):
    """A target: its costs in M/B of a host, and the moves that lead to it.

    The costs are those of its schedule by a `method`, `seconds` those of the workload. `moves` and
    `bound` are None where it was not tried, or no bound is known; so many of its circuits are
    `missing`. The one that is `chosen` is planned.
    """

    name: str
    n: int
    d: int
    allgather: Cost
    reduce_scatter: Cost
    seconds: Fraction
    method: str
    moves: int | None
    bound: int | None
    missing: int
    refused: str | None
    chosen: bool


def targets_text(targets: Sequence[TargetRow]) -> str:
    """A table of the targets, the quickest first."""
    columns = ["moves", "at least", "T_L", "T_B", "time", "method", "", "graph"]
    told = "What was weighed, the quickest first (T_L in alpha, T_B in M/B, of an allreduce):"
    return f"{told}\n\n{table(columns, [_cells(target) for target in targets])}"


def _cells(target: TargetRow) -> list[str]:
    cost = target.allreduce
    lacks = f"{target.missing} missing" if target.missing else ""
    return [
        "" if target.moves is None else str(target.moves),
        "" if target.bound is None else str(target.bound),
        str(cost.steps),
        f"{float(cost.bandwidth):.3f}",
        f"{float(target.seconds) * 1e6:.1f} us",
        target.method,
        "planned" if target.chosen else "impossible" if target.refused else lacks,
        target.name,
    ]


def target_fields(target: TargetRow) -> dict[str, Any]:
    """A target as `plan --json` tells it."""
    return {
        "graph": target.name,
        "n": target.n,
        "d": target.d,
        "steps": target.allgather.steps,
        "bandwidth": str(target.allgather.bandwidth),
        "reduce_scatter": {
            "steps": target.reduce_scatter.steps,
            "bandwidth": str(target.reduce_scatter.bandwidth),
        },
        "seconds": float(target.seconds),
        "method": target.method,
        "moves": target.moves,
        "lower_bound": target.bound,
        "missing": target.missing,
        "refused": target.refused,
        "chosen": target.chosen,
    }
