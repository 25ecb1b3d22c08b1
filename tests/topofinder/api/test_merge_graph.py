"""Graphs of somebody's own on a stored frontier: costed anew, by name, only where they belong."""

import json
import shutil
import sqlite3
from contextlib import closing
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from db.store import Store
from expansions.build import build
from expansions.parser import parse
from expansions.tokens import LONGEST_SWITCHES, LONGEST_TEXT
from generators.errors import InvalidInput
from generators.formats.by_suffix import write_topology
from generators.topology import Topology
from tests.command import ran
from tests.recipes import free_port_graphs
from topofinder.api.atlas import atlas
from topofinder.api.merge import export_db, merge
from topofinder.api.merge_graph import merge_graph
from topofinder.api.query import query
from topofinder.api.report import report
from topofinder.api.report_size import size_report
from topofinder.api.schedule import schedule
from topofinder.api.search import search
from topofinder.api.shared.candidate_rows import candidate_of, size_row
from topofinder.api.shared.frontiers import search_size
from topofinder.api.shared.merged_graphs import recipe_of_graph
from topofinder.api.shared.stored_frontiers import StoredSizes
from topofinder.api.verify import verify
from topofinder.finder.base_candidates import evaluate_recipe
from topofinder.model.candidate import LinkMode
from topofinder.schedules.bfb.evaluation import evaluate

Capture = pytest.CaptureFixture[str]
GOOD = (
    "BiGraft(Cay(Z22;1,11,21);~0.10.13.27,~2.11.57.16.28.31.5.17.23.47.4.29.53.37.45.7.52.8,"
    "~19.32.59,~41.44.65)"
)
"""22 hosts of 3 ports, both bounds at once, which no search without effort finds."""
GRAPH = (22, 3, "duplex")


def shuffled(topology: Topology, seed: int) -> Topology:
    """The graph with its hosts numbered otherwise."""
    order = np.random.default_rng(seed).permutation(topology.n)
    arcs = zip(order[topology.tail].tolist(), order[topology.head].tolist(), strict=True)
    return Topology.from_arcs(topology.n, list(arcs))


def arcs_of(topology: Topology) -> list[tuple[int, int]]:
    return sorted(zip(topology.tail.tolist(), topology.head.tolist(), strict=True))


