"""What an allreduce takes after failures, as columns of a frontier and as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureRow:
    """T_B in M/B after `count` failures of one kind, of which `rated` were rated apart.

    `parted` of them cut hosts off; `worst` and `mean` are of the others, None where there are none.
    No trees take less than `bound` after the worst. Trees are `height` high at most.
    """

    count: int
    rated: int
    worst: Fraction | None
    mean: Fraction | None
    bound: Fraction | None
    parted: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ResilienceRow:
    """T_B of an intact fabric by trees, and after the loss of a link, a host or two links."""

    intact: Fraction
    links: FailureRow
    hosts: FailureRow
    pairs: FailureRow | None


def resilience_columns(found: Sequence[ResilienceRow]) -> dict[str, list[str]]:
    """The worst T_B by what is lost, a column each; `cut` where a loss cuts hosts off."""
    columns = {
        "trees": [f"{float(row.intact):.3f}" for row in found],
        "link lost": [_worst_text(row.links) for row in found],
        "host lost": [_worst_text(row.hosts) for row in found],
    }
    if any(row.pairs is not None for row in found):
        columns["two lost"] = ["" if row.pairs is None else _worst_text(row.pairs) for row in found]
    return columns


def _worst_text(row: FailureRow) -> str:
    return "cut" if row.parted or row.worst is None else f"{float(row.worst):.3f}"


def resilience_fields(row: ResilienceRow) -> dict[str, Any]:
    """The fields of a member; fractions are strings."""
    return {
        "intact": str(row.intact),
        "links": _failure_fields(row.links),
        "hosts": _failure_fields(row.hosts),
        "pairs": None if row.pairs is None else _failure_fields(row.pairs),
    }


def _failure_fields(row: FailureRow) -> dict[str, Any]:
    exact = {"worst": row.worst, "mean": row.mean, "bound": row.bound}
    return {
        "count": row.count,
        "rated": row.rated,
        "parted": row.parted,
        **{name: None if value is None else str(value) for name, value in exact.items()},
        "height": row.height,
    }
