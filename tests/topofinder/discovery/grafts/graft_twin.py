"""Slow twins of the kernels of grafts, on Python's sets."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise

from generators.topology import Topology


def tails_by_head(topology: Topology) -> list[list[int]]:
    """The tail of every arc into each node."""
    into: list[list[int]] = [[] for _ in range(topology.n)]
    for tail, head in zip(topology.tail.tolist(), topology.head.tolist(), strict=True):
        into[head].append(tail)
    return into


def plain_balls(topology: Topology, steps: int) -> list[list[set[int]]]:
    """Whose shard each node has after 0, 1, ... steps."""
    into = tails_by_head(topology)
    balls = [[{u} for u in range(topology.n)]]
    for _ in range(steps):
        before = balls[-1]
        balls.append([before[u].union(*(before[w] for w in into[u])) for u in range(topology.n)])
    return balls


def plain_load(new: set[int], sources: Sequence[set[int]]) -> Fraction:
    """max over sets P of links of #{new shards that only links of P can bring} / |P|."""
    links = range(len(sources))
    return max(
        Fraction(len(new.difference(*(sources[i] for i in links if i not in chosen))), count)
        for count in range(1, len(sources) + 1)
        for chosen in combinations(links, count)
    )


def plain_loads(topology: Topology, steps: int) -> list[list[Fraction]]:
    """`[t - 1][u]`: the load of the busiest in-link of u at step t."""
    into, balls = tails_by_head(topology), plain_balls(topology, steps)
    return [
        [plain_load(now[u] - before[u], [before[w] for w in into[u]]) for u in range(topology.n)]
        for before, now in pairwise(balls)
    ]
