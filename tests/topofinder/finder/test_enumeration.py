"""Pools against an exhaustive search without pruning, and against the graphs they name."""

import random
from collections.abc import Sequence
from functools import cache
from itertools import product

import pytest

from expansions.build import build
from expansions.recipe import Base
from generators.divisors import divisors
from generators.searched_sizes import searched_ranges
from generators.topology import Topology
from tools.evaluate_all_sizes import EvaluatingPools
from topofinder.finder import candidate_maps
from topofinder.finder.base_candidates import Bases, both_ways
from topofinder.finder.base_scope import EVERYTHING, Scope
from topofinder.finder.enumeration import Pools, sources
from topofinder.finder.factors import Factors
from topofinder.finder.odd_sizes import has_free_port
from topofinder.finder.prediction import predict
from topofinder.model.candidate import Candidate, LinkMode, Method, cost_lower_bound
from topofinder.model.frontier import frontier, useful_candidates
from topofinder.schedules.bfb.evaluation import evaluate

POOLS = Pools()
BASES = Bases()


@cache
def everything(n: int, d: int, links: LinkMode) -> tuple[Candidate, ...]:
    """All candidates that base graphs and expansions give at one size; nothing is pruned."""
    if n < 2 or d < 1:
        return ()
    found: list[Candidate | None] = []
    for base in EVERYTHING.members(n, d, links):
        found += BASES.candidates(base)
    for k in divisors(n)[1:]:
        if d % k == 0:
            found += [
                candidate_maps.degree(inner, k) for inner in everything(n // k, d // k, links)
            ]
        for ports in range(1, d):
            found += [
                candidate_maps.product((one, other))
                for one in everything(k, ports, links)
                for other in everything(n // k, d - ports, links)
            ]
    for exponent in range(2, d + 1):
        root = round(n ** (1 / exponent))
        if root**exponent == n and d % exponent == 0:
            found += [
                candidate_maps.power(inner, exponent)
                for inner in everything(root, d // exponent, links)
            ]
    if links is LinkMode.SIMPLEX and d > 1 and n % d == 0:
        found += map(candidate_maps.line, everything(n // d, d, links))
    if links is LinkMode.DUPLEX and d % 2 == 0:
        found += map(candidate_maps.two_way, everything(n, d // 2, LinkMode.SIMPLEX))
    return tuple({c.preference(): c for c in found if c}.values())


@pytest.mark.parametrize("links", LinkMode)
@pytest.mark.parametrize("d", [1, 2, 3, 4, 6])
def test_pruning_loses_nothing(d: int, links: LinkMode) -> None:
    for n in range(d + 1, 37):
        best = frontier(POOLS.pool(n, d, links))
        for candidate in everything(n, d, links):
            assert any(c.allgather.weakly_beats(candidate.allgather) for c in best), candidate


def confirm(n: int, d: int, links: LinkMode) -> int:
    """Check every candidate of a pool on its graph, with no symmetry used; returns how many."""
    pool = POOLS.pool(n, d, links)
    bound = cost_lower_bound(n, d, links)
    for candidate in pool:
        known = build(candidate.recipe)
        topology = Topology(n=known.n, tail=known.tail, head=known.head)
        regular = not has_free_port(n, d, links)
        assert (topology.n, topology.degree, topology.is_regular) == (n, d, regular)
        assert links is LinkMode.SIMPLEX or topology.is_bidirectional
        for cost, graph in (
            (candidate.allgather, topology),
            (candidate.reduce_scatter, topology.transpose()),
        ):
            assert bound.weakly_beats(cost)
            if candidate.method is Method.BFB:
                found = evaluate(graph).cost
                assert cost.steps == found.steps
                assert cost.bandwidth == found.bandwidth or (
                    not candidate.exact and cost.bandwidth > found.bandwidth
                )
    return len(pool)


def sample(count: int, largest: int) -> list[tuple[int, int]]:
    chosen = random.Random(7)
    sizes = []
    while len(sizes) < count:
        d = chosen.choice([2, 3, 4, 5, 6, 8, 9, 12, 16])
        sizes.append((chosen.randint(d + 1, largest), d))
    return sizes


@pytest.mark.parametrize("links", LinkMode)
def test_candidates_cost_on_their_graphs_what_the_pool_says(links: LinkMode) -> None:
    assert sum(confirm(n, d, links) for n, d in sample(25, 200)) > 12


@pytest.mark.slow
@pytest.mark.parametrize("links", LinkMode)
def test_many_candidates_cost_on_their_graphs_what_the_pool_says(links: LinkMode) -> None:
    assert sum(confirm(n, d, links) for n, d in sample(250, 700)) > 120


def test_a_candidate_with_a_needed_property_survives_a_cheaper_one_without_it() -> None:
    pool = POOLS.pool(64, 4)
    plain = next(c for c in pool if c.product_ready)
    cheaper = useful_candidates([plain, _without(plain, product_ready=True)])
    assert plain in cheaper


def _without(candidate: Candidate, *, product_ready: bool) -> Candidate:
    from dataclasses import replace

    from expansions.cost import Cost

    best = Cost(candidate.allgather.steps - 1, candidate.allgather.bandwidth)
    return replace(candidate, allgather=best, reduce_scatter=best, balanced=not product_ready)


class AllFactors(Factors):
    """Without hopes: every product is looked for, whatever its factors take at least."""

    def _hope(self, n: int, d: int) -> int:
        return 0


@pytest.mark.parametrize("links", LinkMode)
def test_factors_without_hope_are_never_the_best(links: LinkMode) -> None:
    quick, whole = Factors(links, BASES), AllFactors(links, BASES)
    sizes = [(n, d) for n in (12, 16, 24, 30, 36, 48, 60, 64, 90, 120) for d in range(1, 9)]
    assert [quick.best(n, d) for n, d in sizes] == [whole.best(n, d) for n, d in sizes]
    assert quick.best(120, 8) is not None


@pytest.mark.parametrize("links", LinkMode)
def test_a_factor_is_found_below_a_limit_if_it_is_below(links: LinkMode) -> None:
    whole, limited = Factors(links, BASES), 0
    for n, d in [(36, 4), (60, 5), (64, 6), (120, 8), (97, 3), (30, 2)]:
        found = whole.best(n, d)
        for below in range(1, 12):
            wanted = found if found and found.allgather.steps < below else None
            assert Factors(links, BASES).best(n, d, below) == whole.best(n, d, below) == wanted
            limited += found is not None and wanted is None
    assert limited > 10


def test_base_graphs_without_hope_are_of_no_use(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = [(300, 12), (512, 8), (630, 6)]
    hopeless: list[Base] = []
    tell = Bases.is_hopeless

    def note(bases: Bases, base: Base, known: list[Candidate]) -> bool:
        told = tell(bases, base, known)
        hopeless.extend([base] * told)
        return told

    monkeypatch.setattr(Bases, "is_hopeless", note)
    quick = [Pools().pool(n, d) for n, d in sizes]
    assert {str(base) for base in hopeless} >= {"Pi(12,300)", "Pi(6,630)"}
    monkeypatch.setattr(Bases, "is_hopeless", lambda *_: False)
    assert [Pools().pool(n, d) for n, d in sizes] == quick


class AllSources(Pools):
    """Every smaller pool is searched for, whatever ships of the size."""

    def _enough_steps(self, found: Sequence[Candidate], links: LinkMode) -> None:
        return None


def compare_sources(sizes: list[tuple[int, int, LinkMode]]) -> int:
    """Compare frontiers with those of all sources; returns how many pools were not needed.

    For one size alone smaller pools need not be whole, which changes nothing that is kept of it.
    """
    spared = 0
    for size in sizes:
        quick, alone, whole = Pools(), Pools(one_size=True), AllSources()
        assert frontier(quick.pool(*size)) == frontier(whole.pool(*size)), size
        assert alone.pool(*size) == quick.pool(*size), size
        assert set(alone.fresh) <= set(quick.fresh)
        spared += len(whole.fresh) - len(quick.fresh)
    return spared


def test_sources_without_hope_are_of_no_use_beside_what_ships() -> None:
    sizes = [
        (1560, 12, LinkMode.SIMPLEX),
        (720, 6, LinkMode.SIMPLEX),
        (1680, 12, LinkMode.DUPLEX),
        (1440, 12, LinkMode.DUPLEX),
        (990, 4, LinkMode.DUPLEX),
        (1296, 12, LinkMode.SIMPLEX),
        (128, 16, LinkMode.SIMPLEX),
    ]
    assert compare_sources(sizes) > 60


@pytest.mark.slow
@pytest.mark.parametrize("links", LinkMode)
@pytest.mark.parametrize("d", [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16])
def test_at_many_sizes_sources_without_hope_are_of_no_use(d: int, links: LinkMode) -> None:
    sizes = random.Random(d).sample(range(2, 2001), 60)
    assert compare_sources([(n, d, links) for n in sizes]) >= 0


def compare_evaluations(pools: Pools, whole: Pools, size: tuple[int, int, LinkMode]) -> None:
    """Compare what a search keeps where it evaluates little and where it evaluates all.

    Of graphs that cost the same another may come first, and a cost may be told at most alone. A
    search for one-way links that evaluates little has two-way products that ship beside: what is
    on its frontier alone is evaluated here.
    """
    assert pools.bases.scope.is_settled(*size)
    assert not whole.bases.scope.is_settled(*size)
    quick, slow = pools.pool(*size), whole.pool(*size)
    for other in frontier(slow):
        met = (one for one in quick if one.allgather.weakly_beats(other.allgather))
        assert any(one.exact >= other.exact for one in met), (size, other)
    evaluated = [(one.allgather, one.reduce_scatter) for one in frontier(slow)]
    for one in frontier(quick):
        costs = one.allgather, one.reduce_scatter
        if costs not in evaluated:
            own = tuple(each.cost for each in both_ways(build(one.recipe)))
            assert (own, one.method) == (costs, Method.BFB), (size, one)
    for candidate in slow:
        assert any(other.beats(candidate) for other in quick), (size, candidate)


def test_what_ships_is_what_an_evaluation_would_keep() -> None:
    sizes = [
        (1999, 12, LinkMode.SIMPLEX),
        (727, 12, LinkMode.SIMPLEX),
        (300, 6, LinkMode.SIMPLEX),
        (1307, 10, LinkMode.DUPLEX),
        (1801, 11, LinkMode.DUPLEX),
        (512, 16, LinkMode.DUPLEX),
        (120, 8, LinkMode.SIMPLEX),
        (1024, 3, LinkMode.SIMPLEX),
        (63, 11, LinkMode.DUPLEX),
        (33, 3, LinkMode.DUPLEX),
        (450, 16, LinkMode.SIMPLEX),
        (1782, 11, LinkMode.SIMPLEX),
        (207, 4, LinkMode.SIMPLEX),
        (175, 5, LinkMode.SIMPLEX),
        (614, 5, LinkMode.SIMPLEX),
    ]
    pools, whole = Pools(), EvaluatingPools()
    for size in sizes:
        compare_evaluations(pools, whole, size)


@pytest.mark.slow
@pytest.mark.parametrize(("d", "links"), sorted(searched_ranges()))
def test_at_all_sizes_what_ships_is_what_an_evaluation_would_keep(d: int, links: str) -> None:
    pools, whole = Pools(), EvaluatingPools()
    for n in range(33, 2001):
        compare_evaluations(pools, whole, (n, d, LinkMode(links)))


def test_scopes_with_graphs_of_their_own_are_not_settled() -> None:
    base = Base("K", (5,))
    assert EVERYTHING.is_settled(1000, 8, LinkMode.SIMPLEX)
    for scope in (
        Scope(extra=(base,)),
        Scope(recipes=(base,)),
        Scope(without=frozenset({base})),
        Scope(published=True),
    ):
        assert not scope.is_settled(1000, 8, LinkMode.SIMPLEX)


@pytest.mark.parametrize("links", LinkMode)
def test_whatever_a_source_makes_takes_its_steps(links: LinkMode) -> None:
    met = 0
    for n, d in [*product(range(2, 26), range(1, 7)), (48, 4), (64, 6), (81, 6), (72, 8)]:
        for source in sources(n, d, links):
            for made in filter(None, map(source.grow, POOLS.pool(*source.size))):
                least = evaluate(build(made.recipe)).cost.steps
                assert source.steps <= least <= made.allgather.steps, made
                met += source.steps == least
    assert met > 200


def test_a_one_way_ring_needs_no_graph() -> None:
    for d, m in ((1, 2), (1, 3), (2, 2), (2, 5), (3, 64), (4, 63)):
        [found] = BASES.candidates(Base("UniRing", (d, m)))
        forth, back = BASES.pair(Base("UniRing", (d, m)))
        assert (found.allgather, found.reduce_scatter) == (forth.cost, back.cost)
        facts = (found.line_exact, found.cycle)
        assert facts == (forth.line_exact, forth.cycle) == (back.line_exact, back.cycle)


def test_sizes_that_nothing_reaches_are_empty() -> None:
    assert POOLS.pool(3, 1, LinkMode.DUPLEX) == []


@pytest.mark.usefixtures("unsearched_sizes")
def test_a_recipe_and_method_name_one_candidate() -> None:
    """Bi(L(G)) of 477 nodes has a BFB schedule of 6 steps and one of 7 that takes less bandwidth.

    An expansion of it, with a free port, has two schedules too; that of less bandwidth is named.
    Both are kept where no product is evaluated that costs less.
    """
    pools = Pools(scope=Scope(splits=0))
    inner = [one for one in pools.pool(477, 6, LinkMode.DUPLEX) if str(one.recipe).startswith("Bi")]
    assert len({one.recipe for one in inner}) < len(inner)
    pool = pools.pool(477, 7, LinkMode.DUPLEX)
    names = [(one.recipe, one.method) for one in pool]
    assert len(set(names)) == len(names)
    grown = [one for one in pool if str(inner[0].recipe) in str(one.recipe)]
    assert [one.allgather.steps for one in grown] == [inner[1].allgather.steps]
    for one in pool:
        known = [each for each in predict(one.recipe) if each.method is one.method]
        assert one.method is Method.BFB or one.allgather in [each.allgather for each in known]
