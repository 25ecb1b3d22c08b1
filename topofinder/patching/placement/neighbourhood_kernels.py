"""Large-neighbourhood search (Shaw 1998): nodes around a defect leave their hosts and grow back.

A defect is a circuit of the target that is not in place, or one in place that the target lacks.
The nodes to take out (destroy) are found by walking along defects, from a node to its missing
neighbour or to the node that sits where a neighbour should; percolation then places them again
(repair). A worse placement is taken with a small chance, as in annealing.
"""

from typing import Any

import numpy as np

from topofinder.kernels import copy_into, inner, kernel
from topofinder.patching.placement.incidence_kernels import (
    count_kept,
    count_parallels,
    kept_at,
    may_sit,
)
from topofinder.patching.placement.percolation_kernels import (
    empty_queue,
    grow_placement,
    support_neighbours,
)

STRAY = 0.25
"""Share of the steps of a walk that go along any circuit, defect or not."""


@inner
def missing_neighbour(wiring: Any, target: Any, host: Any, v: int) -> int:
    """The neighbour at the end of a circuit of v that is not in place, drawn by chance; or -1."""
    row = target.start[v]
    length = target.start[v + 1] - row
    if length == 0:
        return -1
    shift = np.random.randint(length)
    stray = np.random.random() < STRAY
    for turn in range(length):
        entry = row + (turn + shift) % length
        w = target.end[entry]
        if stray or target.mult[entry] > count_parallels(
            wiring, host[v], host[w] * wiring.colours + target.colour[entry]
        ):
            return int(w)
    return -1


@inner
def choose_destroyed(
    wiring: Any, target: Any, host: Any, node: Any, rules: Any, destroyed: Any, size: int
) -> int:
    """Choose nodes around a defect by walking: fill `destroyed` (size,), return their number.

    The same walk in the other direction, from hosts, is made by exchanging wiring and target.
    """
    v = np.random.randint(len(host))
    for _ in range(len(host)):
        if kept_at(wiring, target, host, v, host[v]) < np.sum(
            target.mult[target.start[v] : target.start[v + 1]]
        ):
            break
        v = np.random.randint(len(host))
    found = 0
    for _ in range(4 * size):
        if not rules.fixed[v]:
            new = True
            for i in range(found):
                new = new and destroyed[i] != v
            if new:
                destroyed[found] = v
                found += 1
        if found == size:
            break
        if found:
            v = destroyed[np.random.randint(found)]
        w = -1
        if np.random.random() < 0.5:
            w = missing_neighbour(wiring, target, host, v)
        else:
            h = missing_neighbour(target, wiring, node, host[v])
            if h >= 0:
                w = node[h]
        if w >= 0:
            v = w
    return found


@kernel
def destroy_and_repair(
    wiring: Any,
    target: Any,
    host: Any,
    rules: Any,
    waiting: Any,
    most: int,
    temperature: float,
    steps: int,
    seed: int,
) -> int:
    """Destroy and repair up to `most` nodes, `steps` times; returns the circuits kept.

    `host` (n,) is a bijection, modified in place: it ends as the best placement met.
    """
    np.random.seed(seed)
    n = len(host)
    node = np.empty(n, dtype=host.dtype)
    for v in range(n):
        node[host[v]] = v
    destroyed, places = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    now = count_kept(wiring, target, host)
    best, best_host = now, host.copy()
    for _ in range(steps):
        size = min(n, 2 + int((most - 1) * np.random.random() ** 2))
        found = choose_destroyed(wiring, target, host, node, rules, destroyed, size)
        gain = 0
        for i in range(found):
            v = destroyed[i]
            places[i] = host[v]
            gain -= kept_at(wiring, target, host, v, host[v])
            host[v], node[places[i]] = -1, -1
        empty_queue(waiting)
        for i in range(found):
            v = destroyed[i]
            for entry in range(target.start[v], target.start[v + 1]):
                w = np.int64(target.end[entry])
                if host[w] >= 0:
                    support_neighbours(wiring, target, host, node, rules, waiting, w)
        gain += grow_placement(wiring, target, host, node, rules, waiting)
        rest = repair_rest(wiring, target, host, node, rules, destroyed, places, found)
        gain += rest
        if rest >= 0 and (gain >= 0 or np.random.random() < np.exp(gain / temperature)):
            now += gain
            if now > best:
                best = now
                copy_into(best_host, host)
        else:
            for i in range(found):
                if host[destroyed[i]] >= 0:
                    node[host[destroyed[i]]] = -1
            for i in range(found):
                host[destroyed[i]] = places[i]
                node[places[i]] = destroyed[i]
    copy_into(host, best_host)
    return int(best)


@inner
def repair_rest(
    wiring: Any,
    target: Any,
    host: Any,
    node: Any,
    rules: Any,
    destroyed: Any,
    places: Any,
    found: int,
) -> int:
    """Place the destroyed nodes that no witness placed on what is left of their places; or -1."""
    gained, at = 0, np.random.randint(max(1, found))
    for i in range(found):
        v = destroyed[i]
        if host[v] >= 0:
            continue
        while node[places[at % found]] >= 0:
            at += 1
        h = places[at % found]
        if not may_sit(rules, v, h):
            return -1
        gained += kept_at(wiring, target, host, v, h)
        host[v], node[h] = h, v
    return gained
