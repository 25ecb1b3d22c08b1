"""Bounds for all placements of a few hosts from prices of ports.

Where ports have prices, each pair of nodes chooses the cheapest panels on its own: no plan costs
less than the sum of what pairs pay, minus what all ports are worth (Lagrangian relaxation). The
prices that a relaxation gives for one placement bound every other one too, and most of those that
are alike are cut with them. For nodes not placed yet the cheapest hosts are taken, each host once
as far as rows and columns of an assignment tell (Gilmore 1962, Lawler 1963). All is whole numbers.
"""

from typing import Any, NamedTuple

import numpy as np

from generators.topology import BoolArray, Int64Array
from topofinder.kernels import inner, kernel

MOST_PRICES = 24
"""Prices that are kept; those that cut least are forgotten first."""


class PortPrices(NamedTuple):
    """Some sets of prices, the most useful first in `order` (`size[0]` of them are in use).

    `pays[j, t, a, b]`: what `times[t]` circuits between hosts a and b pay by prices j; `worth[j]`
    what all ports are worth; both in parts of `scale` moves. A circuit left out costs `out_cost`
    moves, which is more than any plan makes. `kind[i]` (pairs,) is the t of a pair of nodes.
    """

    pays: Int64Array
    worth: Int64Array
    order: Int64Array
    size: Int64Array
    kind: Int64Array
    times: Int64Array
    out_cost: int
    scale: int


def no_prices(times: Int64Array, hosts: int, scale: int) -> PortPrices:
    """No prices yet, for pairs of nodes with so many circuits; shape (pairs,)."""
    kinds, kind = np.unique(times, return_inverse=True)
    return PortPrices(
        pays=np.zeros((MOST_PRICES, len(kinds), hosts, hosts), dtype=np.int64),
        worth=np.zeros(MOST_PRICES, dtype=np.int64),
        order=np.arange(MOST_PRICES, dtype=np.int64),
        size=np.zeros(1, dtype=np.int64),
        kind=kind.ravel().astype(np.int64),
        times=kinds.astype(np.int64),
        out_cost=int(times.sum()) + 1,
        scale=scale,
    )


@kernel
def add_prices(prices: Any, problem: Any, price: Any) -> None:
    """Add prices of ports, shape (ends, panels), in front; the last ones go where it is full."""
    size = min(prices.size[0] + 1, len(prices.order))
    slot = prices.order[size - 1]
    prices.size[0] = size
    to_front(prices, size - 1)
    k = len(problem.pins)
    total = 0
    for end in range(len(problem.room)):
        for p in range(problem.room.shape[1]):
            total += problem.room[end, p] * price[end, p]
    prices.worth[slot] = total
    for t in range(len(prices.times)):
        for a in range(k):
            for b in range(k):
                wanted = max(0, prices.times[t] - problem.pins[a, b])
                prices.pays[slot, t, a, b] = pair_pays(prices, problem, price, a, b, wanted)


@inner
def to_front(prices: Any, place: int) -> None:
    """Move the prices at a place of the order to its front."""
    slot = prices.order[place]
    while place > 0:
        prices.order[place] = prices.order[place - 1]
        place -= 1
    prices.order[0] = slot


@inner
def pair_pays(prices: Any, problem: Any, price: Any, a: int, b: int, wanted: int) -> int:
    """The least that so many circuits between two hosts pay for their moves and ports."""
    one, two = a, problem.far + b
    panels = problem.room.shape[1]
    each = prices.out_cost * prices.scale
    for p in range(panels):
        if problem.room[one, p] > 0 and problem.room[two, p] > 0:
            each = min(each, prices.scale + price[one, p] + price[two, p])
    total, taken = 0, np.zeros(panels, dtype=np.bool_)
    while wanted > 0:
        chosen, least = -1, each
        for p in range(panels):
            ports = price[one, p] + price[two, p]
            if not taken[p] and problem.there[a, b, p] > 0 and ports < least:
                chosen, least = p, ports
        if chosen < 0:
            return int(total + wanted * each)
        taken[chosen] = True
        stay = min(problem.there[a, b, chosen], problem.room[one, chosen])
        stay = min(wanted, stay, problem.room[two, chosen])
        total += stay * least
        wanted -= stay
    return int(total)


@kernel
def is_cut_here(prices: Any, problem: Any, now: Any, best: Any) -> bool:
    """Whether the prices cut a placement of all nodes."""
    return bool(is_cut(prices, problem, now, np.zeros(len(problem.pins), dtype=np.bool_), best))


@inner
def is_cut(prices: Any, problem: Any, now: Any, taken: Any, best: Any) -> bool:
    """Whether no placement that goes on from this one is better than the best plan known.

    Node v is on host `now[v]`, or not placed (-1); `taken` hosts are not free.
    """
    limit = 2 * prices.scale * (prices.out_cost * best[0] + best[1] - 1)
    for place in range(prices.size[0]):
        slot = prices.order[place]
        if least_paid(prices, slot, problem, now, taken) > limit:
            to_front(prices, place)
            return True
    return False


