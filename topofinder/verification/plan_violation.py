"""The line that says where a plan tells something else than is so."""

from fractions import Fraction

from generators.formats.quantities import shown


def false_value(field: str, told: object, true: object) -> str:
    """The field, what the plan says of it and what it is, each shortened.

    >>> false_value("moves", 3, 4)
    'moves: the plan says 3; it is 4'
    """
    return f"{field}: the plan says {_text(told)}; it is {_text(true)}"


def _text(value: object) -> str:
    return str(value) if isinstance(value, Fraction) else shown(value)
