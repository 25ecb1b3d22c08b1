"""What a workload takes on a candidate by the best schedule method of every size of its data."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from db.rating_rows import RatingRow
from reports.units import size_words, time_text


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadRating:
    """Ratings of a candidate at some sizes, each with how often it occurs.

    The other sizes of the workload, `rest_sizes` in number, take `rest_seconds` by BFB, and at
    least `rest_bound` by whatever schedule.
    """

    recipe: str
    parts: tuple[tuple[RatingRow, int], ...]
    rest_sizes: int = 0
    rest_seconds: Fraction = Fraction()
    rest_bound: Fraction = Fraction()

    @property
    def seconds(self) -> Fraction:
        """Of the whole workload."""
        return sum((count * row.seconds for row, count in self.parts), self.rest_seconds)

    @property
    def bound(self) -> Fraction:
        """Seconds that no schedules on the candidate beat."""
        return sum((count * row.bound for row, count in self.parts), self.rest_bound)

    @property
    def gap(self) -> Fraction:
        """How much longer than the bound it takes, relatively."""
        return self.seconds / self.bound - 1 if self.bound else Fraction()

    @property
    def method(self) -> str:
        """The method of one size; of several the kinds, with how many sizes each is best for."""
        if len(self.parts) == 1 and not self.rest_sizes:
            return self.parts[0][0].method
        kinds = Counter(row.method.split(":")[0] for row, _ in self.parts)
        kinds.update({"bfb": self.rest_sizes} if self.rest_sizes else {})
        return ", ".join(f"{kind} for {many}" for kind, many in kinds.most_common()) + " sizes"

    @property
    def is_single(self) -> bool:
        """Whether the workload is one collective."""
        return len(self.parts) == 1 and self.parts[0][1] == 1 and not self.rest_sizes


def rating_words(rating: WorkloadRating) -> str:
    """How good a time is: `by bfb, 5.0% above the bound of 10.0 us`."""
    return (
        f"by {rating.method}, {float(rating.gap):.1%} above the bound of {time_text(rating.bound)}"
    )


def size_lines(rating: WorkloadRating) -> list[str]:
    """A line for every size of a workload of several collectives: the method and its time."""
    if rating.is_single:
        return []
    lines = [
        f"  {size_words(row.question.size)}, {count} time{'s' if count > 1 else ''}: "
        f"{time_text(row.seconds)} each by {row.method}, bound {time_text(row.bound)}"
        for row, count in rating.parts
    ]
    if rating.rest_sizes:
        many = f"{rating.rest_sizes} other size{'s' if rating.rest_sizes > 1 else ''}"
        lines.append(
            f"  {many}, which weigh less, by bfb alone: {time_text(rating.rest_seconds)} in all, "
            f"bound {time_text(rating.rest_bound)}"
        )
    return lines


def rating_fields(rating: WorkloadRating) -> dict[str, Any]:
    """The best method of a candidate as the fields that `--json` promises; times are seconds.

    A workload of several collectives has `best_by_size` too, and `by_bfb_alone` where there are
    sizes that weigh less.
    """
    found = _time_fields(rating)
    if not rating.is_single:
        found["best_by_size"] = [
            {"size": float(row.question.size), "count": count, **_time_fields(row)}
            for row, count in rating.parts
        ]
    if rating.rest_sizes:
        found["by_bfb_alone"] = {
            "sizes": rating.rest_sizes,
            "seconds": float(rating.rest_seconds),
            "bound_seconds": float(rating.rest_bound),
        }
    return found


def _time_fields(rated: WorkloadRating | RatingRow) -> dict[str, Any]:
    return {
        "best_method": rated.method,
        "best_seconds": float(rated.seconds),
        "bound_seconds": float(rated.bound),
        "gap": float(rated.gap),
    }
