"""What a workload takes on a candidate by the best of several schedule methods, as it was rated."""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from db.reading import rows
from db.values import integer, read_fraction, require_fraction, text
from generators.errors import InvalidInput
from generators.version import __version__

DIGITS = 2000
"""A stored numerator or denominator has at most so many."""

_QUESTION = ("links", "collective", "model", "methods")
_TEXTS = ("recipe", *_QUESTION, "method")
_NUMBERS = ("n", "d", "engine")
_GIVEN = ("alpha", "size", "bandwidth")
_EXACT = (*_GIVEN, "seconds", "bound")


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingQuestion:
    """A collective of `size` bytes at a size of fabric, in a time model, by some methods.

    `methods` are names with commas; `alpha` is in seconds, `bandwidth` in bytes a second of a host.
    `engine` is the version of the makers: a rating of another one is made anew. Raises InvalidInput
    for values that cannot be stored.
    """

    n: int
    d: int
    links: str
    collective: str
    model: str
    methods: str
    alpha: Fraction
    size: Fraction
    bandwidth: Fraction
    engine: int

    def __post_init__(self) -> None:
        for name in _QUESTION:
            object.__setattr__(self, name, text(name, getattr(self, name)))
        for name in _NUMBERS:
            object.__setattr__(self, name, integer(name, getattr(self, name), 1))
        for name in _GIVEN:
            require_fraction(name, getattr(self, name), DIGITS)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRow:
    """The quickest method for a question on a candidate; nothing on it takes less than `bound`.

    `seconds` and `bound` are in seconds. Raises InvalidInput for values that cannot be stored.
    """

    question: RatingQuestion
    recipe: str
    method: str
    seconds: Fraction
    bound: Fraction
    version: str = field(default=__version__, compare=False)

    def __post_init__(self) -> None:
        for name in ("recipe", "method"):
            object.__setattr__(self, name, text(name, getattr(self, name)))
        for name in ("seconds", "bound"):
            require_fraction(name, getattr(self, name), DIGITS)
        if self.bound > self.seconds:
            raise InvalidInput(f"bound: {self.recipe} cannot take less than its bound")

    @property
    def gap(self) -> Fraction:
        """How much longer than the bound it takes, relatively."""
        return self.seconds / self.bound - 1 if self.bound else Fraction()


def write_rating_rows(
    connection: sqlite3.Connection, found: Iterable[RatingRow], created: str
) -> None:
    """Store ratings, each in the place of one for the same question."""
    names = (*_TEXTS, *_NUMBERS, *_EXACT, "version", "created")
    marks = ", ".join(f":{name}" for name in names)
    connection.executemany(
        f"INSERT OR REPLACE INTO ratings ({', '.join(names)}) VALUES ({marks})",
        [_record(row) | {"created": created} for row in found],
    )


def _record(row: RatingRow) -> dict[str, Any]:
    asked = row.question
    return {
        **{name: getattr(asked, name) for name in (*_QUESTION, *_NUMBERS)},
        **{name: str(getattr(asked, name)) for name in _GIVEN},
        "recipe": row.recipe,
        "method": row.method,
        "seconds": str(row.seconds),
        "bound": str(row.bound),
        "version": row.version,
    }


def read_rating_rows(
    connection: sqlite3.Connection, question: RatingQuestion, apart: Sequence[str] = ()
) -> list[RatingRow]:
    """The stored ratings of a question, those that can be read, the quickest first.

    The fields `apart`, such as "size", may have any value.
    """
    names = [name for name in (*_QUESTION, *_NUMBERS, *_GIVEN) if name not in apart]
    where = " AND ".join(f"{name} = ?" for name in names)
    values = [_column_value(getattr(question, name)) for name in names]
    found = []
    for record in rows(connection, f"SELECT * FROM ratings WHERE {where}", values):
        try:
            found.append(rating_row_of(record))
        except InvalidInput:
            continue  # it is made anew
    return sorted(found, key=lambda row: (row.seconds, row.recipe))


def rating_row_of(record: sqlite3.Row) -> RatingRow:
    """The row that a record of `ratings` holds. Raises InvalidInput where it is damaged."""
    exact: dict[str, Any] = {name: read_fraction(name, record[name], DIGITS) for name in _EXACT}
    question = RatingQuestion(
        **{name: record[name] for name in (*_QUESTION, *_NUMBERS)},
        **{name: exact[name] for name in _GIVEN},
    )
    return RatingRow(
        question=question,
        recipe=record["recipe"],
        method=record["method"],
        seconds=exact["seconds"],
        bound=exact["bound"],
        version=record["version"],
    )


def _column_value(value: object) -> object:
    return str(value) if isinstance(value, Fraction) else value
