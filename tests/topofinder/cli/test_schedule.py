"""`topofinder schedule` and `verify`: what they print, what they write, and what they refuse."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from db.schedule_rows import ScheduleRow
from db.store import Store
from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from expansions.schedule import COLUMNS
from expansions.schedule_files.files import read_schedule, write_schedule
from expansions.schedule_files.saved import SavedSchedule
from generators.formats.by_suffix import write_topology
from generators.topology import Topology
from tests.command import ran
from tests.db.stored import stored_rows
from tests.schedules import schedule_of_recipe
from topofinder.schedules.baselines.register import BASELINES
from topofinder.schedules.bfb.evaluation import evaluate

TIMES = ("--alpha", "10us", "--size", "1MiB", "--bandwidth", "100Gbps")


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The database of a test, in a folder of its own."""
    path = tmp_path / "kept" / "schedules.db"
    path.parent.mkdir()
    monkeypatch.setenv("TOPOFINDER_DB", str(path))
    return path


def test_the_database_knows_the_files(tmp_path: Path, database: Path, capsys) -> None:
    for file, *words in (("a.npz", "K(4)"), ("b.json", "K(4)"), ("c.npz", "Diamond")):
        assert ran(capsys, "schedule", *words, "-o", tmp_path / file).code == 0
    with Store(database) as store:
        one, other, third = stored_rows(store, "schedules", ScheduleRow)
    assert third.recipe == "Diamond"
    assert {one.path, other.path} == {str(tmp_path / "a.npz"), str(tmp_path / "b.json")}
    saved = read_schedule(tmp_path / "a.npz")
    assert one.content == other.content == saved.digest
    assert (one.topology, one.cost, one.method) == (saved.topology_digest, saved.cost, "bfb")


def test_a_schedule_is_made_and_verified(tmp_path: Path, capsys) -> None:
    file = tmp_path / "line.npz"
    made = ran(capsys, "schedule", "L(K( 4,4))", "-o", file)
    assert made.code == 0
    assert made.err == ""
    assert made.out == (
        "allgather on L(K(4,4)) by bfb: T_L 3 alpha, T_B 1 M/B, as predicted\n"
        f"1376 rows, pieces of 1/4 shard, written to {file}\n"
    )
    checked = ran(capsys, "verify", file)
    assert checked.code == 0
    assert checked.out == "valid: allgather on L(K(4,4)), 1376 rows, T_L 3 alpha, T_B 1 M/B\n"


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@pytest.mark.parametrize(
    "collective", [one for one in Collective if one is not Collective.ALLTOALL]
)
def test_json_of_both(collective: Collective, suffix: str, tmp_path: Path, capsys) -> None:
    file = tmp_path / f"schedule{suffix}"
    rooted = ("--root", 2) if collective.is_rooted else ()
    words = ("schedule", "Diamond", "--collective", collective, *rooted, "-o", file, "--json")
    made = json.loads(ran(capsys, *words, "--method", "synthesis", *TIMES).out)
    checked = json.loads(ran(capsys, "verify", file, "--json", *TIMES).out)
    assert (made["recipe"], made["n"], made["d"], made["method"]) == ("Diamond", 8, 2, "synthesis")
    assert made["file"] == str(file)
    assert made["seconds"] >= 0
    assert checked["valid"] is True
    for name in ("collective", "root", "rows", "steps", "bandwidth", "digest", "recipe"):
        assert made[name] == checked[name], name
    assert checked["redundant"] == "0"
    assert checked["simulated"]["stepped"] == pytest.approx(made["runtime"])
    assert checked["simulated"]["unsynchronised"] <= checked["simulated"]["stepped"]
    if not collective.is_rooted:
        assert made["predicted"] == {
            "steps": made["steps"],
            "bandwidth": made["bandwidth"],
            "exact": True,
        }


