"""What a forest takes for a collective of one size, as text and as fields of JSON."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from reports.units import size_text, time_text

Chunked = tuple[int, Fraction]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestTime:
    """Times in seconds for `size` bytes in all: `bare` without latencies, phase after phase.

    `phases` holds the best number of chunks and the time of each phase, in their order; empty where
    no latencies are known. `both` is the same for both phases of an allreduce at once. `hidden` is
    the least where links are busy for bytes alone: of the phases, or of both at once. What hosts
    add to each of these sums, and is in them, is `added`.
    """

    size: Fraction
    bare: Fraction
    phases: tuple[Chunked, ...] = ()
    both: Chunked | None = None
    hidden: tuple[Chunked, ...] = ()
    added: Fraction = Fraction()

    def later(self, added: Fraction) -> "ForestTime":
        """The same where hosts add so many seconds to each of the times."""
        if not added:
            return self
        return replace(
            self,
            bare=self.bare + added,
            phases=_add_to_last(self.phases, added),
            both=None if self.both is None else (self.both[0], self.both[1] + added),
            hidden=_add_to_last(self.hidden, added),
            added=self.added + added,
        )

    @property
    def seconds(self) -> Fraction | None:
        """Of all phases one after the other."""
        return _total(self.phases) if self.phases else None

    @property
    def best(self) -> Fraction | None:
        """The least of the times with latencies."""
        both = self.both
        if self.seconds is None or both is None:
            return self.seconds
        return min(self.seconds, both[1])

    @property
    def overlapped(self) -> Fraction | None:
        """The least where links are busy for bytes alone: what `best` takes, or less."""
        if self.best is None or not self.hidden:
            return self.best
        return min(self.best, _total(self.hidden))


def time_lines(found: ForestTime, bound: Fraction | None = None) -> list[str]:
    """A line, one more for an allreduce, and one for links that latencies do not keep busy.

    That tells how far it is above a `bound` in seconds, where one is known.

    >>> time_lines(ForestTime(size=Fraction(2**20), bare=Fraction(1, 50)))
    ['20.000 ms without latencies for 1 MiB']
    """
    bare = f"{time_text(found.bare)} without latencies"
    if found.seconds is None:
        return [f"{bare} for {size_text(found.size)}"]
    chunks = _counts(found.phases)
    lines = [f"{time_text(found.seconds)} for {size_text(found.size)}, in {chunks}; {bare}"]
    if found.both is not None:
        count, time = found.both
        lines.append(f"{time_text(time)} with both phases at once, in {_chunks(count)}")
    if found.overlapped != found.best:
        time = _total(found.hidden)
        above = (
            "" if bound is None else f": {float(100 * (time / bound - 1)):.3g} % above the bound"
        )
        chunks = _counts(found.hidden) + above
        lines.append(f"{time_text(time)} where links are busy for bytes alone, in {chunks}")
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
        if found.hidden:
            counts = [count for count, _ in found.hidden]
            fields["pipelined"]["bytes_alone"] = _fields(_total(found.hidden)) | {"chunks": counts}
    return fields


def _add_to_last(phases: tuple[Chunked, ...], added: Fraction) -> tuple[Chunked, ...]:
    if not phases:
        return ()
    count, time = phases[-1]
    return (*phases[:-1], (count, time + added))


def _total(phases: tuple[Chunked, ...]) -> Fraction:
    return sum((time for _, time in phases), Fraction())


def _counts(phases: tuple[Chunked, ...]) -> str:
    return " and ".join(_chunks(count) for count, _ in phases)


def _fields(time: Fraction) -> dict[str, Any]:
    return {"seconds": float(time), "exact": str(time)}


def _chunks(count: int) -> str:
    return f"{count} chunk" if count == 1 else f"{count} chunks"
