"""The busiest of d in-links, from how many shards each set of links can bring.

A receiver gets its new shards over d links. `counts` says how many of them can come over exactly
the links of a set P (bit j of P is link j), as fields of 16 bits, four in a word: P is field P % 4
of word P // 4, so that `counts.view(np.uint16)[P]` is its number. That is for fewer than 65,536
shards. Summed over subsets it is the number that only links of P can bring, and the busiest link
carries the largest of these over |P| (theorem 19 of Zhao et al.). Packed fields are summed in an
eighth of the time of integers one by one.
"""

import numpy as np

from topofinder.kernels import always_inline, inner

FIELDS = 4
"""Counts in a word."""
MOST_BYTE_LINKS = 8
"""Links of which a set is a byte."""
EVEN, LOW = np.uint64(0x0000FFFF0000FFFF), np.uint64(0x00000000FFFFFFFF)
"""The fields 0 and 2 of a word, and 0 and 1."""
ONE, TWO, FOUR, EIGHT = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(8)
BYTE, SIXTEEN, HALF = np.uint64(255), np.uint64(16), np.uint64(32)
BY_ONE, BY_TWO = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
BY_FOUR = np.uint64(0x0F0F0F0F0F0F0F0F)
"""Bits of words that change places with those so many bits further on."""


def packed_words(d: int) -> int:
    """Words that hold the counts of all sets of d links.

    >>> packed_words(1), packed_words(8)
    (1, 64)
    """
    return max(1, (1 << d) // FIELDS)


@always_inline
def clear_counts(counts):  # type: ignore[no-untyped-def]
    """Set all counts to none; returns them as fields, one for each set of links."""
    for k in range(len(counts)):
        counts[k] = 0
    return counts.view(np.uint16)


@inner
def busiest_load(counts, scale):  # type: ignore[no-untyped-def]
    """The largest sum over the subsets of a set P times scale[P], int64; `counts` are overwritten.

    `counts`: uint64, shape (packed_words(d),); `scale`: int64, shape (2^d,). Loops of fixed lengths
    are compiled to instructions for several words at once.
    """
    words = len(counts)
    for k in range(words):
        word = counts[k]
        word += (word & EVEN) << SIXTEEN
        counts[k] = word + ((word & LOW) << HALF)
    if words > 1:
        for k in range(0, words, 2):
            counts[k + 1] += counts[k]
    if words > 2:
        for k in range(0, words, 4):
            counts[k + 2] += counts[k]
            counts[k + 3] += counts[k + 1]
    for start in range(4, words, 8):
        for k in range(start, start + 4):
            counts[k] += counts[k - 4]
    for start in range(8, words, 16):
        for k in range(start, start + 8):
            counts[k] += counts[k - 8]
    for start in range(16, words, 32):
        for k in range(start, start + 16):
            counts[k] += counts[k - 16]
    half = 32
    while half < words:
        for start in range(half, words, 2 * half):
            for k in range(start, start + half):
                counts[k] += counts[k - half]
        half *= 2
    fields, most = counts.view(np.uint16), np.int64(0)
    for links in range(len(scale)):
        most = max(most, np.int64(fields[links]) * scale[links])
    return most


@always_inline
def exchange_bits(one, other, shift, mask):  # type: ignore[no-untyped-def]
    """Two words, bits of one having changed places with bits of the other, `shift` further on."""
    swap = ((one >> shift) ^ other) & mask
    return one ^ (swap << shift), other ^ swap


@inner
def count_word(a, b, c, d, e, f, g, h, fields):  # type: ignore[no-untyped-def]
    """Count 64 shards by the links that bring them: bit i of eight words is shard i.

    Transposed, each byte is a set of links; shards that none brings are counted with the empty set.
    """
    a, b = exchange_bits(a, b, ONE, BY_ONE)
    c, d = exchange_bits(c, d, ONE, BY_ONE)
    e, f = exchange_bits(e, f, ONE, BY_ONE)
    g, h = exchange_bits(g, h, ONE, BY_ONE)
    a, c = exchange_bits(a, c, TWO, BY_TWO)
    b, d = exchange_bits(b, d, TWO, BY_TWO)
    e, g = exchange_bits(e, g, TWO, BY_TWO)
    f, h = exchange_bits(f, h, TWO, BY_TWO)
    a, e = exchange_bits(a, e, FOUR, BY_FOUR)
    b, f = exchange_bits(b, f, FOUR, BY_FOUR)
    c, g = exchange_bits(c, g, FOUR, BY_FOUR)
    d, h = exchange_bits(d, h, FOUR, BY_FOUR)
    for word in (a, b, c, d, e, f, g, h):
        for _ in range(8):
            fields[word & BYTE] += np.uint16(1)
            word >>= EIGHT
