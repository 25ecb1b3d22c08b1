"""Plain values fit for a column: what is offered is checked, and freed of numpy's types."""

import json
import operator
from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from generators.errors import InvalidInput

LARGEST = 2**63 - 1
"""The greatest integer an SQLite column holds."""


def integer(name: str, value: Any, least: int = 0) -> int:
    """`value` as an int of `least` or more that fits 64 bits; numpy integers are accepted.

    >>> integer("n", 16)
    16
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise InvalidInput(f"{name} must be an integer, not {value!r}") from None
    if not least <= number <= LARGEST:
        raise InvalidInput(f"{name} must be from {least} to 2**63 - 1, not {number}")
    return number


def ratio(name: str, value: Any) -> Fraction:
    """`value` as a Fraction of 0 or more, both parts of 64 bits; a float is refused.

    >>> ratio("bandwidth", 1)
    Fraction(1, 1)
    """
    try:
        above, below = operator.index(value.numerator), operator.index(value.denominator)
    except (AttributeError, TypeError):
        raise InvalidInput(f"{name} must be a Fraction, not {value!r}") from None
    plain = type(value) is Fraction and above is value.numerator and below is value.denominator
    over = value if plain else Fraction(above, below)
    if over.numerator < 0 or max(over.numerator, over.denominator) > LARGEST:
        raise InvalidInput(f"{name} must be 0 or more with parts below 2**63, not {over}")
    return over


def ratio_texts(name: str, value: Fraction) -> dict[str, str]:
    """The two columns of a fraction whose parts may be of any length.

    >>> ratio_texts("time", Fraction(3, 2))
    {'time_num': '3', 'time_den': '2'}
    """
    return {f"{name}_num": str(value.numerator), f"{name}_den": str(value.denominator)}


def flag(name: str, value: Any) -> bool:
    """`value` as a bool; 0, 1 and numpy's booleans are accepted.

    >>> flag("exact", 1)
    True
    """
    if isinstance(value, str) or value not in (0, 1):
        raise InvalidInput(f"{name} must be true or false, not {value!r}")
    return bool(value)


def text(name: str, value: Any) -> str:
    """`value` as a str that UTF-8 can hold, without NUL, at which SQL functions stop.

    >>> text("recipe", "K(4,4)")
    'K(4,4)'
    """
    if type(value) is str and value.isascii() and "\0" not in value:
        return value
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be text, not {value!r}")
    beyond = "" if value.isascii() else value
    if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in beyond):
        raise InvalidInput(f"{name} holds a character that cannot be stored: {value!r}")
    return value


def canonical_json(value: Any) -> str:
    """The one JSON text of `value`: keys sorted, no blanks, ASCII only, no NaN.

    A Fraction becomes the string "p/q", a numpy scalar the number it holds.

    >>> canonical_json({"b": Fraction(1, 2), "a": [1, True]})
    '{"a":[1,true],"b":"1/2"}'
    """
    return _ENCODER.encode(value)


def document(name: str, value: Any) -> dict[str, Any]:
    """`value` as the JSON object that reading it back from the database gives.

    >>> document("facts", {"girth": (3, 4)})
    {'girth': [3, 4]}
    """
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{name} must be a mapping, not {value!r}")
    try:
        if type(value) is dict and _is_plain(value):
            copied: dict[str, Any] = _copy(value)
            return copied
        plain: dict[str, Any] = json.loads(canonical_json(dict(value)))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{name} cannot be written as JSON: {error}") from None
    return plain


def _is_plain(value: Any) -> bool:
    """Whether JSON gives a value back as it is; a float is left to JSON."""
    kind = type(value)
    if kind is list:
        return all(map(_is_plain, value))
    if kind is dict:
        return all(type(key) is str for key in value) and all(map(_is_plain, value.values()))
    if kind is int:
        return bool(value.bit_length() < 64)
    return value is None or kind is bool or kind is str


def _copy(value: Any) -> Any:
    """A plain value of its own, keys sorted as in what is stored."""
    if type(value) is list:
        return [_copy(part) for part in value]
    if type(value) is dict:
        return {key: _copy(value[key]) for key in sorted(value)}
    return value


def _scalar(value: Any) -> Any:
    """What JSON writes in place of a Fraction or a numpy scalar."""
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    try:
        return value.item()
    except AttributeError:
        raise TypeError(f"{value!r} is no JSON value") from None


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False, default=_scalar)


def require_fraction(name: str, value: object, digits: int) -> None:
    """Refuse what is no Fraction of at least 0, or has a part of more than so many digits.

    >>> require_fraction("seconds", Fraction(3, 4), 10)
    """
    if not isinstance(value, Fraction) or value < 0:
        raise InvalidInput(f"{name} must be a Fraction of at least 0, not {str(value)[:40]}")
    if max(value.numerator, value.denominator) >= 10**digits:
        raise InvalidInput(f"{name} has more than {digits} digits")


def read_fraction(name: str, value: object, digits: int) -> Fraction:
    """The fraction that is stored as text, each part of at most so many digits; else InvalidInput.

    >>> read_fraction("seconds", "3/4", 10)
    Fraction(3, 4)
    """
    above, slash, below = value.partition("/") if isinstance(value, str) else ("", "", "")
    parts = [above, *([below] if slash else [])]
    if not all(part.isascii() and part.isdecimal() and len(part) <= digits for part in parts):
        raise InvalidInput(f"{name} is stored as {str(value)[:60]}, no fraction")
    if slash and int(below) == 0:
        raise InvalidInput(f"{name} is stored with the denominator 0")
    return Fraction(int(above), int(below or "1"))


def now() -> str:
    """The present time in UTC, as rows are stamped with it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