@inner
def least_paid(prices: Any, slot: int, problem: Any, now: Any, taken: Any) -> int:
    """Twice a lower bound, by one set of prices, on what all placements that go on pay."""
    k, nodes = len(taken), len(now)
    pays = prices.pays[slot]
    total, open_ = -2 * prices.worth[slot], 0
    for i in range(len(prices.kind)):
        a, b = now[problem.tail[i]], now[problem.head[i]]
        if a >= 0 and b >= 0:
            total += 2 * pays[prices.kind[i], a, b]
    for v in range(nodes):
        open_ += now[v] < 0
    if not open_:
        return int(total)
    to, of = cheapest_partners(pays, taken)
    cost = np.zeros((nodes, k), dtype=np.int64)
    for i in range(len(prices.kind)):
        u, v, t = problem.tail[i], problem.head[i], prices.kind[i]
        a, b = now[u], now[v]
        if a >= 0 and b >= 0:
            continue
        for h in range(k):
            if taken[h]:
                continue
            if a >= 0:
                cost[v, h] += 2 * pays[t, a, h]
            elif b >= 0:
                cost[u, h] += 2 * pays[t, h, b]
            else:
                cost[u, h] += to[t, h]
                cost[v, h] += of[t, h]
    return int(total + assignment_bound(cost, now, taken, open_))


@inner
def cheapest_partners(pays: Any, taken: Any) -> tuple[Any, Any]:
    """The least that a pair pays from each free host to another one, and to each from another."""
    kinds, k = pays.shape[0], pays.shape[1]
    to = np.full((kinds, k), 1 << 62, dtype=np.int64)
    of = np.full((kinds, k), 1 << 62, dtype=np.int64)
    for t in range(kinds):
        for a in range(k):
            if taken[a]:
                continue
            for b in range(k):
                if a != b and not taken[b]:
                    to[t, a] = min(to[t, a], pays[t, a, b])
                    of[t, b] = min(of[t, b], pays[t, a, b])
    return to, of


@inner
def assignment_bound(cost: Any, now: Any, taken: Any, open_: int) -> int:
    """A lower bound on the cost of free hosts for all nodes that are not placed."""
    total, free, k = 0, 0, len(taken)
    for h in range(k):
        free += not taken[h]
    low = np.zeros(len(now), dtype=np.int64)
    for v in range(len(now)):
        if now[v] >= 0:
            continue
        low[v] = 1 << 62
        for h in range(k):
            if not taken[h]:
                low[v] = min(low[v], cost[v, h])
        total += low[v]
    if free > open_:
        return int(total)
    # Every free host is taken in the end: what the cheapest node adds for it is paid as well.
    for h in range(k):
        if taken[h]:
            continue
        more = 1 << 62
        for v in range(len(now)):
            if now[v] < 0:
                more = min(more, cost[v, h] - low[v])
        total += more
    return int(total)


@kernel
def exchange_hosts(prices: Any, problem: Any, now: Any, may: Any) -> None:
    """Exchange hosts of a placement, in place, while its bound by the prices falls.

    `may[v, h]` (nodes, hosts): node v may be on host h.
    """
    nodes, k = len(now), len(problem.pins)
    node = np.full(k, -1, dtype=np.int64)
    for v in range(nodes):
        node[now[v]] = v
    paid, better = most_paid(prices, problem, now), True
    while better:
        better = False
        for v in range(nodes):
            for h in range(k):
                g, w = now[v], node[h]
                if h == g or not may[v, h] or (w >= 0 and not may[w, g]):
                    continue
                now[v] = h
                if w >= 0:
                    now[w] = g
                after = most_paid(prices, problem, now)
                if after < paid:
                    paid, better = after, True
                    node[h], node[g] = v, w
                    continue
                now[v] = g
                if w >= 0:
                    now[w] = h


@inner
def most_paid(prices: Any, problem: Any, now: Any) -> int:
    """The best lower bound by any prices on what a placement of all nodes pays."""
    most = 0
    for place in range(prices.size[0]):
        slot = prices.order[place]
        total = -prices.worth[slot]
        for i in range(len(prices.kind)):
            total += prices.pays[slot, prices.kind[i], now[problem.tail[i]], now[problem.head[i]]]
        most = total if place == 0 else max(most, total)
    return int(most)


def shuffle_hosts(now: Int64Array, may: BoolArray, random: np.random.Generator) -> None:
    """Exchange the hosts of some nodes by chance, in place, as they may be."""
    for _ in range(len(now)):
        v, w = random.integers(len(now), size=2)
        if may[v, now[w]] and may[w, now[v]]:
            now[v], now[w] = now[w], now[v]
