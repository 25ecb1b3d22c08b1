"""A program for a GPU runtime that was checked, as text and as JSON."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reports.units import size_words


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramCheck:
    """What an independent check of a program found; `violation` is None for a valid one.

    `safe_bytes` is the largest size of the data at which it cannot deadlock, None for all;
    `against` the schedule that it was compared with.
    """

    dialect: str
    collective: str
    protocol: str
    ranks: int
    chunks: int
    steps: int
    most_steps: int
    most_blocks: int
    placements: tuple[str, ...]
    safe_bytes: int | None
    against: str | None
    violation: str | None


def program_check_text(checked: ProgramCheck) -> str:
    """What holds, for which placements and sizes.

    >>> print(program_check_text(ProgramCheck(dialect="executor", collective="allgather",
    ...     protocol="LL", ranks=4, chunks=8, steps=24, most_steps=3, most_blocks=7,
    ...     placements=("in place",), safe_bytes=1 << 20, against=None, violation=None)))
    valid: executor program, allgather of 4 ranks in 8 chunks, LL, in place
      24 steps, at most 3 in a threadblock, at most 7 threadblocks on a rank
      safe up to 1 MiB
    """
    if checked.violation is not None:
        return f"not valid: {checked.violation}"
    sizes = "at every size"
    if checked.safe_bytes is not None:
        sizes = f"up to {size_words(Fraction(checked.safe_bytes))}"
    same = "" if checked.against is None else f"; every link carries what {checked.against} says"
    return "\n".join(
        [
            f"valid: {checked.dialect} program, {checked.collective} of {checked.ranks} ranks in "
            f"{checked.chunks} chunks, {checked.protocol}, {' and '.join(checked.placements)}",
            f"  {checked.steps} steps, at most {checked.most_steps} in a threadblock, at most "
            f"{checked.most_blocks} threadblocks on a rank",
            f"  safe {sizes}{same}",
        ]
    )


def program_check_fields(checked: ProgramCheck) -> dict[str, Any]:
    """The fields that `verify --json` promises."""
    if checked.violation is not None:
        return {"valid": False, "violation": checked.violation}
    return {
        "valid": True,
        "dialect": checked.dialect,
        "collective": checked.collective,
        "protocol": checked.protocol,
        "n": checked.ranks,
        "chunks": checked.chunks,
        "steps": checked.steps,
        "most_steps": checked.most_steps,
        "most_threadblocks": checked.most_blocks,
        "placements": list(checked.placements),
        "safe_bytes": checked.safe_bytes,
        "against": checked.against,
    }
