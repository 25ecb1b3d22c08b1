"""What the replay of a plan gave, as text and as JSON."""

import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedPlan:
    """A replay; `violation` is None for one that holds.

    `circuits` are those up at its end, `missing` those of the target that no panel takes.
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


def replay_text(done: ReplayedPlan) -> str:
    """One line.

    >>> print(replay_text(ReplayedPlan(violation=None, recipe="K(3)", n=3, stages=2, whole=True,
    ...     back=False, circuits=3, missing=0, digest="0")))
    valid: after 2 stages 3 circuits are up, among them K(3); the rollback undoes them
    """
    if done.violation is not None:
        return f"not valid: {done.violation}"
    stages = f"after {done.stages} stages"
    if done.back:
        stages += " of the rollback"
    end = ""
    if done.whole and not done.back:
        target = done.recipe or f"the target of {done.n} nodes"
        but = f" but for {done.missing}" if done.missing else ""
        end = f", among them {target}{but}; the rollback undoes them"
    return f"valid: {stages} {done.circuits} circuits are up{end}"


def replay_json(done: ReplayedPlan) -> str:
    """The fields that `replay --json` promises."""
    if done.violation is not None:
        return json.dumps({"valid": False, "violation": done.violation}, indent=2)
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
    }
    return json.dumps(fields, indent=2)
