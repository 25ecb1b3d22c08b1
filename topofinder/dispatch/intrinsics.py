"""Machine instructions that kernels use: for the compiler, beside what they are in Python."""

from collections.abc import Callable
from functools import cache
from typing import Any


class Instruction:
    """A function that the compiler has a rule for, and that Python runs in words of its own.

    Numba is imported, and the `rule` made, when a kernel that uses it is compiled.
    """

    def __init__(self, python: Callable[..., Any], rule: Callable[[], Callable[..., Any]]) -> None:
        self._python, self.rule = python, rule
        self.__doc__ = python.__doc__

    def __call__(self, *arguments: Any) -> Any:
        """What it is in Python."""
        return self._python(*arguments)

    @property
    def _numba_type_(self) -> Any:
        return _instruction_type(self.rule)


@cache
def _instruction_type(rule: Callable[[], Callable[..., Any]]) -> Any:
    """The type of the function that has a rule, by which the compiler finds the rule."""
    from numba.core.registry import cpu_target
    from numba.extending import intrinsic

    function: Any = intrinsic(rule())
    context: Any = cpu_target.typing_context
    context.refresh()
    return context.resolve_value_type(function)


def _popcount_rule() -> Callable[..., Any]:
    from numba import types

    def popcount(typing_context: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.int64(types.uint64), generate

    return popcount


def _lowest_bit_rule() -> Callable[..., Any]:
    from llvmlite import ir
    from numba import types

    def lowest_bit(typing_context: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.uint64), generate

    return lowest_bit


def _borrow_rule() -> Callable[..., Any]:
    from numba import types
    from numba.core import cgutils

    unpack_tuple: Any = cgutils.unpack_tuple

    def without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        if isinstance(kind, types.BaseTuple):
            kinds: Any = kind
            pairs = zip(kinds, unpack_tuple(builder, value), strict=True)
            parts = [without_owner(context, builder, *pair) for pair in pairs]
            return context.make_tuple(builder, kind, parts)
        view = context.make_array(kind)(context, builder, value=value)
        for owner in ("meminfo", "parent"):
            setattr(view, owner, getattr(view, owner).type(None))
        return view._getvalue()

    def borrow(typing_context: Any, arrays: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return without_owner(context, builder, arrays, arguments[0])

        return arrays(arrays), generate

    return borrow


def _count_bits(word: Any) -> int:
    """Number of set bits of a uint64."""
    return int(word).bit_count()


def _find_lowest_bit(word: Any) -> int:
    """Index of the lowest set bit of a uint64 that is not zero."""
    known = int(word)
    return (known & -known).bit_length() - 1


def _same(arrays: Any) -> Any:
    """The same array, or tuple of arrays, without an owner: nobody counts who uses it.

    Between kernels that call each other, the counting can take most of the time. Whoever calls the
    outermost kernel has to keep the arrays.
    """
    return arrays


popcount = Instruction(_count_bits, _popcount_rule)
lowest_bit = Instruction(_find_lowest_bit, _lowest_bit_rule)
borrow = Instruction(_same, _borrow_rule)
