"""What the replay of a plan gave, as text and as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedPlan:
    """A replay; `violation` is None for one that holds.

    `circuits` are those up at its end, `missing` those of the target that no panel takes. `files`
    tell the same moves; `claimed` is what the plan says and nobody checked, by field.
    """

    violation: str | None
    recipe: str | None
    n: int
    stages: int
    whole: bool
    back: bool
    circuits: int
    missing: int
    digest: str
    files: tuple[str, ...]
    claimed: Mapping[str, str]


def replay_text(done: ReplayedPlan) -> str:
    """The verdict, the files that were compared, and what is only claimed.

    >>> print(replay_text(ReplayedPlan(violation=None, recipe="K(3)", n=3, stages=2, whole=True,
    ...     back=False, circuits=3, missing=0, digest="0", files=("p.csv",),
    ...     claimed={"seed": "of the search", "lower_bound": "that no plan has fewer moves"})))
    valid: after 2 stages 3 circuits are up, among them K(3); the rollback undoes them
      the same moves are in p.csv
      only claimed: that no plan has fewer moves (lower_bound); seed
    """
    if done.violation is not None:
        return f"not valid: {done.violation}"
    stages = f"after {done.stages} stage{'s' * (done.stages != 1)}"
    if done.back:
        stages += " of the rollback"
    end = ""
    if done.whole and not done.back:
        target = done.recipe or f"the target of {done.n} nodes"
        but = f" but for {done.missing}" if done.missing else ""
        end = f", among them {target}{but}; the rollback undoes them"
    lines = [f"valid: {stages} {done.circuits} circuits are up{end}"]
    if done.files:
        lines.append(f"  the same moves are in {', '.join(done.files)}")
    if done.claimed:
        lines.append(f"  only claimed: {_claims(done.claimed)}")
    return "\n".join(lines)


def _claims(claimed: Mapping[str, str]) -> str:
    """What a plan claims in words, then the names of the fields that are mere remarks."""
    said = [f"{text} ({name})" for name, text in claimed.items() if text.startswith("that ")]
    remarks = [name for name, text in claimed.items() if not text.startswith("that ")]
    return "; ".join([*said, ", ".join(remarks)] if remarks else said)


def replay_fields(done: ReplayedPlan) -> dict[str, Any]:
    """The fields that `replay --json` promises."""
    if done.violation is not None:
        return {"valid": False, "violation": done.violation}
    fields = {
        "valid": True,
        "recipe": done.recipe,
        "n": done.n,
        "stages": done.stages,
        "whole": done.whole,
        "rollback": done.back,
        "circuits": done.circuits,
        "missing": done.missing,
        "digest": done.digest,
        "files": list(done.files),
        "claimed": dict(done.claimed),
    }
    return fields
