"""Searches: what they reach, resuming, determinism, proofs, and what is refused."""

from fractions import Fraction
from pathlib import Path

import pytest

from db.store import Store
from expansions.build import build
from expansions.cost import Cost
from expansions.parser import parse
from generators.errors import InvalidInput
from topofinder.api import discover_session as sessions
from topofinder.api.discover import discover
from topofinder.api.discover_known import known_rows, stored_rows
from topofinder.api.discover_limits import SearchLimits
from topofinder.api.discover_session import DiscoverySession, discovery_session
from topofinder.api.discover_waves import SizeSearch, search_in_waves
from topofinder.api.shared.frontiers import search_size
from topofinder.discovery.goal import SearchGoal
from topofinder.discovery.results import Unproved, prove_costs
from topofinder.model.candidate import LinkMode
from topofinder.schedules.bfb.evaluation import evaluate


def searched(
    n: int, d: int, trials: int | None, db: Path | None = None, jobs: int = 1, **wishes: object
) -> DiscoverySession:
    """A search for Cayley digraphs alone, which knows of no other graphs."""
    asked = discovery_session(n, d, **wishes)  # type: ignore[arg-type]
    with Store(db or ":memory:") as store:
        size = SizeSearch(asked.goal, [], [asked])
        search_in_waves(store, [size], SearchLimits(trials=trials), jobs=jobs)
    return asked


def costs(found: DiscoverySession) -> list[tuple[int, Fraction]]:
    return [(row.steps, row.bandwidth) for row in found.rows]


@pytest.mark.parametrize(
    ("n", "d", "links", "best"),
    [
        (16, 4, "simplex", [(2, Fraction(1)), (3, Fraction(15, 16))]),
        (32, 4, "simplex", [(3, Fraction(31, 32))]),
        (64, 4, "simplex", [(3, Fraction(17, 16)), (4, Fraction(63, 64))]),
        (32, 8, "simplex", [(2, Fraction(31, 32))]),
        (64, 8, "simplex", [(3, Fraction(63, 64))]),
        (32, 4, "duplex", [(4, Fraction(31, 32))]),
    ],
)
def test_small_sizes_reach_what_is_known(
    n: int, d: int, links: str, best: list[tuple[int, Fraction]]
) -> None:
    found = searched(n, d, 400_000, links=links)
    reached = [Cost(*cost) for cost in costs(found)]
    for cost in best:
        assert any(one.weakly_beats(Cost(*cost)) for one in reached), (reached, cost)
    for row in found.rows:
        graph = build(parse(row.recipe))
        assert evaluate(graph).cost == row.allgather
        assert evaluate(graph.transpose()).cost == row.reduce_scatter
        assert links == "simplex" or graph.is_bidirectional


def test_both_ways_are_bandwidth_optimal_at_128() -> None:
    found = searched(128, 4, 400_000, both=True)
    (best,) = [row for row in found.rows if row.bandwidth == row.rs_bandwidth == Fraction(127, 128)]
    assert best.steps == 4


def test_a_search_that_goes_on_does_what_an_unbroken_one_does(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.db", tmp_path / "parts.db"
    searched(60, 3, 600_000, whole)
    for _ in range(4):
        searched(60, 3, 150_000, parts)
    with Store(whole) as one, Store(parts) as other:
        legs, same = (s.legs(60, 3, "simplex", False, 0) for s in (one, other))
        assert set(legs) <= set(same)
        assert all(same[place] == judged for place, judged in legs.items())
        found = {row.allgather for row in one.finds(n=60)}
        assert found <= {row.allgather for row in other.finds(n=60)}


def test_trials_and_seed_fix_the_outcome_whatever_the_jobs(tmp_path: Path) -> None:
    found = [searched(48, 3, 200_000, seed=5, jobs=jobs) for jobs in (1, 1, 2)]
    assert found[0].rows == found[1].rows == found[2].rows
    assert found[0].judged == found[1].judged == found[2].judged
    assert {row.seed for row in searched(16, 4, 1000, seed=5).rows} == {5}


def test_a_size_with_few_lists_is_searched_to_the_end() -> None:
    found = searched(6, 2, None)
    assert found.judged == 2 * 15 + 3, "both groups of order 6, and Z3 for its line graphs"
    assert [(row.steps, str(row.bandwidth)) for row in found.rows] == [(2, "1"), (3, "5/6")]


def test_one_group_alone_can_be_searched() -> None:
    found = searched(64, 4, 10_000, group=" Z16 : Z4[3]")
    assert {row.recipe.split(";")[0] for row in found.rows} == {"Cay(Z16:Z4[3]"}


def test_what_cannot_be_proved_stops_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unproved, match=r"evaluation gives 3, 15/16, the search 3, 1"):
        prove_costs("Cay(Z8:Z2[3];1,2,4,6)", Cost(3, Fraction(1)), Cost(3, Fraction(15, 16)))
    with pytest.raises(Unproved, match="breadth-first search gives 3"):
        prove_costs("Cay(Z8:Z2[3];1,2,4,6)", Cost(2, Fraction(15, 16)), Cost(3, Fraction(15, 16)))

    def doubt(recipe: str, forth: Cost, back: Cost) -> None:
        raise Unproved(recipe)

    monkeypatch.setattr(sessions, "prove_costs", doubt)
    with pytest.raises(Unproved):
        searched(16, 4, 10_000)


