"""Every placement of a few hosts, with its best panels: branch and bound.

Plans are compared by the circuits that they leave out, then by those that they make. Nodes are
placed in turn. A branch is cut when it must leave out too many (pairs of hosts that share too few
ports of a panel, hosts with too few ports) or make too many (of the circuits between hosts that are
placed, those that are not in place; of the others, those beyond what is in place elsewhere). At
its end the circuits are put on panels.
"""

from typing import Any, NamedTuple

import numpy as np

from generators.topology import Int64Array
from topofinder.kernels import inner, kernel
from topofinder.patching.placement.few_split_kernels import split_exhaustively
from topofinder.patching.placement.port_price_kernels import is_cut

BOUNDED = 20
"""Steps that a bound by prices is worth."""


class FewHostsProblem(NamedTuple):
    """A target and what is in place between k hosts, all of whom may play.

    Target: `times[i]` circuits lead from node `tail[i]` to `head[i]`, each pair of nodes named
    once (pairs,); pairs `at[start[v]:start[v + 1]]` are those of node v; `need` (nodes, 2) counts
    its circuits by side; `order` (nodes,) is the order of placing.

    In place: `pins[a, b]` circuits stay whatever comes and take no room; `there[a, b, p]` may stay
    or go; symmetric in duplex. `room[e, p]` are the ports that may be used, pins not counted: end
    a sends or, in duplex, is the host; end `far + b` hears; `far` is 0 in duplex, else k. `stay`
    and `ports` are the sums of `there` and `room` over panels, `most[a, b]` the circuits for which
    a and b have ports on the same panels. Hosts of one `twin` (k,) are alike: any two may be
    exchanged. Node v is to be on a lower host than w where `lower[v, w]` (nodes, nodes).
    """

    tail: Int64Array
    head: Int64Array
    times: Int64Array
    start: Int64Array
    at: Int64Array
    need: Int64Array
    order: Int64Array
    pins: Int64Array
    there: Int64Array
    room: Int64Array
    stay: Int64Array
    ports: Int64Array
    most: Int64Array
    far: int
    twin: Int64Array
    lower: Any


class PlacementWalk(NamedTuple):
    """Where the search for a placement is, changed in place, so that it can go on from there.

    `now[v]` is the host of node v or -1, `at[d]` the next host for the node at depth d, `taken`
    (k,) the hosts in use, `tally` (nodes + 1, 6) counts by depth: circuits to make, blocked, short
    of ports by side, not yet placed, in place here. `depth[0]` is -1 where all is done.
    """

    now: Int64Array
    at: Int64Array
    taken: Any
    tally: Int64Array
    depth: Int64Array


def first_walk(problem: FewHostsProblem, fixed: Int64Array) -> PlacementWalk:
    """No node is placed; `fixed[v]` hosts are taken."""
    nodes, k = len(problem.order), len(problem.twin)
    taken = np.zeros(k, dtype=np.bool_)
    taken[fixed[fixed >= 0]] = True
    tally = np.zeros((nodes + 1, 6), dtype=np.int64)
    tally[0, 4] = problem.times.sum()
    return PlacementWalk(
        now=np.full(nodes, -1, dtype=np.int64),
        at=np.zeros(nodes + 1, dtype=np.int64),
        taken=taken,
        tally=tally,
        depth=np.zeros(1, dtype=np.int64),
    )


