"""Products that no theorem costs: none that would better a pool is left out."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest

from expansions import canonical
from expansions.build import build
from expansions.cost import Cost
from expansions.lower_bounds import free_ports, least_bandwidth
from expansions.parser import parse
from generators.divisors import divisors
from tools.evaluate_all_sizes import EvaluatingPools, EvaluatingScope
from topofinder.finder.base_candidates import both_ways, evaluate_recipe
from topofinder.finder.base_scope import Scope
from topofinder.finder.deferrals import evaluate_deferred, pool_with_effort
from topofinder.finder.enumeration import Pools
from topofinder.finder.wide_products import hopeful_splits, wide_product, wide_products
from topofinder.model.candidate import Candidate, LinkMode, Method, cost_lower_bound

SIZES = [
    (n, d, links)
    for n in (12, 27, 35, 45, 63, 69, 75, 91, 207)
    for d in (2, 3, 4)
    for links in LinkMode
    if links is LinkMode.SIMPLEX or (d > 2 and not free_ports(n, d))
]
WIDE = "DirC(1) x L(Cay(Z23;1,3,15))"


def factors_of(pools: Pools, n: int, d: int, links: LinkMode) -> list[Candidate]:
    """Graphs without self-loops, and with no port left free, that a pool keeps."""
    if links is LinkMode.DUPLEX and free_ports(n, d):
        return []
    return [one for one in pools.pool(n, d, links) if one.loop_free]


@pytest.mark.parametrize(("n", "d", "links"), SIZES)
def test_no_product_of_two_kept_graphs_costs_less_than_what_is_kept(
    n: int, d: int, links: LinkMode
) -> None:
    pools = Pools(scope=EvaluatingScope())
    kept = pools.pool(n, d, links)
    pairs = [
        pair
        for first, ports in product(divisors(n)[1:-1], range(1, d))
        for pair in product(
            factors_of(pools, first, ports, links),
            factors_of(pools, n // first, d - ports, links),
        )
    ]
    assert pairs
    for one, other in pairs:
        found = evaluate_recipe(canonical.product([one.recipe, other.recipe]))
        assert any(better.allgather.weakly_beats(found.allgather) for better in kept), found.recipe


def test_the_pool_has_what_products_alone_reach() -> None:
    kept = Pools().pool(207, 4)
    [wide] = [one for one in kept if one.recipe == parse(WIDE)]
    assert (wide.allgather, wide.method) == (Cost(7, Fraction(1)), Method.BFB)
    assert both_ways(build(wide.recipe))[0].cost == wide.allgather
    others = (one for one in kept if one is not wide)
    assert not any(one.allgather.weakly_beats(wide.allgather) for one in others)


def test_a_search_tells_what_a_product_costs_deferred() -> None:
    pool = pool_with_effort(Pools(), 207, 4, LinkMode.SIMPLEX, 1)
    [least] = [one for one in pool if one.allgather == Cost(7, least_bandwidth(207))]
    assert (least.recipe, least.method) == (parse(WIDE), Method.DEFERRED)
    assert evaluate_deferred(least.recipe).allgather == least.allgather
    others = (one for one in pool if one is not least)
    assert not any(one.allgather.weakly_beats(least.allgather) for one in others)


@pytest.mark.parametrize("pools", [EvaluatingPools(), Pools()], ids=["searched", "shipped"])
def test_lifts_of_the_least_bandwidth_are_factors_too(pools: Pools) -> None:
    """No theorem of a family tells what they cost, as theorem 13 does of their product."""
    kept = pools.pool(325, 4)
    [found] = [one for one in kept if one.allgather == Cost(8, least_bandwidth(325))]
    assert "Lift" in str(found.recipe)
    assert (found.method, found.exact) == (Method.BFB, True)
    assert both_ways(build(found.recipe))[0].cost == found.allgather
    others = (one for one in kept if one is not found)
    assert not any(one.allgather.weakly_beats(found.allgather) for one in others)


@pytest.mark.parametrize("links", LinkMode)
def test_products_of_two_that_are_fit_for_theorem_13_are_exact(links: LinkMode) -> None:
    pools, met = Pools(), 0
    for n, d in product(range(4, 49), range(2, 5)):
        for found in wide_products(n, d, links, lambda n, d, _: pools.pool(n, d, links)):
            assert found.exact == all(part.product_ready for part in found.parts)
            if found.exact:
                own = evaluate_recipe(found.recipe)
                assert (own.allgather, own.reduce_scatter) == (
                    found.allgather,
                    found.reduce_scatter,
                )
                met += 1
    assert met > 20


def test_graphs_that_cost_the_same_are_tried_too() -> None:
    def least(pools: Pools) -> list[Candidate]:
        return [one for one in pools.pool(207, 4) if one.allgather == Cost(7, Fraction(1))]

    assert least(EvaluatingPools())
    assert not least(Pools(scope=EvaluatingScope()))


@pytest.mark.parametrize("links", LinkMode)
def test_a_product_takes_no_more_than_is_said(links: LinkMode) -> None:
    pools, met = Pools(), 0
    for n, d in product(range(4, 49), range(2, 5)):
        for found in wide_products(n, d, links, lambda n, d, _: pools.pool(n, d, links)):
            if any(part.method is not Method.BFB for part in found.parts):
                continue
            own = evaluate_recipe(found.recipe)
            assert own.allgather.bandwidth <= found.allgather.bandwidth
            assert own.reduce_scatter.bandwidth <= found.reduce_scatter.bandwidth
            assert own.allgather.steps == found.diameter == found.allgather.steps
            assert (own.n, own.d, own.loop_free) == (found.n, found.d, True)
            assert own.two_way >= found.two_way
            assert own.simple >= found.simple
            met += own.allgather.bandwidth < found.allgather.bandwidth
    assert met > (20 if links is LinkMode.SIMPLEX else 0)


ONE_WAY = [(2, 68), (2, 205), (3, 51), (3, 86), (3, 159), (4, 88)]


@pytest.mark.parametrize(("d", "n"), ONE_WAY)
def test_factors_of_the_least_bandwidth_one_way_make_a_product_that_has_it_that_way(
    d: int, n: int
) -> None:
    """Theorem 13 holds for each direction on its own, where the factors are simple."""
    pools = Pools()
    least = least_bandwidth(n)
    both = [(one.allgather.bandwidth, one.reduce_scatter.bandwidth) for one in pools.pool(n, d)]
    assert any(forth == least != back for forth, back in both)
    for factor in pools.pool(n, d):
        fit = factor.simple and factor.loop_free and factor.method is Method.BFB
        if not fit or factor.allgather.bandwidth != least:
            continue
        for text in ("UniRing(1,2)", "UniRing(1,3)", "K(4)"):
            found = evaluate_recipe(canonical.product([parse(text), factor.recipe]))
            assert found.allgather.bandwidth == least_bandwidth(found.n)


def test_one_dimension_after_the_other_takes_its_share_of_the_ports() -> None:
    """Rows of three by one port of two, then columns of 4 nodes by the other."""
    one, other = (Pools().pool(n, 1)[0] for n in (3, 4))
    [row, column] = (Cost(2, least_bandwidth(3)), Cost(3, least_bandwidth(4)))
    assert (one.allgather, other.allgather) == (row, column)
    rows_first = 2 * row.bandwidth / 4 + 2 * column.bandwidth
    columns_first = 2 * column.bandwidth / 3 + 2 * row.bandwidth
    assert wide_product(one, other).allgather == Cost(5, min(rows_first, columns_first))
    assert str(wide_product(other, one).recipe) == str(wide_product(one, other).recipe)


@pytest.mark.parametrize("links", LinkMode)
def test_splits_are_all_pairs_of_sizes_that_may_take_so_few_steps(links: LinkMode) -> None:
    for n, d, enough in product((30, 36, 45, 75), (2, 3, 5), (4, 9, None)):
        duplex = links is LinkMode.DUPLEX
        sizes = product(divisors(n)[1:-1], range(1, d))
        wanted = {
            (one, other)
            for one, other in combinations_with_replacement(sorted(sizes), 2)
            if one[0] * other[0] == n
            and one[1] + other[1] == d
            and (not duplex or free_ports(n, d) or not (free_ports(*one) or free_ports(*other)))
            and (enough is None or _least(one, links) + _least(other, links) < enough)
        }
        found = hopeful_splits(n, d, links, enough)
        assert (set(found), len(found)) == (wanted, len(wanted))
        steps = [_least(one, links) + _least(other, links) for one, other in found]
        assert steps == sorted(steps)


def _least(size: tuple[int, int], links: LinkMode) -> int:
    return cost_lower_bound(*size, links).steps


def test_few_pairs_of_sizes_are_tried_where_all_would_take_long() -> None:
    asked: list[tuple[int, int]] = []

    def note(n: int, d: int, _: int | None) -> list[Candidate]:
        asked.append((n, d))
        return []

    assert not list(wide_products(720, 15, LinkMode.SIMPLEX, note, None, 8))
    assert len(asked) == 8
    assert not list(wide_products(720, 15, LinkMode.SIMPLEX, note))
    assert len(asked) > 200
    asked.clear()
    assert not list(wide_products(60_000, 4, LinkMode.SIMPLEX, note))
    assert not list(wide_products(101, 4, LinkMode.SIMPLEX, note))
    assert not asked


class AskedPools(Pools):
    """Pools that have no factors to try."""

    def factor_graphs(self, links: LinkMode, n: int, d: int, below: int | None) -> list[Candidate]:
        raise LookupError(f"{n}, {d}")


def test_the_published_method_has_no_such_products() -> None:
    assert AskedPools(scope=Scope(published=True)).pool(207, 4)
    assert AskedPools().pool(207, 4)
    with pytest.raises(LookupError, match="3, 1"):
        AskedPools(scope=EvaluatingScope(), one_size=True).pool(207, 4)
