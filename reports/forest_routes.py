"""The routes of a forest through switches, as text and as JSON."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteRecord:
    """The `longest` in links, whether all are `shortest`, virtual `channels` against deadlock.

    Where switches have tiers: whether all are `updown`, the shards that enter the `core`, the
    highest tier, from other switches, and how many of these no trees can do without.
    """

    longest: int
    shortest: bool
    channels: int
    updown: bool | None
    core: Fraction | None
    least_core: Fraction | None

    @property
    def is_told(self) -> bool:
        """Whether some route passes two switches, so that there is something to say."""
        return self.longest > 2


def route_text(record: RouteRecord) -> str:
    """One line for a person.

    >>> print(route_text(RouteRecord(longest=4, shortest=False, channels=1, updown=True,
    ...     core=Fraction(60), least_core=Fraction(48))))
    routes: up-down, at most 4 links; 60 shards enter the core, 48 at least; no deadlock
    """
    kinds = ["up-down"] * bool(record.updown) + ["shortest"] * record.shortest
    parts = [", ".join([*kinds, f"at most {record.longest} links"])]
    if record.core:
        parts.append(f"{record.core} shards enter the core, {record.least_core} at least")
    need = "" if record.channels == 1 else f" with {record.channels} virtual channels"
    return f"routes: {'; '.join(parts)}; no deadlock{need}"


def route_fields(record: RouteRecord) -> dict[str, Any]:
    """The object `routes` of `schedule --json` and `verify --json`; fractions are strings."""
    return {
        "longest": record.longest,
        "shortest": record.shortest,
        "virtual_channels": record.channels,
        "updown": record.updown,
        "core": None if record.core is None else str(record.core),
        "least_core": None if record.least_core is None else str(record.least_core),
    }
