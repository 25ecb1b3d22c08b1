"""Which wiring is taken for which collective of an iteration, as text and as JSON."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reports.text import table
from reports.units import size_text, time_text


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseLine:
    """A phase: its wiring and seconds, those of the best single wiring, and a bound of any."""

    collective: str
    size: Fraction
    recipe: str
    seconds: Fraction
    single_seconds: Fraction
    bound: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class PhasePlanRecord:
    """A plan over `wirings` of (n, d); `worth` is what a change may take at most to pay.

    `change` is the time of a change; with `own_moves` the least between two wirings, by the moves
    that are planned from one to the other. `least` is what no plan over these wirings beats,
    `by_steps` what Bruck's algorithm and recursive doubling take with a change before every step.
    """

    n: int
    d: int
    lines: tuple[PhaseLine, ...]
    change: Fraction
    changes: int
    seconds: Fraction
    single: str
    single_seconds: Fraction
    least: Fraction
    worth: Fraction
    repeats: bool
    wirings: int
    by_steps: Fraction
    own_moves: bool = False

    @property
    def bound(self) -> Fraction:
        """What all phases take at least in steps, on any wiring of that size."""
        return sum((line.bound for line in self.lines), Fraction())


HEADS = ("phase", "collective", "size", "wiring", "time", "by one wiring", "bound")


def phase_plan_text(found: PhasePlanRecord) -> str:
    """The plan, and what stands beside it."""
    rows = [
        [str(place), line.collective, size_text(line.size), line.recipe,
         *map(time_text, (line.seconds, line.single_seconds, line.bound))]
        for place, line in enumerate(found.lines, 1)
    ]  # fmt: skip
    again = ", again and again" if found.repeats else ", once"
    head = (
        f"N = {found.n}, d = {found.d}: {time_text(found.seconds)}{again}, with "
        f"{found.changes} changes of {_change_words(found)} among {found.wirings} wirings"
    )
    lines = [
        head,
        table(HEADS, rows),
        f"one wiring for all: {found.single}, {time_text(found.single_seconds)}",
        f"over these wirings nothing takes less than {time_text(found.least)}, in steps on any "
        f"wiring {time_text(found.bound)}",
        "Bruck and recursive doubling, a change before every step: " + time_text(found.by_steps),
        _gain_words(found),
    ]
    return "\n".join(lines)


def _change_words(found: PhasePlanRecord) -> str:
    least = time_text(found.change)
    return f"{least} or more, by the moves planned," if found.own_moves else least


def _gain_words(found: PhasePlanRecord) -> str:
    if found.single_seconds == found.least:
        return "nothing can be gained: that wiring is the quickest in every phase"
    if found.changes:
        saved = 1 - found.seconds / found.single_seconds
        return f"saves {float(saved):.1%} of what the best single wiring takes"
    often = found.worth if found.repeats else 2 * found.worth
    return f"no change pays; one would have to take less than {time_text(often)}"


def phase_plan_fields(found: PhasePlanRecord) -> dict[str, Any]:
    """The fields that `plan-phases --json` promises; times are seconds."""
    return {
        "n": found.n,
        "d": found.d,
        "seconds": float(found.seconds),
        "changes": found.changes,
        "change_seconds": float(found.change),
        "own_moves": found.own_moves,
        "repeats": found.repeats,
        "single": found.single,
        "single_seconds": float(found.single_seconds),
        "least_seconds": float(found.least),
        "bound_seconds": float(found.bound),
        "every_step_seconds": float(found.by_steps),
        "phases": [
            {
                "collective": line.collective,
                "bytes": float(line.size),
                "recipe": line.recipe,
                "seconds": float(line.seconds),
                "single_seconds": float(line.single_seconds),
                "bound_seconds": float(line.bound),
            }
            for line in found.lines
        ],
    }
