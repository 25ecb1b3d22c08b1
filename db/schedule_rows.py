"""Schedules that were made: where each file lies, what it holds, and the hash of its content."""

import re
import sqlite3
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from db.values import integer, ratio, text
from expansions.cost import Cost
from generators.errors import InvalidInput
from generators.version import __version__

_TEXTS = ("path", "content", "topology", "collective", "method", "version")
_NUMBERS = ("n", "d", "rows", "steps")
_SAME = (*_TEXTS, *_NUMBERS, "recipe", "root", "created")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRow:
    """A schedule file. `content` and `topology` are SHA-256 hashes, see docs/schedule-files.md.

    Steps count alpha, bandwidths count M/B. `recipe` is None for a graph without a name, `root`
    except for broadcast and reduce. Raises InvalidInput for values that cannot be stored.

    >>> row = ScheduleRow(path="/tmp/a.npz", content="0" * 64, topology="1" * 64, recipe="K(2)",
    ...     collective="allgather", method="bfb", n=2, d=1, rows=2, steps=1,
    ...     bandwidth=Fraction(1, 2))
    >>> row.cost
    Cost(steps=1, bandwidth=Fraction(1, 2))
    """

    path: str
    content: str
    topology: str
    collective: str
    method: str
    n: int
    d: int
    rows: int
    steps: int
    bandwidth: Fraction
    recipe: str | None = None
    root: int | None = None
    version: str = field(default=__version__, compare=False)
    created: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name in (*_TEXTS, "recipe", "created"):
            self._settle(name, text)
        for name in (*_NUMBERS, "root"):
            self._settle(name, integer)
        self._settle("bandwidth", ratio)
        for name in ("content", "topology"):
            if not _DIGEST.fullmatch(getattr(self, name)):
                raise InvalidInput(f"{name} must be 64 hexadecimal digits: {getattr(self, name)}")

    def _settle(self, name: str, check: Any) -> None:
        value = getattr(self, name)
        if value is not None or name not in ("recipe", "root", "created"):
            object.__setattr__(self, name, check(name, value))

    @property
    def cost(self) -> Cost:
        """T_L and T_B."""
        return Cost(self.steps, self.bandwidth)


def write_schedule_row(connection: sqlite3.Connection, row: ScheduleRow, created: str) -> None:
    """Store a row in place of what was known of the file at that path."""
    record = {name: getattr(row, name) for name in _SAME} | {
        "bandwidth_num": row.bandwidth.numerator,
        "bandwidth_den": row.bandwidth.denominator,
        "created": row.created or created,
    }
    names, values = ", ".join(record), ", ".join(f":{name}" for name in record)
    connection.execute(f"INSERT OR REPLACE INTO schedules ({names}) VALUES ({values})", record)