@pytest.mark.parametrize("name", ["a.npz", "a.json"])
def test_show_describes_a_schedule_file(name: str, tmp_path: Path, capsys) -> None:
    file = tmp_path / name
    made = json.loads(ran(capsys, "schedule", "L(K(4,4))", "-o", file, "--json").out)
    shown = json.loads(ran(capsys, "show", file, "--json").out)
    for field in ("recipe", "n", "d", "rows", "steps", "bandwidth", "method", "digest", "file"):
        assert shown[field] == made[field], field
    assert shown["loads"] == ["1", "4", "3"]
    text = ran(capsys, "show", file).out
    assert text.startswith(
        f"{file}: a schedule, not verified here\n  allgather on L(K(4,4)) by bfb"
    )
    refused = ran(capsys, "show", file, "--with-baselines")
    assert (refused.code, refused.out) == (2, "")
    assert ran(capsys, "show", tmp_path / "missing.npz").code == 2


def test_the_same_command_writes_the_same_bytes(tmp_path: Path, capsys) -> None:
    for file in ("one.npz", "two.npz"):
        assert ran(capsys, "schedule", "L(Diamond)", "-o", tmp_path / file).code == 0
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_a_topology_file(tmp_path: Path, capsys) -> None:
    graph, file = tmp_path / "graph.graphml", tmp_path / "schedule.json"
    topology = build(parse("Pi(3,10)"))
    write_topology(topology, graph)
    made = json.loads(ran(capsys, "schedule", graph, "-o", file, "--json").out)
    assert made["recipe"] is None
    assert made["predicted"] is None
    cost = evaluate(topology).cost
    assert (made["steps"], Fraction(made["bandwidth"])) == (cost.steps, cost.bandwidth)
    for subject in (graph, "Pi(3,10)"):
        assert ran(capsys, "verify", file, "--on", subject).code == 0
    other = ran(capsys, "verify", file, "--on", "Pi(3,11)")
    assert (other.code, other.out) == (1, "not valid: the file's graph is not that of Pi(3,11)\n")


def test_unequal_links_need_a_workload(tmp_path: Path, capsys) -> None:
    graph, file = tmp_path / "graph.json", tmp_path / "schedule.npz"
    arcs, capacity = [(0, 1), (0, 1), (1, 0)], tuple(map(Fraction, (1, 3, 4)))
    write_topology(Topology.from_arcs(2, arcs, capacity=capacity), graph)
    refused = ran(capsys, "schedule", graph, "-o", file)
    assert refused.code == 2
    assert "unequal links need --alpha, --size and --bandwidth" in refused.err
    words = ("schedule", graph, "-o", file, "--collective", "allreduce", "--json")
    made = json.loads(ran(capsys, *words, "--method", "bfb", *TIMES).out)
    assert made["method"] == "bfb, unequal links"
    checked = json.loads(ran(capsys, "verify", file, "--json", *TIMES).out)
    assert checked["valid"] is True
    assert checked["simulated"]["stepped"] == pytest.approx(made["runtime"])


@pytest.mark.parametrize(
    ("recipe", "method"),
    [("Torus(3,3)", "torus-by-dimension"), ("BiRing(2,5)", "ring"), ("Q(3)", "recursive-doubling")],
)
def test_baselines(recipe: str, method: str, tmp_path: Path, capsys) -> None:
    file = tmp_path / "baseline.npz"
    words = ("--method", method, "--collective", "allreduce", "--json")
    made = json.loads(ran(capsys, "schedule", recipe, "-o", file, *words).out)
    (cost,) = BASELINES[method].costs(parse(recipe))
    assert (made["steps"], made["bandwidth"]) == (cost.steps, str(cost.bandwidth))
    assert ran(capsys, "verify", file).code == 0


