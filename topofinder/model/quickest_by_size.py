"""Which candidate is the quickest at which size: the lower envelope of lines, exactly.

The time of a collective is a line in its size M: steps alpha + bandwidth M / B. The least of many
lines is the lower envelope; where two of its lines meet, one candidate takes over from another.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

from expansions.cost import Cost

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span(Generic[T]):
    """The sizes, in bytes, from `least` up to `most`, at which a choice is the best.

    `most` is None for the last one.
    """

    least: Fraction
    most: Fraction | None
    choice: T


def envelope(
    choices: Iterable[tuple[Cost, T]], alpha: Fraction, bandwidth: Fraction
) -> list[Span[T]]:
    """The spans of sizes from 0 on, each with its best choice; the first one among equals.

    `alpha` is in seconds, `bandwidth` in bytes a second.

    >>> found = envelope([(Cost(1, Fraction(2)), "quick"), (Cost(3, Fraction(1)), "broad")],
    ...     Fraction(1, 100), Fraction(100))
    >>> [(span.choice, str(span.least)) for span in found]
    [('quick', '0'), ('broad', '2')]
    """
    left = sorted(choices, key=lambda choice: choice[0])
    spans: list[Span[T]] = []
    start = Fraction(0)
    while left:
        cost, choice = left[0]
        left = [other for other in left if other[0].bandwidth < cost.bandwidth]
        meetings = [
            (_size_of_equal_time(cost, other, alpha, bandwidth), other, at)
            for at, (other, _) in enumerate(left)
        ]
        if not meetings:
            return [*spans, Span(least=start, most=None, choice=choice)]
        end, _, at = min(meetings, key=lambda met: (met[0], met[1].bandwidth))
        if end > start:
            spans.append(Span(least=start, most=end, choice=choice))
        start, left = end, left[at:]
    return spans


def _size_of_equal_time(one: Cost, other: Cost, alpha: Fraction, bandwidth: Fraction) -> Fraction:
    """The size at which `other`, of less bandwidth time, takes as long as `one`."""
    return (other.steps - one.steps) * alpha * bandwidth / (one.bandwidth - other.bandwidth)
