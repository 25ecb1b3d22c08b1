"""Every N and d has an answer: labs of 2 to 16 hosts with 1 to 6 cables, in both link modes."""

import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from expansions.build import build
from expansions.cost import Cost
from expansions.recipe import Base
from tests.command import ran
from topofinder.api.search import search
from topofinder.finder.base_candidates import Bases
from topofinder.finder.base_scope import EVERYTHING, Scope
from topofinder.finder.enumeration import Pools
from topofinder.finder.odd_sizes import split_off_candidates
from topofinder.model.candidate import LinkMode, cost_lower_bound, quickest_lower_bound
from topofinder.model.frontier import frontier

POOLS = Pools()


@pytest.mark.parametrize("links", LinkMode)
@pytest.mark.parametrize("d", range(1, 7))
def test_all_labs_are_answered_with_their_gap(d: int, links: LinkMode) -> None:
    for n in range(2, 17):
        if links is LinkMode.DUPLEX and d == 1 and n > 2:
            continue
        found = search(n, d, links)
        assert found.members
        assert found.bound == cost_lower_bound(n, d, links)
        told, gap = str(found), found.to_dict()["gap"]
        assert "\nGap to the bounds (" in told
        odd = links is LinkMode.DUPLEX and n * d % 2 == 1
        assert ("One host has a port left free" in told) == odd
        assert found.to_dict()["free_ports"] == odd
        assert gap["steps"] == 0
        if (n, d, links) != (4, 5, LinkMode.DUPLEX):
            assert gap["bandwidth"] == "0"


@pytest.mark.parametrize("links", LinkMode)
@pytest.mark.parametrize("n", [2, 3, 4, 5, 9, 15])
def test_members_are_graphs_of_the_size(n: int, links: LinkMode) -> None:
    for d in range(2, 10):
        for candidate in frontier(POOLS.pool(n, d, links)):
            graph = build(candidate.recipe)
            assert (graph.n, graph.degree) == (n, d)
            assert links is LinkMode.SIMPLEX or graph.is_bidirectional
            ports = n * d - (links is LinkMode.DUPLEX and n * d % 2)
            assert graph.arcs == ports


def test_in_one_step_nothing_is_cheaper_than_a_complete_multigraph() -> None:
    for n in range(3, 9):
        for d in range(n - 1, 14):
            best = frontier(POOLS.pool(n, d, LinkMode.SIMPLEX))[0].allgather
            assert best.steps == 1
            assert best.bandwidth * n * (d // (n - 1)) == d


@pytest.mark.parametrize(("n", "d"), [(101, 3), (255, 5), (1001, 3), (20001, 3), (99999, 5)])
def test_odd_sizes_have_a_bandwidth_optimal_answer(n: int, d: int) -> None:
    best = frontier(POOLS.pool(n, d, LinkMode.DUPLEX))
    assert best[-1].allgather.bandwidth == cost_lower_bound(n, d, LinkMode.DUPLEX).bandwidth
    assert best[-1].bandwidth_optimal


@pytest.mark.parametrize(("n", "d"), [(2001, 3), (8009, 3), (2003, 5), (2011, 9)])
def test_odd_sizes_above_2000_hosts_have_an_answer_of_few_steps(n: int, d: int) -> None:
    pool = POOLS.pool(n, d, LinkMode.DUPLEX)
    assert pool[0].allgather.steps <= 2 * cost_lower_bound(n, d, LinkMode.DUPLEX).steps


class Splitting(Scope):
    """All that ships, and nodes split off at every size."""

    def splits_off(self, n: int, d: int, links: LinkMode) -> bool:
        return True


@pytest.mark.parametrize(("n", "d"), [(67, 3), (65, 5), (173, 7), (333, 5), (301, 9)])
def test_where_finds_ship_nothing_is_missed_by_splitting_nothing_off(n: int, d: int) -> None:
    shipped = [one.allgather for one in frontier(Pools().pool(n, d, LinkMode.DUPLEX))]
    split = [
        one.allgather for one in frontier(Pools(scope=Splitting()).pool(n, d, LinkMode.DUPLEX))
    ]
    assert all(any(one.weakly_beats(other) for one in shipped) for other in split)
    assert not EVERYTHING.splits_off(n, d, LinkMode.DUPLEX)


def test_a_node_is_split_off_of_graphs_that_a_search_has_beside() -> None:
    scope = Scope(extra=(Base("Cay", ("Z102", 1, 51, 101)),))
    assert scope.splits_off(101, 3, LinkMode.DUPLEX)
    assert not Scope(published=True).splits_off(10**5 + 1, 3, LinkMode.DUPLEX)


def test_splitting_off_of_what_takes_many_steps_is_left_out() -> None:
    bases = Bases()
    [torus] = bases.candidates(Base("Torus", (2, 1501)))
    [chords] = bases.candidates(Base("Chords", (3002, 3)))
    assert list(split_off_candidates(3001, 3, lambda: [torus], bases)) == []
    found = list(split_off_candidates(3001, 3, lambda: [torus, chords], bases))
    assert found
    assert all("Chords" in str(one.recipe) for one in found)


def test_a_matching_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    size = ("search", "--d", 1, "--links", "duplex", "--db", tmp_path / "a.db", "--json", "--n")
    found = ran(capsys, *size, 2)
    assert json.loads(found.out)["frontier"][0]["recipe"] == "K(2)"
    line = "topofinder: d: one two-way circuit a host is a matching, which connects no 5\n"
    assert ran(capsys, *size, 5) == (2, "", line)


@pytest.mark.parametrize("links", LinkMode)
@pytest.mark.parametrize("d", [*range(2, 13), 16])
def test_hosts_that_one_step_may_reach_have_the_least_time_at_every_size(
    d: int, links: LinkMode
) -> None:
    for n, weight in product(range(2, d + 2), map(Fraction, ("0.1", "1", "8.4", "100"))):
        least = time_of(quickest_lower_bound(n, d, links, weight), weight)
        pool = POOLS.pool(n, d, links)
        assert min(time_of(one.allgather, weight) for one in pool) == least
        assert min(time_of(one.reduce_scatter, weight) for one in pool) == least


def time_of(cost: Cost, weight: Fraction) -> Fraction:
    return cost.steps + weight * cost.bandwidth
