"""What `topofinder doctor` finds on a machine, as text and as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

State = Literal["ok", "missing", "problem"]


class Finding(NamedTuple):
    """One thing that was looked at: its group and name, what is so, and what mends it if need be.

    `missing` is said of what topofinder does without, `problem` of what fails or slows commands.
    """

    group: str
    name: str
    state: State
    found: str
    advice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorRecord:
    """All findings, in the order in which they are told."""

    findings: Sequence[Finding]

    @property
    def problems(self) -> list[Finding]:
        """What should be mended."""
        return [finding for finding in self.findings if finding.state == "problem"]


def doctor_text(record: DoctorRecord) -> str:
    """A block a group, a line a finding, and how many problems there are.

    >>> print(doctor_text(DoctorRecord(findings=[
    ...     Finding("extras", "mpi4py", "missing", "not installed", "for run: pip install mpi4py"),
    ...     Finding("machine", "cores", "ok", "2")])))
    extras
      - mpi4py: not installed (for run: pip install mpi4py)
    machine
        cores: 2
    no problems
    """
    lines: list[str] = []
    group = ""
    for finding in record.findings:
        if finding.group != group:
            group = finding.group
            lines.append(group)
        lines.append(_line(finding))
    found = len(record.problems)
    word = "problem" if found == 1 else "problems"
    return "\n".join([*lines, f"{found or 'no'} {word}"])


def _line(finding: Finding) -> str:
    mark = {"ok": " ", "missing": "-", "problem": "!"}[finding.state]
    advice = f" ({finding.advice})" if finding.advice else ""
    return f"  {mark} {finding.name}: {finding.found}{advice}"


def doctor_fields(record: DoctorRecord) -> dict[str, Any]:
    """The fields that `doctor --json` prints.

    >>> doctor_fields(DoctorRecord(findings=[Finding("machine", "cores", "ok", "2")]))["problems"]
    0
    """
    return {
        "problems": len(record.problems),
        "findings": [finding._asdict() for finding in record.findings],
    }
