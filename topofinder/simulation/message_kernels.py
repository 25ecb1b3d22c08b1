"""For which earlier rows every row of a valid schedule waits, and when every message ends.

Of a piece that comes to a node more than once, the first copy in the schedule's order counts. A
partial sum waits for all that its node has received, at earlier steps, since it last sent that
piece; the allgather half of an allreduce starts from all that the destination has received. A
message starts as soon as its arc is free and its pieces are there; its arc is free again when all
of it has left, which may be before it is there.
"""

import numpy as np

from topofinder.kernels import inner, kernel
from topofinder.verification.replay_kernels import cut_shard


@kernel
def list_waits(  # type: ignore[no-untyped-def]
    start, nodes, tail, head, arc, step, begin, end, denominator, turn, most_delivered, most_waited
):
    """The rows that every row waits for.

    Rows are sorted by source and step, those of source v are start[v] to start[v + 1] - 1. Rows
    up to step `turn` move partial sums, later ones copy shards.

    Returns (first, count, waited): row r waits for waited[first[r]:first[r] + count[r]].
    Raises OverflowError for more than `most_delivered` pieces that the rows of one source bring, or
    `most_waited` pairs of a row and one that it waits for.
    """
    first, count = np.zeros(len(step), np.int64), np.zeros(len(step), np.int64)
    waited, used = np.empty(len(step) + 16, np.int32), 0
    stamp = np.full(len(step), -1, np.int32)
    longest = np.diff(start).max()
    low, high = np.empty(longest, np.int64), np.empty(longest, np.int64)
    for source in range(len(start) - 1):
        own = np.arange(start[source], start[source + 1])
        pieces = len(cut_shard(own, begin, end, denominator, low, high)) - 1
        latest = np.full((nodes, pieces), -1, np.int32)
        # At most 2^26 rows of 2^27 pieces each: 64 bits hold this sum, 32 need not.
        delivered = (high[: len(own)] - low[: len(own)]).sum()
        if delivered > most_delivered:
            raise OverflowError("pieces")
        links = np.empty((2, delivered), np.int32)
        filled, at, copying = 0, 0, False
        while at < len(own):
            after, now = at, step[own[at]]
            if now > turn and not copying:
                _forget_deliveries(latest, source)
                copying = True
            while after < len(own) and step[own[after]] == now:
                row = own[after]
                first[row] = used
                held = latest[tail[arc[row]], low[after] : high[after]]
                waited, used = _append_waits(row, held, links, stamp, waited, used)
                if not copying:
                    held[:] = -1
                count[row] = used - first[row]
                if used > most_waited:
                    raise OverflowError("waits")
                after += 1
            for i in range(at, after):
                node = head[arc[own[i]]]
                if not (copying and node == source):
                    held = latest[node, low[i] : high[i]]
                    filled = _record_delivery(own[i], held, links, filled, copying)
            at = after
    return first, count, waited[:used]


@inner
def _append_waits(row, held, links, stamp, waited, used):  # type: ignore[no-untyped-def]
    """Append the rows that brought the pieces `held` to `waited`, each once for this row.

    Each entry of `held` begins a linked list, -1 if empty: links[0] are rows, links[1] the next.
    """
    for entry in held:
        while entry >= 0:
            brought = links[0, entry]
            if stamp[brought] != row:
                stamp[brought] = row
                if used == len(waited):
                    waited = _double_room(waited)
                waited[used] = brought
                used += 1
            entry = links[1, entry]
    return waited, used


@inner
def _record_delivery(row, held, links, filled, copying):  # type: ignore[no-untyped-def]
    """Add a row to the lists of the pieces it brings; of copies only the first is kept."""
    for piece in range(len(held)):
        if not (copying and held[piece] >= 0):
            links[0, filled], links[1, filled] = row, held[piece]
            held[piece] = filled
            filled += 1
    return filled


@inner
def _forget_deliveries(latest, source):  # type: ignore[no-untyped-def]
    """What a node has received does not count any more, except at the source."""
    for node in range(len(latest)):
        if node != source:
            latest[node] = -1


@inner
def _double_room(values):  # type: ignore[no-untyped-def]
    """A copy with twice the room."""
    larger = np.empty(2 * len(values), values.dtype)
    for i in range(len(values)):  # as a slice it would take three seconds to compile
        larger[i] = values[i]
    return larger


def fill_message_ends(  # type: ignore[no-untyped-def]
    rows, start, of, arc, duration, busy, first, count, waited, ended, free
):
    """Fill ended[m] with the tick at which message m is there, messages taken in order.

    It is there `duration[m]` after its start, and its arc is free `busy[m]` after it, no later.

    The rows of message m are rows[start[m]:start[m + 1]], row r is in message of[r] and waits for
    the rows waited[first[r]:first[r] + count[r]]. `free`, zeros of shape (arcs,), is scratch.
    Works on arrays of Python ints; `fill_message_ends_compiled` does the same on int64 arrays,
    which needs the sum of all durations below 2^63: no end is later.
    """
    for message in range(len(arc)):
        ready = free[arc[message]]
        for at in range(start[message], start[message + 1]):
            row = rows[at]
            for entry in range(first[row], first[row] + count[row]):
                ready = max(ready, ended[of[waited[entry]]])
        ended[message] = ready + duration[message]
        free[arc[message]] = ready + busy[message]


fill_message_ends_compiled = kernel(fill_message_ends)
