"""Blocks of 512 bits in kernels, beside numpy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topofinder.kernels import kernel
from topofinder.timetables.bit_block_kernels import (
    fill_block,
    load_block,
    nonzero_words,
    store_block,
)


@kernel
def combine_blocks(words, place, bit, into):  # type: ignore[no-untyped-def]
    """Every operation on the blocks at a place and at the ninth word; their bits by word."""
    one, other = load_block(words, np.uint64(place)), load_block(words, np.uint64(8))
    store_block(into, np.uint64(0), one & other)
    store_block(into, np.uint64(8), one | other)
    store_block(into, np.uint64(16), one ^ other)
    store_block(into, np.uint64(24), ~one)
    store_block(into, np.uint64(32), fill_block(bit))
    return nonzero_words(one)


@given(
    words=st.lists(st.just(0) | st.integers(0, (1 << 64) - 1), min_size=16, max_size=16),
    place=st.integers(0, 8),
    bit=st.booleans(),
)
def test_blocks_are_eight_words(words: list[int], place: int, bit: bool) -> None:
    given_words, found = np.array(words, dtype=np.uint64), np.zeros(41, dtype=np.uint64)
    nonzero = combine_blocks(given_words, place, bit, found)
    one, other = given_words[place : place + 8], given_words[8:]
    every = np.full(8, (1 << 64) - 1 if bit else 0, dtype=np.uint64)
    expected = [one & other, one | other, one ^ other, ~one, every, np.zeros(1, dtype=np.uint64)]
    assert found.tolist() == np.concatenate(expected).tolist()
    assert nonzero == sum(1 << k for k in range(8) if one[k])
