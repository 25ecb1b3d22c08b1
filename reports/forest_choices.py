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
