"""A plan of patch moves, and what a damaged fabric can still be, as text and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from expansions.collective_costs import TwoPhaseAllreduce
from expansions.cost import Cost
from reports.drain import DrainSummary, drain_fields, drain_lines
from reports.lengths import LengthSummary, TradeSummary, length_fields, length_lines
from reports.losses import LossSummary, loss_fields, loss_lines
from reports.plan_targets import TargetRow, target_fields, targets_text
from reports.text import table
from reports.units import rate_text

LISTED = 10
"""Stages, or hosts, that a text names one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeCost:
    """T_B in M/B of an allreduce by trees, both phases at once.

    No trees of equal shards take less than `bound`.
    """

    bandwidth: Fraction
    bound: Fraction
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceRow(TwoPhaseAllreduce):
    """A graph that a fabric can be wired to: `kind` is intact, links, ports or hosts (fewer of).

    T_B is in M/B with B of an intact host; `rate` the interval of all-to-all in link units, and
    `slower` how many times longer an all-to-all takes than on the intact graph. `trees` carry an
    allreduce with both phases at once.
    """

    kind: str
    name: str
    n: int
    d: int
    links: int
    allgather: Cost
    reduce_scatter: Cost
    rate: tuple[Fraction, Fraction] | None
    slower: tuple[Fraction, Fraction] | None
    trees: TreeCost | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSummary:
    """What there is to say of a plan; `panels` are (name, circuits made, circuits taken out).

    `missing` circuits are left out, `missing_proved` says whether that is proved to be the fewest.
    Of plans with the same placement none leaves out fewer than `placement_missing`, and none that
    leaves out as few makes fewer moves than `placement_moves`.
    `connected` tells whether the hosts are strongly connected before the first stage, `parts` into
    how many strongly connected parts they fall after the last. `working` of its hosts reach others
    of them before the first stage, in `groups`; `joining` are the rest, `leaving` other hosts, and
    `spares` those that are kept in reserve. `targets` are those that it was chosen from.
    """

    target: str
    recipe: str | None
    n: int
    d: int
    mode: str
    moves: int
    lower_bound: int
    bound: str
    kept: int
    disconnects: int
    missing: int
    missing_proved: bool
    placement_missing: int
    placement_moves: int
    stages: int
    dark_stages: tuple[int, ...]
    connected: bool
    working: int
    groups: int
    joining: tuple[str, ...]
    leaving: tuple[str, ...]
    parts: int
    keep_connected: bool
    estimated: Fraction
    rollback: Fraction
    found: str
    seed: int
    seconds: float
    file: str | None
    files: tuple[str, ...]
    content: str
    panels: tuple[tuple[str, int, int], ...]
    choices: tuple[ChoiceRow, ...] = ()
    spares: tuple[str, ...] = ()
    drain: DrainSummary | None = None
    losses: LossSummary | None = None
    lengths: LengthSummary | None = None
    trade: TradeSummary | None = None
    crews: int | None = None
    crews_end: Fraction = Fraction()
    targets: tuple[TargetRow, ...] = ()
    forbidden: int = 0
    rates: tuple[tuple[Fraction, int], ...] = ()
    trunk: int = 1


