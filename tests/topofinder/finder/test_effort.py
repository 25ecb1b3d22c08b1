"""What an effort adds to a search: nothing is lost, costs are exact, and it is the same again."""

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expansions.build import build
from expansions.parser import parse
from expansions.recipe import Graft
from expansions.size import size
from topofinder.finder import effort_work
from topofinder.finder.base_scope import Scope
from topofinder.finder.effort import (
    Gains,
    climb_ladder,
    find_gains,
    grown_sizes,
    pool_with_gains,
)
from topofinder.finder.effort_work import MORE_WORK, least_time, time_bound, useful_work
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode
from topofinder.model.frontier import frontier
from topofinder.schedules.bfb.evaluation import evaluate

pytestmark = pytest.mark.usefixtures("unsearched_sizes")

SIMPLEX, DUPLEX = LinkMode.SIMPLEX, LinkMode.DUPLEX
PLAIN = Pools()


@settings(max_examples=4)
@given(n=st.integers(4, 80), d=st.integers(2, 6), links=st.sampled_from(LinkMode))
def test_points_are_gained_and_none_is_lost(n: int, d: int, links: LinkMode) -> None:
    plain = PLAIN.pool(n, d, links)
    before = least_time(plain)
    gains = find_gains(n, d, links, 1, [before])
    pool = pool_with_gains(PLAIN, n, d, links, gains)
    after = least_time(pool)
    assert before is not None
    assert after is not None
    assert time_bound(n, d, links) <= after <= before
    for point in frontier(plain):
        assert any(one.allgather.weakly_beats(point.allgather) for one in pool)
    grown = {(size[0], size[1]) for size in grown_sizes(n, d, links)}
    for recipe in (*gains.lifts, *gains.grafts):
        assert size(recipe) in grown
    for one in pool:
        if one.recipe in gains.grafts:
            graph = build(parse(str(one.recipe)))
            back = evaluate(graph.transpose()).cost
            assert (one.allgather, one.reduce_scatter) == (evaluate(graph).cost, back)
            assert links is SIMPLEX or graph.is_bidirectional


@pytest.mark.parametrize(("n", "d", "links"), [(83, 4, SIMPLEX), (71, 4, DUPLEX), (74, 3, DUPLEX)])
def test_grafts_at_awkward_sizes_are_better_and_the_same_again(
    n: int, d: int, links: LinkMode
) -> None:
    pool = PLAIN.pool(n, d, links)
    plain = [one for one in pool if not re.search("Graft|Lift", str(one.recipe))]
    before = least_time(plain)  # without what ships of long searches
    gains = find_gains(n, d, links, 1, [before])
    assert gains.grafts
    if d == 4:  # of both modes one
        assert gains == find_gains(n, d, links, 1, [before])
    after = least_time(pool_with_gains(Pools(), n, d, links, gains))
    assert after == least_time(pool_with_gains(PLAIN, n, d, links, gains))
    assert before is not None
    assert after is not None
    assert after < before


@pytest.mark.parametrize(("n", "d", "most"), [(41, 2, "1.15"), (47, 3, "1.12"), (59, 3, "1.05")])
def test_small_sizes_have_grafts_and_graphs_from_random_starts(n: int, d: int, most: str) -> None:
    """From random starts alone 1.21, 1.14 and 1.20 times the bound are reached there."""
    gains = find_gains(n, d, SIMPLEX, 1)
    after = least_time(pool_with_gains(PLAIN, n, d, SIMPLEX, gains))
    assert after is not None
    assert after <= Fraction(most) * time_bound(n, d, SIMPLEX)
    inner = [one.inner for one in gains.grafts if isinstance(one, Graft)]
    starts = [one for one in inner if str(one).startswith(f"Cay(Z{n};1,2")]
    assert starts
    assert starts != inner


def test_nothing_is_looked_for_where_the_bound_is_met() -> None:
    assert find_gains(64, 4, SIMPLEX, 1, [time_bound(64, 4, SIMPLEX)]) == Gains()
    assert find_gains(10**6, 4, SIMPLEX, 1) == Gains()
    near = time_bound(101, 3, SIMPLEX) * Fraction(105, 100)
    assert find_gains(101, 3, SIMPLEX, 1, [near]) == Gains()
    assert find_gains(101, 3, SIMPLEX, 2, [near]) != Gains()
    assert pool_with_gains(PLAIN, 64, 4, SIMPLEX, Gains()) == PLAIN.pool(64, 4, SIMPLEX)


@pytest.mark.parametrize(
    ("n", "d", "links"),
    [
        pytest.param(34, 2, SIMPLEX, marks=pytest.mark.slow),
        pytest.param(21, 2, SIMPLEX, marks=pytest.mark.slow),
        (23, 3, DUPLEX),
    ],
)
def test_more_effort_never_finds_less_than_the_half_of_it(n: int, d: int, links: LinkMode) -> None:
    before: set[object] = set()
    for effort, gains in climb_ladder(n, d, links, 4):
        found = {*gains.lifts, *gains.grafts}
        assert before < found
        assert find_gains(n, d, links, effort) == gains
        before = found
    assert effort == 4


def test_an_effort_of_one_is_not_done_again_where_its_finds_ship(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert useful_work((101, 3, SIMPLEX), None, 1) > 0
    monkeypatch.setattr(effort_work, "are_finds_shipped", lambda n, d, links: n == 101)
    assert useful_work((101, 3, SIMPLEX), None, 1) == 0
    assert find_gains(101, 3, SIMPLEX, 1) == Gains()
    assert useful_work((101, 3, SIMPLEX), None, 2) > MORE_WORK
    assert useful_work((102, 3, SIMPLEX), None, 1) > 0


def test_hosts_are_split_off_lifts_of_one_host_more() -> None:
    gains = find_gains(53, 3, DUPLEX, 1)
    assert {size(recipe) for recipe in (*gains.lifts, *gains.grafts)} == {(54, 3), (53, 3)}
    plain = least_time(PLAIN.pool(53, 3, DUPLEX))
    after = least_time(pool_with_gains(PLAIN, 53, 3, DUPLEX, gains))
    assert plain is not None
    assert after is not None
    assert after <= plain


def test_sizes_that_take_no_lifts_or_grafts() -> None:
    assert find_gains(5, 1, SIMPLEX, 1) == Gains()
    assert find_gains(4, 6, SIMPLEX, 1) == Gains()
    assert find_gains(101, 13, SIMPLEX, 1) == Gains()
    assert least_time([]) is None


def test_recipes_of_a_scope_count_with_their_own_schedules() -> None:
    graft = parse("Graft(C(16,{3,4});-15.7)")
    pools = Pools(scope=Scope(recipes=(graft,)))
    own = pools.bases.graph(graft)
    assert own in pools.all_candidates(15, 4)
    assert own not in pools.all_candidates(16, 4)
    assert own not in Pools().all_candidates(15, 4)
