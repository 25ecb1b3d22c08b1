"""Numbers in lines for people, however many digits a stranger's file makes them have."""

from decimal import Context, Decimal
from fractions import Fraction

_SHORT_BITS = 192
_ROUNDED = Context(prec=6)


def brief(value: Fraction | int) -> str:
    """The exact number where it is of some sixty characters at most, else about how large it is.

    >>> brief(Fraction(3, 2)), brief(1 << 64), brief(Fraction(10**5000, 3))
    ('3/2', '18446744073709551616', 'about 3.33333E+4999')
    """
    value = Fraction(value)
    if value.numerator.bit_length() + value.denominator.bit_length() <= _SHORT_BITS:
        return str(value)
    # Decimal takes integers of any length; the text of such an int is refused by the interpreter.
    return f"about {_ROUNDED.divide(Decimal(value.numerator), Decimal(value.denominator))}"