def plan_text(plan: PlanSummary) -> str:
    """Some lines for a person."""
    circuits = plan.moves + plan.kept
    lines = [
        f"{plan.target} on {plan.n} hosts, degree {plan.d}, {plan.mode}",
        f"  {plan.moves} moves; {_bound_text(plan)}; placed by {plan.found}, seed {plan.seed}",
        f"  {plan.kept} of {circuits} circuits stay, {_are(plan.disconnects)} taken out",
    ]
    if plan.trunk > 1:
        lines.append(f"  each circuit is a trunk of {plan.trunk} links, moved at once")
    if plan.missing:
        lines.append(f"  {_missing_text(plan)}")
    if len(plan.panels) > 1:
        each = ", ".join(f"{name} {made}" for name, made, _ in plan.panels)
        lines.append(f"  moves by panel: {each}")
    lines.append(
        f"  {_count(plan.stages, 'stage')}, about {duration(plan.estimated)}; "
        f"to roll back, {duration(plan.rollback)}"
    )
    if plan.crews is not None and plan.stages:
        who = _count(plan.crews, "crew")
        lines.append(f"  by {who} with all walks, about {duration(plan.crews_end)}")
    lines.append(f"  {_connection_text(plan)}")
    if plan.forbidden:
        lines.append(f"  nothing is made of {_count(plan.forbidden, 'forbidden pair')}")
    if plan.rates:
        each = ", ".join(f"{count} of {rate_text(rate)}" for rate, count in plan.rates)
        lines.append(f"  circuits join ports of one rate: {each}")
    if plan.drain is not None and plan.stages:
        lines += [f"  {text}" for text in drain_lines(plan.drain)]
    if plan.losses is not None and plan.moves:
        lines += [f"  {text}" for text in loss_lines(plan.losses)]
    if plan.lengths is not None:
        lines += [f"  {text}" for text in length_lines(plan.lengths, plan.trade)]
    if plan.stages and plan.working:
        lines += [f"  {text}" for text in _who_text(plan)]
    if plan.spares:
        lines.append(
            f"  {_count(len(plan.spares), 'host')} in reserve: {_join_values(plan.spares)}"
        )
    if plan.parts > 1:
        lines.append(f"  at the end the hosts fall into {plan.parts} parts")
    lines.append("  replayed move by move, there and back")
    if plan.choices:
        lines += ["", "What this fabric can be (T_L in alpha, T_B in M/B, of an allreduce):", ""]
        lines += [choices_text(plan.choices)]
    if plan.targets:
        lines += ["", targets_text(plan.targets)]
    if plan.files:
        lines += [""] * bool(plan.choices or plan.targets)
        lines.append(f"  written to {', '.join(plan.files)}")
    return "\n".join(lines)


def _missing_text(plan: PlanSummary) -> str:
    if plan.missing_proved:
        fewer = "no plan leaves out fewer"
    elif plan.missing == plan.placement_missing:
        fewer = "fewer may be possible with another placement"
    else:
        fewer = f"fewer may be possible, with this placement {plan.placement_missing} at best"
    told = f"no panel takes {_count(plan.missing, 'circuit')} of the target; {fewer}"
    return told if plan.choices else f"{told}; see --degraded for what that costs"


def _bound_text(plan: PlanSummary) -> str:
    if plan.missing:
        every = f"with all circuits it would be at least {plan.lower_bound} ({plan.bound})"
    elif plan.moves == plan.lower_bound:
        return f"no plan has fewer ({plan.bound})"
    else:
        every = f"every plan has at least {plan.lower_bound} ({plan.bound})"
    if plan.moves > plan.placement_moves:
        return f"{every}, with this placement at least {plan.placement_moves}"
    return f"{every}; minimal for its placement"


def _connection_text(plan: PlanSummary) -> str:
    if not plan.stages:
        return "nothing is touched"
    if not plan.working:
        return "no two of the hosts work together yet, so that nothing is cut"
    who = "the hosts" if not plan.joining else f"the {plan.working} hosts that work now"
    if plan.groups > 1:
        who += f", in {plan.groups} groups,"
    if not plan.dark_stages:
        return f"{who} stay strongly connected in every stage"
    dark = _count(len(plan.dark_stages), "stage")
    told = "" if plan.keep_connected else "; try --keep-connected"
    if plan.groups == 1 and not plan.joining:
        return f"not strongly connected in {dark}: {_join_values(plan.dark_stages)}{told}"
    return f"{who} are not strongly connected in {dark}: {_join_values(plan.dark_stages)}{told}"


def _who_text(plan: PlanSummary) -> Iterator[str]:
    """Who joins and who leaves."""
    for names, verb in ((plan.joining, "join"), (plan.leaving, "leave")):
        if names:
            form = verb + "s" * (len(names) == 1)
            yield f"{_count(len(names), 'host')} {form}: {_join_values(names)}"


def _join_values(values: Sequence[object]) -> str:
    return ", ".join(map(str, values[:LISTED])) + ", ..." * (len(values) > LISTED)


def duration(seconds: Fraction) -> str:
    """A time of moves, in the units of a working day.

    >>> duration(Fraction(1, 100)), duration(Fraction(90)), duration(Fraction(7680))
    ('10 ms', '1 min 30 s', '2 h 8 min')
    """
    if seconds < 1:
        return f"{float(seconds * 1000):.3g} ms"
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{float(seconds):.3g} s"


