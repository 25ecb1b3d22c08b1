"""Signatures of kernels as text: what a kernel is called with, without what it is called on.

A text names the kind of each argument, and is enough to make values of the same kinds, for which
another process compiles the kernel. Nothing of numba is imported here.

An array is `<i4:2C`: its type, its dimensions, and whether rows (C) or columns (F) lie in one
piece, or neither (A); an `r` behind it says that it is read-only. A number is `int`, `float`,
`bool` or a numpy type; a tuple is a list whose first item is empty or names the class of named
fields.
"""

import json
from importlib import import_module
from typing import Any

import numpy as np

PLAIN: dict[str, Any] = {"int": 1, "float": 1.0, "bool": True, "None": None}


def signature_text(arguments: tuple[Any, ...]) -> str:
    """The text of a call.

    >>> signature_text((np.zeros((2, 3), np.int32), 4, (np.uint64(1), True)))
    '["<i4:2C", "int", ["", "<u8", "bool"]]'
    """
    return json.dumps([_describe(value) for value in arguments])


def sample_arguments(text: str) -> tuple[Any, ...]:
    """Values of the kinds that a text names; ValueError for what is none.

    >>> sample_arguments('["<i4:1C", "float"]')[0].dtype.name
    'int32'
    """
    try:
        return tuple(map(_sample, json.loads(text)))
    except (TypeError, AttributeError, ImportError, KeyError) as error:
        raise ValueError(f"no signature: {text!r:.200}") from error


def _describe(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        flags = value.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return f"{value.dtype.str}:{value.ndim}{layout}{'' if flags.writeable else 'r'}"
    if isinstance(value, tuple):
        kind = type(value)
        name = "" if kind is tuple else f"{kind.__module__}:{kind.__qualname__}"
        return [name, *map(_describe, value)]
    if isinstance(value, np.generic):
        return value.dtype.str
    name = type(value).__name__ if value is not None else "None"
    if name not in PLAIN:
        raise ValueError(f"kernels take no {name}")
    return name


def _sample(kind: Any) -> Any:
    if isinstance(kind, list):
        values = tuple(map(_sample, kind[1:]))
        if not kind[0]:
            return values
        module, name = kind[0].split(":")
        return getattr(import_module(module), name)(*values)
    if kind in PLAIN:
        return PLAIN[kind]
    if ":" in kind:
        return _sample_array(*kind.split(":"))
    return np.dtype(kind).type(1)


def _sample_array(dtype: str, shape: str) -> np.ndarray[Any, Any]:
    axes = int(shape[0])
    array = np.zeros((2,) * axes, dtype, order="F" if shape[1] == "F" else "C")
    if shape[1] == "A":
        array = np.zeros((4,) * axes, dtype)[(slice(None, None, 2),) * axes]
    array.flags.writeable = not shape.endswith("r")
    return array
