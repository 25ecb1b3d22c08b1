"""Discoveries of lifts and grafts: what they beat, resuming, determinism, and who uses them."""

import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import networkx as nx
import pytest

from db.discovery_rows import FindRow
from db.store import Store
from expansions.build import build
from expansions.cost import Cost
from expansions.parser import parse
from generators.errors import InvalidInput
from tests.command import ran
from topofinder import discover, discover_range, search
from topofinder.api.discover_graphs import _stored_bases
from topofinder.api.discover_known import PlainGraphs
from topofinder.api.discover_records import is_better
from topofinder.api.merge_checks import check_find
from topofinder.discovery.kinds import GraphKind, kind_of, read_kinds
from topofinder.discovery.results import prove_costs
from topofinder.finder.discovery_legs import SPARE, DiscoveryLeg, legs_of_turn, turn_of, turn_work
from topofinder.model.candidate import LinkMode
from topofinder.schedules.bfb.evaluation import evaluate

KINDS = GraphKind.LIFTS, GraphKind.GRAFTS
SIMPLEX, DUPLEX = LinkMode.SIMPLEX, LinkMode.DUPLEX


@pytest.fixture
def short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns of some hundredths of a second."""
    for module in ("finder.discovery_legs", "api.discover_graphs"):
        short = lambda turn: turn_work(turn) // 40  # noqa: E731
        monkeypatch.setattr(f"topofinder.{module}.turn_work", short)


def stored(path: Path) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """The legs that are done, and the finds, of a database."""
    with closing(sqlite3.connect(path)) as connection:
        legs = "SELECT n, d, links, both, seed, place, judged FROM discovery_legs ORDER BY n, place"
        finds = "SELECT * FROM finds ORDER BY recipe"
        dates = ("created",)
        rows = connection.execute(finds)
        names = [column[0] for column in rows.description]
        kept = [index for index, name in enumerate(names) if name not in dates]
        return [*connection.execute(legs)], [tuple(row[i] for i in kept) for row in rows]


@pytest.mark.usefixtures("short_turns", "unsearched_sizes")
@pytest.mark.parametrize(
    ("n", "d", "links", "kind"),
    [(183, 5, SIMPLEX, "lifts"), (71, 5, SIMPLEX, "grafts"), (66, 5, DUPLEX, None)],
)
def test_finds_beat_what_a_search_has_and_are_part_of_the_next_one(
    tmp_path: Path, n: int, d: int, links: LinkMode, kind: str | None
) -> None:
    db = tmp_path / "a.db"
    plain = search(n, d, links, effort=0).members
    told = discover(n, d, links, kind=kind, trials=4000, db=db)
    fresh = [row for row in told.finds if told.record.sources[row.recipe] != "search"]
    assert fresh
    for row in fresh:
        graph = build(parse(row.recipe))
        assert (graph.n, graph.degree) == (n, d)
        assert (evaluate(graph).cost, evaluate(graph.transpose()).cost) == (
            row.allgather,
            row.reduce_scatter,
        )
        assert nx.diameter(nx.DiGraph(list(zip(graph.tail, graph.head, strict=True)))) == row.steps
        assert links is SIMPLEX or graph.is_bidirectional
        assert not any(one.allgather.weakly_beats(row.allgather) for one in plain)
    again = search(n, d, links, db=db, effort=0)
    known = {row.recipe for row in again.pool}
    assert {row.recipe for row in fresh} <= known
    origins = {fields["origin"] for fields in again.to_dict()["frontier"]}
    assert origins & {"discover", "effort"}, "that of an effort where the same graph ships"
    assert search(n, d, links, effort=0).members == plain, "without the database nothing changes"


@pytest.mark.usefixtures("short_turns", "unsearched_sizes")
def test_the_same_is_stored_whatever_the_jobs_and_another_seed_differs(tmp_path: Path) -> None:
    for name, jobs, seed in (("a", 1, 0), ("b", 2, 0), ("c", 1, 1)):
        discover(71, 5, kind="grafts", trials=3000, jobs=jobs, seed=seed, db=tmp_path / name)
    one, two, other = (stored(tmp_path / name) for name in "abc")
    assert one == two
    assert one[1] != other[1]
    assert len(one[0]) > 2


@pytest.mark.usefixtures("short_turns")
def test_a_search_that_was_ended_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.db", tmp_path / "parts.db"
    kinds = {"kind": "lifts,grafts"}
    judged = discover(66, 5, trials=80_000, db=whole, **kinds).record.judged
    done, turns = 0, 0
    while done < judged:
        told = discover(66, 5, trials=1, db=parts, **kinds).record
        done, turns = told.judged + told.judged_before, turns + 1
    assert turns > 3
    assert stored(parts) == stored(whole)


@pytest.mark.usefixtures("short_turns")
def test_line_graphs_of_finds_at_smaller_sizes_are_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = lambda n, d, links: ()  # noqa: E731
    monkeypatch.setattr("topofinder.finder.base_scope.searched_graphs", none)
    db = tmp_path / "a.db"
    told = discover(150, 6, kind="lifts", trials=1, db=db)
    lined = [row for row in told.finds if row.recipe.startswith("L(")]
    assert lined
    assert all(row.recipe == f"L({row.base})" for row in lined)
    with Store(db) as store:
        assert {row.base for row in lined} <= {row.recipe for row in store.finds(n=25)}
    places = [row[5] for row in stored(db)[0]]
    assert places == ["lifts 0.0", "lifts 0.1 25"]


@pytest.mark.usefixtures("short_turns", "unsearched_sizes")
def test_a_port_that_is_left_free(tmp_path: Path) -> None:
    told = discover(23, 3, DUPLEX, kind="grafts", trials=10_000, db=tmp_path / "a.db")
    best = told.finds[0]
    assert (kind_of(best.recipe), best.recipe[:9]) == (GraphKind.GRAFTS, "SplitOff(")
    assert best.steps < search(23, 3, DUPLEX, effort=0).members[0].steps


def test_a_size_that_meets_its_bounds_is_done_with() -> None:
    told = discover(9, 3, DUPLEX, time="60s")
    assert told.record.judged == 0
    assert [told.record.sources[row.recipe] for row in told.finds] == ["search"]


@pytest.mark.usefixtures("short_turns", "unsearched_sizes")
def test_lifts_beside_a_size_are_bases_and_are_kept(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    discover(73, 5, kind="grafts", trials=2000, db=db)
    with Store(db) as store:
        beside = [row for row in store.finds() if row.n != 73]
        bases = _stored_bases(store, (73, 5, SIMPLEX))
        assert {str(base.recipe) for base in bases} == {row.recipe for row in beside}
        for row in beside:
            assert is_better(row, PlainGraphs(store).rows(row.n, 5, SIMPLEX))
        store.connection.execute("UPDATE finds SET recipe = 'Moeb(' || recipe WHERE n <> 73")
        store.connection.commit()
        assert beside
        assert _stored_bases(store, (73, 5, SIMPLEX)) == []


@pytest.mark.usefixtures("short_turns")
def test_kinds_and_sizes_share_the_time(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    told = discover_range([(66, 5), (72, 5)], trials=100_000, db=db)
    kinds = [size.judged_by_kind for size in told.record.sizes]
    assert all(set(counts) == set(GraphKind) for counts in kinds)
    assert all(counts["lifts"] and counts["grafts"] for counts in kinds)
    assert told.record.judged >= 100_000


def test_graphs_are_better_one_way_or_both_ways() -> None:
    one, other = (
        FindRow(
            recipe=f"K({at})", base="K(4)", links="simplex", n=9, d=2, steps=3, seed=0, trials=1,
            bandwidth=Fraction(forth), rs_bandwidth=Fraction(back),
        )
        for at, forth, back in ((4, 2, 5), (5, 3, 3))
    )  # fmt: skip
    assert is_better(one, [other])
    assert is_better(other, [one])
    assert not is_better(one, [one])


def test_turns_draw_by_seeds_of_their_own_and_are_known_by_place() -> None:
    size = (100, 2, SIMPLEX)
    legs = [leg for kind in KINDS for turn in (0, 1) for leg in legs_of_turn(kind, size, turn, 7)]
    assert len({leg.drawn_seed for leg in legs}) == len({leg.place for leg in legs}) == len(legs)
    assert {turn_of(leg.place) for leg in legs} == {
        (kind, turn) for kind in KINDS for turn in (0, 1)
    }
    assert not any(map(turn_of, ("0 Z12", "all D6", "until 2026", "lifts", "lifts x.1")))
    assert legs_of_turn(GraphKind.LIFTS, (89, 4, SIMPLEX), 0, 0) == []
    assert legs_of_turn(GraphKind.CAYLEY, size, 0, 0) == []


def test_digraphs_with_paths_to_spare_have_legs_where_two_steps_may_be_gained() -> None:
    size = (907, 6, LinkMode.DUPLEX)  # no graph has fewer than 4 steps
    kind = GraphKind.GRAFTS
    *others, spare = legs_of_turn(kind, size, 2, 7, fewest=6)
    assert others == legs_of_turn(kind, size, 2, 7) == legs_of_turn(kind, size, 2, 7, fewest=5)
    assert (spare.place, spare.steps, spare.size, turn_of(spare.place)) == (
        "spare 2.2", 5, size, (kind, 2),
    )  # fmt: skip
    small = legs_of_turn(kind, (118, 4, LinkMode.DUPLEX), 0, 7, fewest=9)
    assert {leg.what for leg in small} == {"grafts", "random"}


def test_a_leg_of_paths_to_spare_finds_a_step_less() -> None:
    size = (118, 4, LinkMode.DUPLEX)
    leg = DiscoveryLeg(
        what=SPARE, n=118, size=size, turn=0, part=2, seed=7, work=turn_work(0) // 4, steps=5
    )
    judged, found = leg.run()
    assert judged == leg.judged
    assert found[0].forth.steps == 5
    assert leg.run() == (judged, found)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--kind", "trees"), "kind: cayley, lifts, grafts, or several, not 'trees'"),
        (("--kind", ""), "kind: cayley, lifts, grafts, or several, not ''"),
        (("--kind", "lifts", "--group", "Z8"),
         "group: 'Z8' is of Cayley digraphs, which kind leaves out"),
    ],
)  # fmt: skip
def test_what_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...], line: str
) -> None:
    asked = ("discover", "--n", 8, "--d", 2, *words, "--db", tmp_path / "a.db")
    assert ran(capsys, *asked) == (2, "", f"topofinder: {line}\n")


def test_all_nodes_of_a_graft_are_searched_from_in_its_proof() -> None:
    recipe = "BiGraft(Cay(Z77:Z10[6];135,228,552,745);-265.0)"
    cost = evaluate(build(parse(recipe))).cost
    assert cost.steps == 8, "one more than from most nodes"
    prove_costs(recipe, cost, cost)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "d", "kind", "trials", "cost"),
    [
        (21, 2, "lifts", 2_000_000, Cost(4, Fraction(1))),
        (103, 4, "grafts", 10_000, Cost(4, Fraction(109, 103))),
    ],
)
def test_hard_sizes_are_found_in_some_turns(
    n: int, d: int, kind: str, trials: int, cost: Cost
) -> None:
    best = discover(n, d, kind=kind, trials=trials).finds[0]
    assert (kind_of(best.recipe).value, best.allgather) == (kind, cost)


def test_kinds_are_read_in_their_own_order() -> None:
    assert read_kinds(["grafts", "cayley", "grafts"]) == (GraphKind.CAYLEY, GraphKind.GRAFTS)
    with pytest.raises(InvalidInput):
        read_kinds([])


@pytest.mark.parametrize(
    ("recipe", "base"),
    [
        ("Lift(Z5;0.1,1.0|0.3,1.2)", None),
        ("T(Graft(K(5);-4.7,~0.10))", None),
        ("L^2(Graft(K(5);-4.7,~0.10))", "Graft(K(5);-4.7,~0.10)"),
    ],
)
def test_lifts_and_grafts_of_another_database_are_believed_if_well_formed(
    recipe: str, base: str | None
) -> None:
    graph = build(parse(recipe))
    forth, back = evaluate(graph).cost, evaluate(graph.transpose()).cost
    row = FindRow(
        recipe=recipe, base=base or recipe, links="simplex", n=graph.n, d=graph.degree, seed=0,
        steps=forth.steps, bandwidth=forth.bandwidth, rs_bandwidth=back.bandwidth, trials=1,
        created="2026-01-31T12:00:00Z",
    )  # fmt: skip
    check_find(row)
