"""A forest that was checked, as text and as JSON."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generators.formats.quantities import number_text
from reports.forest import percent_text, rate_of
from reports.forest_routes import RouteRecord, route_fields, route_text
from reports.forest_time import ForestTime, time_fields, time_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestCheck:
    """What an independent check found; `violation` is None for a valid forest.

    `time` and `optimum` are of all phases one after the other, `at_once` is the time with both
    phases of an allreduce at once, and no allreduce takes less than `at_once_bound`. `pipeline`
    holds pairs: chunks a shard, and how many times the least time of the trees a pipeline of so
    many chunks takes. `routes` tells of the ways through switches. `duration` is the time of a
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
    at_once: Fraction | None = None
    at_once_bound: Fraction | None = None
    pipeline: tuple[tuple[int, Fraction], ...] = ()
    routes: RouteRecord | None = None
    duration: ForestTime | None = None

    @property
    def bound_seconds(self) -> Fraction | None:
        """What no allreduce takes less than for the size of `duration`."""
        if self.at_once_bound is None or self.duration is None:
            return None
        return self.duration.bare * self.at_once_bound / self.time


def forest_check_text(checked: ForestCheck) -> str:
    """What holds, how near a pipeline comes, and the time of a collective of one size."""
    if checked.violation is not None:
        return f"not valid: {checked.violation}"
    graph = checked.recipe or f"{checked.hosts} compute nodes"
    graph += f" {checked.damage}" if checked.damage else ""
    told = ", ".join(f"{count}: {float(time):.4g}" for count, time in checked.pipeline)
    apart, at_once = _apart_text(checked), _at_once_text(checked)
    valid = f"valid: {checked.collective} on {graph}, k {checked.k}, "
    first, later = (apart, at_once) if at_once is None or checked.time == checked.at_once else (
        at_once, f"one phase after the other: {apart}"
    )  # fmt: skip
    lines = [valid + first, f"pipelined, by chunks, times that: {told}"]
    lines += [] if later is None else [later]
    if checked.routes is not None and checked.routes.is_told:
        lines.append(route_text(checked.routes))
    if checked.duration is not None:
        lines += time_lines(checked.duration, checked.bound_seconds)
    return "\n".join(lines)


def _apart_text(checked: ForestCheck) -> str:
    """The time of all phases, one after the other, beside the optimum."""
    loss = checked.time / checked.optimum - 1
    reached = f"{percent_text(loss)} above the optimum {checked.optimum}" if loss else "the optimum"
    rate = rate_of(checked.total / checked.time, checked.unit_rate)
    return f"time {checked.time} ({reached}), algbw {rate}"


def _at_once_text(checked: ForestCheck) -> str | None:
    """The time with both phases of an allreduce at once, beside its bound."""
    if checked.at_once is None:
        return None
    rate = rate_of(checked.total / checked.at_once, checked.unit_rate)
    return f"both at once {checked.at_once} ({_above_text(checked)}), algbw {rate}"


def _above_text(checked: ForestCheck) -> str:
    """How far both at once are above what no allreduce takes less than."""
    bound, time = checked.at_once_bound, checked.at_once
    if not bound or time is None:
        return "no bound"
    if time == bound:
        return "no allreduce takes less"
    return f"{percent_text(time / bound - 1)} above the bound {bound}"


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
    if checked.at_once is not None:
        found["together"] = {
            "time": str(checked.at_once),
            "bound": str(checked.at_once_bound),
            "optimal": checked.at_once == checked.at_once_bound,
        }
    if checked.routes is not None:
        found["routes"] = route_fields(checked.routes)
    if checked.duration is not None:
        found |= time_fields(checked.duration)
    return found
