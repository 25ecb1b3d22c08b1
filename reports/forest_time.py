"""What a forest takes for a collective of one size, as text and as fields of JSON."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from reports.units import size_text, time_text

Chunked = tuple[int, Fraction]
PIPELINED = "pipelined"
"""The model of time in which a link is busy for the bytes alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestTime:
    """Times in seconds for `size` bytes in all: `bare` without latencies, phase after phase.

    `together` is the same with both phases of an allreduce at once. `phases` holds the best number
    of chunks and the time of each phase in rounds, in their order; empty where no latencies are
    known. `both` is the same for both phases at once. `hidden` is the least by periods, where links
    are busy for bytes alone: of the phases, or of both at once. `best` is the least of all in the
    `model` of time, that which forests are chosen by; None without latencies. What hosts add to
    each of these sums, and is in them, is `added`.
    """

    size: Fraction
    bare: Fraction
    together: Fraction | None = None
    phases: tuple[Chunked, ...] = ()
    both: Chunked | None = None
    hidden: tuple[Chunked, ...] = ()
    best: Fraction | None = None
    model: str = PIPELINED
    added: Fraction = Fraction()

    def later(self, added: Fraction) -> "ForestTime":
        """The same where hosts add so many seconds to each of the times."""
        if not added:
            return self
        return replace(
            self,
            bare=self.bare + added,
            together=None if self.together is None else self.together + added,
            phases=_add_to_last(self.phases, added),
            both=None if self.both is None else (self.both[0], self.both[1] + added),
            hidden=_add_to_last(self.hidden, added),
            best=None if self.best is None else self.best + added,
            added=self.added + added,
        )

    @property
    def seconds(self) -> Fraction | None:
        """Of all phases one after the other, in rounds."""
        return _total(self.phases) if self.phases else None

    @property
    def rounds(self) -> tuple[Chunked, ...]:
        """The quickest in rounds: of the phases, or of both at once."""
        return min(self.phases, self.phases if self.both is None else (self.both,), key=_total)

    @property
    def quickest(self) -> tuple[Chunked, ...]:
        """The quickest by periods where that is what `best` is, else in rounds."""
        return self.hidden if _total(self.hidden) == self.best else self.rounds


def time_lines(found: ForestTime, bound: Fraction | None = None) -> list[str]:
    """A line of the least time in the model, one of the other model where that is another, and one
    of an allreduce in rounds whose phases do not run at once.

    The first tells how far it is above a `bound` in seconds, where one is known.

    >>> time_lines(ForestTime(size=Fraction(2**20), bare=Fraction(1, 50)))
    ['20.000 ms without latencies for 1 MiB']
    """
    if found.best is None:
        least = found.bare if found.together is None else min(found.bare, found.together)
        at_once = "" if least == found.bare else ", both phases at once"
        return [f"{time_text(least)} without latencies for {size_text(found.size)}{at_once}"]
    taken, rounds = found.quickest, found.rounds
    by_periods = taken != rounds
    how = ", pipelined" if by_periods else ", in rounds" if found.model != PIPELINED else ""
    above = (
        "" if bound is None else f": {float(100 * (found.best / bound - 1)):.3g} % above the bound"
    )
    bare = found.together if _at_once(found, taken) else found.bare
    lines = [
        f"{time_text(found.best)} for {size_text(found.size)}{how}{_way(found, taken)}{above}; "
        f"{time_text(bare or found.bare)} without latencies"
    ]
    if by_periods:
        lines.append(f"{time_text(_total(rounds))} in rounds{_way(found, rounds)}")
    elif _total(found.hidden) < found.best:
        lines.append(f"{time_text(_total(found.hidden))} pipelined{_way(found, found.hidden)}")
    if _at_once(found, rounds):
        lines.append(f"{time_text(_total(found.phases))} in rounds{_way(found, found.phases)}")
    return lines


def time_fields(found: ForestTime) -> dict[str, Any]:
    """`runtime` in seconds without latencies; where latencies are known, `pipelined` in rounds, and
    the `best` in the `model`.
    """
    fields: dict[str, Any] = {"runtime": float(found.bare)}
    if found.best is None or found.seconds is None:
        return fields
    counts = [count for count, _ in found.phases]
    fields["pipelined"] = _fields(found.seconds) | {"chunks": counts}
    if found.both is not None:
        count, time = found.both
        fields["pipelined"]["together"] = _fields(time) | {"chunks": count}
    counts = [count for count, _ in found.hidden]
    fields["pipelined"]["bytes_alone"] = _fields(_total(found.hidden)) | {"chunks": counts}
    fields["best"] = _fields(found.best) | {"model": found.model}
    return fields


def _way(found: ForestTime, taken: tuple[Chunked, ...]) -> str:
    """Whether phases run at once, where there are two, and in how many chunks."""
    counts = " and ".join(_chunks(count) for count, _ in taken)
    if len(found.phases) == 1:
        return f", in {counts}"
    if _at_once(found, taken):
        return f", both phases at once, in {counts}"
    return f", one phase after the other, in {counts}"


def _at_once(found: ForestTime, taken: tuple[Chunked, ...]) -> bool:
    return len(taken) < len(found.phases)


def _add_to_last(phases: tuple[Chunked, ...], added: Fraction) -> tuple[Chunked, ...]:
    if not phases:
        return ()
    count, time = phases[-1]
    return (*phases[:-1], (count, time + added))


def _total(phases: tuple[Chunked, ...]) -> Fraction:
    return sum((time for _, time in phases), Fraction())


def _fields(time: Fraction) -> dict[str, Any]:
    return {"seconds": float(time), "exact": str(time)}


def _chunks(count: int) -> str:
    return f"{count} chunk" if count == 1 else f"{count} chunks"
