"""A forest that was made, read or checked, as text and as JSON."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reports.allreduce_limits import AllreduceLimitRecord, limit_fields, limit_lines
from reports.forest_choices import (
    ForestChoice,
    SeedsTried,
    choice_fields,
    choice_lines,
    seed_fields,
    seed_lines,
)
from reports.forest_routes import RouteRecord, route_fields, route_text
from reports.forest_time import ForestTime, time_fields, time_lines
from reports.method_times import MethodTime, method_time_fields, method_time_lines

NAMED = 12
"""How many nodes of a cut are named in text."""
KINDS = {"gather": "in-trees", "spread": "out-trees"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseRecord:
    """The trees of one direction.

    `heights` counts trees by height, in edges; `links` is the height in links, switches counted.
    The cut has the nodes `inside`, of that `weight`, and the bandwidth `exiting` leaves it.
    """

    name: str
    k: int
    trees: int
    time: Fraction
    optimum: Fraction
    heights: dict[int, int]
    links: int
    traffic: Fraction
    spared: Fraction
    inside: tuple[str, ...]
    outside: tuple[str, ...]
    weight: int
    exiting: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestRecord:
    """A forest: what it runs on, what it reaches, and where it is kept.

    `together` is the time when both phases of an allreduce run at once, `bound` what no allreduce
    of trees can beat, where that is known, and `even_bound` what none with shards of these weights
    can, where links are shared. `unit_rate` is capacity 1 in bytes a second. `paper_k`
    is the k of proposition E.1, `small` a smaller one, and how much longer it takes. `routes` tells
    of the ways through switches. No forest of this rate is lower than `least_height`, and none of
    any rate lower than `far`, by distance; None where that was not asked. `duration` is that of a
    collective of one size, `limits` what no allreduce can beat, `seconds` the time of making the
    forest, `methods` what every schedule method would take, where that was asked for, and `choices`
    the forests weighed, `seeds` those of packing that were tried. `passing` is the time of routes
    through hosts that do not keep what passes them, where such were cut.
    """

    subject: str
    recipe: str | None
    damage: str | None
    collective: str
    root: str | None
    method: str | None
    nodes: int
    hosts: int
    total: int
    phases: tuple[PhaseRecord, ...]
    together: Fraction
    unit_rate: Fraction | None
    digest: str
    bound: Fraction | None = None
    even_bound: Fraction | None = None
    limits: AllreduceLimitRecord | None = None
    paper_k: int | None = None
    small: tuple[int, Fraction] | None = None
    routes: RouteRecord | None = None
    least_height: int | None = None
    far: int | None = None
    duration: ForestTime | None = None
    seconds: float | None = None
    file: str | None = None
    methods: tuple[MethodTime, ...] = ()
    choices: tuple[ForestChoice, ...] = ()
    seeds: SeedsTried | None = None
    passing: Fraction | None = None

    @property
    def time(self) -> Fraction:
        """For a shard of weight 1, phases one after the other."""
        return sum((phase.time for phase in self.phases), Fraction())

    @property
    def optimum(self) -> Fraction:
        """1/x*, phases one after the other."""
        return sum((phase.optimum for phase in self.phases), Fraction())

    @property
    def loss(self) -> Fraction:
        """How much longer than the optimum it takes, relatively."""
        return self.time / self.optimum - 1

    @property
    def at_once_bound(self) -> Fraction | None:
        """What both phases of an allreduce at once cannot beat, the best that is known."""
        if self.limits is None or len(self.phases) < 2:
            return self.bound
        limits = (self.bound, self.limits.cut, self.limits.hosts)
        return max(limit for limit in limits if limit is not None)

    @property
    def bound_seconds(self) -> Fraction | None:
        """The same for the size of `duration`."""
        if self.at_once_bound is None or self.duration is None:
            return None
        return (self.duration.bare - self.duration.added) * self.at_once_bound / self.time

    @property
    def is_shared(self) -> bool:
        """Whether the phases of an allreduce share the links, and so are for both at once."""
        return len(self.phases) > 1 and "shared" in (self.method or "")

    @property
    def height(self) -> int:
        """Edges of the highest tree."""
        return max(max(phase.heights) for phase in self.phases)


def forest_text(record: ForestRecord) -> str:
    """Some lines for a person."""
    what = record.collective if record.root is None else f"{record.collective}, root {record.root},"
    subject = f"{record.subject} {record.damage}" if record.damage else record.subject
    lines = [f"{what} on {subject} by {record.method or 'forest'}", *_rate_lines(record)]
    if record.passing is not None:
        passed = rate_of(record.total / record.passing, record.unit_rate)
        lines.append(f"  hosts keep what passes them; else {record.passing}, algbw {passed}")
    if record.duration is not None:
        lines += [f"  {line}" for line in time_lines(record.duration, record.bound_seconds)]
    for phase in record.phases:
        lines += _phase_lines(phase, record)
    if record.routes is not None and record.routes.is_told:
        lines.append(f"  {route_text(record.routes)}")
    if len(record.phases) > 1 and not record.is_shared:
        lines.append(_at_once_line(record))
    if record.limits is not None:
        lines += [f"  {line}" for line in limit_lines(record.limits)]
    if record.small is not None:
        lines.append(
            f"  a smaller k: {record.small[0]} takes {percent_text(record.small[1])} longer"
        )
    lines += [f"  {line}" for line in seed_lines(record.seeds)]
    lines += [f"  {line}" for line in choice_lines(record.choices)]
    lines += [f"  {line}" for line in method_time_lines(record.methods)]
    lines += [f"  content {record.digest}"] if record.file and record.seconds is None else []
    lines += [f"  written to {record.file}"] if record.file and record.seconds is not None else []
    return "\n".join(lines)


def _rate_lines(record: ForestRecord) -> list[str]:
    """The rate beside the best; that of both phases at once first where links are shared."""
    rate = rate_of(record.total / record.time, record.unit_rate)
    if not record.is_shared:
        reached = f"missed by {percent_text(record.loss)}" if record.loss else "reached"
        return [f"  1/x* {record.optimum}, {reached}; algbw {rate}"]
    above = f"{percent_text(record.loss)} above" if record.loss else "which is"
    return [
        _at_once_line(record),
        f"  one after the other: {record.time}, algbw {rate}, {above} 1/x* {record.optimum}",
    ]


def _at_once_line(record: ForestRecord) -> str:
    rate = rate_of(record.total / record.together, record.unit_rate)
    return f"  both at once: {record.together}, algbw {rate}{_proof_text(record)}"


def _least(record: ForestRecord) -> str:
    """What no height is below, where that says something."""
    least = record.least_height
    if least is None or least == record.far == record.height:
        return ""
    if least == record.far:
        return f", {least} by distance"
    return ", the least" if least == record.height else f", {least} at least"


def _phase_lines(phase: PhaseRecord, record: ForestRecord) -> list[str]:
    heights = ", ".join(f"{height} ({count})" for height, count in sorted(phase.heights.items()))
    exiting = rate_of(phase.exiting, record.unit_rate)
    paper = f" ({record.paper_k} by E.1)" if record.paper_k not in (None, phase.k) else ""
    lines = [
        f"  {KINDS[phase.name]}: k {phase.k}{paper}, {phase.trees} different; "
        f"heights (trees): {heights}{_least(record)}; at most {phase.links} links",
        f"    bottleneck: weight {phase.weight} inside, {exiting} out; {_cut(phase)}",
    ]
    if phase.spared:
        share = phase.spared / (phase.spared + phase.traffic)
        lines.append(
            f"    switches spare {phase.spared} of {phase.spared + phase.traffic} shards over "
            f"links, {percent_text(share)}"
        )
    return lines


def _cut(phase: PhaseRecord) -> str:
    """The smaller side of the cut."""
    small = len(phase.inside) <= len(phase.outside)
    nodes = phase.inside if small else phase.outside
    more = f" and {len(nodes) - NAMED} more" if len(nodes) > NAMED else ""
    return ("" if small else "all but ") + ", ".join(nodes[:NAMED]) + more


def _proof_text(record: ForestRecord) -> str:
    bound = record.at_once_bound
    if not bound:
        return ""
    what = "no allreduce of trees" if bound == record.bound else "no allreduce"
    if bound == record.together:
        return f", which {what} can beat"
    found = f", {percent_text(record.together / bound - 1)} above {bound}, which {what} can beat"
    even = record.even_bound
    if even is None or even <= bound:
        return found
    if even == record.together:
        return f"{found}; the least with these shards"
    return f"{found}; {percent_text(record.together / even - 1)} above {even} with these shards"


def rate_of(capacity: Fraction, unit_rate: Fraction | None) -> str:
    """A bandwidth in GB/s, or in links of capacity 1.

    >>> rate_of(Fraction(7, 2), None), rate_of(Fraction(100, 3), Fraction(10**9))
    ('7/2 links', '33.3333 GB/s')
    """
    if unit_rate is None:
        return f"{capacity} links"
    return f"{float(capacity * unit_rate / 10**9):g} GB/s"


def percent_text(share: Fraction) -> str:
    """A share as a percentage, of three digits.

    >>> percent_text(Fraction(1, 3))
    '33.3 %'
    """
    return f"{float(100 * share):.3g} %"


def forest_fields(record: ForestRecord) -> dict[str, Any]:
    """The fields that `schedule --json` promises for forests; fractions are strings."""
    found: dict[str, Any] = {
        "recipe": record.recipe,
        "damage": record.damage,
        "collective": record.collective,
        "root": record.root,
        "method": record.method,
        "n": record.hosts,
        "nodes": record.nodes,
        "inverse_rate": str(record.optimum),
        "time": str(record.time),
        "loss": str(record.loss),
        "optimal": not record.loss,
        "k": record.phases[-1].k,
        "paper_k": record.paper_k,
        "algbw": str(record.total / record.time),
        "algbw_bytes": None
        if record.unit_rate is None
        else float(record.total / record.time * record.unit_rate),
        "bottleneck": _cut_fields(record.phases[-1]),
        "height": record.height,
        "phases": [_phase_fields(phase) for phase in record.phases],
        "digest": record.digest,
        "file": record.file,
    }
    if len(record.phases) > 1:
        found["together"] = {
            "time": str(record.together),
            "algbw": str(record.total / record.together),
            "bound": None if record.bound is None else str(record.bound),
            "even_bound": None if record.even_bound is None else str(record.even_bound),
            "optimal": None if record.bound is None else record.bound == record.together,
        }
    if record.limits is not None:
        found["any_allreduce"] = limit_fields(record.limits)
    if record.routes is not None:
        found["routes"] = route_fields(record.routes)
    if record.small is not None:
        found["recommended"] = {"k": record.small[0], "loss": str(record.small[1])}
    if record.duration is not None:
        found |= time_fields(record.duration)
    if record.seconds is not None:
        found["seconds"] = round(record.seconds, 6)
    if record.least_height is not None:
        found["least_height"] = record.least_height
    if record.choices:
        found["choices"] = choice_fields(record.choices)
    if record.seeds is not None and record.seeds.asked > 1:
        found["seeds"] = seed_fields(record.seeds)
    if record.passing is not None:
        found["passing"] = str(record.passing)
    if record.methods:
        found["methods"] = method_time_fields(record.methods)
    return found


def _cut_fields(phase: PhaseRecord) -> dict[str, Any]:
    return {
        "inside": list(phase.inside),
        "outside": list(phase.outside),
        "weight": phase.weight,
        "exiting": str(phase.exiting),
    }


def _phase_fields(phase: PhaseRecord) -> dict[str, Any]:
    return {
        "trees": KINDS[phase.name],
        "k": phase.k,
        "different": phase.trees,
        "inverse_rate": str(phase.optimum),
        "time": str(phase.time),
        "heights": {str(height): count for height, count in sorted(phase.heights.items())},
        "links": phase.links,
        "traffic": str(phase.traffic),
        "spared": str(phase.spared),
        "bottleneck": _cut_fields(phase),
    }
