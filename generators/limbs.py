"""Exact sums of integers that strangers give, by sums of 64 bits.

A sum of many amounts can leave 64 bits although each of them fits, and would wrap without a word:
2^60 trees over one link sixteen times make 2^64 = 0. So amounts are cut into limbs, as narrow as
it takes for a whole sum of limbs to fit; each limb is summed apart, and the sums are put together
as Python's integers. Ordinary amounts are one limb: they cost one look for the largest.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generators.topology import Int64Array

WORD_BITS = 63
"""What a signed word holds without its sign."""


def limbs(
    amount: NDArray[Any], times: int, bits: int = WORD_BITS
) -> Iterator[tuple[int, Int64Array]]:
    """Pairs (shift, limb), limbs int64: `amount` is the sum of `limb << shift`.

    Amounts, of shape (k,), are at least 0: integers of 64 bits, or Python's. A sum that counts
    entries `times` times in all, repeats counted, stays below 2^bits for every limb. Raises
    ValueError when not even limbs of one bit do.

    >>> [(shift, limb.tolist()) for shift, limb in limbs(np.array([5, 2]), 7, bits=5)]
    [(0, [1, 2]), (2, [1, 0])]
    """
    width = bits - max(times, 1).bit_length()
    if width < 1:
        raise ValueError(f"times: a sum of {times} numbers does not fit {bits} bits")
    most = int(amount.max(initial=0)).bit_length()
    if most <= width:
        yield 0, amount.astype(np.int64, copy=False)
        return
    for shift in range(0, most, width):
        yield shift, ((amount >> shift) & ((1 << width) - 1)).astype(np.int64)


def sum_exactly(
    amount: NDArray[Any],
    times: int,
    add: Callable[[Int64Array], NDArray[Any]],
    bits: int = WORD_BITS,
) -> NDArray[Any]:
    """`add(amount)`, exactly: int64 where one limb is enough, else Python's integers.

    `add` must be linear, and each entry of what it returns a sum as `limbs` describes.

    >>> sum_exactly(np.array([1 << 62] * 3), 3, lambda part: part.sum(keepdims=True)).tolist()
    [13835058055282163712]
    """
    return join_limbs([(shift, add(limb)) for shift, limb in limbs(amount, times, bits)])


def join_limbs(parts: Sequence[tuple[int, NDArray[Any]]]) -> NDArray[Any]:
    """The sum of `part << shift`: int64 where there is one limb, else Python's integers."""
    if len(parts) == 1:
        return parts[0][1]
    whole: Any = sum(part.astype(object) << shift for shift, part in parts)
    return np.asarray(whole)


def carry_over(parts: Sequence[tuple[int, NDArray[Any]]]) -> list[tuple[int, NDArray[Any]]]:
    """The same sums with every part but the last below its width: they compare as digits do.

    >>> found = carry_over([(0, np.array([9])), (2, np.array([1]))])
    >>> [(shift, part.tolist()) for shift, part in found]
    [(0, [1]), (2, [3])]
    """
    found: list[tuple[int, NDArray[Any]]] = []
    carry: Any = 0
    for place, (shift, part) in enumerate(parts):
        whole = part + carry
        if place + 1 < len(parts):
            width = parts[place + 1][0] - shift
            carry, whole = whole >> width, whole & ((1 << width) - 1)
        found.append((shift, whole))
    return found
