"""The exact BFB cost of generalized Kautz graphs, both ways, without a graph."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from expansions.cost import Cost
from expansions.recipe import Base, Recipe
from generators.families.generalized_kautz import affine_representatives, properties
from generators.limits import MAX_NODES
from generators.registry import require
from generators.size_limits import require_buildable
from topofinder.dispatch.kernel import expect_long_work, expect_work
from topofinder.schedules.bfb.evaluation import WORD_OF_LINKS, Evaluation

LONG_WORK = 1 << 16
"""Work that takes about a second in plain Python: compiled kernels are looked for at once."""
LONGER_WORK = 1 << 20
"""Work that takes longer in plain Python than to compile the kernel."""


def is_costed_without_graph(d: int, m: int) -> bool:
    """Whether `evaluate_kautz` takes Pi(d,m): not for one arc a node, nor where one step is enough.

    >>> is_costed_without_graph(4, 1024), is_costed_without_graph(4, 5)
    (True, False)
    """
    return 2 <= d <= WORD_OF_LINKS and m > d + 1


def kautz_work(d: int, m: int) -> int | None:
    """Steps of all receivers, both ways, that `evaluate_kautz` takes; None where it does not.

    >>> kautz_work(4, 10**6), kautz_work(4, 10**7)
    (2000000, None)
    """
    if not is_costed_without_graph(d, m) or m > MAX_NODES:
        return None
    receivers = len(affine_representatives(d, m))
    return 2 * receivers * kautz_bound(d, m).steps * (1 + d * d // 64)


def kautz_bound(d: int, m: int) -> Cost:
    """What BFB takes at most on Pi(d,m), and on its transpose, for any m.

    Between two nodes there are floor(d^t/m) walks of t arcs or one more, for their ends are d^t
    consecutive nodes; so D = ceil(log_d m) steps are enough (theorem 21). At step t < D a link
    carries no more shards than walks of t arcs end with it, d^(t-1). At step D every shard is
    split evenly over its walks of D arcs: a link carries d^(D-1)/floor(d^D/m) at most.

    >>> kautz_bound(8, 10**9)
    Cost(steps=10, bandwidth=Fraction(153391689, 125000000))
    """
    require(is_costed_without_graph(d, m), f"Pi({d},{m}) is not costed without a graph")
    steps, ends = 1, d
    while ends < m:
        steps, ends = steps + 1, ends * d
    before = sum(d**t for t in range(1, steps))
    return Cost(steps, Fraction(before, m) + Fraction(ends, m * (ends // m)))


def evaluate_kautz(
    graphs: Sequence[tuple[int, int]], most_receivers: int | None = None
) -> list[tuple[Evaluation, Evaluation]]:
    """What BFB costs on each Pi(d,m) of the pairs (d, m), and on its transpose.

    With `most_receivers`, what so many of the nodes take: a lower bound. The time goes with
    m (d^2 + log m) of a graph, the memory with m log m. Raises InvalidInput for graphs that do not
    exist, are too large to build or not costed so (`is_costed_without_graph`).

    >>> [(forth, back)] = evaluate_kautz([(4, 1024)])
    >>> forth.cost
    Cost(steps=5, bandwidth=Fraction(341, 256))
    """
    from topofinder.schedules.bfb.kautz_kernels import profile_kautz

    for d, m in graphs:
        require_buildable(properties(d, m), f"Pi({d},{m})")
        require(is_costed_without_graph(d, m), f"Pi({d},{m}) is not costed without a graph")
    degrees, orders, receivers = (np.empty(len(graphs), np.int64) for _ in range(3))
    for place, (d, m) in enumerate(graphs):
        degrees[place], orders[place] = d, m
        different = len(affine_representatives(d, m))
        receivers[place] = different if most_receivers is None else min(most_receivers, different)
    work = sum(kautz_work(d, m) or 0 for d, m in graphs)
    if work > LONGER_WORK:
        expect_long_work(profile_kautz)
    elif work > LONG_WORK:
        expect_work()
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


def least_steps(recipe: Recipe) -> int:
    """Steps that an allgather takes at least on Bi(Pi(d,m)) or its equal Bi(T(Pi(d,m))).

    For other recipes 0: nothing is known.

    >>> from expansions.parser import parse
    >>> least_steps(parse("Bi(Pi(4,653))")), least_steps(parse("Pi(4,653)"))
    (5, 0)
    """
    from topofinder.schedules.bfb.two_way_kernels import count_two_way_hops

    found = _kautz_inside(recipe)
    return 0 if found is None else max(0, int(count_two_way_hops(*found)))


def _kautz_inside(recipe: Recipe) -> tuple[int, int] | None:
    if isinstance(recipe, Base) or recipe.symbol != "Bi":
        return None
    [inner] = recipe.parts
    if not isinstance(inner, Base) and inner.symbol == "T":
        [inner] = inner.parts
    if not isinstance(inner, Base) or inner.name != "Pi":
        return None
    arguments: Any = inner.arguments  # of the types that the family has
    d, m = arguments
    return d, m
