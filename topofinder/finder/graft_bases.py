"""What a search grafts: lifts, and Cayley digraphs of the catalogue, at about the size asked for.

All are ranked by what an allreduce is expected to take once their nodes are as many as are wanted.
The catalogue knows its costs, so that only those of the few that are grafted need be evaluated.
Lifts are looked for at a few sizes beside n that a good order of a group divides, each with the
same budget whatever n is: neighbours in a sweep share them.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from expansions.cost import Cost
from expansions.divisors import divisors
from expansions.recipe import Base, Recipe
from generators.cayley.catalogue import ShippedDigraph, shipped_digraphs
from topofinder.discovery.grafts.search import expected_time, near_surpluses
from topofinder.discovery.lifts.search import FoundLift
from topofinder.discovery.lifts.settings import MOST_ORDER
from topofinder.model.candidate import LinkMode, cost_lower_bound

GOOD_ORDER = 15
"""Least order of a group whose lifts are small enough a search space to hit."""

FindLifts = Callable[[int], Sequence[FoundLift]]
"""The lifts that a fixed budget finds at so many nodes."""


def ranked_bases(
    n: int, d: int, links: LinkMode, own: Sequence[FoundLift], find: FindLifts, neighbours: int
) -> list[Recipe]:
    """Bases about n nodes, what is likeliest to make good grafts first.

    `own` are lifts that are known at n; `find` looks for those at `neighbours` other sizes.
    """
    ranked: list[tuple[Fraction, str, Recipe]] = [
        (expected_time(n, 0, one.forth, one.back), str(one.recipe), one.recipe) for one in own
    ]
    for surplus in neighbour_surpluses(n, d, links)[:neighbours]:
        for one in find(n + surplus):
            time = expected_time(n, surplus, one.forth, one.back)
            ranked.append((time, str(one.recipe), one.recipe))
    ranked += _ranked_catalogue(n, d, links)
    return [recipe for *_, recipe in sorted(ranked, key=lambda one: one[:2])]


def neighbour_surpluses(n: int, d: int, links: LinkMode) -> list[int]:
    """By how many nodes sizes beside n exceed it where good lifts may be, the best ones first.

    >>> neighbour_surpluses(1453, 2, LinkMode.SIMPLEX)[:4]
    [2, -1, 3, 4]
    """
    found = [
        (expected_time(n, surplus, bound, bound), surplus)
        for surplus in near_surpluses(d, duplex=links is LinkMode.DUPLEX)
        if surplus and n + surplus > d + 2 and _has_good_order(n + surplus)
        for bound in [cost_lower_bound(n + surplus, d, links)]
    ]
    return [surplus for _, surplus in sorted(found)]


def _has_good_order(n: int) -> bool:
    return any(GOOD_ORDER <= order <= MOST_ORDER for order in divisors(n))


def _ranked_catalogue(n: int, d: int, links: LinkMode) -> Iterator[tuple[Fraction, str, Recipe]]:
    duplex = links is LinkMode.DUPLEX
    for surplus in near_surpluses(d, duplex=duplex):
        for one in shipped_digraphs(n + surplus, d):
            if one.two_way or not duplex:
                recipe = Base("Cay", one.arguments)
                costs = _cost(one, one.forth), _cost(one, one.back)
                yield expected_time(n, surplus, *costs), str(recipe), recipe


def _cost(one: ShippedDigraph, loads: tuple[int, ...]) -> Cost:
    """T_L and T_B of the loads of the busiest links, in shards of `unit`."""
    return Cost(len(loads), Fraction(one.d * sum(loads), one.n * one.unit))
