"""All that the dispatcher asks of numba, which is imported here and not before."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import event
from numba.core.runtime.nrt import rtsys
from numba.core.types import IntegerLiteral

from topofinder.compilation import announcer
from topofinder.dispatch.code_stamp import code_stamp
from topofinder.dispatch.inner_code import InnerCompiler, InnerResults


class _Listener(event.Listener):
    """Passes on that numba compiles, which it tells of nothing that it finds on disk."""

    def on_start(self, event: Any) -> None:
        announcer.notify(event)

    def on_end(self, event: Any) -> None:
        announcer.notify(event)


_register: Any = event.register
_register("numba:compile", _Listener())

_njit: Any = numba.njit
typeof: Any = numba.typeof
"""The type of a value, as kernels are compiled for it."""


def njit(function: Callable[..., Any], options: dict[str, bool]) -> Any:
    """The dispatcher of a function: cached on disk for the code as it is now, without the GIL."""
    is_inner = options.get("no_cpython_wrapper", False)
    choice: Any = {"pipeline_class": InnerCompiler} if is_inner else {}
    dispatcher = _njit(cache=True, nogil=True, **options, **choice)(function)
    dispatcher._cache._cache_file._source_stamp = code_stamp(function)
    dispatcher._cache.load_overload = _loader(dispatcher._cache)
    dispatcher.get_call_template = _for_any_integer(dispatcher.get_call_template)
    if is_inner:
        dispatcher._cache._impl = InnerResults(function)
    return dispatcher


def _for_any_integer(call_template: Callable[..., Any]) -> Callable[..., Any]:
    """What kernels that call a dispatcher ask it for: nothing compiled for one integer alone.

    A variable that begins as 0 has the type of that one number until all of its values are seen:
    numba would compile what it is passed to for that type first, and then for all integers.
    """

    def any_integer(types: tuple[Any, ...], named: dict[str, Any]) -> Any:
        every = {name: _integer_type(one) for name, one in named.items()}
        return call_template(tuple(map(_integer_type, types)), every)

    return any_integer


def _integer_type(one: Any) -> Any:
    return one.literal_type if isinstance(one, IntegerLiteral) else one


def _loader(cache: Any) -> Callable[..., Any]:
    """How a cache loads machine code: without all that only compiling takes.

    By itself numba imports what it knows of each function of numpy and Python first, which takes
    longer than its own start; where it does compile, it imports that then.
    """

    def load_overload(signature: Any, context: Any) -> Any:
        rtsys.initialize(context)
        with cache._guard_against_spurious_io_errors():
            return cache._load_overload(signature, context)

    return load_overload


def load_stored(dispatcher: Any, arguments: tuple[Any, ...]) -> bool:
    """Load what lies on disk for such arguments; whether there was something."""
    signature = tuple(map(typeof, arguments))
    if dispatcher._cache.load_overload(signature, dispatcher.targetctx) is None:
        return False
    dispatcher.compile(signature)
    return True


def compile_for(dispatcher: Any, arguments: tuple[Any, ...]) -> bool:
    """Compile for such arguments, or find it on disk; whether anything was compiled."""
    signature = tuple(map(typeof, arguments))
    misses = sum(dispatcher.stats.cache_misses.values())
    dispatcher.compile(signature)
    return bool(sum(dispatcher.stats.cache_misses.values()) > misses)


def cache_folder(dispatcher: Any) -> Path:
    """The folder that the code of a kernel's module is kept in."""
    return Path(dispatcher.stats.cache_path)