@kernel
def best_placement(
    problem: Any,
    prices: Any,
    walk: Any,
    priced: bool,
    fixed: Any,
    strict: bool,
    least: int,
    best: Any,
    host: Any,
    used: Any,
    steps: int,
    most_each: int,
) -> int:
    """Go on with the search for the best plan of all; returns the steps left, of so many `steps`.

    `best` (3,) holds circuits left out and made by the best plan known, and `host` (nodes,) and
    `used` (pairs, panels) that plan; all are changed in place where a better one is found. Node v
    stays on `fixed[v]` unless that is -1. With `strict` only placements count whose hosts have
    ports for all circuits, if not on the right panels. No plan leaves out fewer than `least`. With
    `priced` branches are cut by prices of ports too. The walk stops at a placement whose panels
    take more than `most_each` steps, and `best[2]` is set to 1: if it goes on, that placement is
    taken as done.
    """
    nodes, k = len(problem.order), len(problem.twin)
    one_way = 2 if problem.far == 0 else 1
    in_place = 0
    for a in range(k):
        for b in range(k):
            in_place += problem.stay[a, b] + problem.pins[a, b]
    in_place //= one_way
    now, taken, at, tally = walk.now, walk.taken, walk.at, walk.tally
    depth = walk.depth[0]
    best[2] = 0
    while depth >= 0 and steps > 0:
        if depth == nodes:
            each = min(steps, most_each)
            left = split_exhaustively(problem, now, strict, best, host, used, each)
            steps -= each - left
            depth -= 1
            if left == 0:
                best[2] = 1
                break
            continue
        v = problem.order[depth]
        lone = problem.start[v] == problem.start[v + 1] and now[v] >= 0
        if now[v] >= 0:
            taken[now[v]] = fixed[v] >= 0
            now[v] = -1
        if at[depth] == k or lone:
            at[depth] = 0
            depth -= 1
            continue
        h = at[depth]
        at[depth] += 1
        if (fixed[v] >= 0 and fixed[v] != h) or (
            fixed[v] < 0 and not first_free(problem, taken, h)
        ):
            continue
        if not is_lowest(problem, now, v, h):
            continue
        steps -= 1
        now[v] = h
        below = tally[depth + 1]
        for column in range(6):
            below[column] = tally[depth, column]
        count_circuits(problem, now, v, below)
        count_ports(problem, v, h, below)
        out = max(least, below[1], -(-below[2] // one_way), -(-below[3] // one_way))
        made = below[0] + max(0, below[4] - (in_place - below[5]))
        hopeless = strict and below[2] + below[3] > tally[depth, 2] + tally[depth, 3]
        if hopeless or out + (made - best[0] >= best[1]) > best[0]:
            now[v] = -1
            continue
        taken[h] = True
        if priced:
            steps -= BOUNDED
            if is_cut(prices, problem, now, taken, best):
                taken[h] = fixed[v] >= 0
                now[v] = -1
                continue
        depth += 1
        at[depth] = 0
    walk.depth[0] = depth
    return int(max(0, steps))


@inner
def is_lowest(problem: Any, now: Any, v: int, h: int) -> bool:
    """Whether no symmetry of the target asks for node v to be on another host than h."""
    for w in range(len(now)):
        g = now[w]
        if g >= 0 and ((problem.lower[v, w] and g < h) or (problem.lower[w, v] and h < g)):
            return False
    return True


@inner
def first_free(problem: Any, taken: Any, h: int) -> bool:
    """Whether a host is free, and the first free one of those alike."""
    before = 0
    for g in range(h):
        before += not taken[g] and problem.twin[g] == problem.twin[h]
    return not taken[h] and before == 0


@inner
def count_circuits(problem: Any, now: Any, v: int, tally: Any) -> None:
    """Add to a tally what node v adds with its circuits to nodes that are placed."""
    for entry in range(problem.start[v], problem.start[v + 1]):
        i = problem.at[entry]
        a, b = now[problem.tail[i]], now[problem.head[i]]
        if a >= 0 and b >= 0:
            open_ = max(0, problem.times[i] - problem.pins[a, b])
            tally[0] += max(0, open_ - problem.stay[a, b])
            tally[1] += max(0, open_ - problem.most[a, b])
            tally[4] -= problem.times[i]
    h = now[v]
    for g in now:
        if g >= 0 and g != h:
            tally[5] += problem.stay[h, g] + problem.pins[h, g]
            if problem.far:
                tally[5] += problem.stay[g, h] + problem.pins[g, h]


@inner
def count_ports(problem: Any, v: int, h: int, tally: Any) -> None:
    """Add to a tally the ports that host h lacks, by side, when it plays node v."""
    sends, hears = problem.ports[h], problem.ports[problem.far + h]
    for g in range(len(problem.pins)):
        sends += problem.pins[h, g]
        hears += problem.pins[g, h]
    tally[2] += max(0, problem.need[v, 0] - sends)
    tally[3] += max(0, problem.need[v, 1] - hears)
