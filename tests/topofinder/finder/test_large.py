"""Graphs above the largest size that is built: what is told of them is known, never guessed."""

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import isqrt
from pathlib import Path

import pytest

from db.store import Store
from expansions.build import build
from expansions.cost import Cost
from expansions.parser import parse
from expansions.recipe import Base
from expansions.size import size as size_of
from generators.errors import InvalidInput
from generators.limits import LARGEST_BUILT
from reports.frontier import LeftOut
from reports.pages.markdown import markdown
from reports.recipe import recipe_fields, recipe_text
from reports.size_page import size_document
from tests.command import ran
from topofinder.api import show_records as show
from topofinder.api.report_size import size_report
from topofinder.api.shared import left_out
from topofinder.api.shared.frontiers import search_size
from topofinder.api.sweep import fill_sizes
from topofinder.finder.base_candidates import Bases, evaluate_both
from topofinder.finder.base_scope import Scope, base_properties
from topofinder.finder.enumeration import Pools
from topofinder.finder.prediction import best_known, predict
from topofinder.model.candidate import Candidate, LinkMode, Method
from topofinder.schedules.bfb.evaluation import evaluate


@pytest.mark.parametrize(
    ("text", "links", "steps"),
    [
        ("BiRing(2,70000)", "duplex", 35000),
        ("Torus(300,300)", "duplex", 10),
        ("K(2)^19", "duplex", 5),
        ("UniRing(1,70000)", "simplex", 69999),
        ("L^8(K(4,4))", "simplex", 10),
        ("Bi(L^8(Small(4,16)))", "duplex", 7),
    ],
)
def test_link_modes_and_bounds_of_large_graphs(text: str, links: str, steps: int) -> None:
    found = show.recipe_facts(parse(text))
    assert found.n > LARGEST_BUILT
    assert (found.links, found.bound.steps) == (links, steps)
    assert found.properties["two-way"] is (links == "duplex")
    assert all(found.bound.weakly_beats(row.allgather) for row in found.schedules)


def test_large_graphs_tell_the_same_as_small_ones_of_their_kind() -> None:
    for small, large in [("BiRing(2,7)", "BiRing(2,70000)"), ("Torus(3,4)", "Torus(300,400)")]:
        told = [show.recipe_facts(parse(text)) for text in (small, large)]
        assert told[0].links == told[1].links
        assert told[0].properties == told[1].properties


def test_what_no_theorem_tells_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    known = show.properties(parse("BiRing(2,70000)"))
    monkeypatch.setattr(show, "properties", lambda recipe: replace(known, bidirectional=None))
    found = show.recipe_facts(parse("BiRing(2,70000)"))
    assert found.bound == Cost(16, Fraction(69999, 70000))  # of digraphs, which holds anyhow
    printed = recipe_fields(found)
    assert printed["links"] is None
    assert printed["properties"]["two-way"] is None
    lines = recipe_text(found).splitlines()
    assert lines[1].endswith("diameter 35000, links unknown")
    assert "two-way: unknown" in lines[2]


@pytest.mark.parametrize(("n", "d"), [(65538, 3), (70000, 2), (70000, 4)])
def test_searches_above_the_limit_answer_by_theorems(n: int, d: int) -> None:
    members = search_size(n, d).frontier.members
    assert members[-1].bandwidth_optimal
    for row in members:
        assert row.allgather in [one.allgather for one in best_known(parse(row.recipe))]


def test_the_largest_size_has_an_answer() -> None:
    first, *_, last = search_size(1 << 20, 4).frontier.members
    assert first.allgather.steps == 10
    assert last.allgather == Cost(28, Fraction((1 << 20) - 1, 1 << 20))


