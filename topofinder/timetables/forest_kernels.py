"""Kernels of trees as tasks: the edge above every edge, and which of parallel links carries it."""

import numpy as np

from topofinder.kernels import kernel


@kernel
def edges_above(root, start, tail, head, above):  # type: ignore[no-untyped-def]
    """For each edge of each tree the edge that enters its tail, -1 at the root; int64 (edges,).

    Tree i has the edges start[i]..start[i + 1] - 1 from `tail` to `head`, parents first. `above`,
    int64 (nodes,), is scratch.
    """
    found = np.empty(len(tail), np.int64)
    for i in range(len(root)):
        above[root[i]] = -1
        for j in range(start[i], start[i + 1]):
            found[j] = above[tail[j]]
            above[head[j]] = j
    return found


@kernel
def choose_arcs(route, amount, hop_start, hop_pair, pair_start, option, unit, load, first):  # type: ignore[no-untyped-def]
    """For each hop of each task the arc that has the least to carry so far, int32.

    Task t follows the hops `hop_pair[hop_start[r]:hop_start[r + 1]]` of its route r = `route[t]`,
    pairs of nodes; pair p is joined by the arcs `option[pair_start[p]:pair_start[p + 1]]`. `load`
    (arcs,), in ticks, is added to: an amount of 1 takes `unit[a]` on arc a. What task t chooses
    stands at `first[t]` and after.
    """
    found = np.empty(first[-1], np.int32)
    for t in range(len(route)):
        at = first[t]
        for hop in range(hop_start[route[t]], hop_start[route[t] + 1]):
            pair = hop_pair[hop]
            best = option[pair_start[pair]]
            for place in range(pair_start[pair] + 1, pair_start[pair + 1]):
                arc = option[place]
                if load[arc] + amount[t] * unit[arc] < load[best] + amount[t] * unit[best]:
                    best = arc
            load[best] += amount[t] * unit[best]
            found[at] = best
            at += 1
    return found