def test_chunks(tmp_path: Path, capsys) -> None:
    file = tmp_path / "chunked.json"
    words = ("schedule", "K(2,2)", "--chunks", 1, "-o", file, "--json")
    made = json.loads(ran(capsys, *words).out)
    assert (made["method"], made["bandwidth"], made["denominator"]) == ("bfb, 1 chunks", "1", 1)
    assert ran(capsys, "verify", file).code == 0


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["K(4)", "--method", "ringg"], "method: 'ringg' is none of auto, bfb"),
        (["K(4)", "--method", "ring"], "ring: runs on BiRing, not on K(4)"),
        (["K(4)^2", "--method", "ring"], "method: ring runs on a base graph, not K(4)^2"),
        (["K(4)", "--method", "synthesis"], "K(4): has no schedule by synthesis"),
        (["Diamond", "--method", "synthesis", "--chunks", "2"], "chunks: only BFB schedules"),
        (["BiRing(2,4)", "--method", "ring", "--chunks", "2"], "chunks: ring has its own pieces"),
        (["K(4)", "--chunks", "0"], "chunks: 1 to"),
        (["K(4)", "--root", "1"], "root: allgather has none, not 1"),
        (["K(4)", "--collective", "reduce"], "root: reduce needs a node in 0..3, not None"),
        (["nothing.graphml"], "nothing.graphml: cannot be read"),
        (["L(K(4)"], "expected"),
        (["K(4)", "--alpha", "1us"], "missing"),
    ],
)
def test_refusals_of_schedule(words: list[str], line: str, tmp_path: Path, capsys) -> None:
    ended = ran(capsys, "schedule", *words, "-o", tmp_path / "out.npz")
    assert (ended.code, ended.out) == (2, "")
    assert line in ended.err
    assert not (tmp_path / "out.npz").exists()


def test_a_topology_file_is_scheduled_by_bfb_only(tmp_path: Path, capsys) -> None:
    graph = tmp_path / "graph.edges"
    write_topology(build(parse("K(4)")), graph)
    ended = ran(capsys, "schedule", graph, "--method", "expansion", "-o", tmp_path / "a.npz")
    assert ended.code == 2
    assert "expansion needs a recipe; a topology file is scheduled by bfb" in ended.err


def test_a_graph_that_is_not_strongly_connected(tmp_path: Path, capsys) -> None:
    graph = tmp_path / "graph.edges"
    write_topology(Topology.from_arcs(3, [(0, 1), (1, 0), (1, 2)]), graph)
    ended = ran(capsys, "schedule", graph, "-o", tmp_path / "a.npz")
    assert ended.code == 2
    assert "not strongly connected: node 2 cannot reach node 0" in ended.err


def saved(tmp_path: Path, recipe: str, label: str) -> Path:
    file = tmp_path / "saved.npz"
    parsed = parse(recipe)
    schedule = schedule_of_recipe(parsed)
    write_schedule(SavedSchedule(topology=build(parsed), schedule=schedule, recipe=label), file)
    return file


def test_a_recipe_that_is_not_that_of_the_graph(tmp_path: Path, capsys) -> None:
    file = saved(tmp_path, "C(8,{1,2})", "C(8,{1,3})")
    ended = ran(capsys, "verify", file, "--json")
    assert ended.code == 1
    assert json.loads(ended.out) == {
        "valid": False,
        "violation": "the file's graph is not that of C(8,{1,3})",
    }


def test_a_schedule_that_does_not_hold(tmp_path: Path, capsys) -> None:
    file = tmp_path / "broken.json"
    assert ran(capsys, "schedule", "UniRing(1,4)", "-o", file).code == 0
    whole = read_schedule(file)
    kept = np.arange(whole.schedule.rows) != 5
    columns = {name: getattr(whole.schedule, name)[kept] for name in COLUMNS}
    shorter = replace(whole.schedule, **columns)
    write_schedule(SavedSchedule(topology=whole.topology, schedule=shorter), file)
    ended = ran(capsys, "verify", file)
    assert ended.code == 1
    assert ended.out.startswith("not valid: ")
    assert ended.out.count("\n") == 1


def test_files_that_cannot_be_read(tmp_path: Path, capsys) -> None:
    file = saved(tmp_path, "K(4)", "K(4)")
    file.write_bytes(file.read_bytes()[:100])
    for name in ("saved.npz", "missing.npz", "saved.csv"):
        ended = ran(capsys, "verify", tmp_path / name)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.count("\n") == 1
