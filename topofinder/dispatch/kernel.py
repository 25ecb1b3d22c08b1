"""The decorators of kernels: a kernel is interpreted while its work is small, else compiled.

To compile a kernel takes seconds, and to import numba alone a quarter of one. So a process first
runs kernels as plain Python (`interpreter`), for `FREE` seconds in all. Beyond that a kernel that
lies compiled on the disk is loaded; one that does not is compiled by a process in the background
(`background`), and goes on as plain Python until it is there, or has taken its `patience`: then it
is compiled here and now. A run that takes too long is stopped and done again, so that the work
need not be known beforehand. All ways give the same answers.

All are seconds of the processor's time, as others may use it too.

TOPOFINDER_KERNELS in the environment says otherwise: `compiled` never interprets, `interpreted`
compiles only what Python cannot run, and `compared` does both and raises AssertionError where they
differ, for tests.
"""

import dis
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import cached_property, update_wrapper
from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np

from topofinder.dispatch import background
from topofinder.dispatch.code_stamp import codes
from topofinder.dispatch.interpreter import (
    InterpretationError,
    TimeIsOver,
    interpret,
    is_interpreting,
)
from topofinder.dispatch.samples import signature_text

VARIABLE = "TOPOFINDER_KERNELS"
MODES = ("auto", "compiled", "interpreted", "compared")

FREE = 0.2
"""Seconds of plain Python in all, before anything is looked for or compiled."""
PATIENCE = 0.5
"""Seconds of plain Python of a kernel at least, where numba is not even imported."""
PATIENCE_EACH = 0.07
"""Seconds of plain Python of a kernel for each function that would be compiled: less than that
takes, as what has taken so long may go on."""
LOOK = 0.3
"""Seconds of plain Python between two looks for what the background has compiled."""
LARGE = 1 << 22
"""Bytes of arrays of a call that is not small."""
FOREVER = 1e9

_NOT_ALIKE = {"random", "exp", "log", "log2", "power", "sort", "argsort"}
"""Functions of numpy whose answers, or whose states, differ between Python and compiled code."""


class Kernel:
    """A function that is called from Python, and from other kernels, compiled or not.

    `options` are those of numba.njit. `python` is what stands in for the function in plain Python,
    where the words of the kernel would be too slow, or overflow.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        options: dict[str, bool],
        python: Callable[..., Any] | None = None,
    ) -> None:
        self.py_func = function
        self.python = python or function
        self.spent = 0.0
        self._options = options
        self._ready: Callable[..., Any] | None = None
        self._looked = -LOOK
        self._lock = threading.RLock()
        update_wrapper(self, function)
        KERNELS[self.name] = self

    @property
    def name(self) -> str:
        """Module and function: what requests and reports call it."""
        return f"{self.py_func.__module__}:{self.py_func.__qualname__}"

    @property
    def is_ready(self) -> bool:
        """Whether it runs compiled from now on: nothing is left to wait for."""
        return self._ready is not None

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run it, in the way that the environment and the work so far ask for."""
        if named:
            arguments = signature(self.py_func).bind(*arguments, **named).args
        if is_interpreting():
            return self.python(*arguments)  # compiled, it may be for other types, and compile anew
        if self._ready is not None:
            return self._ready(*arguments)
        return _ways[mode()](self, arguments)

    def __reduce__(self) -> tuple[Callable[[str], "Kernel"], tuple[str]]:
        return kernel_named, (self.name,)

    @cached_property
    def compiled(self) -> Any:
        """The dispatcher of numba, which compiles for the types it is called with."""
        from topofinder.dispatch.numba_start import njit

        with self._lock:
            return njit(self.py_func, self._options)

    @property
    def _numba_type_(self) -> Any:
        from topofinder.dispatch.numba_start import typeof

        return typeof(self.compiled)

    def load(self) -> Callable[..., Any]:
        """The compiled kernel, which is what is called from now on."""
        self._ready = self.compiled
        return self._ready

    def is_loaded(self, arguments: tuple[Any, ...]) -> bool:
        """Whether it lay compiled on the disk for such arguments; if so it is loaded."""
        if not background.may_be_stored(self.py_func):
            return False
        from topofinder.dispatch.numba_start import load_stored

        return load_stored(self.compiled, arguments)

    @cached_property
    def traits(self) -> "Traits":
        """What the interpreter has to know of it, and of the kernels that it calls."""
        return read_traits(self)

    def allowance(self, arguments: tuple[Any, ...]) -> float:
        """How many seconds it may be interpreted now; 0 to run it compiled."""
        if _clock.spent < FREE:
            return FREE - _clock.spent + 0.05
        if _clock.spent - self._looked >= LOOK:
            self._looked = _clock.spent
            if self.is_loaded(arguments):
                return 0.0
            background.request(self.name, signature_text(arguments))
        return self.patience() - self.spent

    def patience(self) -> float:
        """How many seconds it is interpreted before it is compiled: the more, the more it calls.

        What other kernels brought along is compiled already.
        """
        lacking = sum("compiled" not in vars(part) for part in self.traits.parts)
        return max(0.0 if "numba" in sys.modules else PATIENCE, PATIENCE_EACH * lacking)


