"""What every schedule method would take for a collective, the quickest first, as text and JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reports.units import time_text


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodTime:
    """A method's time in seconds; None with the reason where it makes nothing here."""

    method: str
    seconds: Fraction | None
    reason: str | None = None


def method_time_lines(times: Sequence[MethodTime]) -> list[str]:
    """One line with all times, and one for each method that makes nothing.

    >>> for line in method_time_lines([MethodTime(method="bfb", seconds=Fraction(1, 1000)),
    ...         MethodTime(method="ring", seconds=None, reason="no Hamiltonian cycle")]):
    ...     print(line)
    methods: bfb 1.000 ms
    ring: no Hamiltonian cycle
    """
    known = [each for each in times if each.seconds is not None]
    told = ", ".join(f"{each.method} {time_text(each.seconds or Fraction())}" for each in known)
    rest = [f"{each.method}: {each.reason}" for each in times if each.seconds is None]
    return ([f"methods: {told}"] if known else []) + rest


def method_time_fields(times: Sequence[MethodTime]) -> list[dict[str, Any]]:
    """The field `methods` of `schedule --json`; seconds are None where there is a reason.

    >>> method_time_fields([MethodTime(method="bfb", seconds=Fraction(1, 2))])
    [{'method': 'bfb', 'seconds': 0.5, 'exact': '1/2', 'reason': None}]
    """
    return [
        {
            "method": each.method,
            "seconds": None if each.seconds is None else float(each.seconds),
            "exact": None if each.seconds is None else str(each.seconds),
            "reason": each.reason,
        }
        for each in times
    ]
