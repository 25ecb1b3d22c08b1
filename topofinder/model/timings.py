"""The noun Timing: how long a collective took where it was run; and tables of timings as CSV."""

import csv
import io
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from pathlib import Path

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import TextError, read_lines, write_whole

MAX_ROWS = 1 << 16
MAX_BYTES = 32 << 20
MAX_LINE = 1 << 14
LARGEST = 10**30


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """One size of one collective on `ranks` hosts, as it was measured.

    `schedule` names the file and `content` is its hash. `steps` and `bandwidth` are the T_L and
    T_B of what was run. `bytes` are those of a rank's vector, `count` its elements (in an
    all-to-all of the largest block). `seconds` is the median and `least` the least of all calls,
    each on the slowest rank; `wrong` counts elements. `library_` is the same for the library's own
    collective, and None where there is none.

    >>> one = Timing(collective="allreduce", ranks=4, bytes=8, steps=2, bandwidth=Fraction(3, 2),
    ...     seconds=2e-6, least=1e-6)
    >>> one.algorithm_rate, one.bus_rate
    (4000000.0, 6000000.0)
    """

    collective: Collective
    ranks: int
    bytes: int
    steps: int
    bandwidth: Fraction
    seconds: float
    least: float
    schedule: str = ""
    content: str = ""
    recipe: str = ""
    count: int = 0
    dtype: str = ""
    op: str = ""
    wrong: int = 0
    library_seconds: float | None = None
    library_least: float | None = None
    library_wrong: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "collective", Collective(self.collective))

    @property
    def algorithm_rate(self) -> float:
        """Bytes a second of the vector."""
        return self.bytes / self.seconds if self.seconds else 0.0

    @property
    def bus_rate(self) -> float:
        """The same times what links must carry of each byte at least, as nccl-tests have it."""
        return self.algorithm_rate * float(bus_factor(self.collective, self.ranks))

    @property
    def library_bus_rate(self) -> float | None:
        """That of the library's own collective."""
        if not self.library_seconds:
            return None
        return self.bytes / self.library_seconds * float(bus_factor(self.collective, self.ranks))


def bus_factor(collective: Collective, ranks: int) -> Fraction:
    """Bytes that the busiest rank sends at least, for each byte of the vector.

    >>> bus_factor(Collective.ALLREDUCE, 4), bus_factor(Collective.BROADCAST, 4)
    (Fraction(3, 2), Fraction(1, 1))
    """
    if collective.is_rooted:
        return Fraction(1)
    once = Fraction(ranks - 1, ranks)
    return 2 * once if collective is Collective.ALLREDUCE else once


NAMES = tuple(field.name for field in fields(Timing))
NEEDED = ("collective", "ranks", "bytes", "steps", "bandwidth", "seconds")
WHOLE = ("ranks", "bytes", "count", "steps", "wrong", "library_wrong")
TIMES = ("seconds", "least", "library_seconds", "library_least")


def timings_text(timings: Sequence[Timing]) -> str:
    """Timings as CSV, with a line of names above.

    >>> one = Timing(collective="reduce", ranks=2, bytes=8, steps=1, bandwidth=Fraction(1),
    ...     seconds=0.5, least=0.25, schedule="a,b.npz")
    >>> parse_timings(timings_text([one]).splitlines(keepends=True)) == [one]
    True
    """
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(NAMES)
    for timing in timings:
        values = [getattr(timing, name) for name in NAMES]
        rows.writerow(["" if value is None else str(value) for value in values])
    return text.getvalue()


def write_timings(timings: Sequence[Timing], path: str | os.PathLike[str]) -> None:
    """Write timings to a .csv file, whole or not at all; InvalidInput where that fails."""
    require_csv(path)
    write_whole(path, timings_text(timings))


def require_csv(path: str | os.PathLike[str]) -> None:
    """Refuse a name that is none of a table."""
    if Path(path).suffix.lower() != ".csv":
        raise InvalidInput(f"{path}: timings are written to a .csv file")


def read_timings(path: str | os.PathLike[str]) -> list[Timing]:
    """The timings of a .csv file; InvalidInput with the line and what is wrong with it."""
    try:
        return parse_timings(read_lines(path, limit=MAX_BYTES, longest=MAX_LINE, most=MAX_ROWS + 1))
    except TextError as error:
        raise InvalidInput(f"{path}: {error}") from None
    except InvalidInput as error:
        if str(error).startswith(str(path)):
            raise
        raise InvalidInput(f"{path}: {error}") from None


def parse_timings(lines: Iterable[str]) -> list[Timing]:
    """The timings of lines of CSV; columns may come in any order, and only NEEDED ones must."""
    rows = csv.reader(lines, strict=True)
    try:
        names = next(rows, [])
        _require_names(names)
        return [_timing_of(names, row, number) for number, row in enumerate(rows, 2) if row]
    except csv.Error as error:
        raise InvalidInput(f"line {rows.line_num}: {error}") from None


def _require_names(names: Sequence[str]) -> None:
    for name in names:
        if name not in NAMES or names.count(name) > 1:
            raise InvalidInput(f"line 1: no column {excerpt(name)} is known, or it comes twice")
    for name in NEEDED:
        if name not in names:
            raise InvalidInput(f"line 1: there is no column {name}")


def _timing_of(names: Sequence[str], row: Sequence[str], number: int) -> Timing:
    if len(row) != len(names):
        raise InvalidInput(f"line {number}: {len(row)} values for {len(names)} columns")
    found: dict[str, object] = dict(_values(names, row, number))
    found.setdefault("least", found["seconds"])
    return Timing(**found)  # type: ignore[arg-type]


def _values(names: Sequence[str], row: Sequence[str], number: int) -> Iterator[tuple[str, object]]:
    for name, text in zip(names, row, strict=True):
        if not text and name not in NEEDED:
            continue
        try:
            yield name, _value(name, text)
        except (ValueError, ZeroDivisionError):
            raise InvalidInput(f"line {number}: {name} cannot be {excerpt(text)}") from None


def _value(name: str, text: str) -> object:
    if len(text) > 100 and name not in ("schedule", "recipe", "content"):
        raise ValueError
    if name == "collective":
        return Collective(text)
    if name in TIMES:
        seconds = float(text)
        if not (math.isfinite(seconds) and 0 <= seconds <= LARGEST):
            raise ValueError
        return seconds
    if name in WHOLE or name == "bandwidth":
        value = _number(text) if name == "bandwidth" else int(text)
        if not 0 <= value <= LARGEST or (name == "ranks" and value < 1):
            raise ValueError
        return value
    return text


def _number(text: str) -> Fraction:
    """A fraction such as 3/2, or a decimal; an exponent could make it of any length."""
    if "e" in text.lower():
        raise ValueError
    return Fraction(text)
