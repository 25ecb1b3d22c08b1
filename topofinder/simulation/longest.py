"""When every message ends, if it starts as soon as its arc is free and its pieces are there."""

from numba import njit


def finish(rows, start, of, arc, duration, first, count, waited, ended, free):  # type: ignore[no-untyped-def]
    """Fill ended[m] with the tick at which message m ends, messages taken in order.

    The rows of message m are rows[start[m]:start[m + 1]], row r is in message of[r] and waits for
    the rows waited[first[r]:first[r] + count[r]]. `free`, zeros of shape (arcs,), is scratch.
    Works on arrays of Python ints; `finish_compiled` does the same on int64 arrays, which needs the
    sum of all durations below 2^63: no end is later.
    """
    for message in range(len(arc)):
        ready = free[arc[message]]
        for at in range(start[message], start[message + 1]):
            row = rows[at]
            for entry in range(first[row], first[row] + count[row]):
                ready = max(ready, ended[of[waited[entry]]])
        ended[message] = ready + duration[message]
        free[arc[message]] = ended[message]


finish_compiled = njit(cache=True, nogil=True)(finish)
