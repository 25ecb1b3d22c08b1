"""Blocks of 512 bits as values of kernels: eight words, loaded, combined and stored at once.

LLVM has vectors; numba has no type for them, and does not find out by itself that eight words can
be treated alike, for arrays might overlap. On processors with wide registers a block is in one of
them, elsewhere in two or four.
"""

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typing import templates
from numba.extending import intrinsic, lower_builtin, models, register_model

_WORD = ir.IntType(64)
_BLOCK = ir.VectorType(_WORD, 8)
_infer: Any = templates.infer_global
_lower: Any = lower_builtin
_signature: Any = templates.signature


class BitBlock(types.Type):
    """The type of a block in kernels."""

    def __init__(self) -> None:
        super().__init__(name="BitBlock")


bit_block = BitBlock()


class _Vector(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _BLOCK)  # type: ignore[no-untyped-call]


_register: Any = register_model
_register(BitBlock)(_Vector)


class _SameType(templates.AbstractTemplate):
    """An operator of blocks gives a block."""

    def generic(self, args: Any, kws: Any) -> Any:
        return _signature(bit_block, *args) if set(args) == {bit_block} else None


def _combine(name: str) -> Any:
    """How an instruction of LLVM combines blocks."""

    def generate(context: Any, builder: Any, kind: Any, blocks: Any) -> Any:
        return getattr(builder, name)(*blocks)

    return generate


for _operator, _name, _count in (
    (operator.and_, "and_", 2),
    (operator.or_, "or_", 2),
    (operator.xor, "xor", 2),
    (operator.invert, "not_", 1),
):
    _infer(_operator)(_SameType)
    _lower(_operator, *[bit_block] * _count)(_combine(_name))


def _address(context: Any, builder: Any, kind: Any, array: Any, place: Any) -> Any:
    """Where the block that begins at an entry of an array of uint64 lies."""
    start = context.make_array(kind)(context, builder, value=array).data
    return builder.bitcast(builder.gep(start, [place]), _BLOCK.as_pointer())


def _load_block(typing_context: Any, array: Any, place: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, array, *arguments)
        return builder.load(address, align=8)

    return bit_block(array, types.uint64), generate


def _store_block(typing_context: Any, array: Any, place: Any, block: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _address(context, builder, array, *arguments[:2]), align=8)
        return context.get_dummy_value()

    return types.void(array, types.uint64, bit_block), generate


def _fill_block(typing_context: Any, bit: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        ones, zeros = (ir.Constant(_BLOCK, [value] * 8) for value in (-1, 0))
        return builder.select(arguments[0], ones, zeros)

    return bit_block(types.boolean), generate


def _nonzero_words(typing_context: Any, block: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        some = builder.icmp_unsigned("!=", arguments[0], ir.Constant(_BLOCK, [0] * 8))
        return builder.zext(builder.bitcast(some, ir.IntType(8)), _WORD)

    return types.uint64(block), generate


load_block: Any = intrinsic(_load_block)
"""The block of the eight words from a place, a uint64, of an array of uint64 on."""

store_block: Any = intrinsic(_store_block)
"""Put a block into the eight words from a place on."""

fill_block: Any = intrinsic(_fill_block)
"""A block of all ones for True, of zeros for False."""

nonzero_words: Any = intrinsic(_nonzero_words)
"""A bit for each word of a block, set where the word is not zero, in a uint64."""
