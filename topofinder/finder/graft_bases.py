"""What a search grafts: lifts and Cayley digraphs at about the size asked for.

All are ranked by what an allreduce is expected to take once their nodes are as many as are wanted,
and come with their costs. Where the catalogue has no digraphs, a few that are found quickly stand
in. Lifts are looked for at a few sizes beside n that a good order of a group divides, each with the
same budget whatever n is: neighbours in a sweep share them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from expansions.cost import Cost
from expansions.recipe import Base, Line, Recipe
from expansions.searched_graphs import searched_graphs, searched_profile
from expansions.size import size
from generators.cayley.catalogue import ShippedDigraph, shipped_digraphs
from generators.cost_profile import CostProfile
from generators.lifts.annealed import annealed_lifts
from topofinder.discovery.grafts.found import FoundGraft
from topofinder.discovery.grafts.line_roots import MOST_DROPPED
from topofinder.discovery.grafts.trials import expected_time, near_surpluses
from topofinder.discovery.lifts.search import FoundLift
from topofinder.discovery.lifts.settings import GOOD_ORDER, cyclic_orders
from topofinder.finder.base_candidates import evaluate_one_receiver
from topofinder.finder.cayley_bases import has_quick_groups, quick_cayley_digraphs
from topofinder.model.candidate import LinkMode, cost_lower_bound

SPARE_GENERATORS = 2
"""Generators that are added to a digraph, one at a time."""
QUICK_SIZES = 5
"""Sizes without a shipped digraph where some are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownBase:
    """A graph that is grafted, with costs both ways: exact, or what theorem 10 bounds them by."""

    recipe: Recipe
    forth: Cost
    back: Cost


def known_bases(n: int, d: int, links: LinkMode, own: Sequence[FoundLift]) -> list[KnownBase]:
    """Bases about n nodes that are known or found at once.

    `own` lifts, Cayley digraphs, and lifts that ship; the line graphs of these and of all else that
    ships.
    """
    found = known_lifts(own)
    quick = 0
    for surplus in _best_surpluses(n, d, links):
        shipped = [*shipped_bases(n + surplus, d, links), *annealed_bases(n + surplus, d, links)]
        if not shipped and quick < QUICK_SIZES and has_quick_groups(n + surplus):
            quick += 1
            shipped = list(quick_cayley_digraphs(n + surplus, d, links))
        found += [*known_lifts(shipped), *_line_bases(n + surplus, d, links)]
    return found


def known_lifts(lifts: Iterable[FoundLift]) -> list[KnownBase]:
    """The lifts as bases."""
    return [KnownBase(recipe=one.recipe, forth=one.forth, back=one.back) for one in lifts]


def known_grafts(grafts: Iterable[FoundGraft]) -> list[KnownBase]:
    """The grafts as bases, to be edited again."""
    return [KnownBase(recipe=one.recipe, forth=one.forth, back=one.back) for one in grafts]


def rank_bases(n: int, bases: Iterable[KnownBase]) -> dict[Recipe, tuple[Cost, Cost]]:
    """The bases with their costs both ways, what is likeliest to make good grafts first."""
    ranked = sorted(set(bases), key=lambda one: (base_time(n, one), str(one.recipe)))
    return {one.recipe: (one.forth, one.back) for one in ranked}


def base_time(n: int, base: KnownBase) -> Fraction:
    """What an allreduce is expected to take on a graft of n nodes, in steps of 10 us."""
    return expected_time(n, size(base.recipe).n - n, base.forth, base.back)


def annealed_bases(n: int, d: int, links: LinkMode) -> list[FoundLift]:
    """The lifts that ship of a size, with their costs.

    >>> annealed_bases(1999, 2, LinkMode.SIMPLEX)
    []
    """
    return [
        FoundLift(
            recipe=Base("Lift", (one.group, one.rows)),
            forth=Cost(one.steps, one.forth),
            back=Cost(one.steps, one.back),
        )
        for one in annealed_lifts(n, d, links.value)
    ]


def _line_bases(n: int, d: int, links: LinkMode) -> list[KnownBase]:
    """The line graphs of n nodes of what ships at n / d nodes, n / d^2 and so on; all one-way."""
    if links is LinkMode.DUPLEX or n % d or n // d <= d:
        return []
    inner = n // d
    known = known_lifts([*shipped_bases(inner, d, links), *annealed_bases(inner, d, links)])
    known += _searched_bases(inner, d, links)
    more = Cost(1, Fraction(1, inner))
    return [
        KnownBase(recipe=Line(inner=one.recipe), forth=one.forth + more, back=one.back + more)
        for one in [*known, *_line_bases(inner, d, links)]
    ]


