"""Annealing of lifts by a group: two arcs exchange their sources, or two circuits their ends.

Port j of base node r is number r d + j. One-way, arc k goes into port k and leaves by port exit[k]:
its source is exit[k] // d. Two-way, ports k and exit[k] are the ends of a circuit, and a port that
is its own partner has a circuit within its fibre whose shift is an involution: it takes one port of
a node. The group is that of `Translations`.
"""

import numpy as np

from topofinder.discovery.lifts.evaluation_kernels import add_energy, make_scratch
from topofinder.kernels import GOLDEN, inner, kernel, mix64

SOME = 8
"""One in so many moves changes shifts alone."""


@inner
def draw(state, below):  # type: ignore[no-untyped-def]
    """A number in 0..below-1 from the stream of splitmix64; `state` is uint64 of shape (1,)."""
    state[0] += GOLDEN
    return np.int64((mix64(state[0]) >> np.uint64(32)) * np.uint64(below) >> np.uint64(32))


@inner
def draw_wait(state):  # type: ignore[no-untyped-def]
    """A number that is exponentially distributed with mean 1."""
    return -np.log((draw(state, np.int64(1) << 31) + 1.0) / 2147483648.0)


@inner
def set_arc(graph, k, group):  # type: ignore[no-untyped-def]
    """Enter arc k, as `exit` and `shift` say, with both of its ends."""
    exit, shift, source, target, back = graph
    d = source.shape[1]
    p = exit[k]
    source[k // d, k % d], target[p // d, p % d] = p // d, k // d
    back[p // d, p % d] = group[4][shift[k // d, k % d]]


@inner
def connect_ports(graph, x, y, h, group):  # type: ignore[no-untyped-def]
    """Make ports x and y the ends of a circuit: (y's node, h) and (x's node, 0)."""
    exit, shift, source, _, _ = graph
    d = source.shape[1]
    exit[x], exit[y] = y, x
    shift[x // d, x % d], shift[y // d, y % d] = h, group[4][h]
    source[x // d, x % d], source[y // d, y % d] = y // d, x // d


@inner
def join_ports(graph, x, y, h, group):  # type: ignore[no-untyped-def]
    """`connect_ports`; a port by itself has an involution as its shift, which h chooses."""
    involutions = group[5]
    connect_ports(graph, x, y, involutions[h % len(involutions)] if x == y else h, group)


@inner
def move_arcs(graph, a, b, group, state):  # type: ignore[no-untyped-def]
    """Arcs a and b exchange their sources, and a is turned at random."""
    exit, shift, source, _, _ = graph
    d = source.shape[1]
    if a != b:
        exit[a], exit[b] = exit[b], exit[a]
        shift[b // d, b % d] = shift[a // d, a % d]
    shift[a // d, a % d] = draw(state, len(group[4]))
    set_arc(graph, a, group)
    set_arc(graph, b, group)


@inner
def move_circuits(graph, x, y, group, state):  # type: ignore[no-untyped-def]
    """The circuits at ports x and y exchange ends; the one now between x and y is turned."""
    exit, shift, source, _, _ = graph
    d = source.shape[1]
    v, w, h = exit[x], exit[y], draw(state, len(group[4]))
    if x == y or v == y:
        if len(group[5]) and draw(state, SOME) == 0 and x != v:
            join_ports(graph, x, x, h, group)
            join_ports(graph, v, v, h, group)
        else:
            join_ports(graph, x, v, h, group)
        return
    kept = shift[x // d, x % d]
    join_ports(graph, x, y, h, group)
    if v == x and w != y:
        join_ports(graph, w, w, h, group)
    elif w == y and v != x:
        join_ports(graph, v, v, h, group)
    elif v != x:
        join_ports(graph, v, w, kept, group)


@inner
def copy_graph(target, graph):  # type: ignore[no-untyped-def]
    """Copy all arrays of one graph to those of another one."""
    exit, shift, source, heads, back = graph
    to_exit, to_shift, to_source, to_heads, to_back = target
    for k in range(len(exit)):
        to_exit[k] = exit[k]
    for r in range(source.shape[0]):
        for j in range(source.shape[1]):
            to_shift[r, j], to_source[r, j] = shift[r, j], source[r, j]
            to_heads[r, j], to_back[r, j] = heads[r, j], back[r, j]


@inner
def total_energy(graph, group, both, weights, limit, scratch):  # type: ignore[no-untyped-def]
    """The energy of a graph, with `both` of both directions, and the pairs missing."""
    _, shift, source, target, back = graph
    energy, missing = add_energy(source, shift, group, weights, limit, np.int64(0), scratch)
    if both and energy <= limit:
        energy, more = add_energy(target, back, group, weights, limit, energy, scratch)
        missing += more
    return energy, missing


@inner
def empty_graph(m, d):  # type: ignore[no-untyped-def]
    """Arrays (exit, shift, source, target, back) of a graph: int64 of (m d,) and (m, d)."""
    return (
        np.zeros(m * d, np.int64),
        np.zeros((m, d), np.int64),
        np.zeros((m, d), np.int64),
        np.zeros((m, d), np.int64),
        np.zeros((m, d), np.int64),
    )


@inner
def fill_at_random(graph, group, two_way, state):  # type: ignore[no-untyped-def]
    """A random permutation of the ports with random shifts; two-way, a random matching."""
    exit, shift, source, _, _ = graph
    ports, d, s = len(exit), source.shape[1], len(group[4])
    for k in range(ports):
        exit[k] = k
    for k in range(ports - 1, 0, -1):
        j = draw(state, k + 1)
        exit[k], exit[j] = exit[j], exit[k]
    if two_way:
        order = exit.copy()
        for k in range(0, ports - 1, 2):
            join_ports(graph, order[k], order[k + 1], draw(state, s), group)
        if ports % 2:
            join_ports(graph, order[ports - 1], order[ports - 1], 0, group)
    else:
        for k in range(ports):
            shift[k // d, k % d] = draw(state, s)
            set_arc(graph, k, group)


@kernel
def anneal_lift(m, group, two_way, both, weights, heats, trials, goal, state):  # type: ignore[no-untyped-def]
    """The best of `trials` lifts that annealing from a random one judges.

    Cools from heats[0] to heats[1], in units of the energy; ends early once the energy is at most
    `goal`. `weights` are those of `add_energy`. Returns the sources and shifts of the rows, their
    energy, the pairs missing, how many lifts were judged, and the sum over the steps of the
    busiest receiver's loads forth.
    """
    d = 0
    while 1 << d < len(weights[0]):
        d += 1
    scratch = make_scratch(m, d, group)
    graph, kept, best = empty_graph(m, d), empty_graph(m, d), empty_graph(m, d)
    fill_at_random(graph, group, two_way, state)
    copy_graph(best, graph)
    copy_graph(kept, graph)
    now, missing = total_energy(graph, group, both, weights, np.int64(1) << 60, scratch)
    least, apart, judged = now, missing, 1
    cooling = (heats[1] / heats[0]) ** (1.0 / max(trials, 1))
    heat = heats[0]
    while judged < trials and least > goal:
        heat *= cooling
        a, b = draw(state, m * d), draw(state, m * d)
        if draw(state, SOME) == 0:
            b = a
        if two_way:
            move_circuits(graph, a, b, group, state)
        else:
            move_arcs(graph, a, b, group, state)
        limit = now + np.int64(heat * draw_wait(state))
        then, missing = total_energy(graph, group, both, weights, limit, scratch)
        judged += 1
        if then > limit:
            copy_graph(graph, kept)
            continue
        copy_graph(kept, graph)
        now = then
        if now < least:
            least, apart = now, missing
            copy_graph(best, graph)
    peaks = (weights[0], weights[1], np.int64(1), np.int64(0), np.int64(0))
    none = np.int64(1) << 60
    busiest, _ = add_energy(best[2], best[1], group, peaks, none, np.int64(0), scratch)
    return best[2], best[1], least, apart, judged, busiest
