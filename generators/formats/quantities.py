"""Capacities and latencies in files: exact numbers as text.

Every number goes through its decimal or fraction text, so that 0.1 is exactly 1/10, also where
a file or a caller holds it as a float. Length and exponent are bounded before anything is
computed: 1e999999999 is refused, not evaluated.
"""

import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Real

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.quantities import LARGEST, is_in_range

LONGEST = 1000
WIDEST = LARGEST**3
"""The most that follows from numbers in files, such as a rate: a product of three of them."""
_FEW = 19
"""Digits below that are an integer as they are, which most numbers in files are."""
_NUMBER = re.compile(r"[+-]?(?:[0-9]+/[0-9]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)")


def exact(field: str, value: object, *, zero: bool = False, most: Fraction = LARGEST) -> Fraction:
    """The exact value of a `capacity` (above 0) or `latency` (0 or more, as with `zero`).

    Takes int, Fraction, Decimal, float (by its shortest decimal text) and text such as "3",
    "0.1", "2.5e3" or "3/2", up to `most` and, unless it is 0, from its inverse on. Raises
    InvalidInput naming the field and the value.

    >>> exact("capacity", "0.1"), exact("capacity", 0.1), exact("latency", "3/2")
    (Fraction(1, 10), Fraction(1, 10), Fraction(3, 2))
    """
    number = (
        _parse_fraction(value)
        if isinstance(value, str)
        else _parse_fraction(number_text(field, value))
    )
    if number is None:
        raise InvalidInput(
            f"{field}: a number such as 3, 0.5 or 3/2 is needed, not {excerpt(value)}"
        )
    zero = zero or field == "latency"
    if number.numerator < (0 if zero else 1):
        relation = "0 or more" if zero else "above 0"
        raise InvalidInput(f"{field}: must be {relation}, not {excerpt(value)}")
    if number and not is_in_range(number, most):
        raise InvalidInput(f"{field}: {excerpt(value)} is out of range")
    return number


def exact_text(field: str, value: Fraction) -> str:
    """The text `exact` reads back; refused where it would be too long for that.

    >>> exact_text("capacity", Fraction(3, 2))
    '3/2'
    """
    text = number_text(field, value)
    if len(text) > LONGEST:
        raise InvalidInput(f"{field}: a number of more than {LONGEST} characters is not written")
    return text


def number_text(field: str, value: object) -> str:
    """The text of a number; empty, which is no number, for anything else.

    Raises InvalidInput for one of so many digits that the interpreter would not write it.

    >>> number_text("bandwidth", Fraction(3, 2)), number_text("bandwidth", True)
    ('3/2', '')
    """
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        return ""
    try:
        return str(value)
    except ValueError:  # the interpreter's own bound on the digits of an integer
        raise InvalidInput(
            f"{field}: a number of more than {LONGEST} characters is not read or written"
        ) from None


@lru_cache(maxsize=1024)
def _parse_fraction(text: str) -> Fraction | None:
    """Equal texts share one Fraction, which keeps a large topology small."""
    if len(text) < _FEW and text.isascii() and text.isdigit():
        return Fraction(int(text))
    text = text.strip()
    if len(text) > LONGEST or not _NUMBER.fullmatch(text):
        return None
    above, slash, below = text.partition("/")
    try:
        return Fraction(int(above), int(below)) if slash else Fraction(Decimal(text))
    except ZeroDivisionError:
        return None