def line_bases_above(n: int, d: int) -> list[KnownBase]:
    """One-way line graphs of a few nodes more than n, of fewest steps, and those first that have
    fewest nodes.

    >>> [str(one.recipe) for one in line_bases_above(95, 4)][:2]
    ['L(Cay(Z12:Z2[5];1,2,3,22))', 'L(Cay(Z4.Z2[3|2]:Z3[(0,1),(3,1)];1,5,13,18))']
    """
    found = [
        (one.forth.steps + one.back.steps, more, one)
        for more in range(-n % d or d, MOST_DROPPED * d + 1, d)
        for one in (*_line_bases(n + more, d, LinkMode.SIMPLEX), *_spare_line_bases(n + more, d))
    ]
    fewest = min((steps for steps, _, _ in found), default=0)
    few = [(more, one) for steps, more, one in found if steps == fewest]
    few.sort(
        key=lambda it: (it[0], it[1].forth.bandwidth + it[1].back.bandwidth, str(it[1].recipe))
    )
    return list(dict.fromkeys(one for _, one in few))


def _spare_line_bases(n: int, d: int) -> Iterator[KnownBase]:
    """Line graphs of Cayley digraphs that ship with a link less, and have a generator more.

    As their arcs of that generator can all be spared, many nodes can be removed.
    """
    inner = n // d
    for one in shipped_digraphs(inner, d - 1) if n % d == 0 and inner > d + 2 else ():
        taken = {0, *one.generators}
        spare = [element for element in range(inner) if element not in taken]
        for element in spare[:: -(-len(spare) // SPARE_GENERATORS)]:
            root = Base("Cay", (one.group, *sorted((*one.generators, element))))
            forth, back = evaluate_one_receiver(root)
            more = Cost(1, Fraction(1, inner))
            yield KnownBase(recipe=Line(inner=root), forth=forth.cost + more, back=back.cost + more)


def _searched_bases(n: int, d: int, links: LinkMode) -> list[KnownBase]:
    """The grafts and other expanded graphs that ship of a size, with their costs."""
    found = []
    for recipe in searched_graphs(n, d, links.value):
        profile = searched_profile(recipe)
        if profile:
            forth, back = _cost(profile, profile.forth), _cost(profile, profile.back)
            found.append(KnownBase(recipe=recipe, forth=forth, back=back))
    return found


def neighbour_surpluses(n: int, d: int, links: LinkMode) -> list[int]:
    """By how many nodes sizes beside n exceed it where good lifts may be, the best ones first.

    >>> neighbour_surpluses(1453, 2, LinkMode.SIMPLEX)[:4]
    [-1, 2, 3, 4]
    """
    best = _best_surpluses(n, d, links)
    return [surplus for surplus in best if surplus and _has_good_order(n + surplus)]


def _best_surpluses(n: int, d: int, links: LinkMode) -> list[int]:
    """By how many nodes bases may exceed n, those first at which the bound leaves most to gain."""
    found = [
        (expected_time(n, surplus, bound, bound), surplus)
        for surplus in near_surpluses(d, duplex=links is LinkMode.DUPLEX)
        if n + surplus > d + 2
        for bound in [cost_lower_bound(n + surplus, d, links)]
    ]
    return [surplus for _, surplus in sorted(found)]


def _has_good_order(n: int) -> bool:
    return any(order >= GOOD_ORDER for order in cyclic_orders(n))


def shipped_bases(n: int, d: int, links: LinkMode) -> Iterator[FoundLift]:
    """The Cayley digraphs of the catalogue at that size, with their costs.

    >>> [str(one.recipe) for one in shipped_bases(17, 2, LinkMode.SIMPLEX)]
    ['Cay(Z17;1,3)']
    """
    for one in shipped_digraphs(n, d):
        if one.two_way or links is LinkMode.SIMPLEX:
            costs = _cost(one, one.forth), _cost(one, one.back)
            yield FoundLift(recipe=Base("Cay", one.arguments), forth=costs[0], back=costs[1])


def _cost(one: ShippedDigraph | CostProfile, loads: tuple[int, ...]) -> Cost:
    """T_L and T_B of the loads of the busiest links, in shards of `unit`."""
    return Cost(len(loads), Fraction(one.d * sum(loads), one.n * one.unit))
