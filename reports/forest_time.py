"""What a forest takes for a collective of one size, as text and as fields of JSON."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reports.units import size_text, time_text

Chunked = tuple[int, Fraction]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestTime:
    """Times in seconds for `size` bytes in all: `bare` without latencies, phase after phase.

    `phases` holds the best number of chunks and the time of each phase, in their order; empty where
    no latencies are known. `both` is the same for both phases of an allreduce at once.
    """

    size: Fraction
    bare: Fraction
    phases: tuple[Chunked, ...] = ()
    both: Chunked | None = None

    @property
    def seconds(self) -> Fraction | None:
        """Of all phases one after the other."""
        return sum((time for _, time in self.phases), Fraction()) if self.phases else None

    @property
    def best(self) -> Fraction | None:
        """The least of the times with latencies."""
        both = self.both
        if self.seconds is None or both is None:
            return self.seconds
        return min(self.seconds, both[1])


def time_lines(found: ForestTime) -> list[str]:
    """One line, or two for an allreduce.

    >>> time_lines(ForestTime(size=Fraction(2**20), bare=Fraction(1, 50)))
    ['20.000 ms without latencies for 1 MiB']
    """
    bare = f"{time_text(found.bare)} without latencies"
    if found.seconds is None:
        return [f"{bare} for {size_text(found.size)}"]
    chunks = " and ".join(_chunks(count) for count, _ in found.phases)
    lines = [f"{time_text(found.seconds)} for {size_text(found.size)}, in {chunks}; {bare}"]
    if found.both is not None:
        count, time = found.both
        lines.append(f"{time_text(time)} with both phases at once, in {_chunks(count)}")
    return lines


def time_fields(found: ForestTime) -> dict[str, Any]:
    """`runtime` in seconds without latencies, and `pipelined` where latencies are known."""
    fields: dict[str, Any] = {"runtime": float(found.bare)}
    if found.seconds is not None:
        counts = [count for count, _ in found.phases]
        fields["pipelined"] = _fields(found.seconds) | {"chunks": counts}
        if found.both is not None:
            count, time = found.both
            fields["pipelined"]["together"] = _fields(time) | {"chunks": count}
    return fields


def _fields(time: Fraction) -> dict[str, Any]:
    return {"seconds": float(time), "exact": str(time)}


def _chunks(count: int) -> str:
    return f"{count} chunk" if count == 1 else f"{count} chunks"