def test_left_out_base_graphs_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["search", "--n", 1 << 17, "--d", 2, "--db", ":memory:"]
    found = json.loads(ran(capsys, *command, "--json").out)["left_out"]
    assert found == {
        "count": 3,
        "reason": "too large to evaluate, and no theorem gives the cost",
        "recipes": ["DBJ(2,17)", "DBJ(2,16)", "DBJ(2,15)"],
    }
    last = ran(capsys, *command).out.splitlines()[-1]
    assert last == (
        "Left out: 3 base graphs, such as DBJ(2,17) "
        "(too large to evaluate, and no theorem gives the cost)"
    )


def test_nothing_is_left_out_of_small_searches(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["search", "--n", 64, "--d", 4, "--db", ":memory:"]
    found = json.loads(ran(capsys, *command, "--json").out)["left_out"]
    assert found == {"count": 0, "reason": None, "recipes": []}
    assert "Left out" not in ran(capsys, *command).out


def test_an_answer_does_not_depend_on_what_is_stored(tmp_path: Path) -> None:
    fresh = search_size(65538, 3)
    path = tmp_path / "stored.db"
    search_size(
        65538 // 3, 3, db=path
    )  # of its own, with the base graph that the larger one leaves out
    assert search_size(65538, 3, db=path) == fresh
    assert search_size(65538, 3, db=path) == fresh


def test_half_answers_of_middle_sizes_are_not_stored(tmp_path: Path) -> None:
    path = tmp_path / "stored.db"
    assert fill_sizes([(65538, 3)], "simplex", path, jobs=1) == 1
    with Store(path) as store:
        assert store.frontier(65538 // 9, 3, "simplex") is not None
        assert store.frontier(65538 // 3, 3, "simplex") is None


def test_sweeps_over_the_limit_store_every_size(tmp_path: Path) -> None:
    path = tmp_path / "swept.db"
    assert fill_sizes([(n, 3) for n in range(65537, 65541)], "simplex", path, jobs=1) == 4
    with Store(path) as store:
        assert {(n, 3) for n in range(65537, 65541)} <= store.finished_sizes("simplex", pooled=True)


def test_sizes_that_nobody_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="n: a fabric has 2 to 1000000000 hosts, not 1000000001"):
        search_size(10**9 + 1, 4)
    with pytest.raises(InvalidInput, match="n: a fabric has 2 to 1048576 hosts, not 1048577"):
        fill_sizes([(2**20 + 1, 4)], "simplex", tmp_path / "none.db")


@pytest.mark.parametrize(
    ("n", "d", "points"),
    [
        (10**6, 4, [(10, "1.3333"), (23, "1.00001"), (26, "0.999999")]),
        (10**5, 8, [(6, "1.143"), (10, "0.99999")]),
        (2**20, 4, [(10, "1.0834"), (11, "1.0004"), (124, "1")]),
        (10**9, 8, [(10, "1.23"), (27, "0.999999999")]),
    ],
)
def test_frontiers_of_large_sizes(n: int, d: int, points: list[tuple[int, str]]) -> None:
    members = search_size(n, d).frontier.members
    for steps, bandwidth in points:
        asked = Cost(steps, Fraction(bandwidth))
        assert any(row.allgather.weakly_beats(asked) for row in members), asked


LARGE = [*range(70_001, 70_008), 10**5, 120_120, 2**17 + 1, 3**11, 499_999, 10**6, 2**20]
"""And beyond what can be built: see `compositions`."""


@pytest.mark.parametrize("n", [*LARGE, 2**20 + 7, 10**7, 7**9, 2**27, 5**12, 10**9])
def test_never_worse_than_what_composition_gives(n: int) -> None:
    pools = Pools()
    members = pools.pool(n, 4)
    for steps, bandwidth in compositions(pools, n, 4):
        assert any(row.allgather.weakly_beats(Cost(steps, bandwidth)) for row in members)


def compositions(pools: Pools, n: int, d: int) -> Iterator[tuple[int, Fraction]]:
    """The costs of line graphs (theorem 10), and of products and powers of tori (theorem 13)."""
    for row in pools.pool(n // d, d) if n % d == 0 else ():
        yield row.allgather.steps + 1, row.allgather.bandwidth + Fraction(1, n // d)
    least = Fraction(n - 1, n)
    root = isqrt(n)
    if root * root == n:
        for row in pools.pool(root, d // 2):
            if row.product_ready:
                yield 2 * row.allgather.steps, least
    for width in range(2, 200):
        if n % width == 0 and n // width > 2:
            yield width - 1 + (n // width - 1), least  # two one-way rings, each two arcs a hop
            if width > 2:
                yield width // 2 + (n // width) // 2, least


LOW = Scope(largest_built=24, large_work=11 * 11 * 4)
"""As if no more than 24 nodes could be built, and 12 of degree 4 were heavy."""


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_bounds_stand_in_for_kautz_graphs_that_take_long(d: int) -> None:
    bases = Bases(replace(LOW, kautz_work=0))
    for n in range(25, 61):
        for text in ("Pi({},{})", "L(Pi({},{}))", "T(Pi({},{}))", "Pi({},{})||2"):
            found = predict(parse(text.format(d, n)), bases)
            assert found
            for candidate in found:
                assert not candidate.exact
                confirm(candidate)


@pytest.mark.parametrize("links", LinkMode)
@pytest.mark.parametrize("d", [2, 3, 4])
def test_candidates_of_a_large_search_cost_what_it_says(d: int, links: LinkMode) -> None:
    pools = Pools(scope=LOW)
    for n in range(25, 73):
        for candidate in pools.pool(n, d, links):
            confirm(candidate)


def confirm(candidate: Candidate) -> None:
    topology = build(candidate.recipe)
    for cost, graph in (
        (candidate.allgather, topology),
        (candidate.reduce_scatter, topology.transpose()),
    ):
        found = evaluate(graph).cost
        assert cost.steps >= found.steps
        if candidate.method is Method.BFB:
            assert not candidate.exact or cost.steps == found.steps
            assert cost.bandwidth >= found.bandwidth
            assert not candidate.exact or cost.bandwidth == found.bandwidth


@pytest.mark.parametrize("links", LinkMode)
@pytest.mark.parametrize("d", [2, 3, 4])
def test_what_a_large_search_lacks_is_told(
    d: int, links: LinkMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    considered: list[Base] = []
    candidates = Bases.candidates

    def recorded(self: Bases, base: Base) -> list[Candidate]:
        considered.append(base)
        return candidates(self, base)

    monkeypatch.setattr(Bases, "candidates", recorded)
    sizes, whole = range(25, 61), []
    for n in sizes:
        considered.clear()
        Pools().pool(n, d, links)
        whole.append(set(considered))
    for n, wanted in zip(sizes, whole, strict=True):
        considered.clear()
        Pools(scope=LOW).pool(n, d, links)
        told = set(left_out.left_out(n, d, links, LOW))
        assert not told & set(considered)
        lacking = {base for base in wanted - set(considered) if base_properties(base).simple}
        assert lacking <= told
        assert not any(LOW.is_light(*size_of(base)) for base in told)


def test_a_report_tells_what_is_left_out(tmp_path: Path) -> None:
    page = markdown(size_document(size_report(1 << 17, 2, db=tmp_path / "t.db")))
    told = LeftOut(recipes=tuple(map(str, left_out.left_out(1 << 17, 2, LinkMode.SIMPLEX)))).words
    assert told.startswith("Left out: ")
    assert f"{told}." in page
    assert "Left out" not in markdown(size_document(size_report(16, 4)))


@pytest.mark.parametrize("text", ["Pi(2,2100)", "Pi(4,2503)", "Pi(8,4096)"])
def test_generalized_kautz_graphs_beyond_numpy_are_costed_as_their_graphs_are(text: str) -> None:
    base = parse(text)
    found, graphs = Bases().pair(base), evaluate_both(base)
    for one, other in zip(found, graphs, strict=True):
        assert (one.loads, one.line_exact, one.cycle) == (
            other.loads,
            other.line_exact,
            other.cycle,
        )
