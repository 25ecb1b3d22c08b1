"""One frontier as text for a person and as JSON for a program."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from db.rows import CandidateRow, FrontierRow
from db.throughput_rows import ThroughputRow
from expansions.cost import Cost
from reports.baselines import BaselineRow, baseline_fields, baselines_text
from reports.bounds import bound_fields, free_ports_of, gap_fields, remarks_on
from reports.origins import Origin, origin_lines
from reports.resilience import ResilienceRow, resilience_columns, resilience_fields
from reports.text import cut_recipe, cut_text, plain, table
from reports.units import down_text, rate_text, size_text, span_text, time_text, up_text
from reports.workload_rating import WorkloadRating, rating_fields, rating_words, size_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Seconds under a workload: of each frontier member by collective, and of the best choice.

    All-to-alls (`exchanges`: bytes of each node, how often) take between two times, since a
    throughput is known as an interval; the best choice then has the least sum of both. `hosts` has
    what hosts add to links, where they do: seconds `epsilon` and the rates `reduce_rate` and
    `injection`; times are then upper bounds.
    """

    collective: str
    alpha: Fraction
    bandwidth: Fraction
    sizes: tuple[tuple[Fraction, int], ...]
    members: tuple[Mapping[str, Fraction], ...]
    best: CandidateRow | None
    best_seconds: Fraction | None
    exchanges: tuple[tuple[Fraction, int], ...] = ()
    member_exchanges: tuple[tuple[Fraction, Fraction], ...] = ()
    best_exchange: tuple[Fraction, Fraction] | None = None
    hosts: Mapping[str, Fraction] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Base graphs that took no part in a search, the largest first, and why."""

    recipes: tuple[str, ...] = ()
    reason: str = "too large to evaluate, and no theorem gives the cost"

    @property
    def words(self) -> str:
        """How many there are, an example and the reason; nothing where none is left out.

        >>> LeftOut(recipes=("Pi(4,70000)",)).words
        'Left out: 1 base graph, Pi(4,70000) (too large to evaluate, and no theorem gives the cost)'
        """
        if not self.recipes:
            return ""
        count, first = len(self.recipes), cut_text(self.recipes[0], 40)
        graphs = f"1 base graph, {first}" if count == 1 else f"{count} base graphs, such as {first}"
        return f"Left out: {graphs} ({self.reason})"


NOTHING = LeftOut()

EFFORT_LEFT_OUT = (
    "Left out: lifts, grafts and deferred schedules. What looks for them is being compiled, once, "
    "in the background: search again in a minute, or with --effort {} to wait for it now"
)
EFFORT_STOPPED = "Stopped by --time: what an effort of {} finds, of the {} that were asked for"


def frontier_text(
    frontier: FrontierRow,
    times: Times | None = None,
    baselines: Sequence[BaselineRow] | None = None,
    rates: Mapping[str, ThroughputRow] | None = None,
    left_out: LeftOut = NOTHING,
    ratings: Mapping[str, WorkloadRating] | None = None,
    origins: Mapping[str, Origin] | None = None,
    resilience: Mapping[str, ResilienceRow] | None = None,
    effort_left_out: int = 0,
) -> str:
    """A table of the frontier with the lower bounds, the best choice if times are given, and the
    table of the baselines if they are. `rates` are all-to-all throughputs by recipe, `ratings` the
    best schedule methods, `origins` where recipes come from, `resilience` what failures cost. Where
    base graphs were left out, a line tells how many, and one where an effort was, or was stopped.
    """
    left_out_lines = ["", left_out.words] if left_out.words else []
    if effort_left_out and frontier.effort:
        left_out_lines += ["", EFFORT_STOPPED.format(frontier.effort, effort_left_out)]
    elif effort_left_out:
        left_out_lines += ["", EFFORT_LEFT_OUT.format(effort_left_out)]
    found = _frontier_text(frontier, times, rates, ratings, origins or {}, resilience)
    told = "\n".join([found, *left_out_lines])
    return told if baselines is None else f"{told}\n\n{baselines_text(baselines)}"


def _frontier_text(
    frontier: FrontierRow,
    times: Times | None,
    rates: Mapping[str, ThroughputRow] | None,
    ratings: Mapping[str, WorkloadRating] | None,
    origins: Mapping[str, Origin],
    resilience: Mapping[str, ResilienceRow] | None,
) -> str:
    head = f"N = {frontier.n}, d = {frontier.d}, {frontier.links} links"
    if not frontier.members:
        return f"{head}: no topology is known"
    columns = ["T_L", "T_B", "T_B exact", "RS T_L", "RS T_B", "diameter", "cost", "by", "recipe"]
    rows = [_cells(row) for row in frontier.members]
    bound = [str(frontier.bound_steps), f"{float(frontier.bound_bandwidth):.3f}"]
    rows.append([*bound, str(frontier.bound_bandwidth), *bound, "", "", "", "lower bound"])
    added = _rate_columns(frontier, rates) | _time_columns(times)
    added |= _rating_columns(frontier, ratings)
    if resilience is not None:
        added |= resilience_columns([resilience[row.recipe] for row in frontier.members])
    for name, texts in added.items():
        columns.insert(-1, name)
        for cells, text in zip(rows, [*texts, ""], strict=True):
            cells.insert(-1, text)
    lines = [f"{head} (T_L in alpha, T_B in M/B; RS: reduce-scatter)", "", table(columns, rows)]
    best = [times.best] if times and times.best and times.best not in frontier.members else []
    found_by = origin_lines([*frontier.members, *best], origins, frontier.names)
    remarks = [*remarks_on(frontier), *found_by]
    return "\n".join([*lines, "", *remarks, *_choice(times, ratings)])


def _rate_columns(
    frontier: FrontierRow, rates: Mapping[str, ThroughputRow] | None
) -> dict[str, list[str]]:
    if rates is None:
        return {}
    found = [rates[row.recipe] for row in frontier.members]
    return {
        "f at least": [down_text(rate.lower) for rate in found],
        "f at most": [up_text(rate.upper) for rate in found],
    }


def _time_columns(times: Times | None) -> dict[str, list[str]]:
    if times is None:
        return {}
    found = {
        name: [time_text(member[name]) for member in times.members]
        for name in ("allgather", "reduce-scatter", "allreduce")
    }
    if times.exchanges:
        found["all-to-all"] = [span_text(*span) for span in times.member_exchanges]
    return found


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
        cut_recipe(row.recipe, row.id),
    ]


def _rating_columns(
    frontier: FrontierRow, ratings: Mapping[str, WorkloadRating] | None
) -> dict[str, list[str]]:
    if ratings is None:
        return {}
    found = [ratings[row.recipe] for row in frontier.members]
    return {
        "best": [time_text(row.seconds) for row in found],
        "bound": [time_text(row.bound) for row in found],
        "gap": [f"{float(row.gap):.1%}" for row in found],
        "best by": [row.method for row in found],
    }


def _choice(times: Times | None, ratings: Mapping[str, WorkloadRating] | None) -> list[str]:
    if times is None or times.best is None or times.best_seconds is None:
        return []
    what = f"{times.collective} of {_sizes(times)}"
    given = f"alpha {time_text(times.alpha)}, B {rate_text(times.bandwidth)}{_host_words(times)}"
    spent = f"{'at most ' if set(times.hosts) - {'epsilon'} else ''}{time_text(times.best_seconds)}"
    if times.best_exchange is not None:
        count = sum(count for _, count in times.exchanges)
        what += f" and {count} all-to-all{'s' if count > 1 else ''}"
        spent = span_text(*(times.best_seconds + end for end in times.best_exchange))
    best, lines = f"{plain(cut_recipe(times.best.recipe, times.best.id))}, {spent}", list[str]()
    if ratings is not None and times.best.recipe in ratings:
        rating = ratings[times.best.recipe]
        best += f" {rating_words(rating)}"
        lines = size_lines(rating)
    return ["", f"Best for {what} at {given}: {best}", *lines]


def _host_words(times: Times) -> str:
    words = {"epsilon": time_text, "reduce_rate": rate_text, "injection": rate_text}
    return "".join(
        f", {name.replace('_', ' ')} {words[name](value)}" for name, value in times.hosts.items()
    )


def _sizes(times: Times) -> str:
    if len(times.sizes) == 1 and times.sizes[0][1] == 1:
        return size_text(times.sizes[0][0])
    return f"{sum(count for _, count in times.sizes)} collectives in {len(times.sizes)} sizes"


def frontier_fields(
    frontier: FrontierRow,
    times: Times | None = None,
    baselines: Sequence[BaselineRow] | None = None,
    rates: Mapping[str, ThroughputRow] | None = None,
    left_out: LeftOut = NOTHING,
    ratings: Mapping[str, WorkloadRating] | None = None,
    origins: Mapping[str, Origin] | None = None,
    resilience: Mapping[str, ResilienceRow] | None = None,
    effort_left_out: int = 0,
) -> dict[str, Any]:
    """The frontier as a JSON object: fractions are strings, times are seconds, sizes bytes.

    `effort_left_out` is there only where an effort was left out; `effort_asked` and
    `effort_reached` where it was stopped.
    """
    least = Cost(frontier.bound_steps, frontier.bound_bandwidth)
    found: dict[str, Any] = {
        "n": frontier.n,
        "d": frontier.d,
        "links": frontier.links,
        "bound": bound_fields(frontier.n, frontier.d, frontier.links, least),
        "gap": gap_fields(frontier),
        "free_ports": free_ports_of(frontier.n, frontier.d, frontier.links),
        "frontier": [candidate_fields(row) for row in frontier.members],
        "left_out": {
            "count": len(left_out.recipes),
            "reason": left_out.reason if left_out.recipes else None,
            "recipes": list(left_out.recipes),
        },
    }
    if effort_left_out and frontier.effort:
        found |= {"effort_asked": effort_left_out, "effort_reached": frontier.effort}
    elif effort_left_out:
        found["effort_left_out"] = effort_left_out
    if rates is not None:
        for fields in found["frontier"]:
            fields["throughput"] = rate_fields(rates[fields["recipe"]])
    if resilience is not None:
        for fields in found["frontier"]:
            fields["resilience"] = resilience_fields(resilience[fields["recipe"]])
    if times is not None:
        for fields, seconds in zip(found["frontier"], times.members, strict=True):
            fields["seconds"] = {name: float(value) for name, value in seconds.items()}
        for fields, span in zip(found["frontier"], times.member_exchanges, strict=False):
            fields["seconds"]["all-to-all"] = list(map(float, span))
        found["workload"] = {
            "collective": times.collective,
            "alpha": float(times.alpha),
            "bandwidth": float(times.bandwidth),
            "sizes": [{"size": float(size), "count": count} for size, count in times.sizes],
            **{name: float(value) for name, value in times.hosts.items()},
        }
        found["best"] = times.best and {
            **candidate_fields(times.best),
            "seconds": None if times.best_seconds is None else float(times.best_seconds),
        }
        if times.exchanges:
            spent = [{"size": float(size), "count": count} for size, count in times.exchanges]
            found["workload"]["all-to-all"] = spent
        if times.best is not None and times.best_exchange is not None:
            found["best"]["all-to-all"] = list(map(float, times.best_exchange))
    if ratings is not None:
        rated = [*found["frontier"], *([found["best"]] if found.get("best") else [])]
        for fields in rated:
            fields |= rating_fields(ratings[fields["recipe"]])
    if origins is not None:
        for fields in [*found["frontier"], *([found["best"]] if found.get("best") else [])]:
            fields["origin"] = origins[fields["recipe"]].value
            if origins[fields["recipe"]] is Origin.MERGED:
                fields["name"] = frontier.names[fields["recipe"]]
    if baselines is not None:
        found["baselines"] = list(map(baseline_fields, baselines))
    return found


def rate_fields(rate: ThroughputRow) -> dict[str, Any]:
    """A throughput as the fields that `--json` promises."""
    return {
        "lower": str(rate.lower),
        "upper": str(rate.upper),
        "exact": str(rate.lower) if rate.lower == rate.upper else None,
        "gap": float(rate.gap),
        "method": rate.method,
    }


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
