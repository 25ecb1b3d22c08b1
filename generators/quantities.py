"""Quantities with units, read exactly: seconds, bytes, bytes a second, metres.

Decimal prefixes are powers of 1000 and binary ones (KiB, MiB, GiB, TiB) powers of 1024; `b` or
`bit` is a bit, `B` a byte. The papers' "MB" is 2**20 bytes: write `1MiB` to get their figures. What
no decimal says is a fraction: `50/3GB/s`.
"""

import re
from fractions import Fraction

from generators.errors import InvalidInput
from generators.excerpts import excerpt

_DECIMAL = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
_PREFIXES = {**_DECIMAL, **_BINARY}

TIMES: dict[str, Fraction] = {
    "ns": Fraction(1, 10**9),
    "us": Fraction(1, 10**6),
    "µs": Fraction(1, 10**6),
    "μs": Fraction(1, 10**6),
    "ms": Fraction(1, 10**3),
    "s": Fraction(1),
    "min": Fraction(60),
    "h": Fraction(3600),
}
SIZES = {f"{prefix}B": Fraction(factor) for prefix, factor in _PREFIXES.items()}
_BITS = ("bps", "bit/s", "b/s")
RATES = {
    **{prefix + bit: Fraction(factor, 8) for prefix, factor in _PREFIXES.items() for bit in _BITS},
    **{f"{prefix}B/s": Fraction(factor) for prefix, factor in _PREFIXES.items()},
}

LENGTHS: dict[str, Fraction] = {
    "mm": Fraction(1, 1000),
    "cm": Fraction(1, 100),
    "m": Fraction(1),
    "km": Fraction(1000),
}

WORK_RATES = {f"{prefix}FLOPS": Fraction(factor) for prefix, factor in _DECIMAL.items()}
WORK_RATES["PFLOPS"] = Fraction(10**15)

LARGEST = Fraction(10**30)
"""No quantity is above it or below its inverse, so that any time can be printed as a float."""


def is_in_range(value: Fraction, most: Fraction = LARGEST) -> bool:
    """Whether a number above 0 is at most that, and at least its inverse.

    `most` is a whole number. Told by integers: a file may have a hundred thousand numbers.

    >>> is_in_range(Fraction(1, 10**30)), is_in_range(Fraction(1, 10**31))
    (True, False)
    """
    above, below, largest = value.numerator, value.denominator, most.numerator
    return above <= largest * below and below <= largest * above


_NUMBER = r"\d{1,99}(?:\.\d{0,99})?|\.\d{1,99}"
_OVER = r"/([1-9]\d{0,98})"
_NOTHING = re.compile(rf"0+(?:\.0*)?\s*(?:{'|'.join(TIMES)})", re.ASCII)
_FORM = re.compile(rf"({_NUMBER})(?:{_OVER}|e([+-]?\d{{1,3}}))?\s*([^\s\d.]\S*)?", re.ASCII)


def seconds(text: str, name: str = "time") -> Fraction:
    """A time such as `10us`.

    >>> seconds("10us")
    Fraction(1, 100000)
    """
    return _read(text, name, TIMES, "10us or 1.5ms")


def duration(text: str, name: str = "time") -> Fraction:
    """A time that may be nothing: `0us`, or as `seconds` reads it.

    >>> duration("0us"), duration("1ms")
    (Fraction(0, 1), Fraction(1, 1000))
    """
    return Fraction() if _NOTHING.fullmatch(text.strip()) else seconds(text, name)


def length(text: str, name: str = "length") -> Fraction:
    """A length in metres such as `12.5m`.

    >>> length("12.5m"), length("90cm")
    (Fraction(25, 2), Fraction(9, 10))
    """
    return _read(text, name, LENGTHS, "12.5m")


def size(text: str, name: str = "size") -> Fraction:
    """A size in bytes such as `1MiB`.

    >>> size("1MiB"), size("25 MB")
    (Fraction(1048576, 1), Fraction(25000000, 1))
    """
    return _read(text, name, SIZES, "1MiB or 25MB")


def rate(text: str, name: str = "bandwidth") -> Fraction:
    """A rate in bytes a second such as `100Gbps` or `12.5GB/s`.

    >>> rate("100Gbps") == rate("12.5GB/s") == rate("25/2GB/s")
    True
    """
    return _read(text, name, RATES, "100Gbps or 12.5GB/s")


def work_rate(text: str, name: str = "rate") -> Fraction:
    """Operations a second such as `60TFLOPS`.

    >>> work_rate("60TFLOPS")
    Fraction(60000000000000, 1)
    """
    return _read(text, name, WORK_RATES, "60TFLOPS")


def part(value: float | Fraction, name: str) -> Fraction:
    """A relative gap: 0 or more and below 1; a float is what its shortest decimal text says.

    >>> part(0.001, "gap")
    Fraction(1, 1000)
    """
    if not 0 <= value < 1:
        raise InvalidInput(f"{name}: a number from 0 to below 1 is needed, not {value}")
    return Fraction(str(value))


def _read(text: str, name: str, units: dict[str, Fraction], example: str) -> Fraction:
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise InvalidInput(
            f"{name}: {excerpt(text)} is not a quantity; write for example {example}"
        )
    number, over, exponent, unit = match.groups()
    if unit is None:
        raise InvalidInput(f"{name}: {excerpt(text)} has no unit; write for example {example}")
    if unit not in units:
        known = ", ".join(units)
        raise InvalidInput(
            f"{name}: unknown unit {excerpt(unit)} in {excerpt(text)}; known are {known}"
        )
    value = Fraction(number) * units[unit] / int(over or 1)
    if exponent:
        value *= Fraction(10) ** int(exponent)
    if not value:
        raise InvalidInput(f"{name}: {excerpt(text)} is not above zero")
    if not is_in_range(value):
        raise InvalidInput(f"{name}: {excerpt(text)} is out of range")
    return value
