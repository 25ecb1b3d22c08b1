"""How a fabric differs from the wiring that should be, as text and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from expansions.collective_costs import TwoPhaseAllreduce
from expansions.cost import Cost
from reports.plan import LISTED, PlanSummary, plan_fields, plan_text
from reports.text import table

SHOWN = 20
"""Differences that a text lists one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FibreDifference:
    """The transmitter of `port` should reach `expected`, and reaches `found`; empty for nothing."""

    port: str
    panel: str
    expected: str
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltCost(TwoPhaseAllreduce):
    """What a wiring is worth: BFB both ways, and the interval of its all-to-all in link units.

    `slower` says how many times longer an all-to-all takes than on the wiring that should be.
    """

    name: str
    allgather: Cost
    reduce_scatter: Cost
    rate: tuple[Fraction, Fraction] | None
    slower: tuple[Fraction, Fraction] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WiringCheck:
    """A comparison of `expected` circuits with `seen` ones, `right` of which are where they should.

    `differences` are by fibre. `across` fibres join two panels, `alike` ones two ports on one side
    of a switch with circulators, `leads` are ports whose fibres end
    at another position than the inventory has, `strays` ports whose other end it does not know;
    as pairs of names. `foreign` links have no end in it, `assumed` circuits were seen from one end.
    `renamed` hosts play the part of another, which `mended` counts on; it is None where nothing
    differs, or leads do. `restored` are the moves with every host in its own part. `connects` is
    None where costs were not asked for, and says whether what is built joins all hosts.
    """

    expected: int
    seen: int
    right: int
    differences: tuple[FibreDifference, ...]
    across: tuple[tuple[str, str], ...]
    alike: tuple[tuple[str, str], ...]
    strays: tuple[tuple[str, str], ...]
    leads: tuple[tuple[str, str], ...]
    foreign: int
    assumed: int
    renamed: tuple[tuple[str, str], ...] = ()
    restored: int | None = None
    mended: PlanSummary | None = None
    connects: bool | None = None
    costs: tuple[BuiltCost, ...] = ()

    @property
    def matches(self) -> bool:
        """Whether every fibre is where it should be."""
        return not (self.differences or self.across or self.alike or self.strays or self.leads)

    @property
    def verdict(self) -> str:
        """matches, ports, renamed, moves or inventory: what there is to do, if anything."""
        if self.matches:
            return "matches"
        if self.mended is None:
            return "inventory"
        if self.mended.moves:
            return "moves"
        return "renamed" if self.renamed else "ports"


def check_text(check: WiringCheck) -> str:
    """The differences, what to do about them, and what it costs to leave them."""
    lines = [
        f"{_count(check.expected, 'circuit')} should be there, {check.seen} were seen, "
        f"{check.right} of them as they should be"
    ]
    lines += _remarks(check)
    if check.differences:
        lines += ["", *_difference_lines(check.differences)]
    lines += ["", *_verdict_lines(check)]
    if check.costs:
        lines += ["", *_cost_lines(check)]
    return "\n".join(lines)


def _remarks(check: WiringCheck) -> Iterator[str]:
    if check.assumed:
        yield f"  {_count(check.assumed, 'circuit')} seen from one end alone, and taken as two-way"
    if check.foreign:
        yield f"  {_count(check.foreign, 'link')} between ends that the inventory does not know"
    for pairs, words in (
        (check.leads, "{} leads to {}, elsewhere than in the inventory"),
        (check.across, "{} reaches {}, which is on another panel: a cable to a panel is wrong"),
        (check.alike, "{} reaches {}, on the same side of the switch: a cable to it is wrong"),
        (check.strays, "{} is connected to {}, which is no other port of the inventory"),
    ):
        yield from (f"  {words.format(*pair)}" for pair in pairs[:LISTED])
        if len(pairs) > LISTED:
            yield f"  and {len(pairs) - LISTED} more like it"


def _difference_lines(differences: Sequence[FibreDifference]) -> Iterator[str]:
    cells = [
        [one.port, one.expected or "nothing", one.found or "nothing", one.panel]
        for one in differences[:SHOWN]
    ]
    yield table(["port", "should reach", "reaches", "panel"], cells)
    if len(differences) > SHOWN:
        yield f"and {len(differences) - SHOWN} more; --json lists all"


def _verdict_lines(check: WiringCheck) -> Iterator[str]:
    plan = check.mended
    if check.verdict == "matches":
        yield "every fibre is where it should be"
    elif plan is None:
        yield "correct the inventory or these cables first: moves would be made in the wrong places"
    elif check.verdict == "ports":
        yield "the same hosts are joined, in other ports: touch nothing"
    elif check.verdict == "renamed":
        yield f"the same fabric under other names: rename, touch nothing: {_parts(check.renamed)}"
    if plan is None or not plan.moves:
        return
    yield plan_text(plan)
    if check.renamed:
        yield f"  other names: {_parts(check.renamed)}"
        if check.restored is not None and check.restored > plan.moves:
            yield f"  under their own names it would take {check.restored} moves"


def _parts(renamed: Sequence[tuple[str, str]]) -> str:
    told = ", ".join(f"{host} is {part}" for host, part in renamed[:LISTED])
    return told + ", ..." * (len(renamed) > LISTED)


def _cost_lines(check: WiringCheck) -> Iterator[str]:
    yield "To live with it (T_L in alpha, T_B in M/B, of an allreduce):"
    yield ""
    columns = ["wiring", "T_L", "T_B", "f (all-to-all)", "takes"]
    yield table(columns, [_cost_cells(cost) for cost in check.costs])
    if check.connects is False:
        yield "what is built does not let every host reach every other"


def _cost_cells(cost: BuiltCost) -> list[str]:
    whole = cost.allreduce
    return [
        cost.name,
        str(whole.steps),
        f"{float(whole.bandwidth):.3f}",
        _span(cost.rate, ".4g"),
        "x " + _span(cost.slower, ".3f") if cost.slower else "",
    ]


def _span(ends: tuple[Fraction, Fraction] | None, form: str) -> str:
    if ends is None:
        return ""
    low, high = (format(float(end), form) for end in ends)
    return low if low == high else f"{low} to {high}"


def check_fields(check: WiringCheck) -> dict[str, Any]:
    """The fields that `check --json` promises."""
    return {
        "matches": check.matches,
        "verdict": check.verdict,
        "expected": check.expected,
        "seen": check.seen,
        "right": check.right,
        "differences": [
            {"port": one.port, "panel": one.panel, "expected": one.expected, "found": one.found}
            for one in check.differences
        ],
        "across": [list(pair) for pair in check.across],
        "alike": [list(pair) for pair in check.alike],
        "strays": [list(pair) for pair in check.strays],
        "leads": [list(pair) for pair in check.leads],
        "foreign": check.foreign,
        "assumed": check.assumed,
        "renamed": dict(check.renamed),
        "restored": check.restored,
        "plan": None if check.mended is None else plan_fields(check.mended),
        "connects": check.connects,
        "costs": [_cost_fields(cost) for cost in check.costs],
    }


def _cost_fields(cost: BuiltCost) -> dict[str, Any]:
    return {
        "wiring": cost.name,
        "steps": cost.allgather.steps,
        "bandwidth": str(cost.allgather.bandwidth),
        "reduce_scatter": {
            "steps": cost.reduce_scatter.steps,
            "bandwidth": str(cost.reduce_scatter.bandwidth),
        },
        "rate": None if cost.rate is None else [str(end) for end in cost.rate],
        "alltoall_times": None if cost.slower is None else [float(end) for end in cost.slower],
    }


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
