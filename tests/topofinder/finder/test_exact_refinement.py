"""What is evaluated in passing: nothing that could better the pool is left out."""

from collections.abc import Sequence

import networkx
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.formats.graphs import to_networkx
from tools.evaluate_all_sizes import EvaluatingScope
from topofinder.finder import exact_refinement
from topofinder.finder.base_candidates import both_ways
from topofinder.finder.candidate_maps import parallel, two_way
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import Candidate, LinkMode

SIZES_OF_TWINS = [(60, 6), (96, 4), (120, 6), (240, 2), (162, 3)]
SIZES = [(n, d) for n in (31, 48, 61, 99, 113, 144, 177) for d in (4, 8)]


@pytest.mark.parametrize("links", LinkMode)
def test_what_few_receivers_rule_out_is_of_no_use(
    links: LinkMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    shortened = Pools(scope=EvaluatingScope())
    pools = [shortened.pool(n, d, links) for n, d in SIZES]
    ruled_out: list[Candidate] = []
    shorten = exact_refinement._is_beaten

    def evaluate_all(least: Candidate, kept: Sequence[Candidate]) -> bool:
        if shorten(least, kept):
            ruled_out.append(least)
        return False

    monkeypatch.setattr(exact_refinement, "_is_beaten", evaluate_all)
    whole = Pools(scope=EvaluatingScope())
    assert [whole.pool(n, d, links) for n, d in SIZES] == pools
    assert ruled_out


@pytest.mark.parametrize("links", LinkMode)
def test_a_graph_is_never_fit_for_more_than_one_node_leaves_it(links: LinkMode) -> None:
    pools = Pools(scope=EvaluatingScope())
    seen = {one for n, d in SIZES for one in pools.all_candidates(n, d, links) if n <= 64}
    assert len(seen) > 40
    for candidate in seen:
        topology = build(candidate.recipe)
        steps = exact_refinement.hops_to_farthest(topology)
        far = networkx.single_source_shortest_path_length(to_networkx(topology), 0)
        assert steps == max(far.values())
        ideal = exact_refinement._ideal_evaluation(candidate, steps)
        least = exact_refinement.evaluate_exactly(candidate, (ideal, ideal))
        pair = both_ways(topology, candidate.symmetric)
        found = exact_refinement.evaluate_exactly(candidate, pair)
        assert least.allgather.weakly_beats(found.allgather)
        assert least.reduce_scatter.weakly_beats(found.reduce_scatter)
        assert least.turnable
        assert least.product_ready >= found.product_ready
        assert least.line_open >= found.line_open


@pytest.mark.parametrize("links", LinkMode)
def test_line_graphs_and_least_steps_leave_pools_as_whole_graphs_do(
    links: LinkMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    ruled_out: list[Candidate] = []
    is_too_slow = exact_refinement._takes_too_many_steps

    def note(candidate: Candidate, kept: Sequence[Candidate]) -> bool:
        if is_too_slow(candidate, kept):
            ruled_out.append(candidate)
        return candidate in ruled_out

    monkeypatch.setattr(exact_refinement, "kernels_are_loaded", lambda: True)
    monkeypatch.setattr(exact_refinement, "_takes_too_many_steps", note)
    shortened = Pools(scope=EvaluatingScope())
    pools = [shortened.pool(n, d, links) for n, d in SIZES]
    monkeypatch.setattr(exact_refinement, "kernels_are_loaded", lambda: False)
    whole = Pools(scope=EvaluatingScope())
    assert [whole.pool(n, d, links) for n, d in SIZES] == pools
    assert ruled_out or links is LinkMode.DUPLEX


def test_parallel_links_of_two_way_graphs_are_reached_by_one_way_alone() -> None:
    inner = Pools(scope=EvaluatingScope()).pool(7, 2)[0]
    assert two_way(parallel(inner, 2)) is None
    outer = two_way(inner)
    assert outer is not None
    assert parallel(outer, 2).recipe == parse(f"Bi({inner.recipe})||2")


def test_twins_are_evaluated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of one graph share an evaluation, and each keeps its place in the pool."""
    asked: list[Candidate] = []
    evaluate = exact_refinement._pair_unless_hopeless

    def note(candidate: Candidate, kept: Sequence[Candidate], below: int | None) -> object:
        asked.append(candidate)
        return evaluate(candidate, kept, below)

    monkeypatch.setattr(exact_refinement, "_pair_unless_hopeless", note)
    once = [Pools(scope=EvaluatingScope()).pool(n, d) for n, d in SIZES_OF_TWINS]
    evaluated = len(asked)
    monkeypatch.setattr(exact_refinement, "plain_twin", lambda recipe: recipe)
    assert [Pools(scope=EvaluatingScope()).pool(n, d) for n, d in SIZES_OF_TWINS] == once
    assert len(asked) - evaluated > evaluated


def test_line_graphs_of_rings_are_costed_as_their_graphs_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pools = [Pools(scope=EvaluatingScope()).pool(n, d) for n, d in SIZES_OF_TWINS]
    monkeypatch.setattr(exact_refinement, "read_ring_lines", lambda recipe: None)
    assert [Pools(scope=EvaluatingScope()).pool(n, d) for n, d in SIZES_OF_TWINS] == pools
