"""A forest that was checked, as text and as JSON."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generators.formats.quantities import number_text
from reports.forest import rate_of
from reports.forest_routes import RouteRecord, route_fields, route_text
from reports.forest_time import ForestTime, time_fields, time_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestCheck:
    """What an independent check found; `violation` is None for a valid forest.

    `pipeline` holds pairs: chunks a shard, and how many times the trees' time a pipeline of so many
    chunks takes. `routes` tells of the ways through switches. `duration` is the time of a
    collective of one size.
    """

    collective: str
    recipe: str | None
    damage: str | None
    hosts: int
    total: int
    k: int
    time: Fraction
    optimum: Fraction
    unit_rate: Fraction | None
    digest: str
    violation: str | None
    pipeline: tuple[tuple[int, Fraction], ...] = ()
    routes: RouteRecord | None = None
    duration: ForestTime | None = None


def forest_check_text(checked: ForestCheck) -> str:
    """What holds, how near a pipeline comes, and the time of a collective of one size."""
    if checked.violation is not None:
        return f"not valid: {checked.violation}"
    graph = checked.recipe or f"{checked.hosts} compute nodes"
    graph += f" {checked.damage}" if checked.damage else ""
    reached = "the optimum" if checked.time == checked.optimum else f"optimum {checked.optimum}"
    rate = rate_of(checked.total / checked.time, checked.unit_rate)
    told = ", ".join(f"{count}: {float(time):.4g}" for count, time in checked.pipeline)
    lines = [
        f"valid: {checked.collective} on {graph}, k {checked.k}, time {checked.time} ({reached}), "
        f"algbw {rate}",
        f"pipelined, by chunks, times that: {told}",
    ]
    if checked.routes is not None and checked.routes.is_told:
        lines.append(route_text(checked.routes))
    return "\n".join(lines + ([] if checked.duration is None else time_lines(checked.duration)))


def forest_check_fields(checked: ForestCheck) -> dict[str, Any]:
    """The fields that `verify --json` promises."""
    if checked.violation is not None:
        return {"valid": False, "violation": checked.violation}
    found: dict[str, Any] = {
        "valid": True,
        "collective": checked.collective,
        "recipe": checked.recipe,
        "damage": checked.damage,
        "n": checked.hosts,
        "k": checked.k,
        "inverse_rate": str(checked.optimum),
        "time": str(checked.time),
        "optimal": checked.time == checked.optimum,
        "algbw": str(checked.total / checked.time),
        "pipeline": [
            {"chunks": count, "ratio": number_text("pipeline", time)}
            for count, time in checked.pipeline
        ],
        "digest": checked.digest,
    }
    if checked.routes is not None:
        found["routes"] = route_fields(checked.routes)
    if checked.duration is not None:
        found |= time_fields(checked.duration)
    return found