def save_plain(db: Path, effort: int) -> None:
    """Store what is found without any effort as if it were the answer of one."""
    pool = [candidate_of(row) for row in search_size(*GRAPH).pool or ()]
    with Store(db) as store, StoredSizes(store) as sizes:
        assert not sizes.save([size_row(22, 3, LinkMode.DUPLEX, pool, effort)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the graph in a file, and a database that has it as `golf`."""
    made = tmp_path_factory.mktemp("golf")
    write_topology(shuffled(build(parse(GOOD)), 3), made / "golf.edges")
    save_plain(made / "golf.db", effort=1)
    assert merge_graph(made / "golf.edges", "golf", made / "golf.db", links="duplex").agrees
    return made


@pytest.fixture
def db(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(folder / "golf.db", tmp_path / "own.db"))


def recipe_in(db: Path) -> str:
    with Store(db) as store:
        return store.named_graphs()[GRAPH][0].recipe


@pytest.mark.parametrize(
    "text", ["Pi(3,10)", "C(9,{1,2})", "UniRing(3,2)", "UniRing(2,5)", "Q(3)", "K(2)", "Kautz(2,2)",
             "MultiK(4,6)", "L(K(3))", "Match(BiRing(4,6))"],
)  # fmt: skip
def test_a_recipe_holds_the_arcs_between_the_same_hosts(text: str) -> None:
    graph = shuffled(build(parse(text)), 1)
    if graph.has_loops:
        with pytest.raises(InvalidInput, match="arcs: a self-loop joins no hosts"):
            recipe_of_graph(graph, LinkMode.SIMPLEX)
        return
    found = recipe_of_graph(graph, LinkMode.SIMPLEX)
    assert arcs_of(build(found)) == arcs_of(graph)
    assert parse(str(found)) == found


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_regular_digraph_is_a_recipe_or_refused(data: st.DataObject) -> None:
    n, d = data.draw(st.integers(2, 7)), data.draw(st.integers(1, 3))
    turns = [data.draw(st.permutations(range(n))) for _ in range(d)]
    graph = Topology.from_arcs(n, [(u, turn[u]) for turn in turns for u in range(n)])
    try:
        found = recipe_of_graph(graph, LinkMode.SIMPLEX)
    except InvalidInput as error:
        told = str(error)
    else:
        assert arcs_of(build(found)) == arcs_of(graph)
        return
    assert "self-loop" in told or "not strongly connected" in told


ODD = (
    "SplitOff(BiGraft(Cay(Z22;1,11,21);~0.13.5.1.30.4.11.18.31.19.38.48.7.37.23.44.10.26.49."
    "41.53.24.29.32.56.65),0)"
)
"""21 hosts of 3 ports, one of which is left free; both bounds at once."""


@settings(max_examples=60, deadline=None, suppress_health_check=[*HealthCheck])
@given(free_port_graphs())
def test_a_graph_with_a_free_port_is_a_recipe_or_refused(graph: Topology) -> None:
    try:
        found = recipe_of_graph(graph, LinkMode.DUPLEX)
    except InvalidInput as error:
        told = str(error)
    else:
        assert arcs_of(build(found)) == arcs_of(graph)
        assert parse(str(found)) == found
        return
    assert "not strongly connected" in told


def test_a_free_port_is_merged_stored_and_proved(tmp_path: Path, capsys: Capture) -> None:
    graph, db, size = shuffled(build(parse(ODD)), 5), tmp_path / "odd.db", (21, 3, "duplex")
    write_topology(graph, tmp_path / "odd.edges")
    weak = evaluate_recipe(parse("SplitOff(C(22,{1,11}),0)"))
    with Store(db) as store, StoredSizes(store) as sizes:
        assert not sizes.save([size_row(21, 3, LinkMode.DUPLEX, [weak], 1)])
    command = ("merge", tmp_path / "odd.edges", "--into", db, "--name", "odd", "--links", "duplex")
    code, out, err = ran(capsys, *map(str, command))
    assert (code, err) == (0, "")
    assert out.startswith("odd: N = 21, d = 3, duplex links, T_L 4 alpha, T_B 10/7 M/B, costed")
    with Store(db) as store:
        [one] = store.named_graphs()[size]
    assert arcs_of(build(parse(one.recipe))) == arcs_of(graph)
    [told] = search(*size, db=db).to_dict()["frontier"]
    assert (told["name"], told["recipe"], told["bandwidth"]) == ("odd", one.recipe, "10/7")
    schedule(one.recipe, output=tmp_path / "odd.npz")
    assert verify(tmp_path / "odd.npz").valid
    assert merge(db, tmp_path / "other.db", prove=True).agrees
    with Store(tmp_path / "other.db") as store:
        assert store.named_graphs()[size] == (one,)


def test_it_is_costed_anew_and_stands_in_every_answer(folder: Path, db: Path) -> None:
    graph = shuffled(build(parse(GOOD)), 3)
    with Store(db) as store:
        [one] = store.named_graphs()[GRAPH]
        [row] = store.frontier(*GRAPH).members  # type: ignore[union-attr]
    assert (one.name, row.recipe) == ("golf", one.recipe)
    assert one.digest == sha256((folder / "golf.edges").read_bytes()).hexdigest()
    assert arcs_of(build(parse(one.recipe))) == arcs_of(graph)
    assert row.allgather == evaluate(graph).cost
    found = search(*GRAPH, db=db)
    assert [each["name"] for each in found.to_dict()["frontier"]] == ["golf"]
    assert f"Merged by name, in this database: golf is {one.recipe[:20]}" in str(found)
    [told] = query(db, n=22, d=3, links="duplex").to_dict()
    assert (told["name"], told["on_frontier"]) == ("golf", True)
    assert size_report(*GRAPH, db=db).point("F1").label == f"golf: {one.recipe}"


def test_atlas_and_schedule_have_it(folder: Path, db: Path, tmp_path: Path) -> None:
    atlas(db, tmp_path / "atlas", n=[(22, 22)], d=[(3, 3)], links="duplex")
    page = (tmp_path / "atlas" / "d3-duplex" / "22.html").read_text("utf-8")
    digest = sha256((folder / "golf.edges").read_bytes()).hexdigest()
    assert "golf: A graph merged by name; its id is" in page
    assert f"The SHA-256 of its file is {digest}." in page
    schedule(recipe_in(db), output=tmp_path / "golf.npz")
    assert verify(tmp_path / "golf.npz").valid


def test_merging_it_twice_changes_nothing(folder: Path, db: Path) -> None:
    before = db.read_bytes()
    told = merge_graph(folder / "golf.edges", "golf", db, links="duplex")
    assert told.agrees
    assert db.read_bytes() == before


def test_more_effort_keeps_it(db: Path) -> None:
    recipe = recipe_in(db)
    save_plain(db, effort=2)
    with Store(db) as store:
        found = store.frontier(*GRAPH)
    assert found is not None
    assert (found.effort, found.names) == (2, {recipe: "golf"})


def test_it_travels_with_an_export_and_stays(folder: Path, db: Path, tmp_path: Path) -> None:
    export_db(db, tmp_path / "part.db", n=[(22, 22)])
    other = tmp_path / "other.db"
    save_plain(other, effort=1)
    plain = shutil.copy(other, tmp_path / "plain.db")
    assert merge(tmp_path / "part.db", other).agrees
    assert recipe_in(other) == recipe_in(db)
    assert merge(plain, other).agrees  # a search without it takes it not away
    assert recipe_in(other) == recipe_in(db)


FORGED = {
    "digest": ("UPDATE frontiers SET parameters = replace(parameters, '\"digest\":\"', "
               "'\"digest\":\"z')", "digest: a SHA-256 is needed"),
    "recipe": ("UPDATE frontiers SET parameters = replace(parameters, 'Match(BiRing(2,22))',"
               " 'Match(BiRing(2,24))')", "each is a member of the frontier, by one name"),
    "steps": ("UPDATE candidates SET steps = 5, rs_steps = 5, diameter = 5, moore_optimal = 0"
              " WHERE recipe LIKE 'BiGraft(Match%'", "it costs 4, 21/22"),
}  # fmt: skip


@pytest.mark.parametrize("what", FORGED)
def test_forged_graphs_are_refused(what: str, db: Path, tmp_path: Path) -> None:
    change, reason = FORGED[what]
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute(change)
    told = merge(db, tmp_path / "other.db")
    assert any(reason in line for line in told.merged.refused), told.merged.refused


BAD = {
    "one-way": (
        "duplex",
        "0 1\n1 2\n2 0\n0 2\n2 1\n1 0\n0 1\n1 2\n2 0\n",
        "links: the graph is not two-way, as duplex links",
    ),
    "free ports": (
        "duplex",
        "".join(f"{u} {v}\n{v} {u}\n" for u, v in [*pairwise(range(5)), (1, 3)]),
        "arcs: 5 of 3 ports a host are left free, at 3 hosts; one may be, where hosts and ports",
    ),
    "free port": (
        "simplex",
        "".join(f"{u} {v}\n{v} {u}\n" for u, v in [(0, 1), (0, 2), (1, 2), (1, 2)]),
        "arcs: hosts have unequal numbers of links",
    ),
    "irregular": ("simplex", "0 1\n1 0\n1 2\n2 1\n", "arcs: hosts have unequal numbers of links"),
    "loop": ("simplex", "0 0\n0 1\n1 0\n1 1\n", "arcs: a self-loop joins no hosts"),
    "parts": ("simplex", "0 1\n1 0\n2 3\n3 2\n", "not strongly connected: node 0 cannot reach"),
    "text": ("simplex", "zero one\n", ""),
    "empty": ("simplex", "", ""),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_no_wiring_is_refused_in_a_line(what: str, tmp_path: Path, capsys: Capture) -> None:
    links, text, reason = BAD[what]
    (tmp_path / "bad.edges").write_text(text, "ascii")
    command = ("merge", tmp_path / "bad.edges", "--into", tmp_path / "x.db", "--name", "bad",
               "--links", links)  # fmt: skip
    code, out, err = ran(capsys, *map(str, command))
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert reason in err
    assert not (tmp_path / "x.db").exists()


@settings(max_examples=30, deadline=None, suppress_health_check=[*HealthCheck])
@given(st.binary(max_size=60) | st.text("0123 \n#", max_size=40).map(str.encode))
def test_no_file_gives_a_traceback(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "any.edges").write_bytes(content)
    try:
        told = str(merge_graph(tmp_path / "any.edges", "any", tmp_path / "any.db").name)
    except InvalidInput as error:
        told = str(error)
    assert "\n" not in told


def test_long_recipes_and_names_are_refused(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    write_topology(shuffled(build(parse("C(4096,{1,5,20})")), 1), tmp_path / "long.edges")
    with pytest.raises(InvalidInput, match=f"of which at most {LONGEST_SWITCHES} are read"):
        merge_graph(tmp_path / "long.edges", "long", tmp_path / "x.db")
    for name in ("", " a", "a\nb", "x" * 61):
        with pytest.raises(InvalidInput, match="name: 1 to 60 printable ASCII characters"):
            merge_graph(folder / "golf.edges", name, tmp_path / "x.db", links="duplex")


def test_a_graph_longer_than_other_recipes_is_stored_and_told_in_short(tmp_path: Path) -> None:
    graph, db = shuffled(build(parse("Kautz(4,3)")), 1), tmp_path / "x.db"
    write_topology(graph, tmp_path / "long.edges")
    weak = evaluate_recipe(parse("UniRing(4,320)"))
    with Store(db) as store, StoredSizes(store) as sizes:
        assert not sizes.save([size_row(320, 4, LinkMode.SIMPLEX, [weak], 1)])
    told = merge_graph(tmp_path / "long.edges", "long", db)
    assert (told.agrees, len(told.row.recipe) > LONGEST_TEXT) == (True, True)
    assert arcs_of(build(parse(told.row.recipe))) == arcs_of(graph)
    assert report(320, 4, db=db).to_html().count(told.row.recipe) == 1


def test_a_name_is_of_one_graph(folder: Path, db: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="the graph is here by the name 'golf'"):
        merge_graph(folder / "golf.edges", "tennis", db, links="duplex")
    write_topology(build(parse("C(8,{1,3})")), tmp_path / "other.edges")
    with pytest.raises(InvalidInput, match="'golf' is another graph, n 22, d 3, duplex"):
        merge_graph(tmp_path / "other.edges", "golf", db)


def test_what_is_not_better_is_told_and_not_stored(tmp_path: Path, capsys: Capture) -> None:
    write_topology(build(parse("BiRing(2,8)")), tmp_path / "ring.edges")
    command = ("merge", tmp_path / "ring.edges", "--into", tmp_path / "x.db", "--name", "ring")
    code, out, err = ran(capsys, *map(str, command))
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        "ring: N = 8, d = 2, simplex links, T_L 4 alpha, T_B 7/8 M/B, costed anew",
        "not on the frontier, and not stored: Diamond takes T_L 3 alpha, T_B 7/8 M/B",
    ]
    code, out, _ = ran(capsys, *map(str, command), "--json")
    assert (code, json.loads(out)["stored"], json.loads(out)["better"]) == (1, False, "Diamond")
    with Store(tmp_path / "x.db") as store:
        assert store.named_graphs() == {}


@pytest.mark.parametrize(
    ("options", "reason"),
    [(("--links", "duplex"), "--links: is for a graph, with its --name"),
     (("--name", "a", "--prove"), "--prove: is for a database, without --name"),
     ((), "FILE: golf.edges is a graph, which is merged with a --name")],
)  # fmt: skip
def test_options_of_the_other_kind_are_refused(
    options: tuple[str, ...],
    reason: str,
    folder: Path,
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    command = ("merge", "golf.edges", "--into", str(tmp_path / "x.db"), *options)
    assert ran(capsys, *command) == (2, "", f"topofinder: {reason}\n")
