"""JSON documents from strangers: an object, and its lists of integers.

What a text costs once it is in memory is estimated from its marks before it is parsed: an empty
object of two characters takes eighty bytes.
"""

import json
from typing import Any

import numpy as np

from generators.errors import InvalidInput
from generators.files import text_of
from generators.formats.quantities import shown
from generators.topology import Int64Array

MAX_JSON = 32 << 20
"""Bytes of a JSON file at most."""
MOST_MEMORY = 160_000_000
"""Bytes that the values of a document may take once they are in memory, as `memory_of` tells."""
MOST_TABLES = 320_000_000
"""The same of a document that holds a computed schedule, forest or certificate."""
_EACH = ((b"{", 120), (b"[", 60), (b",", 10), (b":", 20), (b'"', 12))
_KEY, _FEW = 140, 8
"""What a key costs above so many of an object on average: small objects share theirs."""


def parse_object(content: bytes, most: int = MOST_MEMORY) -> dict[str, Any]:
    """The object in a document. Raises InvalidInput telling what is wrong, and where.

    >>> parse_object(b'{"n": 2}')
    {'n': 2}
    """
    require_small(content, most)
    try:
        document = json.loads(text_of(content), object_pairs_hook=_without_repeats)
    except InvalidInput:
        raise
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InvalidInput(f"{where}: {error.msg.lower()}") from None
    except RecursionError:
        raise InvalidInput("nested too deep") from None
    except ValueError:  # the interpreter's own bound on the digits of an integer
        raise InvalidInput("an integer of too many digits") from None
    if not isinstance(document, dict):
        raise InvalidInput(f"an object is needed, not {kind(document)}")
    return document


def document_in(source: str, content: bytes) -> dict[str, Any]:
    """The same, with the name of the file in front of what is wrong."""
    try:
        return parse_object(content)
    except InvalidInput as error:
        raise InvalidInput(f"{source}: {error}") from None


def require_small(content: bytes, most: int) -> None:
    """Refuse a document whose values would take more than `most` bytes of memory."""
    if len(content) > MAX_JSON:
        raise InvalidInput(f"larger than {MAX_JSON} bytes, the most of a JSON file")
    if memory_of(content) > most:
        raise InvalidInput(f"more values than JSON is for: over {most} bytes in memory")


def require_readable(text: str, most: int, other: str) -> None:
    """Refuse to write a document that would not be read again; `other` is what to write instead."""
    try:
        require_small(text.encode("utf-8"), most)
    except InvalidInput as error:
        raise InvalidInput(f"{error}; write {other} file") from None


def memory_of(content: bytes) -> int:
    """About how many bytes the values in a JSON text take.

    A character costs 8, for the text itself and for numbers; marks cost what stands behind them.

    >>> memory_of(b"[]" * 1000), memory_of(b'{"n": 2}')
    (76000, 228)
    """
    keys = max(0, content.count(b":") - _FEW * content.count(b"{"))
    marks = sum(content.count(mark) * cost for mark, cost in _EACH)
    return 8 * len(content) + marks + _KEY * keys


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object in which no key is repeated: readers differ in which of the values counts."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InvalidInput(f"the key {shown(key)} is there twice in one object")
        found[key] = value
    return found


def integers(document: dict[str, Any], name: str, count: int) -> Int64Array:
    """A list of exactly `count` integers in a document, as an array."""
    values = document.get(name)
    if not isinstance(values, list) or len(values) != count:
        raise InvalidInput(f"{name}: a list of {count} integers is needed, not {kind(values)}")
    return flat(name, values)


def flat(name: str, values: list[Any]) -> Int64Array:
    """A list of integers as an array; the first entry that is none of 64 bits is named."""
    for place, value in enumerate(values):
        if type(value) is not int or not -(1 << 63) <= value < 1 << 63:
            raise InvalidInput(f"{name}[{place}]: an integer is needed, not {shown(value)}")
    return np.array(values, dtype=np.int64)


def kind(value: object) -> str:
    """What a message says of a value that may be a very long list."""
    return f"a list of {len(value)}" if isinstance(value, list) else shown(value)
