"""The tool that goes through all sizes: what it keeps, and that it ships what it found."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from db.rows import CandidateRow
from db.store import Store
from expansions.parser import parse
from expansions.searched_graphs import searched_graphs
from generators.searched_graphs import all_searched_lines
from tools import search_all_sizes as tool
from tools.find_lifts import LiftSize
from topofinder.finder.deferrals import evaluate_deferred
from topofinder.model.candidate import LinkMode, Method

SIMPLEX = LinkMode.SIMPLEX


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("sizes") / "all.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tool, "empty_searched_sizes", lambda: None)
        tool.search(db, tool.row_sizes(["simplex13"], 16), jobs=1)
    return db


def test_every_size_is_gone_through_with_an_effort(searched: Path) -> None:
    with Store(searched, create=False) as store:
        assert store.finished_sizes("simplex", effort=1) == {(n, 13) for n in range(2, 17)}


def test_single_sizes_are_gone_through_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = tmp_path / "two.db"
    asked = ["search", "--db", str(db), "--jobs", "1", "--sizes", "14,13", "12,3,duplex"]
    monkeypatch.setattr("sys.argv", ["search_all_sizes", *asked])
    monkeypatch.setattr(tool, "empty_searched_sizes", lambda: None)
    tool.main()
    with Store(db, create=False) as store:
        assert store.finished_sizes("simplex", effort=1) == {(14, 13)}
        assert store.finished_sizes("duplex", effort=1) == {(12, 3)}


def test_what_is_found_has_new_graphs_of_the_frontier_alone(searched: Path) -> None:
    finds = {find.size: find for find in tool.finds_in(searched)}
    assert set(finds) == {LiftSize(n, 13, SIMPLEX) for n in range(2, 17)}
    for find in finds.values():
        assert not any(tool.is_shipped(recipe) for recipe in find.graphs)
        for one in find.deferred:
            found = evaluate_deferred(one.recipe)
            assert (found.allgather, found.reduce_scatter) == (one.forth, one.back)
            assert found.method is Method.DEFERRED


def row(recipe: str, method: str, steps: int, bandwidth: str) -> CandidateRow:
    cost = Fraction(bandwidth)
    return CandidateRow(
        recipe=recipe, links="simplex", method=method, n=31, d=4, steps=steps, bandwidth=cost,
        rs_steps=steps, rs_bandwidth=cost, engine=1,
    )  # fmt: skip


def test_the_quickest_and_what_takes_little_bandwidth_in_few_steps_are_chosen() -> None:
    graft, other = "Graft(L(K(4,4));-3.7)", "Graft(L(K(4,4));-3.8)"
    pool = [
        row(graft, "bfb", 3, "5/4"),
        row(f"T({graft})", "deferred", 3, "1"),
        row("Pi(4,31)", "bfb", 3, "4/3"),
        row(other, "bfb", 5, "30/31"),
        row("UniRing(4,31)", "bfb", 30, "29/31"),
    ]
    found = tool.choose_finds(LiftSize(31, 4, SIMPLEX), pool)
    assert found.graphs == (parse(graft), parse(other))
    [one] = found.deferred
    assert (str(one.recipe), one.forth.steps, one.back.bandwidth) == (f"T({graft})", 3, 1)


def test_what_is_collected_is_added_to_what_ships(searched: Path, tmp_path: Path) -> None:
    tool.collect([searched], tmp_path)
    lines = (tmp_path / "searched_graphs.txt").read_text().splitlines()
    shipped = set(all_searched_lines())
    new = [line for line in lines if line not in shipped]
    assert sorted(set(lines) - set(new)) == sorted(shipped)
    finds = list(tool.finds_in(searched))
    assert {line.split(" ", 8)[-1] for line in new} == {str(r) for f in finds for r in f.graphs}
    assert "simplex 13 2-16" in (tmp_path / "searched_sizes.txt").read_text().splitlines()
    costs = (tmp_path / "deferred_costs.txt").read_text().splitlines()
    ours = [line for line in costs if line.startswith("13 ") and int(line.split(" ")[1]) < 17]
    assert len(ours) == sum(len(find.deferred) for find in finds)


def test_all_that_is_split_off_is_chosen_whatever_it_costs() -> None:
    texts = "Chords(66,3)", "SplitOff(Chords(66,3),1)", "SplitOff(Chords(66,3),2)"
    rows = [row(text, "bfb", steps, "3/2") for text, steps in zip(texts, (5, 8, 30), strict=True)]
    found = tool.choose_finds(LiftSize(65, 3, LinkMode.DUPLEX), rows)
    assert found.graphs == tuple(map(parse, texts[1:]))


def test_another_pairing_is_taken_where_one_makes_parallel_links() -> None:
    graph = "Cay(Z163:Z6[59];148,297,421,452,519,741,893)"
    doubled = row(f"SplitOff({graph},42)", "bfb", 6, "3449/2931")
    assert not tool.has_plain_links(parse(doubled.recipe))
    found = tool.split_with_plain_links(replace(doubled, d=7))
    assert found == parse(f"SplitOff({graph},5)")
    small = row("SplitOff(K(4),1)", "bfb", 2, "4/3")
    assert tool.split_with_plain_links(replace(small, d=3)) == parse(small.recipe)


def test_sizes_whose_best_graph_cannot_ship_are_looked_through_again(
    searched: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nodes of a complete graph have neighbours that are neighbours: pairs of them are doubled."""
    size = LiftSize(971, 11, LinkMode.DUPLEX)
    text = "SplitOff(K(2) x K(3) x Cay(Z27:Z6[8];22,26,34,99,111,122,146,154),0)"
    best = replace(row(text, "bfb", 5, "10736/9710"), d=11, n=971)
    monkeypatch.setattr(tool, "split_with_plain_links", lambda one: parse(one.recipe))
    found = tool.choose_finds(size, [best])
    assert (found.graphs, found.whole) == ((), False)
    monkeypatch.setattr(tool, "finds_in", lambda db: iter((found,)))
    monkeypatch.setattr(tool.searched_sizes, "all_sizes", lambda: iter(()))
    tool.collect([searched], tmp_path)
    assert (tmp_path / "searched_sizes.txt").read_text() == ""


