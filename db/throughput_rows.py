"""Certified throughputs: one interval for each graph and demand, which can only become narrower."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from db.opening import ReplacementRefused
from db.reading import Where, condition, rows
from db.values import integer, text
from generators.errors import InvalidInput
from generators.version import __version__

DIGITS = 4000
"""A stored numerator or denominator has at most so many; Python reads no more by default."""

_TEXTS = ("topology", "demand", "method", "version")
_SAME = (*_TEXTS, "recipe", "n", "d", "seconds", "created")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ThroughputRow:
    """The interval [lower, upper] that holds the throughput of one graph under one demand.

    Both are exact and in link units, see docs/throughput.md. `topology` is the graph's hash
    and `recipe` its name, if it has one; `demand` is a pattern, or the hash of a matrix.
    `method` tells what found the interval in `seconds`.
    Raises InvalidInput for values that cannot be stored.

    >>> row = ThroughputRow(topology="0" * 64, recipe="K(3)", demand="uniform", n=3, d=2,
    ...     lower=Fraction(1), upper=Fraction(1), method="closed form", seconds=0.1)
    >>> row.gap
    Fraction(0, 1)
    """

    topology: str
    demand: str
    n: int
    d: int
    lower: Fraction
    upper: Fraction
    method: str
    seconds: float
    recipe: str | None = None
    version: str = field(default=__version__, compare=False)
    created: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name in (*_TEXTS, "recipe", "created"):
            if getattr(self, name) is not None or name in _TEXTS:
                object.__setattr__(self, name, text(name, getattr(self, name)))
        for name in ("n", "d"):
            object.__setattr__(self, name, integer(name, getattr(self, name), 1))
        for name in ("lower", "upper"):
            _require_bound(name, getattr(self, name))
        if not 0 <= self.lower <= self.upper or not self.upper:
            raise InvalidInput(f"lower, upper: {self.lower} to {self.upper} is no interval")
        if not (isinstance(self.seconds, float | int) and 0 <= self.seconds < float("inf")):
            raise InvalidInput(f"seconds must be a time, not {self.seconds!r}")
        if not _DIGEST.fullmatch(self.topology):
            raise InvalidInput(f"topology must be 64 hexadecimal digits: {self.topology}")

    @property
    def gap(self) -> Fraction:
        """How far the bounds are apart, relative to the upper one."""
        return 1 - self.lower / self.upper

    def intersect(self, stored: "ThroughputRow") -> "ThroughputRow":
        """What both intervals say together; the stored row itself if this one adds nothing.

        Raises InvalidInput when they have nothing in common, so that one must be wrong.
        """
        lower, upper = max(self.lower, stored.lower), min(self.upper, stored.upper)
        if (lower, upper) == (stored.lower, stored.upper):
            return stored
        if lower > upper:
            offered = f"[{_decimal(self.lower)}, {_decimal(self.upper)}]"
            known = f"[{_decimal(stored.lower)}, {_decimal(stored.upper)}]"
            raise InvalidInput(f"throughput of {self.recipe or self.topology} for {self.demand}: "
                               f"{known} is stored, {offered} offered")  # fmt: skip
        return replace(self, lower=lower, upper=upper)


def write_throughput_row(connection: sqlite3.Connection, row: ThroughputRow, created: str) -> None:
    """Store an interval, intersected with what is stored of the same graph and demand.

    Raises ReplacementRefused where what is stored cannot be read.
    """
    for stored in _stored_rows(connection, row):
        # A recipe whose graph has changed with the program begins anew.
        if stored.topology == row.topology:
            found = row.intersect(stored)
            if found is stored:
                return
            row = found
    record: dict[str, Any] = {name: getattr(row, name) for name in _SAME}
    record |= {"subject": subject_of(row), "created": row.created or created}
    for name in ("lower", "upper"):
        bound = getattr(row, name)
        record |= {f"{name}_num": str(bound.numerator), f"{name}_den": str(bound.denominator)}
    names, values = ", ".join(record), ", ".join(f":{name}" for name in record)
    connection.execute(f"INSERT OR REPLACE INTO throughputs ({names}) VALUES ({values})", record)


def _stored_rows(connection: sqlite3.Connection, row: ThroughputRow) -> list[ThroughputRow]:
    where: Where = {"subject": subject_of(row), "demand": row.demand}
    try:
        return list(read_throughput_rows(connection, where))
    except InvalidInput as error:
        raise ReplacementRefused(
            f"throughput of {subject_of(row)} for {row.demand} is stored, but {error}"
        ) from error


def read_throughput_rows(
    connection: sqlite3.Connection,
    where: Where,
    left_out: Callable[[sqlite3.Row, str], None] | None = None,
) -> Iterator[ThroughputRow]:
    """The rows that agree with `where`, by size, recipe, graph and demand.

    One that cannot be read is left out where `left_out` takes it and the reason.
    """
    clause, values = condition("t", where)
    order = "t.n, t.d, t.recipe, t.topology, t.demand"
    query = f"SELECT * FROM throughputs t {clause} ORDER BY {order}"
    for record in list(rows(connection, query, values)):
        try:
            yield throughput_row_of(record)
        except InvalidInput as error:
            if left_out is None:
                raise
            left_out(record, str(error))


def throughput_row_of(record: sqlite3.Row) -> ThroughputRow:
    """The row that a record of `throughputs` holds; InvalidInput if the record is damaged."""
    return ThroughputRow(
        lower=_read_fraction("lower", record),
        upper=_read_fraction("upper", record),
        **{name: record[name] for name in _SAME},
    )


def subject_of(row: ThroughputRow) -> str:
    """What a row is about: its recipe, or the hash of a graph that has none."""
    return row.recipe or row.topology


def _decimal(value: Fraction) -> str:
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        return "more than 1e308"


def _require_bound(name: str, bound: Any) -> None:
    if not isinstance(bound, Fraction):
        raise InvalidInput(f"{name} must be a Fraction, not {bound!r}")
    if max(abs(bound.numerator), bound.denominator) >= 10**DIGITS:
        raise InvalidInput(f"{name} has more than {DIGITS} digits")


def _read_fraction(name: str, record: sqlite3.Row) -> Fraction:
    parts = record[f"{name}_num"], record[f"{name}_den"]
    if not all(isinstance(part, str) and re.fullmatch(r"[0-9]{1,4000}", part) for part in parts):
        raise InvalidInput(f"{name} is stored as {str(parts)[:60]}, no fraction")
    if int(parts[1]) == 0:
        raise InvalidInput(f"{name} is stored with the denominator 0")
    return Fraction(int(parts[0]), int(parts[1]))
