"""Programs of CPUs that were checked, as text and as JSON."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuProgramCheck:
    """What running programs on numbers found; `violation` is None where all ranks end right.

    `units` are the equal parts of all data together, `messages` those of all ranks.
    """

    collective: str
    ranks: int
    units: int
    steps: int
    messages: int
    digest: str
    violation: str | None


def cpu_program_check_text(checked: CpuProgramCheck) -> str:
    """What holds, in a line.

    >>> print(cpu_program_check_text(CpuProgramCheck(collective="allgather", ranks=4, units=8,
    ...     steps=2, messages=16, digest="ab", violation=None)))
    valid: CPU programs, allgather of 4 ranks in 8 units, 2 steps, 16 messages; right on numbers
    """
    if checked.violation is not None:
        return f"not valid: {checked.violation}"
    return (
        f"valid: CPU programs, {checked.collective} of {checked.ranks} ranks in {checked.units} "
        f"units, {checked.steps} steps, {checked.messages} messages; right on numbers"
    )


def cpu_program_check_fields(checked: CpuProgramCheck) -> dict[str, Any]:
    """The fields that `verify --json` promises."""
    if checked.violation is not None:
        return {"valid": False, "violation": checked.violation}
    return {
        "valid": True,
        "format": "cpu-xml",
        "collective": checked.collective,
        "n": checked.ranks,
        "units": checked.units,
        "steps": checked.steps,
        "messages": checked.messages,
        "digest": checked.digest,
    }
