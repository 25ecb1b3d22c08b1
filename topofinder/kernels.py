"""How the kernels are compiled: cached on disk, without the GIL, and as little as possible.

`inner` is for functions that only other kernels call. They need no way in from Python, which
takes a good part of the time of a first run to compile.
"""

from typing import Any

import numba
import numpy as np
from numba.core import event

from topofinder.compilation import announcer


class _Listener(event.Listener):
    """Passes on that numba compiles, which it tells of nothing that it finds on disk."""

    def on_start(self, event: Any) -> None:
        announcer.notify(event)

    def on_end(self, event: Any) -> None:
        announcer.notify(event)


_register: Any = event.register
_register("numba:compile", _Listener())

kernel: Any = numba.njit(cache=True, nogil=True)
_options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
inner: Any = numba.njit(cache=True, nogil=True, **_options)


@inner
def copy_into(target, source):  # type: ignore[no-untyped-def]
    """`target[:] = source`, of as many entries, which numba compiles in a tenth of the time.

    It compiles words on shapes that do not fit along with every such line: three seconds.
    """
    for i in range(len(source)):
        target[i] = source[i]


GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio, odd: what splitmix64 adds to its state."""


@inner
def mix64(word):  # type: ignore[no-untyped-def]
    """Another 64-bit word, the same for the same word, every bit of which depends on all of it.

    The finaliser of splitmix64 (Steele, Lea and Flood, 2014), a bijection.
    """
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@inner
def count_distinct(words, slots, clock, stamp):  # type: ignore[no-untyped-def]
    """How many different words there are among `words`, uint64.

    `slots` (uint64) and `stamp` (int64) are a hash table with open addressing, of 2^k entries, at
    least twice as many as words; the table is empty of all that has another stamp than `clock`.
    """
    size, count = np.uint64(len(slots) - 1), 0
    for word in words:
        slot = mix64(word) & size
        while stamp[slot] == clock and slots[slot] != word:
            slot = (slot + np.uint64(1)) & size
        if stamp[slot] != clock:
            stamp[slot], slots[slot] = clock, word
            count += 1
    return count