class Traits:
    """Whether a kernel `can` be interpreted with the same answer, and `wraps` words of 64 bits.

    `parts` are the kernels that are compiled with it: itself, and what it calls.
    """

    def __init__(self, can: bool, wraps: bool, parts: tuple[Kernel, ...] = ()) -> None:
        self.can, self.wraps, self.parts = can, wraps, parts


class _Clock:
    """Seconds that this process has spent in plain Python instead of kernels."""

    spent = 0.0


_clock = _Clock()


def expect_work() -> None:
    """Look for compiled kernels from the next call on: what follows takes longer than is free.

    >>> expect_work()
    """
    _clock.spent = max(_clock.spent, FREE)


def expect_long_work(kernel: Kernel) -> None:
    """Never interpret a kernel: what it is called for takes longer than to compile it.

    >>> @decorator()
    ... def double(number):
    ...     return 2 * number
    >>> expect_long_work(double)
    >>> double.spent == FOREVER
    True
    """
    expect_work()
    kernel.spent = FOREVER


KERNELS: dict[str, Kernel] = {}


def kernel_named(name: str) -> Kernel:
    """The kernel of that name, `module:function`; its module is imported."""
    import_module(name.split(":")[0])
    return KERNELS[name]


def mode() -> str:
    """How kernels are run: what the environment says, `auto` where it says nothing known."""
    wanted = os.environ.get(VARIABLE, "auto")
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return "interpreted"
    return wanted if wanted in MODES else "auto"


def _call_compiled(kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
    return kernel.load()(*arguments)


def _call_interpreted(kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
    if not kernel.traits.can:
        return kernel.load()(*arguments)
    try:
        return interpret(kernel.python, arguments, FOREVER, kernel.traits.wraps)
    except InterpretationError:
        return kernel.load()(*arguments)


def _call_adaptively(kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
    """Interpreted within bounds, else compiled; a run beyond a bound is done again."""
    if not kernel.traits.can or count_bytes(arguments) > LARGE or kernel.spent >= FOREVER:
        return kernel.load()(*arguments)
    while (seconds := kernel.allowance(arguments)) > 0:
        began = time.thread_time()
        try:
            return interpret(kernel.python, arguments, seconds, kernel.traits.wraps)
        except TimeIsOver:
            continue
        except InterpretationError:
            break
        finally:
            spent = time.thread_time() - began
            kernel.spent += spent
            _clock.spent += spent
    return kernel.load()(*arguments)


def _call_both_ways(kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
    from topofinder.dispatch.interpreter import compare

    if not kernel.traits.can:
        return kernel.compiled(*arguments)
    return compare(kernel.python, kernel.compiled, kernel.traits.wraps, arguments)


_ways = {
    "auto": _call_adaptively,
    "compiled": _call_compiled,
    "interpreted": _call_interpreted,
    "compared": _call_both_ways,
}


def count_bytes(value: Any) -> int:
    """Bytes of all arrays in a value."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    return sum(map(count_bytes, value)) if isinstance(value, tuple) else 0


def read_traits(kernel: Kernel) -> Traits:
    """What the code of a kernel, and of all that it calls, uses."""
    can, wraps = True, False
    seen: dict[str, Kernel] = {}
    pending = [kernel]
    while pending:
        part = pending.pop()
        if part.name in seen:
            continue
        seen[part.name], function = part, part.python
        for name, value, attribute in _global_uses(function):
            if isinstance(value, Kernel):
                pending.append(value)
            wraps = wraps or name in ("GOLDEN", "mix64")
            foreign = str(getattr(value, "__module__", "")).startswith(("numba", "llvmlite"))
            can = can and not foreign and not (value is np and attribute in _NOT_ALIKE)
            can = can and not type(value).__module__.startswith(("numba", "llvmlite"))
    return Traits(can, wraps, tuple(seen.values()))


def _global_uses(function: Callable[..., Any]) -> Iterator[tuple[str, Any, str]]:
    """Global names that a function uses, what they stand for, and the attribute that is taken."""
    names: dict[str, Any] = function.__globals__
    for code in codes(function.__code__):
        steps = list(dis.get_instructions(code))
        for i, step in enumerate(steps):
            if step.opname == "LOAD_GLOBAL":
                after = steps[i + 1] if i + 1 < len(steps) else step
                is_attribute = after.opname in ("LOAD_ATTR", "LOAD_METHOD")
                attribute = str(after.argval) if is_attribute else ""
                yield str(step.argval), names.get(str(step.argval)), attribute


def decorator(**options: bool) -> Callable[..., Any]:
    """A decorator of kernels with options of numba.njit; with `python=`, one that needs a stand-in.

    >>> kernel = decorator()
    >>> @kernel
    ... def double(number):
    ...     return 2 * number
    >>> double(21)
    42
    """

    def decorate(
        function: Callable[..., Any] | None = None, *, python: Callable[..., Any] | None = None
    ) -> Any:
        if function is None:
            return lambda later: Kernel(later, options, python)
        return Kernel(function, options, python)

    return decorate
