"""A base graph of a recipe, checked through the register: name, kinds of argument, properties."""

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from functools import lru_cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from expansions.recipe import Base
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.families.register_all import FAMILIES
from generators.registry import Arguments, Family


def base_graph(name: str, arguments: Arguments = ()) -> Base:
    """The base graph `name(arguments)` in canonical form.

    Raises InvalidInput for an unknown family, listing close names; for arguments that do not
    fit the family's signature; and in the family's own words for impossible ones.

    >>> str(base_graph("K", (4, 4)))
    'K(4,4)'
    """
    family = family_named(name)
    _check_kinds(family, arguments)
    family.properties(*arguments)
    return Base(name, tuple(family.canonical(*arguments)))


def family_named(name: str) -> Family:
    """The registered family of that name, or InvalidInput with the names close to it."""
    if name in FAMILIES:
        return FAMILIES[name]
    lower = {known.lower(): known for known in FAMILIES}
    close = [lower[match] for match in get_close_matches(name.lower(), lower, n=3)]
    if close:
        raise InvalidInput(f"unknown family {excerpt(name)}; did you mean {' or '.join(close)}?")
    raise InvalidInput(f"unknown family {excerpt(name)}; known are {', '.join(sorted(FAMILIES))}")


def reads_word(name: str) -> bool:
    """Whether the family of that name, if there is one, reads what follows a semicolon itself."""
    return name in FAMILIES and FAMILIES[name].reads_word


def _check_kinds(family: Family, arguments: Arguments) -> None:
    """Refuse a wrong number of arguments, or a set where an integer is due."""
    signature, kinds = _parameters_of(family.properties)
    try:
        bound = signature.bind(*arguments)
    except TypeError:
        raise _no_fit(family, arguments) from None
    for name, value in bound.arguments.items():
        variadic = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
        for one in value if variadic else (value,):
            if not isinstance(one, kinds.get(name, object)):
                raise _no_fit(family, arguments)


def _no_fit(family: Family, arguments: Arguments) -> InvalidInput:
    return InvalidInput(f"{_call_text(family.name, arguments)} does not fit {family.signature}")


@lru_cache(maxsize=256)
def _parameters_of(
    function: Callable[..., object],
) -> tuple[inspect.Signature, dict[str, tuple[type, ...]]]:
    """What a function takes, and the classes that its annotations admit in a recipe."""
    hints = get_type_hints(function)
    return inspect.signature(function), {name: _classes_of(hints[name]) for name in hints}


def _classes_of(hint: Any) -> tuple[type, ...]:
    if get_origin(hint) in (Union, UnionType):
        return tuple(one for choice in get_args(hint) for one in _classes_of(choice))
    return (object,) if hint is Any else (get_origin(hint) or hint,)


def _call_text(name: str, arguments: Arguments) -> str:
    text = str(Base(name, arguments))
    return text if len(text) <= 60 else f"{text[:57]}..."
