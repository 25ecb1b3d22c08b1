"""Who uses an arc at present, and how much of its rate is left, while sends are replayed in order.

A send that is cut through a switch goes at the rate of its slowest link; of a faster one it takes
just that. Every arc has a list of the sends that are on it, out of one pool of entries.
"""

from typing import Any, NamedTuple

import numpy as np

from topofinder.kernels import inner

Array = Any
NONE = -1


class ArcUsers(NamedTuple):
    """`left[e]` is what nobody takes of arc e, `first[e]` the first entry of its list.

    Entry p is send `send[p]`, which takes `rate[p]` until tick `until[p]`; `following[p]` is the
    next one of the list, or of those that are not in use, the first of which is `unused[0]`.
    """

    left: Array
    first: Array
    send: Array
    rate: Array
    until: Array
    following: Array
    unused: Array


@inner
def no_users(room, entries):  # type: ignore[no-untyped-def]
    """Arcs with these rooms that nobody uses, and so many entries for those who will."""
    following = np.arange(1, entries + 1)
    return ArcUsers(
        room.copy(),
        np.full(len(room), NONE, np.int64),
        np.empty(entries, np.int64),
        np.empty(entries, np.int64),
        np.empty(entries, np.int64),
        following,
        np.zeros(1, np.int64),
    )


@inner
def drop_ended(users, e, now):  # type: ignore[no-untyped-def]
    """Take from the list of arc e all whose time is over; the earliest end of the others."""
    place, before, soonest = users.first[e], NONE, np.int64((1 << 63) - 1)
    while place != NONE:
        after = users.following[place]
        if users.until[place] > now:
            soonest = min(soonest, users.until[place])
            before = place
        else:
            users.left[e] += users.rate[place]
            users.following[place] = users.unused[0]
            users.unused[0] = place
            if before == NONE:
                users.first[e] = after
            else:
                users.following[before] = after
        place = after
    return soonest


@inner
def add_user(users, e, send, rate, until):  # type: ignore[no-untyped-def]
    """Let a send take some of arc e, as the first of its list."""
    place = users.unused[0]
    users.unused[0] = users.following[place]
    users.send[place], users.rate[place], users.until[place] = send, rate, until
    users.following[place] = users.first[e]
    users.first[e] = place
    users.left[e] -= rate
