"""What a compiled kernel was made from: the code of the function and of all that it calls.

numba's own stamp is the time and size of the file that a function stands in. So it compiles anew
what was only touched, and goes on with code whose inner kernels, in other files, have changed.
"""

import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from types import CodeType
from typing import Any

import numpy as np

CONSTANTS = (bool, int, float, complex, str, bytes, np.generic, type(None))


def code_stamp(function: Callable[..., Any]) -> str:
    """A digest of the code of a function, of what it calls, and of the constants that these read.

    >>> from topofinder.kernels import count_hops, hop_table
    >>> code_stamp(hop_table.py_func) == code_stamp(count_hops.py_func)
    False
    """
    seen: dict[str, bytes] = {}
    pending = [function]
    while pending:
        part = pending.pop()
        name = f"{part.__module__}:{part.__qualname__}"
        if name not in seen:
            seen[name], called = _own_code(part)
            pending.extend(called)
    whole = hashlib.sha256()
    for name in sorted(seen):
        whole.update(name.encode() + b"\0" + seen[name])
    return whole.hexdigest()


@cache
def _own_code(function: Callable[..., Any]) -> tuple[bytes, tuple[Callable[..., Any], ...]]:
    """The digest of a function's own code and constants, and the functions that it calls."""
    digest = hashlib.sha256(repr(function.__defaults__).encode())
    called = []
    for code in codes(function.__code__):
        digest.update(code.co_code + repr((code.co_names, code.co_varnames)).encode())
        texts = [part for part in code.co_consts if not isinstance(part, CodeType)]
        digest.update(repr([part for part in texts if part != function.__doc__]).encode())
        for name in code.co_names:
            value = function.__globals__.get(name)
            inner = _python_of(value)
            if inner is not None:
                called.append(inner)
            digest.update(f"{name}={_constant_text(value)};".encode())
    return digest.digest(), tuple(called)


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and those inside it."""
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from codes(value)


def _python_of(value: Any) -> Callable[..., Any] | None:
    """The function that a kernel stands for, or the one that makes an instruction's rule."""
    found = getattr(value, "py_func", None) or getattr(value, "rule", None)
    return found if hasattr(found, "__code__") else None


def _constant_text(value: Any) -> str:
    """What is compiled into a kernel where a global name stands for numbers; "" for all others."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, tuple):
        return f"({','.join(map(_constant_text, value))})"
    return repr(value) if isinstance(value, CONSTANTS) else ""
