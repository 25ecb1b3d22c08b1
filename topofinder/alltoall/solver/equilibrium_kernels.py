"""One sweep of Dial's algorithm B: each source moves flow from long routes to shortest ones.

The prices of arcs grow exponentially with their loads. For every source in turn a shortest path
tree is grown under the prices of that moment. Every used arc that is not of the tree, from the
farthest on, is the end of a longer route: followed back along used arcs to where it leaves the
tree path, it makes a pair of alternative segments, as in the bush-based traffic assignment of
Dial (Algorithm B, 2006). A Newton step moves flow from one segment to the other, and the prices
follow at once. A route that meets itself shows a circulation, which is taken out.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from generators.topology import FloatArray, IntArray
from topofinder.alltoall.solver.shortest_path_kernels import grow_tree
from topofinder.kernels import inner, kernel

DUST = 1e-12
"""Flow below this, where nodes want about 1, is taken for zero."""
SHIFTS_A_VISIT = 8
"""How many long routes into a node are dealt with in one visit."""


class ArcPrices(NamedTuple):
    """Prices of classes of arcs; arrays of shape (classes,), changed in place.

    The price of class c is base[c] * exp(steep * (load[c] / (capacity[c] * target) - 1)), with
    `settings` = [steep, target, even]. `kind`, of shape (m,), is the class of each arc. Routes
    whose lengths differ by a part less than `even` are left as they are.
    """

    kind: IntArray
    capacity: FloatArray
    base: FloatArray
    load: FloatArray
    price: FloatArray
    settings: FloatArray


@inner
def set_price(prices, c):  # type: ignore[no-untyped-def]
    """Bring the price of a class up to date."""
    steep, target = prices.settings[0], prices.settings[1]
    over = prices.load[c] / (prices.capacity[c] * target) - 1.0
    prices.price[c] = prices.base[c] * exp(min(steep * over, 600.0))


@kernel
def set_prices(prices):  # type: ignore[no-untyped-def]
    """Bring all prices up to date."""
    for c in range(len(prices.base)):
        set_price(prices, c)


@inner
def add_flow(e, amount, weight, flow, prices):  # type: ignore[no-untyped-def]
    """Add to the flow of one source over arc e; `weight` sources do the same."""
    flow[e] += amount
    if flow[e] < DUST:
        amount -= flow[e]
        flow[e] = 0.0
    prices.load[prices.kind[e]] += weight * amount
    set_price(prices, prices.kind[e])


@inner
def longest_used_arc(v, net, flow, parent, distance, prices, least):  # type: ignore[no-untyped-def]
    """The used arc into v, not of the tree, whose route is longest; -1 if none is by `least`."""
    found = -1
    for at in range(net.in_first[v], net.in_first[v + 1]):
        e = net.in_arc[at]
        if flow[e] > 0.0 and e != parent[v]:
            extra = distance[net.tail[e]] + prices.price[prices.kind[e]] - distance[v]
            if extra > least:
                found, least = e, extra
    return found


@inner
def trace_segment(first, v, clock, net, flow, parent, distance, prices, on_path, seen, segment):  # type: ignore[no-untyped-def]
    """Follow used arcs back from arc `first` into v, up to the tree path or round in a cycle.

    Fills `segment`; returns (arcs, node where it ends, 0 at the tree path, 1 in a cycle, 2 when
    no used arc leads on, which only rounding can cause).
    """
    segment[0], count, u = first, 1, net.tail[first]
    seen[v] = clock
    while on_path[u] != clock:
        if seen[u] == clock:
            return count, u, 1
        seen[u] = clock
        e = parent[u] if flow[parent[u]] > 0.0 else -1
        other = longest_used_arc(u, net, flow, parent, distance, prices, 0.0 if e >= 0 else -1e300)
        if other >= 0:
            e = other
        if e < 0:
            return count, u, 2
        segment[count] = e
        count += 1
        u = net.tail[e]
    return count, u, 1 if u == v else 0


@inner
def cancel_cycle(u, count, segment, weight, net, flow, prices):  # type: ignore[no-untyped-def]
    """Take out the circulation at the end of a segment that came back to u."""
    begin, room = count - 1, flow[segment[count - 1]]
    while net.head[segment[begin]] != u:
        begin -= 1
        room = min(room, flow[segment[begin]])
    for place in range(begin, count):
        add_flow(segment[place], -room, weight, flow, prices)


@inner
def newton_step(v, top, count, segment, weight, net, parent, prices, times):  # type: ignore[no-untyped-def]
    """How much to move from the segment to the tree path between `top` and v; `times` is zeros."""
    steep, target = prices.settings[0], prices.settings[1]
    difference, slope = 0.0, 0.0
    for place in range(count):
        times[prices.kind[segment[place]]] -= 1.0
    u = v
    while u != top:
        times[prices.kind[parent[u]]] += 1.0
        u = net.tail[parent[u]]
    u, place = v, 0
    while u != top or place < count:
        if place < count:
            c = prices.kind[segment[place]]
            place += 1
        else:
            c = prices.kind[parent[u]]
            u = net.tail[parent[u]]
        difference -= times[c] * prices.price[c]
        slope += times[c] * times[c] * prices.price[c] / prices.capacity[c]
        times[c] = 0.0
    if difference <= 0.0 or slope <= 0.0:
        return 0.0
    return difference * target / (slope * steep * weight)


@inner
def shift_flow(v, source, clock, weight, net, flow, parent, distance, prices, scratch):  # type: ignore[no-untyped-def]
    """Move flow from the longest used route into v to the tree path; returns whether to go on."""
    on_path, seen, segment, times = scratch
    even = prices.settings[2] * distance[v]
    first = longest_used_arc(v, net, flow, parent, distance, prices, even)
    if first < 0:
        return False
    u = v
    on_path[u] = clock
    while u != source:
        u = net.tail[parent[u]]
        on_path[u] = clock
    count, top, end = trace_segment(
        first, v, clock, net, flow, parent, distance, prices, on_path, seen, segment
    )
    if end == 2:
        return False
    if end == 1:
        cancel_cycle(top, count, segment, weight, net, flow, prices)
        return True
    amount, room = (
        newton_step(v, top, count, segment, weight, net, parent, prices, times),
        flow[first],
    )
    for place in range(count):
        room = min(room, flow[segment[place]])
    moved = min(amount, room)
    if moved <= 0.0:
        return False
    for place in range(count):
        add_flow(segment[place], -moved, weight, flow, prices)
    u = v
    while u != top:
        add_flow(parent[u], moved, weight, flow, prices)
        u = net.tail[parent[u]]
    return amount >= room


@kernel
def sweep_sources(sources, weight, net, prices, flows):  # type: ignore[no-untyped-def]
    """Let every source move its flow once. `flows` is float64 (k, m), changed in place.

    `weight[k]` sources behave like sources[k], and together load classes of arcs evenly.
    """
    n, m = len(net.out_first) - 1, len(net.tail)
    length, distance = np.empty(m), np.empty(n)
    parent, order = np.empty(n, np.int64), np.empty(n, np.int64)
    keys, nodes = np.empty(m + 1), np.empty(m + 1, np.int64)
    on_path, seen = np.zeros(n, np.int64), np.zeros(n, np.int64)
    scratch = (on_path, seen, np.empty(n + 1, np.int64), np.zeros(len(prices.base)))
    clock = 0
    for k in range(len(sources)):
        for e in range(m):
            length[e] = prices.price[prices.kind[e]]
        grow_tree(sources[k], net, length, distance, parent, order, keys, nodes)
        for place in range(n - 1, 0, -1):
            for _ in range(SHIFTS_A_VISIT):
                clock += 1
                if not shift_flow(
                    order[place],
                    sources[k],
                    clock,
                    weight[k],
                    net,
                    flows[k],
                    parent,
                    distance,
                    prices,
                    scratch,
                ):
                    break


@kernel
def add_loads(weight, kind, flows, load):  # type: ignore[no-untyped-def]
    """Add to load[c] what all sources send over the arcs of class c."""
    for k in range(len(weight)):
        for e in range(len(kind)):
            load[kind[e]] += weight[k] * flows[k, e]


@kernel
def mix_flows(into, other, part):  # type: ignore[no-untyped-def]
    """Move `into` towards `other` by a part of the way; arrays of one shape, (k, m)."""
    for k in range(into.shape[0]):
        for e in range(into.shape[1]):
            into[k, e] += part * (other[k, e] - into[k, e])
