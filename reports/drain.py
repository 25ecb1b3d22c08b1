"""What stays up in the middle of a plan's stages, as text and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

LISTED = 10
"""Stages that a text names one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrainSummary:
    """What was asked to stay up, and what is: shares of links, and throughputs of a `demand`.

    `most_out` and `rates` are of each stage: the greatest share that is out at a host or across a
    cut, and what is certainly carried. `whole` is the throughput that `keep` is a share of;
    `beyond` and `below` are the stages, from 1, that break what was asked for.
    """

    take_out: Fraction | None
    cuts: int
    most_out: tuple[Fraction, ...]
    keep: Fraction | None
    demand: str
    whole: Fraction
    rates: tuple[Fraction, ...]
    beyond: tuple[int, ...]
    below: tuple[int, ...]


def drain_lines(drain: DrainSummary) -> Iterator[str]:
    """What is up in the middle of stages, and where too little is."""
    if drain.take_out is not None:
        where = "a host, or across a cut," if drain.cuts else "a host"
        most = max(drain.most_out, default=Fraction())
        yield f"of the links of {where} at most {_percent(most)} are out at a time"
        if drain.beyond:
            yield f"more than {_percent(drain.take_out)} are out in {_stages(drain.beyond)}"
    if drain.keep is not None:
        asked = f"{_percent(drain.keep)} of {float(drain.whole):.4g}"
        least = float(min(drain.rates, default=drain.whole))
        yield f"{least:.4g} or more is carried in every stage ({drain.demand}; {asked} was asked)"
        if drain.below:
            yield f"less than was asked may be carried in {_stages(drain.below)}"


def drain_fields(drain: DrainSummary) -> dict[str, Any]:
    """What `plan --json` tells of it."""
    return {
        "take_out": None if drain.take_out is None else float(drain.take_out),
        "cuts": drain.cuts,
        "most_out": list(map(float, drain.most_out)),
        "keep_throughput": None if drain.keep is None else float(drain.keep),
        "demand": drain.demand,
        "whole": str(drain.whole),
        "throughputs": list(map(str, drain.rates)),
        "stages_beyond": list(drain.beyond),
        "stages_below": list(drain.below),
    }


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.4g}%"


def _stages(numbers: Sequence[int]) -> str:
    listed = ", ".join(map(str, numbers[:LISTED])) + ", ..." * (len(numbers) > LISTED)
    return f"{len(numbers)} stage{'s' * (len(numbers) != 1)}: {listed}"
