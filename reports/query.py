"""A query's answer as a table for people, and as JSON, CSV and Markdown for programs and pages."""

import csv
import io
import json
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from expansions.degree_diameter import bandwidth_source
from expansions.lower_bounds import least_bandwidth
from reports.bounds import DUPLEX, steps_source
from reports.frontier import rate_fields
from reports.query_columns import QueryColumn, column, stored_fields
from reports.query_row import FoundCandidate
from reports.resilience import resilience_fields
from reports.text import column_table, plain
from reports.training import iteration_fields

STANDARD = (
    *("n", "d", "links", "steps", "bandwidth", "bandwidth_exact", "rs_steps", "rs_bandwidth"),
    *("bandwidth_ratio", "diameter", "cost"),
)
"""Columns that are shown where none are chosen, before those of the workload."""

LAST = ("method", "id", "recipe")


def shown_columns(
    *,
    times: bool,
    rates: bool,
    exchanges: bool,
    trained: bool = False,
    failures: bool = False,
    named: bool = False,
) -> list[QueryColumn]:
    """The columns that are shown where none are chosen.

    >>> [each.name for each in shown_columns(times=True, rates=False, exchanges=False)][-4:]
    ['time', 'method', 'id', 'recipe']
    """
    names = [*STANDARD, *(["time"] if times else [])]
    names += ["alltoall_lower", "alltoall_upper"] if rates or exchanges else []
    names += ["alltoall_least", "alltoall_most"] if exchanges else []
    names += ["iteration", "compute", "exposed", "exchanged", "training"] if trained else []
    names += ["trees", "link_lost", "host_lost"] if failures else []
    names += ["name"] if named else []
    return [column(name) for name in (*names, *LAST)]


def query_text(found: Sequence[FoundCandidate], columns: Sequence[QueryColumn]) -> str:
    """A table with a unit under every name; recipes come last, since they may be long."""
    stored = stored_fields(found)
    cells = [each.texts(found, stored) for each in columns]
    return column_table([each.name for each in columns], cells, [each.unit for each in columns])


def query_markdown(found: Sequence[FoundCandidate], columns: Sequence[QueryColumn]) -> str:
    """A Markdown table; what could end a cell or begin markup stands behind a backslash."""
    lines: list[Sequence[str]] = [[each.head for each in columns], ["---"] * len(columns)]
    stored = stored_fields(found)
    lines += zip(*(map(_cell, each.texts(found, stored)) for each in columns), strict=True)
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(text: str) -> str:
    return plain(text).translate(_ESCAPED)


_ESCAPED = str.maketrans({letter: f"\\{letter}" for letter in "\\`*_|<>[]~"})


def query_csv(found: Sequence[FoundCandidate], columns: Sequence[QueryColumn]) -> str:
    """Comma-separated values of full precision, each name with its unit; fractions as decimals.

    The columns whose names end in `_exact` hold fractions. Identities are whole.
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(each.head for each in columns)
    writer.writerows(zip(*(query_values(each, found) for each in columns), strict=True))
    return written.getvalue().removesuffix("\n")


def query_values(each: QueryColumn, found: Sequence[FoundCandidate]) -> Sequence[Any]:
    """The values of a column for programs, fractions as floats but in columns `_exact`."""
    if each.name.endswith("_exact"):
        return each.texts(found)
    if each.rounded is not None:
        return list(map(each.rounded, found))
    return list(map(_plain_value, map(each.value, found)))


def _plain_value(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    return float(value) if isinstance(value, Fraction) else value


def query_json(found: Sequence[FoundCandidate]) -> str:
    """A JSON array, one object a line: fractions are strings, times are seconds."""
    lines = ",\n".join(_encode(found_fields(one)) for one in found)
    return f"[\n{lines}\n]" if lines else "[]"


_encode = json.JSONEncoder().encode


@lru_cache(maxsize=1 << 12)
def _bound_fields(n: int, d: int, links: str, steps: int | None) -> dict[str, Any]:
    bandwidth = least_bandwidth(n, d, two_way=links == DUPLEX)
    return {
        "steps": steps,
        "bandwidth": str(bandwidth),
        "steps_source": None if steps is None else steps_source(n, d, links, steps),
        "bandwidth_source": bandwidth_source(n, d, two_way=links == DUPLEX),
    }


def found_fields(one: FoundCandidate) -> dict[str, Any]:
    """One row as the fields that `--json` promises."""
    row = one.row
    fields: dict[str, Any] = {
        "id": row.id,
        "recipe": row.recipe,
        "n": row.n,
        "d": row.d,
        "links": row.links,
        "steps": row.steps,
        "bandwidth": str(row.bandwidth),
        "reduce_scatter": {"steps": row.rs_steps, "bandwidth": str(row.rs_bandwidth)},
        "diameter": row.diameter,
        "exact": row.exact,
        "method": row.method,
        "bandwidth_optimal": row.bandwidth_optimal,
        "moore_optimal": row.moore_optimal,
        "family": row.family,
        "on_frontier": row.on_frontier,
        "bound": _bound_fields(row.n, row.d, row.links, row.bound_steps),
    }
    if one.name is not None:
        fields["name"] = one.name
    if one.rate is not None:
        fields["throughput"] = rate_fields(one.rate)
    if one.collective is not None and one.scaled is not None:
        fields["seconds"] = {one.collective: one.scaled[0] / one.scaled[1]}
        if one.exchange is not None:
            fields["seconds"]["all-to-all"] = list(map(float, one.exchange))
    if one.failures is not None:
        fields["resilience"] = resilience_fields(one.failures)
    if one.iteration is not None:
        fields["training"] = {"id": one.training, **iteration_fields(one.iteration)}
    return fields
