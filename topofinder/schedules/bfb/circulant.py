"""The exact BFB cost of circulants, without a graph."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from generators.errors import Unsupported
from generators.families.circulant import Jumps
from topofinder.schedules.bfb.evaluation import WORD_OF_LINKS, Evaluation
from topofinder.schedules.bfb.evaluation_numpy import ALWAYS


def evaluate_circulants(graphs: Sequence[tuple[int, Jumps]]) -> list[Evaluation]:
    """What BFB costs on each C(n,jumps) of the pairs (n, jumps), its own transpose.

    The pairs are those of recipes: connected, jumps from 1 to n/2. A neighbour always leads back in
    one hop, so that theorem 10 holds with equality and the shortest closed walks have two arcs.
    Raises Unsupported beyond 63 in-neighbours (unless one step is enough).

    >>> [found] = evaluate_circulants([(16, (3, 4))])
    >>> found.cost
    Cost(steps=3, bandwidth=Fraction(15, 16))
    """
    from topofinder.schedules.bfb.circulant_kernels import profile_circulants

    senders = [_in_neighbours(n, jumps) for n, jumps in graphs]
    shifts, arcs = (
        np.array([number for one in senders for number in numbers(one)], np.int64)
        for numbers in (Counter.keys, Counter.values)
    )
    orders = np.array([n for n, _ in graphs], np.int64)
    begin = np.zeros(len(graphs) + 1, np.int64)
    shards, links = (np.empty(int(orders.sum()), np.int64) for _ in range(2))
    first = np.cumsum([0, *map(len, senders)])
    if graphs:
        profile_circulants(orders, first, shifts, arcs, begin, shards, links)
    return [
        Evaluation(
            n=n,
            d=senders[place].total(),
            shards=tuple(shards[begin[place] : begin[place + 1]].tolist()),
            links=tuple(links[begin[place] : begin[place + 1]].tolist()),
            line_exact=ALWAYS,
            cycle=2,
        )
        for place, (n, _) in enumerate(graphs)
    ]


def _in_neighbours(n: int, jumps: Jumps) -> Counter[int]:
    """The in-neighbours of node 0, with the parallel arcs from each."""
    found = Counter(turn for jump in jumps for turn in {jump, n - jump})
    if WORD_OF_LINKS < len(found) < n - 1:
        raise Unsupported(
            f"BFB costs need at most {WORD_OF_LINKS} in-neighbours a node, not {len(found)}"
        )
    return found
