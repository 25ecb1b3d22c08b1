"""One frontier as text for a person and as JSON for a program."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from db.rows import CandidateRow, FrontierRow
from reports.baselines import BaselineRow, baseline_fields, baselines_text
from reports.text import plain, table
from reports.units import rate_text, size_text, time_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Seconds under a workload: of each frontier member by collective, and of the best choice."""

    collective: str
    alpha: Fraction
    bandwidth: Fraction
    sizes: tuple[tuple[Fraction, int], ...]
    members: tuple[Mapping[str, Fraction], ...]
    best: CandidateRow | None
    best_seconds: Fraction | None


def frontier_text(
    frontier: FrontierRow,
    times: Times | None = None,
    baselines: Sequence[BaselineRow] | None = None,
) -> str:
    """A table of the frontier with the lower bounds, the best choice if times are given, and the
    table of the baselines if they are.
    """
    told = _frontier_text(frontier, times)
    return told if baselines is None else f"{told}\n\n{baselines_text(baselines)}"


def _frontier_text(frontier: FrontierRow, times: Times | None) -> str:
    head = f"N = {frontier.n}, d = {frontier.d}, {frontier.links} links"
    if not frontier.members:
        return f"{head}: no topology is known"
    columns = ["T_L", "T_B", "T_B exact", "RS T_L", "RS T_B", "diameter", "cost", "by", "recipe"]
    rows = [_cells(row) for row in frontier.members]
    bound = [str(frontier.bound_steps), f"{float(frontier.bound_bandwidth):.3f}"]
    rows.append([*bound, str(frontier.bound_bandwidth), *bound, "", "", "", "lower bound"])
    if times is not None:
        for name in ("allgather", "reduce-scatter", "allreduce"):
            columns.insert(-1, name)
            for cells, found in zip(rows, times.members, strict=False):
                cells.insert(-1, time_text(found[name]))
            rows[-1].insert(-1, "")
    lines = [f"{head} (T_L in alpha, T_B in M/B; RS: reduce-scatter)", "", table(columns, rows)]
    return "\n".join(lines + _choice(times))


def _cells(row: CandidateRow) -> list[str]:
    return [
        str(row.steps),
        f"{float(row.bandwidth):.3f}",
        str(row.bandwidth),
        str(row.rs_steps),
        f"{float(row.rs_bandwidth):.3f}",
        "" if row.diameter is None else str(row.diameter),
        "exact" if row.exact else "at most",
        row.method,
        row.recipe,
    ]


def _choice(times: Times | None) -> list[str]:
    if times is None or times.best is None or times.best_seconds is None:
        return []
    what = f"{times.collective} of {_sizes(times)}"
    given = f"alpha {time_text(times.alpha)}, B {rate_text(times.bandwidth)}"
    return [
        "",
        f"Best for {what} at {given}: {plain(times.best.recipe)}, {time_text(times.best_seconds)}",
    ]


def _sizes(times: Times) -> str:
    if len(times.sizes) == 1 and times.sizes[0][1] == 1:
        return size_text(times.sizes[0][0])
    return f"{sum(count for _, count in times.sizes)} collectives in {len(times.sizes)} sizes"


def frontier_json(
    frontier: FrontierRow,
    times: Times | None = None,
    baselines: Sequence[BaselineRow] | None = None,
) -> str:
    """The frontier as a JSON object: fractions are strings, times are seconds, sizes bytes."""
    found: dict[str, Any] = {
        "n": frontier.n,
        "d": frontier.d,
        "links": frontier.links,
        "bound": {"steps": frontier.bound_steps, "bandwidth": str(frontier.bound_bandwidth)},
        "frontier": [candidate_fields(row) for row in frontier.members],
    }
    if times is not None:
        for fields, seconds in zip(found["frontier"], times.members, strict=True):
            fields["seconds"] = {name: float(value) for name, value in seconds.items()}
        found["workload"] = {
            "collective": times.collective,
            "alpha": float(times.alpha),
            "bandwidth": float(times.bandwidth),
            "sizes": [{"size": float(size), "count": count} for size, count in times.sizes],
        }
        found["best"] = times.best and {
            **candidate_fields(times.best),
            "seconds": None if times.best_seconds is None else float(times.best_seconds),
        }
    if baselines is not None:
        found["baselines"] = list(map(baseline_fields, baselines))
    return json.dumps(found, indent=2)


def candidate_fields(row: CandidateRow) -> dict[str, Any]:
    """One candidate as the fields that `--json` promises."""
    return {
        "recipe": row.recipe,
        "steps": row.steps,
        "bandwidth": str(row.bandwidth),
        "reduce_scatter": {"steps": row.rs_steps, "bandwidth": str(row.rs_bandwidth)},
        "diameter": row.diameter,
        "exact": row.exact,
        "method": row.method,
        "bandwidth_optimal": row.bandwidth_optimal,
        "moore_optimal": row.moore_optimal,
        "family": row.family,
    }
