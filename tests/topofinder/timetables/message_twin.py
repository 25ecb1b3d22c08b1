"""Logical messages played with sets, in any order that their waits allow; and an event queue.

Both are slow and obvious, and know nothing of how the messages were made.
"""

import random
from fractions import Fraction

import networkx as nx
import numpy as np


def replay_allreduce(messages, seed):
    """Whether all hosts have every contribution to every unit, whatever the order of messages.

    What a message brings is what its origin has when it is sent; it arrives some time later. Raises
    AssertionError where a contribution would be counted twice, or half of a sum be spread.
    """
    draw = random.Random(seed)
    every = frozenset(range(messages.hosts))
    holds = [[frozenset([h])] * messages.total for h in range(messages.hosts)]
    waits = {m: set() for m in range(messages.messages)}
    for before, after in zip(messages.before.tolist(), messages.after.tolist(), strict=True):
        waits[after].add(before)
    arrived, flying, left = set(), {}, set(waits)
    while left or flying:
        ready = [m for m in left if waits[m] <= arrived]
        assert ready or flying, "some messages wait for each other"
        if ready and (not flying or draw.random() < 0.5):
            m = draw.choice(ready)
            left.remove(m)
            units = slice(int(messages.begin[m]), int(messages.end[m]))
            flying[m] = holds[messages.origin[m]][units]
            continue
        m = draw.choice(sorted(flying))
        _take(messages, m, flying.pop(m), holds[messages.target[m]], every)
        arrived.add(m)
    return all(unit == every for own in holds for unit in own)


def _take(messages, m, brought, own, every):
    for unit, found in zip(range(messages.begin[m], messages.end[m]), brought, strict=True):
        if messages.reducing[m]:
            assert not own[unit] & found, f"message {m} counts a contribution twice"
            own[unit] |= found
        else:
            assert found == every, f"message {m} spreads half of a sum"
            own[unit] = found


def first_shortest_way(topology, u, v):
    """The pairs of nodes on the way from u to v; of arcs that lead nearer always the first."""
    graph = nx.DiGraph(list(zip(topology.tail.tolist(), topology.head.tolist(), strict=True)))
    far = nx.shortest_path_length(graph, target=v)
    way = []
    while u != v:
        heads = [w for t, w in zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
                 if t == u and far.get(w, topology.n) == far[u] - 1]  # fmt: skip
        way.append((u, heads[0]))
        u = heads[0]
    return way


def arrival_times(messages, topology, size, units, *, occupied=False):
    """When every message arrives, as a Fraction of seconds: a queue for every pair of nodes."""
    hosts = [node for node in range(topology.n) if node not in topology.switches]
    one = [Fraction(1)] * topology.arcs
    rate, late = {}, {}
    arcs = zip(topology.tail.tolist(), topology.head.tolist(), topology.capacity or one,
               topology.latency or one, strict=True)  # fmt: skip
    for u, v, capacity, latency in arcs:
        rate[u, v] = rate.get((u, v), 0) + capacity * units.rate
        late[u, v] = latency * units.latency
    ends = zip(messages.origin.tolist(), messages.target.tolist(), strict=True)
    way = [first_shortest_way(topology, hosts[u], hosts[v]) for u, v in ends]
    waits = [set() for _ in way]
    for before, after in zip(messages.before.tolist(), messages.after.tolist(), strict=True):
        waits[after].add(before)
    urgent = None if messages.priority is None else messages.priority.tolist()
    at = [0] * len(way)
    arrived, coming, free, queues = {}, {}, {}, {}
    waiting, now = set(range(len(way))), Fraction(0)
    while True:
        for m in [m for m, (time, _) in coming.items() if time == now]:
            del coming[m]
            if at[m] == len(way[m]):
                arrived[m] = now
            else:
                waiting.add(m)
                waits[m] = set()
        for m in sorted(waiting):
            if waits[m] <= arrived.keys():
                waiting.remove(m)
                queues.setdefault(way[m][at[m]], []).append(m)
        for link, queue in queues.items():
            if queue and free.get(link, now) <= now:
                m = min(queue, key=lambda m: (urgent[m], m)) if urgent else queue[0]
                queue.remove(m)
                sent = Fraction(size) * int(messages.amount[m]) / messages.total / rate[link]
                free[link] = now + sent + (late[link] if occupied else 0)
                coming[m] = (now + sent + late[link], link)
                at[m] += 1
        times = [time for time, _ in coming.values()] + [
            time for time in free.values() if time > now
        ]
        if not times:
            assert len(arrived) == len(way)
            return [arrived[m] for m in range(len(way))]
        now = min(times)


def link_shares(routed, *, reducing=None):
    """Units that go over each link, in both phases or in one; int64 of shape (links,)."""
    amount = routed.messages.amount
    if reducing is not None:
        amount = np.where(routed.messages.reducing == reducing, amount, 0)
    found = np.zeros(routed.links.arcs, dtype=np.int64)
    np.add.at(found, routed.way, np.repeat(amount, np.diff(routed.way_start)))
    return found
