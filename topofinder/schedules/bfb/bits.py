"""Counting and finding set bits of 64-bit words inside numba kernels."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _popcount(typing_context: Any, word: Any) -> Any:
    signature = types.int64(types.uint64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return signature, generate


def _lowest_bit(typing_context: Any, word: Any) -> Any:
    signature = types.int64(types.uint64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return signature, generate


popcount: Any = intrinsic(_popcount)
"""Number of set bits of a uint64."""

lowest_bit: Any = intrinsic(_lowest_bit)
"""Index of the lowest set bit of a uint64 that is not zero."""
