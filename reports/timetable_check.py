"""A timetable that was checked, as text and as JSON."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reports.units import size_words, time_text


@dataclass(frozen=True, slots=True, kw_only=True)
class TimetableCheck:
    """What an independent check found; `violation` is None for a valid timetable.

    `sends` are those of all nodes, `stored_sends` those in the file. `bounds` are pairs: the name
    of a bound that was worked out anew, and its seconds; `claimed` is what the maker says. Hosts
    add `overhead` seconds, which are in all of these.
    """

    collective: str
    recipe: str | None
    damage: str | None
    method: str | None
    model: str
    hosts: int
    chunks: int
    chunk_bytes: Fraction
    sends: int
    stored_sends: int
    tick: Fraction
    makespan: int
    bounds: tuple[tuple[str, Fraction], ...]
    claimed: Fraction | None
    digest: str
    violation: str | None
    overhead: Fraction = Fraction()

    @property
    def time(self) -> Fraction:
        """Of the collective, in seconds."""
        return self.makespan * self.tick + self.overhead

    @property
    def bound(self) -> Fraction:
        """The best bound that was worked out anew, in seconds."""
        return max((seconds for _, seconds in self.bounds), default=Fraction())


def timetable_check_text(checked: TimetableCheck) -> str:
    """What holds, the time that it takes, and how near that is to the bounds.

    >>> print(timetable_check_text(TimetableCheck(collective="allgather", recipe="UniRing(1,4)",
    ...     damage=None, method="rounds", model="pipelined", hosts=4, chunks=4,
    ...     chunk_bytes=Fraction(1000), sends=12, stored_sends=3, tick=Fraction(1, 10**6),
    ...     makespan=6, bounds=(("ports", Fraction(4, 10**6)),), claimed=Fraction(5, 10**6),
    ...     digest="ab", violation=None)))
    valid: allgather on UniRing(1,4) by rounds, pipelined: 6.0 us
      4 chunks of 1000 B, 12 sends (the 3 of node 0, translated)
      bound worked out anew: 4.0 us (ports), gap 50 %; the file claims 5.0 us
    """
    if checked.violation is not None:
        return f"not valid: {checked.violation}"
    graph = checked.recipe or f"{checked.hosts} hosts"
    graph += f" {checked.damage}" if checked.damage else ""
    by = "" if checked.method is None else f" by {checked.method}"
    few = checked.stored_sends != checked.sends
    kept = f" (the {checked.stored_sends} of node 0, translated)" if few else ""
    added = f", of which hosts add {time_text(checked.overhead)}" if checked.overhead else ""
    return "\n".join(
        [
            f"valid: {checked.collective} on {graph}{by}, {checked.model}: "
            f"{time_text(checked.time)}{added}",
            f"  {checked.chunks} chunks of {size_words(checked.chunk_bytes)}, "
            f"{checked.sends} sends{kept}",
            f"  bound worked out anew: {_bounds_text(checked)}{_claim_text(checked)}",
        ]
    )


def _bounds_text(checked: TimetableCheck) -> str:
    told = ", ".join(f"{time_text(seconds)} ({name})" for name, seconds in checked.bounds)
    if not checked.bound:
        return told
    if checked.time == checked.bound:
        return f"{told}, reached"
    return f"{told}, gap {float(100 * (checked.time / checked.bound - 1)):.3g} %"


def _claim_text(checked: TimetableCheck) -> str:
    return "" if checked.claimed is None else f"; the file claims {time_text(checked.claimed)}"


def timetable_check_fields(checked: TimetableCheck) -> dict[str, Any]:
    """The fields that `verify --json` promises: exact fractions are strings."""
    if checked.violation is not None:
        return {"valid": False, "violation": checked.violation}
    gap = float(checked.time / checked.bound - 1) if checked.bound else None
    added = {"epsilon": str(checked.overhead)} if checked.overhead else {}
    return {
        "valid": True,
        "collective": checked.collective,
        "recipe": checked.recipe,
        "damage": checked.damage,
        "method": checked.method,
        "model": checked.model,
        "n": checked.hosts,
        "chunks": checked.chunks,
        "chunk_bytes": str(checked.chunk_bytes),
        "sends": checked.sends,
        "stored_sends": checked.stored_sends,
        "tick": str(checked.tick),
        "makespan": checked.makespan,
        "runtime": float(checked.time),
        "runtime_exact": str(checked.time),
        "bounds": {name: str(seconds) for name, seconds in checked.bounds},
        "bound_seconds": float(checked.bound),
        "bound_exact": str(checked.bound),
        "gap": gap,
        "claimed_bound": None if checked.claimed is None else str(checked.claimed),
        "digest": checked.digest,
        **added,
    }