@pytest.mark.parametrize(
    ("wishes", "line"),
    [
        ({"n": 2, "d": 2}, "n: 3 to 8192 hosts are searched, not 2"),
        ({"n": 9000, "d": 2}, "n: 3 to 8192 hosts are searched, not 9000"),
        ({"n": 16, "d": 1}, "d: 2 to 12 ports are searched, not 1"),
        ({"n": 16, "d": 13}, "d: 2 to 12 ports are searched, not 13"),
        ({"n": 16, "d": 4, "links": "both"}, "links: simplex or duplex, not 'both'"),
        ({"n": 16, "d": 4, "seed": -1}, "seed: 0 to 2**63 - 1, not -1"),
        ({"n": 16, "d": 4, "jobs": 0}, "jobs: 1 to 1024 threads, or -1 for all cores, not 0"),
        ({"n": 16, "d": 4, "group": "Z8"}, "group: Z8 has 8 elements, not 16"),
    ],
)
def test_bad_input_is_refused_in_one_line(wishes: dict[str, object], line: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        discover(**wishes)  # type: ignore[arg-type]
    assert str(refused.value) == line


@pytest.mark.parametrize(
    ("limit", "line"), [("seconds", "time: more than"), ("trials", "trials: 1")]
)
def test_limits_are_positive(limit: str, line: str) -> None:
    with pytest.raises(InvalidInput, match=line):
        SearchLimits(**{limit: 0})  # type: ignore[arg-type]


def test_two_way_searches_find_two_way_graphs() -> None:
    found = searched(20, 3, 50_000, links=LinkMode.DUPLEX)
    assert found.rows
    assert all(build(parse(row.recipe)).is_bidirectional for row in found.rows)


def test_more_ports_than_other_hosts_take_parallel_links() -> None:
    found = searched(4, 6, 10_000)
    assert costs(found) == [(1, Fraction(3, 4))]
    assert build(parse(found.rows[0].recipe)).degree == 6


def test_the_catalogue_is_where_a_search_starts(tmp_path: Path) -> None:
    found = searched(1024, 4, 1)
    (best,) = [row for row in found.rows if row.bandwidth == Fraction(1023, 1024)]
    assert (best.steps, best.seed) == (6, 1)
    (one,) = [row for row in found.rows if row.recipe == "Cay(Z64:Z16[3];106,107,952,977)"]
    assert one == best


def test_cayley_digraphs_of_a_stored_search_are_known(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    pool = search_size(17, 2, db=file).pool or ()
    with Store(file) as store:
        stored = {row.recipe: row.allgather for row in stored_rows(SearchGoal(n=17, d=2), store)}
        other = known_rows(SearchGoal(n=17, d=2), store, "Z5")
    assert stored == {row.recipe: row.allgather for row in pool if row.recipe.startswith("Cay(")}
    assert stored["Cay(Z17;1,3)"].steps == 6
    assert not other


def test_shipped_costs_are_those_of_the_graphs() -> None:
    with Store(":memory:") as store:
        for n, d, links in ((20, 3, LinkMode.SIMPLEX), (20, 3, LinkMode.DUPLEX)):
            rows = known_rows(SearchGoal(n=n, d=d, links=links), store)
            assert rows
            for row in rows:
                prove_costs(row.recipe, row.allgather, row.reduce_scatter)
                assert links is LinkMode.SIMPLEX or build(parse(row.recipe)).is_bidirectional
