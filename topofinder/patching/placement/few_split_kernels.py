"""Every way to put the circuits of one placement of a few hosts on panels: branch and bound.

Circuits are put on panels one by one, those of a pair of hosts in a fixed order of panels, because
parallel circuits are alike. A branch is cut when, by counting ports, it must leave out or make too
many.
"""

from typing import Any

import numpy as np

from topofinder.kernels import inner


@inner
def split_exhaustively(
    problem: Any, now: Any, strict: bool, best: Any, host: Any, used: Any, steps: int
) -> int:
    """The best way to put the circuits of a placement on panels, if it beats the best known."""
    pairs, panels = len(problem.times), problem.room.shape[1]
    room, left = problem.room.copy(), np.zeros(len(problem.room), dtype=np.int64)
    order, ends = np.empty(pairs, dtype=np.int64), np.empty((pairs, 2), dtype=np.int64)
    there, kept = np.empty((pairs, panels), dtype=np.int64), np.zeros(pairs, dtype=np.int64)
    units, rest = np.zeros(pairs + 1, dtype=np.int64), np.zeros(pairs + 1, dtype=np.int64)
    stay = np.empty(pairs, dtype=np.int64)
    order_by_slack(problem, now, order)
    for i in range(pairs):
        o = order[i]
        a, b = now[problem.tail[o]], now[problem.head[o]]
        ends[i, 0], ends[i, 1], stay[i] = a, problem.far + b, problem.stay[a, b]
        wanted = max(0, problem.times[o] - problem.pins[a, b])
        units[i + 1] = units[i] + wanted
        for side in range(2):
            left[ends[i, side]] += wanted
        for p in range(panels):
            there[i, p] = problem.there[a, b, p]
    for i in range(pairs - 1, -1, -1):
        rest[i] = rest[i + 1] + max(0, units[i + 1] - units[i] - stay[i])
    for end in range(len(left)):
        if strict and left[end] > problem.ports[end]:
            return steps
    if count_blocked(room, left, ends, units, problem.far) > best[0]:
        return steps
    count = units[pairs]
    pair = np.empty(count, dtype=np.int64)
    for i in range(pairs):
        for c in range(units[i], units[i + 1]):
            pair[c] = i
    on, at = np.zeros((pairs, panels), dtype=np.int64), np.zeros(count + 1, dtype=np.int64)
    put, c, out, made = np.full(count + 1, -2, dtype=np.int64), 0, 0, 0
    while c >= 0 and steps > 0:
        if c == count:
            if out < best[0] or (out == best[0] and made < best[1]):
                best[0], best[1] = out, made
                for v in range(len(now)):
                    host[v] = now[v]
                for i in range(pairs):
                    for p in range(panels):
                        used[order[i], p] = on[i, p]
            c -= 1
            continue
        steps -= 1
        i, p = pair[c], put[c]
        one, two = ends[i, 0], ends[i, 1]
        if p > -2:
            left[one] += 1
            left[two] += 1
            put[c] = -2
            if p < 0:
                out -= 1
            else:
                room[one, p] += 1
                room[two, p] += 1
                on[i, p] -= 1
                kept[i] -= on[i, p] < there[i, p]
                made -= on[i, p] >= there[i, p]
        j = at[c]
        if j > panels:
            c -= 1
            continue
        at[c] += 1
        p = nth_panel(there, i, j) if j < panels else -1
        if p >= 0 and (room[one, p] <= 0 or room[two, p] <= 0):
            continue
        left[one] -= 1
        left[two] -= 1
        put[c] = p
        if p < 0:
            out += 1
        else:
            room[one, p] -= 1
            room[two, p] -= 1
            kept[i] += on[i, p] < there[i, p]
            made += on[i, p] >= there[i, p]
            on[i, p] += 1
        more = max(0, units[i + 1] - c - 1 - (stay[i] - kept[i])) + rest[i + 1]
        fewest = out + max(0, count - c - 1 - panel_capacity(room, left, problem.far))
        if fewest + (made + more - (best[0] - out) >= best[1]) <= best[0]:
            c += 1
            at[c] = j if c < count and pair[c] == i else 0
    return steps


@inner
def order_by_slack(problem: Any, now: Any, order: Any) -> None:
    """Fill `order` with the pairs of nodes, first those with the fewest ports left over."""
    over = np.empty(len(order), dtype=np.int64)
    for i in range(len(order)):
        over[i] = problem.most[now[problem.tail[i]], now[problem.head[i]]] - problem.times[i]
        slot = i
        while slot > 0 and over[order[slot - 1]] > over[i]:
            order[slot] = order[slot - 1]
            slot -= 1
        order[slot] = i


@inner
def count_blocked(room: Any, left: Any, ends: Any, units: Any, far: int) -> int:
    """The fewest circuits left out, by counting the ports of each end that its pairs can use."""
    lacks = [0, 0]
    for end in range(len(room)):
        usable = 0
        for p in range(room.shape[1]):
            total = 0
            for i in range(len(ends)):
                for side in range(2):
                    if ends[i, side] == end:
                        total += min(room[ends[i, 1 - side], p], units[i + 1] - units[i])
            usable += min(total, room[end, p])
        lacks[1 if far and end >= far else 0] += max(0, left[end] - usable)
    return max(lacks[0], lacks[1]) if far else -(-lacks[0] // 2)


@inner
def nth_panel(there: Any, i: int, j: int) -> int:
    """The panels in the order of a pair: first those where circuits of it are in place."""
    for first in range(2):
        for p in range(there.shape[1]):
            if (there[i, p] > 0) == (first == 0):
                if j == 0:
                    return p
                j -= 1
    return -1


@inner
def panel_capacity(room: Any, left: Any, far: int) -> int:
    """The most of the circuits still to come that the panels could take, by counting ports."""
    total = 0
    for p in range(room.shape[1]):
        sends, hears = 0, 0
        for end in range(len(room)):
            ports = min(room[end, p], left[end])
            if far and end >= far:
                hears += ports
            else:
                sends += ports
        total += min(sends, hears) if far else sends // 2
    return total
