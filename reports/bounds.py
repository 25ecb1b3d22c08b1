"""The lower bounds of a size: who proved them, how far answers are from them, and free ports."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from db.rows import FrontierRow
from expansions.cost import Cost
from expansions.degree_diameter import MOORE, bandwidth_source, least_diameter
from expansions.lower_bounds import free_ports, one_step_bandwidth

DUPLEX = "duplex"
FREE_PORT = "One host has a port left free: two-way circuits take two ports, and N d is odd"


def steps_source(n: int, d: int, links: str | None, steps: int) -> str:
    """Who proved that T_L is at least `steps`; an older answer may have a weaker bound.

    >>> steps_source(7, 2, "simplex", 3), steps_source(7, 2, "simplex", 2)
    ('no Moore digraph: Bridges and Toueg 1980', 'Moore bound')
    """
    found = least_diameter(n, d, two_way=links == DUPLEX)
    return found.source if found.steps == steps else MOORE


def source_words(n: int, d: int, links: str | None, steps: int) -> str:
    """Who proved both bounds: `Moore bound; theorem 4`."""
    told = bandwidth_source(n, d, two_way=links == DUPLEX)
    return f"{steps_source(n, d, links, steps)}; {told}"


def bound_fields(n: int, d: int, links: str | None, bound: Cost) -> dict[str, Any]:
    """The bounds and their sources as the fields that `--json` promises."""
    return {
        "steps": bound.steps,
        "bandwidth": str(bound.bandwidth),
        "steps_source": steps_source(n, d, links, bound.steps),
        "bandwidth_source": bandwidth_source(n, d, two_way=links == DUPLEX),
    }


def gap_of(frontier: FrontierRow) -> tuple[int, Fraction]:
    """Steps of the fewest above T_L*, and the part of the least bandwidth time above T_B*."""
    steps = min(row.steps for row in frontier.members) - frontier.bound_steps
    least = min(row.bandwidth for row in frontier.members)
    return steps, least / frontier.bound_bandwidth - 1


def gap_words(frontier: FrontierRow) -> str:
    """How far it is: `Gap to the bounds (Moore bound; theorem 4): T_L 1 step, T_B none`."""
    steps, part = gap_of(frontier)
    sources = source_words(frontier.n, frontier.d, frontier.links, frontier.bound_steps)
    told = f"{steps} step{'s' if steps > 1 else ''}" if steps else "none"
    share = _percent(part) if part else "none"
    apart = "" if steps or part or _meets_both(frontier) else _apart_words(frontier)
    return f"Gap to the bounds ({sources}): T_L {told}, T_B {share}{apart}"


def gap_fields(frontier: FrontierRow) -> dict[str, Any] | None:
    """The gap as the fields that `--json` promises; None where there is no answer."""
    if not frontier.members:
        return None
    steps, part = gap_of(frontier)
    return {"steps": steps, "bandwidth": str(part)}


def free_ports_of(n: int, d: int, links: str | None) -> int:
    """How many ports of all hosts together the links leave free."""
    return free_ports(n, d) if links == DUPLEX else 0


def remarks_on(frontier: FrontierRow) -> Sequence[str]:
    """Lines below a frontier: its gap, and the port that is left."""
    lines = [gap_words(frontier)]
    if free_ports_of(frontier.n, frontier.d, frontier.links):
        lines.append(FREE_PORT)
    return lines


def _apart_words(frontier: FrontierRow) -> str:
    """That no topology has both bounds, and why none can where that is proved."""
    told, n, d = ", by different topologies", frontier.n, frontier.d
    if not 1 < n <= d + 1 or one_step_bandwidth(n, d) == frontier.bound_bandwidth:
        return told
    return f"{told}: in one step T_B is at least {one_step_bandwidth(n, d)}"


def _meets_both(frontier: FrontierRow) -> bool:
    bound = (frontier.bound_steps, frontier.bound_bandwidth)
    return any((row.steps, row.bandwidth) == bound for row in frontier.members)


def _percent(part: Fraction) -> str:
    """Three digits, and never rounded to none.

    >>> _percent(Fraction(1, 3)), _percent(Fraction(1, 10**6))
    ('33.3%', '0.0001%')
    """
    return f"{float(100 * part):.3g}%"
