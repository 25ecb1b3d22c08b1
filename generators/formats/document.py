"""JSON documents from strangers: an object, and its lists of integers."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generators.errors import InvalidInput
from generators.formats.quantities import shown


def parsed(content: bytes) -> dict[str, Any]:
    """The object in a document. Raises InvalidInput telling what is wrong, and where.

    >>> parsed(b'{"n": 2}')
    {'n': 2}
    """
    try:
        document = json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidInput(f"not UTF-8 text at byte {error.start}") from None
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


def integers(document: dict[str, Any], name: str, count: int) -> NDArray[np.int64]:
    """A list of exactly `count` integers in a document, as an array."""
    values = document.get(name)
    if not isinstance(values, list) or len(values) != count:
        raise InvalidInput(f"{name}: a list of {count} integers is needed, not {kind(values)}")
    return flat(name, values)


def flat(name: str, values: list[Any]) -> NDArray[np.int64]:
    """A list of integers as an array; the first entry that is none of 64 bits is named."""
    for place, value in enumerate(values):
        if type(value) is not int or not -(1 << 63) <= value < 1 << 63:
            raise InvalidInput(f"{name}[{place}]: an integer is needed, not {shown(value)}")
    return np.array(values, dtype=np.int64)


def kind(value: object) -> str:
    """What a message says of a value that may be a very long list."""
    return f"a list of {len(value)}" if isinstance(value, list) else shown(value)
