"""Numbers as people read them; exact ones are rounded here and nowhere earlier."""

from fractions import Fraction

_TIMES = (
    (Fraction(1), 3, "s"),
    (Fraction(1, 10**3), 3, "ms"),
    (Fraction(1, 10**6), 1, "us"),
    (Fraction(1, 10**9), 1, "ns"),
)
_SIZES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def time_text(seconds: Fraction) -> str:
    """A time in the largest unit of which it has one or more, else in nanoseconds.

    >>> time_text(Fraction(291, 10**6)), time_text(Fraction(1, 4)), time_text(Fraction(75, 2))
    ('291.0 us', '250.000 ms', '37.500 s')
    """
    unit, digits, name = next((time for time in _TIMES if seconds >= time[0]), _TIMES[-1])
    return f"{float(seconds / unit):.{digits}f} {name}"


def size_text(size: Fraction) -> str:
    """A size in the largest binary unit that divides it, else in bytes.

    >>> size_text(Fraction(2**20)), size_text(Fraction(1500))
    ('1 MiB', '1500 B')
    """
    for unit, name in _SIZES:
        if size >= unit and size % unit == 0:
            return f"{int(size / unit)} {name}"
    return f"{float(size):g} B"


def rate_text(rate: Fraction) -> str:
    """A rate in decimal gigabits a second.

    >>> rate_text(Fraction(12_500_000_000))
    '100 Gbps'
    """
    return f"{float(rate * 8 / 10**9):g} Gbps"
