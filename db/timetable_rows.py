"""Timetables that were made: where each file lies, how long it takes, the hash of its content."""

import re
import sqlite3
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from db.values import integer, ratio_texts, text
from generators.errors import InvalidInput
from generators.version import __version__

_TEXTS = ("path", "content", "topology", "collective", "method", "model", "version")
_NUMBERS = ("n", "hosts", "d", "chunks", "sends")
_OPTIONAL = ("recipe", "damage", "root", "seed", "created", "bound")
_SAME = (*_TEXTS, *_NUMBERS, *(name for name in _OPTIONAL if name != "bound"))
_EXACT = ("alpha", "rate", "size")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MODELS = ("pipelined", "occupied")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimetableRow:
    """A timetable file. `content` and `topology` are SHA-256 hashes.

    `alpha` (seconds) is what latency 1 stands for, `rate` (bytes a second) what capacity 1, `size`
    (bytes) all chunks together. `seconds` is the time of the collective, `bound` what nothing
    beats. All are exact fractions of any size. `d` counts ports of a host. Raises InvalidInput for
    values that cannot be stored.

    >>> row = TimetableRow(path="/tmp/a.npz", content="0" * 64, topology="1" * 64, model="occupied",
    ...     collective="allgather", method="rounds", n=4, hosts=4, d=1, chunks=4, sends=12,
    ...     alpha=Fraction(1, 10**6), rate=Fraction(10**9), size=Fraction(4000),
    ...     seconds=Fraction(3, 500_000), recipe="UniRing(1,4)")
    >>> row.seconds
    Fraction(3, 500000)
    """

    path: str
    content: str
    topology: str
    collective: str
    method: str
    model: str
    n: int
    hosts: int
    d: int
    chunks: int
    sends: int
    alpha: Fraction
    rate: Fraction
    size: Fraction
    seconds: Fraction
    bound: Fraction | None = None
    recipe: str | None = None
    damage: str | None = None
    root: int | None = None
    seed: int | None = None
    version: str = field(default=__version__, compare=False)
    created: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name in (*_TEXTS, "recipe", "damage", "created"):
            self._settle(name, text)
        for name in (*_NUMBERS, "root", "seed"):
            self._settle(name, integer)
        for name in (*_EXACT, "seconds", "bound"):
            self._settle(name, _exact)
        for name in ("content", "topology"):
            if not _DIGEST.fullmatch(getattr(self, name)):
                raise InvalidInput(f"{name} must be 64 hexadecimal digits: {getattr(self, name)}")
        if self.model not in _MODELS:
            raise InvalidInput(f"model must be {' or '.join(_MODELS)}, not {self.model!r}")

    def _settle(self, name: str, check: Any) -> None:
        value = getattr(self, name)
        if value is not None or name not in _OPTIONAL:
            object.__setattr__(self, name, check(name, value))


def write_timetable_row(connection: sqlite3.Connection, row: TimetableRow, created: str) -> None:
    """Store a row in place of what was known of the file at that path."""
    record: dict[str, Any] = {name: getattr(row, name) for name in _SAME}
    record |= {name: str(getattr(row, name)) for name in _EXACT}
    record |= ratio_texts("seconds", row.seconds)
    if row.bound is not None:
        record |= ratio_texts("bound", row.bound)
    record["created"] = row.created or created
    names, values = ", ".join(record), ", ".join(f":{name}" for name in record)
    connection.execute(f"INSERT OR REPLACE INTO timetables ({names}) VALUES ({values})", record)


def _exact(name: str, value: Any) -> Fraction:
    if not isinstance(value, Fraction) or value < 0:
        raise InvalidInput(f"{name} must be a Fraction of 0 or more, not {value!r}")
    return value
