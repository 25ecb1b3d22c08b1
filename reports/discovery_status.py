"""How discoveries stand, as text for a person and as JSON for a program."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from db.discovery_rows import FindRow
from expansions.cost import Cost
from reports.discovery import best_line
from reports.text import table


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeStatus:
    """One search at one size: graphs judged in all and a second, the best graphs, the bound."""

    n: int
    d: int
    links: str
    both: bool
    seed: int
    judged_by_kind: Mapping[str, int]
    rate: float | None
    best: Sequence[FindRow]
    bound: Cost

    @property
    def judged(self) -> int:
        """Graphs judged, of all kinds."""
        return sum(self.judged_by_kind.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusRecord:
    """The searches, and the seconds until the last one that is running is over."""

    sizes: Sequence[SizeStatus]
    seconds_left: float | None

    @property
    def judged(self) -> int:
        """Graphs judged in all."""
        return sum(size.judged for size in self.sizes)

    @property
    def rate(self) -> float | None:
        """Graphs a second in all, None where nothing was judged lately."""
        rates = [size.rate for size in self.sizes if size.rate is not None]
        return sum(rates) if rates else None


def status_text(found: StatusRecord) -> str:
    """A line for each size, with the graphs judged of each kind, under one that tells of all."""
    told = f"{len(found.sizes)} sizes: {found.judged:,} graphs judged"
    if found.rate is not None:
        told += f", {found.rate:,.0f} a second"
    if found.seconds_left is not None:
        told += f", {duration_text(found.seconds_left)} left"
    timed = found.rate is not None
    kinds = list(found.sizes[0].judged_by_kind)
    columns = ["N", "d", "links", *kinds, *(["per second"] if timed else []), "bound", "best"]
    rows = [
        [
            str(size.n),
            str(size.d),
            size.links,
            *(f"{count:,}" for count in size.judged_by_kind.values()),
            *([f"{size.rate or 0:,.0f}"] if timed else []),
            f"({size.bound.steps}, {float(size.bound.bandwidth):.4f})",
            best_line(size.best),
        ]
        for size in found.sizes
    ]
    return f"{told}\n\n{table(columns, rows)}"


def duration_text(seconds: float) -> str:
    """Whole seconds, minutes or hours, as they are told while one waits.

    >>> duration_text(59.2), duration_text(3540), duration_text(9000)
    ('59 s', '59 min', '2 h 30 min')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def status_fields(found: StatusRecord) -> dict[str, Any]:
    """The same as the fields of a JSON object; fractions are strings."""
    return {
        "judged": found.judged,
        "rate": found.rate,
        "seconds_left": found.seconds_left,
        "sizes": [_size_fields(size) for size in found.sizes],
    }


def _size_fields(size: SizeStatus) -> dict[str, Any]:
    return {
        "n": size.n,
        "d": size.d,
        "links": size.links,
        "both_ways": size.both,
        "seed": size.seed,
        "judged": size.judged,
        "judged_by_kind": dict(size.judged_by_kind),
        "rate": size.rate,
        "bound": {"steps": size.bound.steps, "bandwidth": str(size.bound.bandwidth)},
        "best": [
            {"recipe": find.recipe, "steps": find.steps, "bandwidth": str(find.bandwidth)}
            for find in size.best
        ],
    }
