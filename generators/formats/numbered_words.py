"""The numbers of many words at once: a hash table whose keys and values are arrays of numpy."""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from generators.topology import Int64Array, IntArray

Words = NDArray[np.uint64]
"""Words of up to 32 characters: `words[i, j]` holds characters 8 i to 8 i + 7 of word j."""
MOST_PARTS = 4
_FACTOR = 0x9E3779B97F4A7C15


class NumberedWords:
    """The numbers of words that have been looked up, at most so many.

    `number` gives that of a word that is new; it is kept. Slots are probed one after the other
    from the hash of a word on.
    """

    def __init__(self, most: int, number: Callable[[str], int]) -> None:
        self._number, self._most = number, most
        self._bits = (4 * most).bit_length()
        self._count = 0

    @cached_property
    def _slots(self) -> IntArray:
        """One more than the place of the word whose slot it is; 0 where it is nobody's."""
        return np.zeros(1 << self._bits, dtype=np.int32)

    @cached_property
    def _parts(self) -> Words:
        return np.zeros((MOST_PARTS, self._most + 1), dtype=np.uint64)

    @cached_property
    def _numbers(self) -> IntArray:
        return np.empty(self._most + 1, dtype=np.int32)

    def numbers(self, words: Words) -> IntArray:
        """The number of each; new ones are asked for in turn. Raises what `number` does.

        >>> ab, c = (int.from_bytes(word, "little") for word in (b"ab", b"c"))
        >>> known = NumberedWords(4, {"ab": 7, "c": 9}.__getitem__)
        >>> known.numbers(np.array([[ab, c, ab]], dtype=np.uint64)).tolist()
        [7, 9, 7]
        """
        mixed = np.zeros(words.shape[1], dtype=np.uint64)
        for part in words:
            mixed = np.where(part > 0, (mixed ^ part) * np.uint64(_FACTOR), mixed)
        mixed ^= mixed >> np.uint64(32)
        places = self._places(words, mixed)
        new = np.flatnonzero(places < 0)
        if len(new):
            fresh = new[np.sort(np.unique(mixed[new], return_index=True)[1])]
            self._keep(words[:, fresh], mixed[fresh])
            places[new] = self._places(words[:, new], mixed[new])
            if (places < 0).any():  # different words of one hash, of which one was kept
                return self.numbers(words)
        return self._numbers[places]

    def _places(self, words: Words, mixed: Words) -> IntArray:
        """Where each word is kept, or -1."""
        slots = (mixed >> np.uint64(64 - self._bits)).astype(np.int64)
        places = self._slots[slots] - 1
        other = self._differ(words, places, np.flatnonzero(places >= 0))
        while len(other):
            slots[other] = (slots[other] + 1) % len(self._slots)
            places[other] = self._slots[slots[other]] - 1
            other = self._differ(words, places, other[places[other] >= 0])
        return places

    def _differ(self, words: Words, places: IntArray, which: Int64Array) -> Int64Array:
        """Those of `which` whose places hold other words."""
        wrong = np.zeros(len(which), dtype=np.bool_)
        for part in range(MOST_PARTS):
            own = words[part, which] if part < len(words) else 0
            wrong |= self._parts[part, places[which]] != own
        return which[wrong]

    def _keep(self, words: Words, mixed: Words) -> None:
        """Give each word its number and a slot."""
        numbers = [self._number(text) for text in _texts(words)]
        kept = self._count
        self._count += len(numbers)
        self._numbers[kept : self._count] = numbers
        self._parts[: len(words), kept : self._count] = words
        for slot in (mixed >> np.uint64(64 - self._bits)).tolist():
            kept += 1
            while self._slots[slot]:
                slot = (slot + 1) % len(self._slots)
            self._slots[slot] = kept


def _texts(words: Words) -> list[str]:
    """The words as texts; none has a NUL, which is what fills up a part."""
    signs = np.ascontiguousarray(words.T, dtype="<u8")
    return [word.decode("latin-1") for word in signs.view(f"S{8 * len(words)}").ravel().tolist()]
