"""The exact BFB cost of generalized Kautz graphs, both ways, without a graph."""

from collections.abc import Sequence

import numpy as np

from generators.families.generalized_kautz import affine_representatives, properties
from generators.registry import require
from topofinder.schedules.bfb.evaluation import WORD_OF_LINKS, Evaluation


def is_costed_without_graph(d: int, m: int) -> bool:
    """Whether `evaluate_kautz` takes Pi(d,m): not for one arc a node, nor where one step is enough.

    >>> is_costed_without_graph(4, 1024), is_costed_without_graph(4, 5)
    (True, False)
    """
    return 2 <= d <= WORD_OF_LINKS and m > d + 1


def evaluate_kautz(graphs: Sequence[tuple[int, int]]) -> list[tuple[Evaluation, Evaluation]]:
    """What BFB costs on each Pi(d,m) of the pairs (d, m), and on its transpose.

    The time goes with m (d^2 + log m) of a graph, the memory with m log m. Raises InvalidInput for
    graphs that do not exist, are too large to build or not costed so (`is_costed_without_graph`).

    >>> [(forth, back)] = evaluate_kautz([(4, 1024)])
    >>> forth.cost
    Cost(steps=5, bandwidth=Fraction(341, 256))
    """
    from topofinder.schedules.bfb.kautz_kernels import profile_kautz

    for d, m in graphs:
        properties(d, m)
        require(is_costed_without_graph(d, m), f"Pi({d},{m}) is not costed without a graph")
    degrees, orders, receivers = (np.empty(len(graphs), np.int64) for _ in range(3))
    for place, (d, m) in enumerate(graphs):
        degrees[place], orders[place] = d, m
        receivers[place] = len(affine_representatives(d, m))
    most = int(orders.max(initial=0)).bit_length()
    steps, line_exact = (np.empty((len(graphs), 2), np.int64) for _ in range(2))
    shards, links = (np.empty((len(graphs), 2, most + 1), np.int64) for _ in range(2))
    cycle = np.empty(len(graphs), np.int64)
    profile_kautz(degrees, orders, receivers, steps, shards, links, line_exact, cycle)

    def evaluation(place: int, way: int) -> Evaluation:
        used = slice(1, steps[place, way] + 1)
        return Evaluation(
            n=graphs[place][1],
            d=graphs[place][0],
            shards=tuple(shards[place, way, used].tolist()),
            links=tuple(links[place, way, used].tolist()),
            line_exact=int(line_exact[place, way]),
            cycle=int(cycle[place]),
        )

    return [(evaluation(place, 0), evaluation(place, 1)) for place in range(len(graphs))]