def choices_text(choices: Sequence[ChoiceRow]) -> str:
    """A table of what a fabric can be."""
    columns = [
        "N",
        "d",
        "links",
        "T_L",
        "T_B",
        "by trees",
        "at least",
        "f (all-to-all)",
        "takes",
        "fewer",
        "graph",
    ]
    return table(columns, [_choice_cells(choice) for choice in choices])


def _choice_cells(choice: ChoiceRow) -> list[str]:
    cost = choice.allreduce
    return [
        str(choice.n),
        str(choice.d),
        str(choice.links),
        str(cost.steps),
        f"{float(cost.bandwidth):.3f}",
        f"{float(choice.trees.bandwidth):.3f}" if choice.trees else "",
        f"{float(choice.trees.bound):.3f}" if choice.trees else "",
        _span(choice.rate, ".4g"),
        "x " + _span(choice.slower, ".3f") if choice.slower else "",
        "" if choice.kind == "intact" else choice.kind,
        choice.name,
    ]


def _span(ends: tuple[Fraction, Fraction] | None, form: str) -> str:
    if ends is None:
        return ""
    low, high = (format(float(end), form) for end in ends)
    return low if low == high else f"{low} to {high}"


def plan_fields(plan: PlanSummary) -> dict[str, Any]:
    """The fields that `plan --json` promises; times are seconds."""
    fields: dict[str, Any] = {
        "target": plan.target,
        "recipe": plan.recipe,
        "n": plan.n,
        "d": plan.d,
        "mode": plan.mode,
        "moves": plan.moves,
        "lower_bound": plan.lower_bound,
        "bound": plan.bound,
        "kept": plan.kept,
        "disconnects": plan.disconnects,
        "missing": plan.missing,
        "missing_proved": plan.missing_proved,
        "placement_missing": plan.placement_missing,
        "placement_moves": plan.placement_moves,
        "stages": plan.stages,
        "dark_stages": list(plan.dark_stages),
        "connected_before": plan.connected,
        "parts_after": plan.parts,
        "joining": list(plan.joining),
        "leaving": list(plan.leaving),
        "spares": list(plan.spares),
        "seconds_estimated": float(plan.estimated),
        "rollback_seconds": float(plan.rollback),
        "replayed": True,
        "found": plan.found,
        "seed": plan.seed,
        "seconds": round(plan.seconds, 6),
        "file": plan.file,
        "files": list(plan.files),
        "content": plan.content,
        "choices": [_choice_fields(choice) for choice in plan.choices],
    }
    if plan.targets:
        fields["targets"] = [target_fields(target) for target in plan.targets]
    if plan.drain is not None:
        fields["drain"] = drain_fields(plan.drain)
    if plan.crews is not None:
        fields["crews"] = {"crews": plan.crews, "seconds": float(plan.crews_end)}
    if plan.forbidden:
        fields["forbidden"] = plan.forbidden
    if plan.rates:
        fields["rates"] = [{"rate": str(rate), "circuits": count} for rate, count in plan.rates]
    if plan.trunk > 1:
        fields["trunk"] = plan.trunk
    if plan.losses is not None:
        fields["losses"] = loss_fields(plan.losses)
    if plan.lengths is not None:
        fields["lengths"] = length_fields(plan.lengths, plan.trade)
    return fields


def _choice_fields(choice: ChoiceRow) -> dict[str, Any]:
    return {
        "kind": choice.kind,
        "graph": choice.name,
        "n": choice.n,
        "d": choice.d,
        "links": choice.links,
        "steps": choice.allgather.steps,
        "bandwidth": str(choice.allgather.bandwidth),
        "reduce_scatter": {
            "steps": choice.reduce_scatter.steps,
            "bandwidth": str(choice.reduce_scatter.bandwidth),
        },
        "trees": choice.trees
        and {
            "bandwidth": str(choice.trees.bandwidth),
            "bound": str(choice.trees.bound),
            "height": choice.trees.height,
        },
        "rate": None if choice.rate is None else [str(end) for end in choice.rate],
        "alltoall_times": None if choice.slower is None else [float(end) for end in choice.slower],
    }


def _are(number: int) -> str:
    return f"{number} {'is' if number == 1 else 'are'}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
