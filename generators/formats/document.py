"""JSON documents from strangers: an object, and its lists of integers.

What a text costs once it is in memory is estimated from its marks before it is parsed: an empty
object of two characters takes eighty bytes.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import text_of
from generators.topology import Int64Array

MAX_JSON = 32 << 20
"""Bytes of a JSON file at most."""
MOST_MEMORY = 90_000_000
"""Bytes that a document may take once it is in memory, with its text, as `memory_of` tells."""
MOST_TABLES = 165_000_000
"""The same of a document that holds a computed schedule, forest or certificate."""
MOST_KEYS = 1 << 14
"""Different keys at most."""
_EACH = ((b"{", 180), (b"[", 96), (b",", 16), (b":", 64))
_TEXT, _NUMBER, _KEY = 80, 32, 200
"""What a text and a number take besides their characters, and a key that is new."""
_STRING = re.compile(rb'"((?:[^"\\]|\\.)*+)"(\s*+:)?', re.DOTALL)
_CHUNK = 1 << 20
_DIGITS = np.zeros(256, dtype=np.bool_)
_DIGITS[list(b"0123456789.eE+-")] = True


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
    if content.count(b":") > MOST_KEYS:
        _require_few_keys(content)


def require_readable(text: str, most: int, other: str) -> None:
    """Refuse to write a document that would not be read again; `other` is what to write instead."""
    try:
        require_small(text.encode("utf-8"), most)
    except InvalidInput as error:
        raise InvalidInput(f"{error}; write {other} file") from None


def memory_of(content: bytes) -> int:
    """About how many bytes a JSON text and the values in it take, and hardly ever fewer.

    Marks cost what stands behind them: a colon an entry of an object, a comma one of a list.
    Numbers of less than three characters cost nothing, as the interpreter keeps those.

    >>> memory_of(b"[]" * 1000), memory_of(b'{"n": 2}')
    (100000, 460)
    """
    wide = 4 if _has(content, 0xF0) else 2 if _has(content, 0xC4) else 1
    inside = 4 if b"\\u" in content else wide
    marks = sum(content.count(mark) * cost for mark, cost in _EACH)
    colons = content.count(b":")
    texts = max(0, content.count(b'"') // 2 - colons)
    numbers = _numbers(content)
    return (
        (1 + wide + (2 * inside if inside > 1 else 0)) * len(content)
        + marks + _TEXT * texts + _NUMBER * numbers + _KEY * min(colons, MOST_KEYS)
    )  # fmt: skip


def _has(content: bytes, least: int) -> bool:
    """Whether some byte is `least` or above."""
    pieces = range(0, len(content), _CHUNK)
    if content.isascii():
        return False
    return any(max(content[start : start + _CHUNK]) >= least for start in pieces)


def _numbers(content: bytes) -> int:
    """How many numbers of three or more characters there are; those inside of texts count too."""
    found = 0
    read = np.frombuffer(content, dtype=np.uint8)
    for start in range(0, len(content), _CHUNK):
        marks = _DIGITS[read[max(start - 1, 0) : start + _CHUNK + 2]]
        if start == 0:
            marks = np.concatenate([[False], marks])
        begun = ~marks[:-3] & marks[1:-2] & marks[2:-1] & marks[3:]
        found += int(np.count_nonzero(begun))
    return found


def _require_few_keys(content: bytes) -> None:
    """Refuse keys that are all different: they take more than those of objects that are alike."""
    found: set[bytes] = set()
    for text in _STRING.finditer(content):
        if text[2]:
            found.add(text[1])
            if len(found) > MOST_KEYS:
                raise InvalidInput(f"more than {MOST_KEYS} different keys")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object in which no key is repeated: readers differ in which of the values counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = Counter(key for key, _ in pairs)
        twice = next(key for key, count in keys.items() if count > 1)
        raise InvalidInput(f"the key {excerpt(twice)} is there twice in one object")
    return found


def integers(document: Mapping[str, Any], name: str, count: int) -> Int64Array:
    """A list of exactly `count` integers in a document, as an array."""
    values = document.get(name)
    if not isinstance(values, list) or len(values) != count:
        raise InvalidInput(f"{name}: a list of {count} integers is needed, not {kind(values)}")
    return flat(name, values)


def flat(name: str, values: list[Any]) -> Int64Array:
    """A list of integers as an array; the first entry that is none of 64 bits is named."""
    if set(map(type, values)) <= {int}:  # neither true nor 1.0, which numpy would take
        with suppress(OverflowError):
            return np.array(values, dtype=np.int64)
    for place, value in enumerate(values):
        if type(value) is not int or not -(1 << 63) <= value < 1 << 63:
            raise InvalidInput(f"{name}[{place}]: an integer is needed, not {excerpt(value)}")
    return np.array(values, dtype=np.int64)


def kind(value: object) -> str:
    """What a message says of a value that may be a very long list."""
    return f"a list of {len(value)}" if isinstance(value, list) else excerpt(value)
