"""Exact transport of shards over unequal links, in plain integers and Fractions.

A link e with delay a_e that moves r_e shards a second carries at most r_e (U - a_e) shards by
time U, and none when U <= a_e. The least U at which all shards arrive is found from below: deal
the shards out with these capacities; if that fails, a cut names links that are full of shards
confined to them, and U rises to the time these links need. Every rise is forced, so the last
one is the optimum.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, lcm

Chain = dict[int, tuple[int, int | None]]
"""For every link reached: the class through which it was, and the link before it."""


@dataclass(frozen=True, slots=True)
class Shards:
    """`count` shards that may each come over any of `links`, or in parts over several."""

    count: int
    links: tuple[int, ...]


def link_rooms(
    time: Fraction, delay: Iterable[Fraction], rate: Iterable[Fraction]
) -> list[Fraction]:
    """Shards that each link can have carried by `time`.

    >>> link_rooms(Fraction(3), [Fraction(1), Fraction(5)], [Fraction(1, 3), Fraction(1)])
    [Fraction(2, 3), Fraction(0, 1)]
    """
    return [max(Fraction(), time - late) * fast for late, fast in zip(delay, rate, strict=True)]


def least_time(
    classes: Sequence[Shards], delay: Sequence[Fraction], rate: Sequence[Fraction]
) -> Fraction:
    """The least time by which every shard has arrived; links that are not used cost nothing.

    Shapes: `delay` (seconds) and `rate` (shards a second) have one entry a link; every class has
    a link. This is linear program (14) of Zhao et al. solved over the best choice of used links.

    >>> least_time([Shards(3, (0, 1))], [Fraction(0), Fraction(9)], [Fraction(1), Fraction(1)])
    Fraction(3, 1)
    """
    cut: frozenset[int] = frozenset().union(*(shards.links for shards in classes))
    time = Fraction()
    while cut:
        inside = sum(shards.count for shards in classes if cut.issuperset(shards.links))
        time = _meeting_time(cut, inside, delay, rate)
        room = link_rooms(time, delay, rate)
        whole = lcm(*(shards.denominator for shards in room))
        _, cut = deal_shards(classes, [int(shards * whole) for shards in room], whole)
    return time


def least_chunked_time(
    classes: Sequence[Shards], delay: Sequence[Fraction], rate: Sequence[Fraction], chunks: int
) -> Fraction:
    """The same where shards go in `chunks` equal chunks, each whole over one link.

    By time U a link has carried a whole number of chunks, the floor of what it has room for; flows
    with whole rooms are whole. That grows at a few times alone, which are searched between the
    least time of all and that at which every link has a chunk more.

    >>> least_chunked_time([Shards(1, (0, 1))], [Fraction(0)] * 2, [Fraction(1)] * 2, 3)
    Fraction(2, 3)
    """
    low = least_time(classes, delay, rate)
    links = sorted({link for shards in classes for link in shards.links})
    high = low + max(1 / (chunks * rate[link]) for link in links)
    times = {low}
    for link in links:
        unit = 1 / (chunks * rate[link])
        first = max(1, ceil((low - delay[link]) / unit))
        times |= {
            delay[link] + m * unit for m in range(first, int((high - delay[link]) / unit) + 1)
        }
    ordered = sorted(times)

    def is_late_enough(time: Fraction) -> bool:
        return not deal_shards(classes, whole_rooms(time, delay, rate, chunks), chunks)[1]

    return ordered[bisect_left(ordered, True, key=is_late_enough)]


def whole_rooms(
    time: Fraction, delay: Iterable[Fraction], rate: Iterable[Fraction], chunks: int
) -> list[int]:
    """Whole chunks of 1 / `chunks` of a shard that each link can have carried by `time`.

    >>> whole_rooms(Fraction(3), [Fraction(1), Fraction(5)], [Fraction(1, 3), Fraction(1)], 2)
    [1, 0]
    """
    return [floor(room * chunks) for room in link_rooms(time, delay, rate)]


def _meeting_time(
    links: Iterable[int], shards: int, delay: Sequence[Fraction], rate: Sequence[Fraction]
) -> Fraction:
    """When `links` together can have carried `shards`: where a rising broken line meets them."""
    speed = offset = time = Fraction()
    for link in sorted(links, key=lambda link: delay[link]):
        if speed and delay[link] >= time:
            break
        speed += rate[link]
        offset += rate[link] * delay[link]
        time = (shards + offset) / speed
    return time


def deal_shards(
    classes: Sequence[Shards], room: Sequence[int], whole: int
) -> tuple[list[dict[int, int]], frozenset[int]]:
    """Deal shards of `whole` units each to links with room for `room[e]` units.

    Returns (sent, cut): sent[c][e] units of class c come over link e, and `cut` is empty; or a
    set of links too small for the shards confined to it.

    >>> deal_shards([Shards(2, (0,)), Shards(1, (0, 1))], [5, 1], 2)
    ([{0: 4}, {0: 1, 1: 1}], frozenset())
    """
    free = list(room)
    sent: list[dict[int, int]] = [{} for _ in classes]
    for c in sorted(range(len(classes)), key=lambda c: len(classes[c].links)):
        left = classes[c].count * whole
        while left > 0:
            chain, end = _shortest_chain(classes, sent, free, c)
            if end is None:
                return sent, frozenset(chain)
            left -= _shift_along(sent, free, chain, end, left)
    return sent, frozenset()


def _shortest_chain(
    classes: Sequence[Shards], sent: list[dict[int, int]], free: list[int], origin: int
) -> tuple[Chain, int | None]:
    """A shortest chain from class `origin` to a link with room; None when all reached are full."""
    chain: Chain = dict.fromkeys(classes[origin].links, (origin, None))
    queue = sorted(chain, key=lambda link: free[link], reverse=True)
    for link in queue:
        if free[link] > 0:
            return chain, link
        for c, amounts in enumerate(sent):
            for other in classes[c].links if amounts.get(link) else ():
                if other not in chain:
                    chain[other] = (c, link)
                    queue.append(other)
    return chain, None


def _shift_along(
    sent: list[dict[int, int]], free: list[int], chain: Chain, end: int, left: int
) -> int:
    """Move as much as the chain that leads to link `end` allows; returns the amount."""
    moves, at = [], end
    while (before := chain[at][1]) is not None:
        moves.append((chain[at][0], before, at))
        at = before
    amount = min([left, free[end], *(sent[c][old] for c, old, _ in moves)])
    free[end] -= amount
    for c, old, new in moves:
        sent[c][old] -= amount
        sent[c][new] = sent[c].get(new, 0) + amount
    origin = chain[at][0]
    sent[origin][at] = sent[origin].get(at, 0) + amount
    return amount