def test_a_matching_that_a_search_drops_ships_whole() -> None:
    """With ten two-way ports a graph may be worth less than another; with a matching it is not."""
    size = LiftSize(707, 11, LinkMode.DUPLEX)
    lift = searched_graphs(707, 5, "simplex")[0]
    dropped, kept = f"Match(Bi(T({lift})))", "Match(C(707,{203,305,320,332,334}))"
    assert tool.is_shipped(parse(dropped))
    assert not tool.is_found_again(parse(dropped), size)
    assert tool.is_found_again(parse(kept), size)
    rows = [row(dropped, "bfb", 4, "11/10"), row(kept, "bfb", 5, "7766/7070")]
    found = tool.choose_finds(size, [replace(one, d=11, n=707) for one in rows])
    assert (found.graphs, found.whole) == ((parse(dropped),), True)


def test_costs_are_named_anew_by_digest_once_their_graph_ships(
    searched: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = "2 31 simplex 5 1 5 1 Pi(2,31)"
    monkeypatch.setattr(tool.deferred_costs, "all_deferred_lines", lambda: [line])
    monkeypatch.setattr(
        tool.searched_graphs,
        "all_searched_lines",
        lambda: ["0123abcd 2 31 simplex 2 = 0 1 Pi(2,31)"],
    )
    monkeypatch.setattr(tool, "finds_in", lambda db: iter(()))
    tool.collect([searched], tmp_path)
    [found] = (tmp_path / "deferred_costs.txt").read_text().splitlines()
    assert found == "2 31 simplex 5 1 5 1 #0123abcd"


@pytest.mark.parametrize(
    ("text", "shipped"),
    [
        ("K(4) x K(3)", True),
        ("Diamond", True),
        ("L(Cay(Z17;1,3))", True),
        ("L(Cay(Z17;1,4))", False),
        ("Lift(Z5;0:1,1:0|1:2)", False),
        ("T(Graft(L(K(4,4));-3.7))", False),
        ("Graft(Cay(Z8.Z2[3|4];2,9);+13.29)", True),
        ("SplitOff(K(4),1)", False),
    ],
)
def test_a_graph_ships_if_all_that_it_is_made_of_does(text: str, shipped: bool) -> None:
    assert tool.is_shipped(parse(text)) == shipped
