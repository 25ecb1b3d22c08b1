"""Numbers as people read them; exact ones are rounded here and nowhere earlier."""

from collections.abc import Callable
from fractions import Fraction
from math import floor, log10

_TIMES = (
    (Fraction(1), 3, "s"),
    (Fraction(1, 10**3), 3, "ms"),
    (Fraction(1, 10**6), 1, "us"),
    (Fraction(1, 10**9), 1, "ns"),
)
_SIZES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
_DECIMAL = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))


def time_text(seconds: Fraction) -> str:
    """A time in the largest unit of which it has one or more, else in nanoseconds.

    >>> time_text(Fraction(291, 10**6)), time_text(Fraction(1, 4)), time_text(Fraction(75, 2))
    ('291.0 us', '250.000 ms', '37.500 s')
    """
    unit, digits, name = next((time for time in _TIMES if seconds >= time[0]), _TIMES[-1])
    return f"{float(seconds / unit):.{digits}f} {name}"


def size_text(size: Fraction) -> str:
    """A size in the largest binary unit that divides it, or decimal one, else in bytes.

    >>> size_text(Fraction(2**20)), size_text(Fraction(25 * 10**6)), size_text(Fraction(1500))
    ('1 MiB', '25 MB', '1500 B')
    """
    for unit, name in (*_SIZES, *_DECIMAL):
        if size >= unit and size % unit == 0:
            return f"{int(size / unit)} {name}"
    return f"{size} B" if size.denominator == 1 else f"{float(size):g} B"


def size_words(size: Fraction) -> str:
    """A size that need not be a whole number of a unit, to four digits.

    >>> size_words(Fraction(2**20 * 3, 2)), size_words(Fraction(0))
    ('1.5 MiB', '0 B')
    """
    unit, name = next((unit for unit in _SIZES if size >= unit[0]), (1, "B"))
    return f"{float(size / unit):.4g} {name}"


def metres_text(millimetres: int) -> str:
    """Metres, exactly.

    >>> metres_text(12500), metres_text(90), metres_text(7000)
    ('12.5', '0.09', '7')
    """
    whole, rest = divmod(millimetres, 1000)
    return f"{whole}.{rest:03}".rstrip("0").rstrip(".")


def rate_text(rate: Fraction) -> str:
    """A rate in decimal gigabits a second.

    >>> rate_text(Fraction(12_500_000_000))
    '100 Gbps'
    """
    return f"{float(rate * 8 / 10**9):g} Gbps"


def span_text(least: Fraction, most: Fraction) -> str:
    """Two times, or one where both read the same.

    >>> span_text(Fraction(1, 2), Fraction(2)), span_text(Fraction(2), Fraction(2))
    ('500.000 ms to 2.000 s', '2.000 s')
    """
    ends = time_text(least), time_text(most)
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def down_text(value: Fraction) -> str:
    """Seven digits, not above the value.

    >>> down_text(Fraction(2, 3)), up_text(Fraction(2, 3))
    ('6.666666e-01', '6.666667e-01')
    """
    return _digits(value, lambda ratio: ratio.numerator // ratio.denominator)


def up_text(value: Fraction) -> str:
    """Seven digits, not below the value."""
    return _digits(value, lambda ratio: -(-ratio.numerator // ratio.denominator))


def _digits(value: Fraction, whole: Callable[[Fraction], int]) -> str:
    if not value:
        return f"{0:.6e}"
    unit = Fraction(10) ** (floor(log10(value)) - 6)
    return f"{float(whole(value / unit) * unit):.6e}"
