"""What messages quote of a stranger's values: one line, and never more than a few words."""

import re
from fractions import Fraction
from math import log10
from reprlib import Repr

MOST_SHOWN = 40
"""Characters of a value in a message."""
MOST_NAMED = 250
"""Characters of a word, such as a path, in a message."""
MOST_TOLD = 1000
"""Characters of a line of a message; the longest list all names that there are."""
_LONG = re.compile(r"\S{13,}")


def excerpt(value: object) -> str:
    """What a message quotes of a stranger's value: one line, at most 40 characters.

    Of long values and deep ones only the beginning is looked at, and an integer of more digits
    than Python prints is told by their number.

    >>> excerpt("leaf\\n"), len(excerpt("x" * 1000)), excerpt(10**5000)
    ("'leaf\\\\n'", 40, 'an integer of 5001 digits')
    """
    if isinstance(value, str | bytes):
        text = repr(value[: MOST_SHOWN + 1])
    else:
        text = " ".join(_SHORT.repr(value).split())
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 3] + "..."


def bound_message(text: str, word: int = MOST_NAMED, line: int = MOST_TOLD) -> str:
    """A message whose words and lines, such as a path or a name in it, are no longer than that.

    >>> bound_message("x" * 5000 + " is too long", word=12)
    'xxxxx...xxxx is too long'
    """
    lines = (_LONG.sub(lambda found: _cut(found[0], word), each) for each in text.split("\n"))
    return "\n".join(_cut(each, line) for each in lines)


def _cut(text: str, most: int) -> str:
    """The text without its middle where it is longer than `most`."""
    rest = most - 3
    return text if len(text) <= most else f"{text[: rest - rest // 2]}...{text[-(rest // 2) :]}"


class _Short(Repr):
    """What the standard library shows of nested values, for numbers of any length too."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = MOST_SHOWN + 1

    def repr_int(self, x: int, level: int) -> str:
        if x.bit_length() <= 1024:
            return repr(x)
        digits = int(x.bit_length() * log10(2)) + 1
        return f"an integer of {digits} digits"

    def repr_Fraction(self, x: Fraction, level: int) -> str:  # noqa: N802 - named by the library
        above = self.repr_int(x.numerator, level)
        return above if x.denominator == 1 else f"{above}/{self.repr_int(x.denominator, level)}"

    def repr_instance(self, x: object, level: int) -> str:
        try:
            return repr(x)
        except ValueError:  # the interpreter's own bound on the digits of an integer
            return f"a {type(x).__name__} of too many digits"


_SHORT = _Short()
