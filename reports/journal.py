"""How far a plan had come by its journal, and the plans from there, as text and as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reports.plan import LISTED, PlanSummary, plan_fields, plan_text


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalSummary:
    """Moves of a plan by their outcome; `violation` is None for a journal that can be true.

    `circuits` are up once those that are `doubtful`, as pairs of ports, are out. `bad` ports count
    as dead; `onward` and `back` are plans from there, where they were asked for, that leave out so
    many circuits for which hosts lack ports now. `beyond` are stages of theirs in which more is out
    of what was up before the plan was begun than may be.
    """

    violation: str | None
    moves: int
    done: int
    failed: int
    unknown: int
    circuits: int
    digest: str
    doubtful: tuple[tuple[str, str], ...]
    bad: tuple[str, ...]
    onward: PlanSummary | None = None
    back: PlanSummary | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)
    beyond: Mapping[str, Sequence[int]] = field(default_factory=dict)


def journal_text(journal: JournalSummary) -> str:
    """Where the plan is, what to look at first, and the plans from there."""
    if journal.violation is not None:
        return f"not valid: {journal.violation}"
    lines = [
        f"{journal.done} of {journal.moves} moves are done, {journal.failed} failed, "
        f"{journal.unknown} unknown; {journal.circuits} circuits are up"
    ]
    for a, b in journal.doubtful:
        lines.append(f"  first take out, if it is there: {a} - {b}")
    if journal.bad:
        more = ", ..." * (len(journal.bad) > LISTED)
        lines.append(f"  dead from now on: {', '.join(journal.bad[:LISTED])}{more}")
    for name, plan in (("onward", journal.onward), ("back", journal.back)):
        if plan is not None:
            lines += ["", f"{name}: {plan_text(plan)}"]
        if count := journal.left_out.get(name, 0):
            are = "circuit is" if count == 1 else "circuits are"
            lines.append(f"  {count} {are} left out, for which a host has no port any more")
        if stages := journal.beyond.get(name, ()):
            told = ", ".join(map(str, stages[:LISTED])) + ", ..." * (len(stages) > LISTED)
            lines.append(
                f"  more than may be of what was up before the plan is out in stage {told}"
            )
    return "\n".join(lines)


def journal_fields(journal: JournalSummary) -> dict[str, Any]:
    """The fields that `replay --journal --json` promises."""
    if journal.violation is not None:
        return {"valid": False, "violation": journal.violation}
    return {
        "valid": True,
        "moves": journal.moves,
        "done": journal.done,
        "failed": journal.failed,
        "unknown": journal.unknown,
        "circuits": journal.circuits,
        "digest": journal.digest,
        "doubtful": [list(pair) for pair in journal.doubtful],
        "dead": list(journal.bad),
        "onward": None if journal.onward is None else plan_fields(journal.onward),
        "left_out": dict(journal.left_out),
        "stages_beyond": {name: list(stages) for name, stages in journal.beyond.items()},
        "back": None if journal.back is None else plan_fields(journal.back),
    }
