"""A call of a kernel both as plain Python and compiled, which must come to the same: for tests."""

from collections.abc import Callable
from typing import Any

import numpy as np

from topofinder.dispatch.interpreter import InterpretationError, interpret

LONGEST = 1e9


def compare(
    python: Callable[..., Any],
    compiled: Callable[..., Any],
    wraps: bool,
    arguments: tuple[Any, ...],
) -> Any:
    """What the compiled kernel answers; AssertionError where Python answers something else."""
    private = copy_arrays(arguments)
    try:
        found = interpret(python, private, LONGEST, wraps)
    except InterpretationError:
        return compiled(*arguments)
    answer = compiled(*arguments)
    if not are_same((answer, arguments), (found, private)):
        raise AssertionError(f"{python}: {answer!r:.200}, but in Python {found!r:.200}")
    return answer


def copy_arrays(value: Any) -> Any:
    """The same with copies of all arrays; one that occurs twice is copied once."""
    seen: dict[int, Any] = {}

    def copy(part: Any) -> Any:
        if isinstance(part, tuple):
            parts = map(copy, part)
            return tuple(parts) if type(part) is tuple else type(part)(*parts)
        if isinstance(part, np.ndarray):
            return seen.setdefault(id(part), part.copy(order="K"))
        return part

    return copy(value)


def are_same(one: Any, other: Any) -> bool:
    """Whether two values agree in every number, arrays in their shapes and types too."""
    if isinstance(one, tuple):
        pairs = zip(one, other, strict=True) if isinstance(other, tuple) else ()
        return isinstance(other, tuple) and all(are_same(*pair) for pair in pairs)
    if isinstance(one, np.ndarray):
        alike = isinstance(other, np.ndarray) and one.dtype == other.dtype
        return alike and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    return type(one) is type(other) and bool(one == other)
