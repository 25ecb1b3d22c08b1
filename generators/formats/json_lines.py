"""On which line of a JSON text a value stands, so that a mistake in it can be named."""

import re
from collections.abc import Sequence
from json.decoder import JSONDecoder

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = JSONDecoder()


def line_of(text: str, path: Sequence[str | int]) -> int:
    """The line, from 1, of the value at a path of keys and places in a sound JSON text.

    Where the path leads nowhere, that of the deepest value on the way.

    >>> line_of('{"hosts": [\\n {"name": "a"},\\n {"name": "b"}]}', ["hosts", 1, "name"])
    3
    """
    at = _after_blanks(text, 0)
    for part in path:
        found = _member(text, at, part)
        if found is None:
            break
        at = found
    return text.count("\n", 0, at) + 1


def _member(text: str, at: int, part: str | int) -> int | None:
    """Where the member of an object, or the entry of a list, begins."""
    if isinstance(part, str):
        return _value(text, at, part) if text[at] == "{" else None
    return _entry(text, at, part) if text[at] == "[" else None


def _value(text: str, at: int, key: str) -> int | None:
    """Of a key that is given twice the last counts, as for the reader of JSON."""
    found = None
    at = _after_blanks(text, at + 1)
    while text[at] == '"':
        name, at = _DECODER.raw_decode(text, at)
        at = _after_blanks(text, _after_blanks(text, at) + 1)
        if name == key:
            found = at
        at = _after_comma(text, at)
    return found


def _entry(text: str, at: int, place: int) -> int | None:
    at = _after_blanks(text, at + 1)
    for _ in range(place):
        if text[at] == "]":
            return None
        at = _after_comma(text, at)
    return None if text[at] == "]" else at


def _after_comma(text: str, at: int) -> int:
    """Behind a value, and the comma that may follow it."""
    at = _after_blanks(text, _DECODER.raw_decode(text, at)[1])
    return _after_blanks(text, at + 1) if text[at] == "," else at


def _after_blanks(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()
