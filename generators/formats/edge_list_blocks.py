"""Many lines of an edge list at once, with what they say found by numpy.

Nodes that are small numbers are read eight digits at a time; other nodes, and values, are looked
up in a hash table of words, each as up to four integers of 64 bits that hold eight characters.
"""

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generators.formats.numbered_words import MOST_PARTS, Words
from generators.topology import BoolArray, Int64Array, IntArray

LONGEST_WORD = 8 * MOST_PARTS
"""Characters of a word at most; lines with longer ones are read one by one."""
MOST_NUMBER = 1 << 20
"""Numbers are below it; other nodes are words, as far as this goes."""
_COMMENT = re.compile(r"(?<!\S)#.*")
_HEADER = re.compile(r"^\s*#:(?!\S)", re.MULTILINE)
_EIGHT = 8
_LEAST = (0, 10, 100, 1000, 10_000, 100_000, 1_000_000)
"""The least number of 1, 2, ... digits; what is below it begins with 0."""


class Column(NamedTuple):
    """The words of one column: those of the arcs `rows`; `words[i, j]` is a part of one.

    It holds the characters 8 i to 8 i + 7 of the word of arc `rows[j]`.
    """

    rows: Int64Array
    words: Words


class Block(NamedTuple):
    """Arcs with their columns of values: from node `numbers[i, 0]` to `numbers[i, 1]`.

    Where not all nodes are numbers, those are in turn the tail and head of each arc, as words.
    """

    arcs: int
    numbers: IntArray | None
    nodes: Words
    columns: list[Column]


def read_block(text: str, most: int) -> Block | None:
    """The arcs in whole lines of text, with at most that many values each.

    None where some line says anything else, and all have to be read one by one.

    >>> found = read_block("0 1 1/2\\n1 0 # back\\n", 2)
    >>> found.numbers.tolist()
    [[0, 1], [1, 0]]
    >>> read_block("0 1 {'capacity': 2}\\n", 2) is None
    True
    """
    if "#" in text:
        if _HEADER.search(text):
            return None
        text = _COMMENT.sub("", text)
    if not text.isascii():
        return None
    signs = np.frombuffer(f"\n{text}\n{' ' * LONGEST_WORD}".encode(), dtype=np.uint8)
    blank = signs <= ord(" ")
    if np.count_nonzero(blank) != sum(map(text.count, " \t\n")) + 2 + LONGEST_WORD:
        return None  # some other control character
    begins = np.flatnonzero(blank[:-1] > blank[1:]) + 1
    lengths = np.flatnonzero(blank[:-1] < blank[1:]) + 1 - begins
    first = np.searchsorted(begins, np.flatnonzero(signs == ord("\n")))
    counts, first = np.diff(first), first[:-1]
    first, counts = first[counts > 0], counts[counts > 0]
    counts -= _ends_in_nothing(signs, begins, lengths, first, counts)
    if ((counts == 1) | (counts > 2 + most)).any() or lengths.max(initial=0) > LONGEST_WORD:
        return None
    columns = [Column(rows, _words(signs, begins, lengths, first[rows] + place))
               for place in range(2, int(counts.max(initial=2)))
               for rows in (np.flatnonzero(counts > place),)]  # fmt: skip
    if any((column.words[0] & np.uint64(0xFF) == ord("{")).any() for column in columns[:1]):
        return None
    ends = np.stack((first, first + 1), axis=1)
    numbers = _numbers(signs, begins[ends], lengths[ends])
    nodes = _words(signs, begins, lengths, ends.ravel() if numbers is None else first[:0])
    return Block(len(first), numbers, nodes, columns)


def _ends_in_nothing(
    signs: NDArray[np.uint8],
    begins: Int64Array,
    lengths: Int64Array,
    first: Int64Array,
    counts: Int64Array,
) -> BoolArray:
    """Which lines end in the empty dict that networkx writes of an arc without attributes."""
    third = np.where(counts == 3, first + 2, first)
    at = begins[third]
    empty: BoolArray = (lengths[third] == 2) & (signs[at] == ord("{")) & (signs[at + 1] == ord("}"))
    empty &= counts == 3
    return empty


def _numbers(signs: NDArray[np.uint8], begins: Int64Array, lengths: Int64Array) -> IntArray | None:
    """The integers below MOST_NUMBER that are written there without a sign or a leading 0.

    Eight digits are read at once: pairs of neighbours become numbers of two digits, then of four,
    then one of eight.
    """
    if lengths.size and lengths.max() >= _EIGHT:
        return None
    missing = (_EIGHT * (_EIGHT - lengths)).astype(np.uint64)
    zeros = np.uint64(0x3030303030303030)
    word = _eight(signs, begins) << missing | zeros & _mask(_EIGHT - lengths)
    high, low = np.uint64(0xF0F0F0F0F0F0F0F0), np.uint64(0x0606060606060606)
    if ((word & high != zeros) | ((word + low) & high != zeros)).any():
        return None
    word ^= zeros
    for bits, factor, keep in (
        (8, 10, 0x00FF00FF00FF00FF), (16, 100, 0x0000FFFF0000FFFF), (32, 10_000, 0x00000000FFFFFFFF)
    ):  # fmt: skip
        word = word * np.uint64(factor) + (word >> np.uint64(bits)) & np.uint64(keep)
    least = np.array(_LEAST, dtype=np.uint64)[lengths - 1]
    if ((word >= MOST_NUMBER) | (word < least)).any():
        return None
    return word.astype(np.int32)


def _words(
    signs: NDArray[np.uint8], begins: Int64Array, lengths: Int64Array, which: Int64Array
) -> Words:
    begins, lengths = begins[which], lengths[which]
    parts = max(1, -(-int(lengths.max(initial=0)) // _EIGHT))
    words = np.zeros((parts, len(which)), dtype=np.uint64)
    for part, at in enumerate(range(0, parts * _EIGHT, _EIGHT)):
        words[part] = _eight(signs, begins + at) & _mask(np.clip(lengths - at, 0, _EIGHT))
    return words


def _eight(signs: NDArray[np.uint8], begins: Int64Array) -> Words:
    """The eight characters from each place on, the first of them the lowest byte."""
    whole = np.ndarray((len(signs) - _EIGHT + 1,), dtype="<u8", buffer=signs.data, strides=(1,))
    return whole[begins].astype(np.uint64, copy=False)


def _mask(count: Int64Array) -> Words:
    """So many lowest bytes."""
    return np.array([(1 << 8 * each) - 1 for each in range(_EIGHT + 1)], dtype=np.uint64)[count]
