"""Allreduce in patterns that know no topology: ring, direct, recursive halving and doubling.

As TACOS (Won et al., MICRO 2024, section V.A, figure 5) has them as baselines: rings are two-way
(its footnote 3); Chan et al. (PPoPP 2006) and Thakur et al. (2005) for the patterns. Each reduces
and scatters first; host h has the sum of its part then, and spreads it. See `tree_messages` and
`dimension_messages` for more.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import AnyIntArray, Int64Array
from topofinder.timetables.logical_messages import LogicalMessages, join_messages, require_room


def ring_messages(hosts: int, orders: Sequence[ArrayLike] | None = None) -> LogicalMessages:
    """Round a ring both ways at once, half of the data each way: 2 (hosts - 1) steps.

    `orders` are rings, each a permutation of the hosts, that share the data equally; hosts in the
    order of their numbers unless given. Raises InvalidInput for fewer than two hosts, and for an
    order that is no permutation.

    >>> ring = ring_messages(4)
    >>> ring.messages, ring.amount.tolist()[:2], ring.total
    (48, [1, 1], 8)
    """
    require_hosts(hosts)
    given: Sequence[ArrayLike] = [np.arange(hosts)] if orders is None else orders
    rings: list[LogicalMessages] = []
    for order in given:
        around = np.asarray(order)
        if not np.array_equal(np.sort(around), np.arange(hosts)):
            raise InvalidInput(f"orders: a permutation of {hosts} hosts is needed")
        rings += [one_way_ring_messages(around), one_way_ring_messages(around[::-1])]
    if not rings:
        raise InvalidInput("orders: at least one ring is needed")
    return join_messages(rings)


def one_way_ring_messages(order: AnyIntArray) -> LogicalMessages:
    """All data round one ring, a permutation of the hosts, one way.

    At step s the host at place i sends on the part of the host at place i - s - 1.

    >>> one_way_ring_messages(np.array([0, 2, 1])).target.tolist()[:3]
    [2, 1, 0]
    """
    n = len(order)
    require_room(2 * n * n)
    step, place = np.divmod(np.arange(2 * (n - 1) * n), n)
    part = (place - step - 1) % n
    first = np.arange(n, 2 * (n - 1) * n)
    return LogicalMessages(
        hosts=n,
        total=n,
        origin=order[place],
        target=order[(place + 1) % n],
        begin=order[part],
        end=order[part] + 1,
        reducing=step < n - 1,
        before=(step[first] - 1) * n + (place[first] - 1) % n,
        after=first,
    )


def direct_messages(hosts: int) -> LogicalMessages:
    """Every host sends every other one its part, and what it has summed up to all: two steps.

    At the same time host h sends to h + 1 first, then to h + 2, and so on (mod hosts).

    >>> direct = direct_messages(4)
    >>> direct.messages, len(direct.before)
    (24, 36)
    """
    require_hosts(hosts)
    require_room(hosts * (hosts - 1) ** 2)
    shift, origin = np.divmod(np.arange((hosts - 1) * hosts), hosts)
    target = (origin + shift + 1) % hosts
    half = len(origin)
    into = np.argsort(target, kind="stable").reshape(hosts, hosts - 1)
    spread = half + np.arange(half)
    part = np.concatenate([target, origin])
    return LogicalMessages(
        hosts=hosts,
        total=hosts,
        origin=np.tile(origin, 2),
        target=np.tile(target, 2),
        begin=part,
        end=part + 1,
        reducing=np.arange(2 * half) < half,
        before=into[origin].ravel(),
        after=np.repeat(spread, hosts - 1),
    )


def halving_messages(hosts: int) -> LogicalMessages:
    """Recursive halving and doubling: with the host at distance 1, then 2, 4, ... and back.

    At each step two hosts exchange half of what they still have, then what they have summed up.
    Raises InvalidInput unless the number of hosts is a power of two.

    >>> halving_messages(8).amount.tolist()[::8]
    [4, 2, 1, 1, 2, 4]
    """
    require_hosts(hosts)
    if hosts & (hosts - 1):
        raise InvalidInput(f"hosts: a power of two is needed, not {hosts}")
    steps = hosts.bit_length() - 1
    own = _reversed_bits(np.arange(hosts), steps)
    host = np.arange(hosts)
    columns: list[list[Int64Array]] = [[], [], []]
    for step in [*range(steps), *reversed(range(steps))]:
        kept = hosts >> (step + 1)
        partner = host ^ (1 << step)
        sender = partner if len(columns[0]) < steps else host
        columns[0].append(partner)
        columns[1].append(own[sender] // kept * kept)
        columns[2].append(np.full(hosts, kept))
    target, begin, amount = (np.concatenate(column) for column in columns)
    before, after = _waits_for_all_earlier(target.reshape(2 * steps, hosts))
    return LogicalMessages(
        hosts=hosts,
        total=hosts,
        origin=np.tile(host, 2 * steps),
        target=target,
        begin=begin,
        end=begin + amount,
        reducing=np.arange(2 * steps * hosts) < steps * hosts,
        before=before,
        after=after,
    )


def _reversed_bits(numbers: Int64Array, bits: int) -> Int64Array:
    """The numbers with their lowest `bits` bits the other way round."""
    found = np.zeros_like(numbers)
    for bit in range(bits):
        found |= ((numbers >> bit) & 1) << (bits - 1 - bit)
    return found


def _waits_for_all_earlier(target: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Message [s, h], of host h at step s, waits for all that came to h at earlier steps."""
    steps, hosts = target.shape
    number = np.arange(steps * hosts).reshape(steps, hosts)
    into = np.empty_like(number)
    for step in range(steps):
        into[step, target[step]] = number[step]
    pairs = [(into[early], number[late]) for late in range(steps) for early in range(late)]
    if not pairs:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    return np.concatenate([pair[0] for pair in pairs]), np.concatenate([p[1] for p in pairs])


def require_hosts(hosts: int) -> None:
    """Raises InvalidInput for fewer than two hosts."""
    if type(hosts) is not int or hosts < 2:
        raise InvalidInput(f"hosts: at least 2 are needed, not {excerpt(hosts)}")
