"""Forests that were weighed against one another, as a table and as fields of JSON."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reports.units import time_text


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestChoice:
    """`k` trees a root, how much longer than the optimum they take, relatively, and their height.

    `trees` counts different ones; `seconds` is the time of the size that was asked for, if any.
    """

    k: int
    loss: Fraction
    trees: int
    height: int
    seconds: Fraction | None = None
    chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedsTried:
    """The seeds of packing that were tried, how many were asked for, and the one that was taken."""

    first: int
    tried: int
    asked: int
    best: int


def seed_lines(seeds: SeedsTried | None) -> list[str]:
    """A line where several were asked for.

    >>> seed_lines(SeedsTried(first=0, tried=3, asked=8, best=2))
    ['seed 2 of 0 to 2; the time was over before 8']
    >>> seed_lines(SeedsTried(first=4, tried=2, asked=2, best=4))
    ['seed 4 of 4 to 5']
    """
    if seeds is None or seeds.asked == 1:
        return []
    over = f"; the time was over before {seeds.asked}" if seeds.tried < seeds.asked else ""
    return [f"seed {seeds.best} of {seeds.first} to {seeds.first + seeds.tried - 1}{over}"]


def seed_fields(seeds: SeedsTried) -> dict[str, int]:
    """The same as JSON."""
    return {"first": seeds.first, "tried": seeds.tried, "asked": seeds.asked, "best": seeds.best}


def choice_lines(choices: tuple[ForestChoice, ...]) -> list[str]:
    """A line for each, the one that was taken marked; none where there was no choice.

    >>> one = ForestChoice(k=1, loss=Fraction(1, 10), trees=4, height=2, chosen=True)
    >>> print("\\n".join(choice_lines((one,))))
          k   loss %  trees  height
    *     1  10.0000      4       2
    """
    if not choices:
        return []
    timed = any(choice.seconds is not None for choice in choices)
    lines = ["      k   loss %  trees  height" + ("        time" if timed else "")]
    for choice in choices:
        mark = "*" if choice.chosen else " "
        loss = f"{float(100 * choice.loss):8.4f}"
        time = "" if choice.seconds is None else f"  {time_text(choice.seconds):>10}"
        lines.append(f"{mark} {choice.k:5} {loss} {choice.trees:6} {choice.height:7}{time}")
    return lines


def choice_fields(choices: tuple[ForestChoice, ...]) -> list[dict[str, Any]]:
    """The same as JSON; fractions are strings."""
    return [
        {
            "k": choice.k,
            "loss": str(choice.loss),
            "trees": choice.trees,
            "height": choice.height,
            "seconds": None if choice.seconds is None else float(choice.seconds),
            "exact": None if choice.seconds is None else str(choice.seconds),
            "chosen": choice.chosen,
        }
        for choice in choices
    ]
