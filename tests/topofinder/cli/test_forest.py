"""Forests on the command line: exact output and exit codes."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from db.forest_rows import ForestRow
from db.store import Store
from tests.command import ran
from tests.db.stored import stored_rows
from topofinder.model.forest_files import read_forest, write_forest


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOPOFINDER_DB", raising=False)


Capture = pytest.CaptureFixture[str]


def test_a_box_is_made_shown_and_verified(capsys: Capture) -> None:
    made = ran(capsys, "schedule", "DGXH100(1)", "--method", "forest", "-o", "a.npz")
    assert made.code == 0
    assert made.out.splitlines() == [
        "allgather on DGXH100(1) by forest, level",
        "  1/x* 7/450, reached; algbw 514.286 GB/s",
        "  out-trees: k 1, 8 different; heights (trees): 1 (8); at most 2 links",
        "    bottleneck: weight 7 inside, 450 GB/s out; all but gpu0.0",
        "    switches spare 48 of 112 shards over links, 42.9 %",
        "  written to a.npz",
    ]
    checked = ran(capsys, "verify", "a.npz", "--on", "DGXH100(1)")
    assert checked == (
        0,
        "valid: allgather on DGXH100(1), k 1, time 7/450 (the optimum), algbw 514.286 GB/s\n"
        "pipelined, by chunks, times that: 1: 1.143, 16: 1.009, 256: 1.001, 4096: 1\n",
        "",
    )
    shown = ran(capsys, "show", "a.npz").out.splitlines()
    assert shown[:5] == made.out.splitlines()[:5]
    with Store("topofinder.db") as store:
        (row,) = stored_rows(store, "forests", ForestRow)
    assert f"  content {row.content}" == shown[5]
    assert (row.k, row.hosts, row.height) == (1, 8, 1)


def test_json_is_as_promised(capsys: Capture) -> None:
    words = ("--method", "forest", "--json", "-o", "a.json")
    found = json.loads(ran(capsys, "schedule", "DGXA100(2)", *words).out)
    assert found.pop("seconds") >= 0
    assert len(found.pop("digest")) == 64
    (phase,) = found.pop("phases")
    assert found == {
        "recipe": "DGXA100(2)",
        "damage": None,
        "collective": "allgather",
        "root": None,
        "method": "forest, level",
        "n": 16,
        "nodes": 36,
        "inverse_rate": "3/65",
        "time": "3/65",
        "loss": "0",
        "optimal": True,
        "k": 13,
        "paper_k": 13,
        "algbw": "1040/3",
        "algbw_bytes": pytest.approx(1040e9 / 3),
        "bottleneck": phase["bottleneck"],
        "height": 2,
        "file": "a.json",
        "routes": {
            "longest": 4,
            "shortest": True,
            "virtual_channels": 1,
            "updown": None,
            "core": None,
            "least_core": None,
        },
        "recommended": {"k": 7, "loss": "1/1260"},
    }
    assert phase["bottleneck"]["weight"] == 15
    assert phase["bottleneck"]["exiting"] == "325"
    assert phase["bottleneck"]["outside"] == ["gpu0.0"]
    checked = json.loads(ran(capsys, "verify", "a.json", "--json").out)
    assert checked["valid"] is True
    assert (checked["inverse_rate"], checked["optimal"]) == ("3/65", True)
    assert [row["chunks"] for row in checked["pipeline"]] == [1, 16, 256, 4096]


def test_an_allreduce_whose_phases_overlap(capsys: Capture) -> None:
    words = ("--method", "forest", "--collective", "allreduce", "--overlap", "-o", "a.npz")
    made = ran(capsys, "schedule", "Mesh(3,3)", *words)
    assert made.out.startswith("allreduce on Mesh(3,3) by forest, shared, ")
    assert "  both at once: 6, algbw 3/2 links, which no allreduce of trees can beat" in made.out
    checked = ran(capsys, "verify", "a.npz")
    assert checked.code == 0
    assert checked.out.startswith(
        "valid: allreduce on Mesh(3,3), k 1, both at once 6 (no allreduce takes less), algbw 3/2 "
    )
    assert "\none phase after the other: time 10 (25 % above the optimum 8), algbw" in checked.out
    assert ran(capsys, "schedule", "Mesh(3,3)", "--overlap", "-o", "a.npz") == (
        2,
        "",
        "topofinder: --overlap is for --method forest, not auto\n",
    )


def test_a_shared_forest_is_first_told_with_both_phases_at_once(capsys: Capture) -> None:
    words = ("C(16,{3,4})", "--fail-links", "0-3", "--method", "forest", "--overlap", "--k", "1")
    made = ran(capsys, "schedule", *words, "--collective", "allreduce", "-o", "a.npz").out
    lines = made.splitlines()
    saved = read_forest("a.npz")
    above = 100 * (saved.together / Fraction(240, 31) - 1)
    assert above > 0
    assert lines[1] == (
        f"  both at once: {saved.together}, algbw {16 / saved.together} links, "
        f"{float(above):.3g} % above 240/31, which no allreduce of trees can beat"
    )
    assert lines[2].startswith(f"  one after the other: {saved.inverse_rate}, algbw ")
    assert lines[2].endswith(f" % above 1/x* {saved.optimum}")
    assert " missed by " not in made
    shown = ran(capsys, "show", "a.npz").out.splitlines()
    assert shown[1:3] == [lines[1].replace("allreduce of trees", "allreduce"), lines[2]]
    found = json.loads(ran(capsys, "verify", "a.npz", "--json").out)["together"]
    assert found == {"time": str(saved.together), "bound": "240/31", "optimal": False}


def test_a_fabric_file_is_shown_like_the_fabric(capsys: Capture) -> None:
    assert ran(capsys, "build", "DGXA100(1)", "-o", "a.json", "--format", "fabric").code == 0
    of_file = ran(capsys, "show", "a.json").out.splitlines()
    of_name = ran(capsys, "show", "DGXA100(1)").out.splitlines()
    assert of_file[0] == "allgather on a.json by forest, level"
    assert of_file[1:] == of_name[1:]


def test_the_same_command_gives_the_same_bytes(capsys: Capture) -> None:
    contents = set()
    for name in ("a.npz", "b.npz"):
        words = ("--fail-links", "10%", "--seed", "2", "--method", "forest", "-o", name)
        assert ran(capsys, "schedule", "Torus(4,4)", *words).code == 0
        contents.add(Path(name).read_bytes())
    assert len(contents) == 1
    saved = read_forest("a.npz")
    assert (saved.recipe, saved.damage) == ("Torus(4,4)", "--fail-links 10% --seed 2")


def test_allreduce_k_weights_and_damage(capsys: Capture) -> None:
    words = ("--method", "forest", "-o", "a.npz")
    both = ran(capsys, "schedule", "Torus(3,3)", *words, "--collective", "allreduce").out
    assert "  1/x* 4, reached; algbw 9/4 links" in both
    assert "  both at once: 4, algbw 9/4 links, which no allreduce of trees can beat" in both
    few = ran(capsys, "schedule", "MI250(2)", *words, "--k", "2").out
    assert "1/x* 15/166, missed by " in few
    assert "out-trees: k 2 (83 by E.1), " in few
    damage = ("--fail-nodes", "gpu0.3", "--degrade", "gpu1.0-ib0=1/2")
    some = ran(capsys, "schedule", "MI250(2)", *words, *damage)
    assert some.out.startswith("allgather on MI250(2) --fail-nodes gpu0.3 --degrade gpu1.0-ib0=1/2")
    assert ran(capsys, "verify", "a.npz").code == 0
    heavy = ran(capsys, "schedule", "BiRing(2,4)", *words, "--weights", "0=2,3=0").out
    assert "1/x* 2, reached; algbw 2 links" in heavy
    one = ran(
        capsys, "schedule", "MI250(1)", *words, "--collective", "broadcast", "--root", "gpu0.2"
    ).out
    assert one.startswith("broadcast, root gpu0.2, on MI250(1)")


def test_files_of_fabrics_are_read(capsys: Capture) -> None:
    for name in ("f.json", "f.graphml", "f.edges"):
        assert ran(capsys, "build", "DGXA100(2)", "-o", name).code == 0
        made = ran(capsys, "schedule", name, "--method", "forest", "-o", "a.npz")
        assert "1/x* 3/65, reached; algbw 346.667 GB/s" in made.out
        assert ran(capsys, "verify", "a.npz", "--on", "DGXA100(2)").code == 0
    assert ran(capsys, "build", "DGXA100(2)", "-o", "g.json", "--format", "fabric").code == 0
    assert "1/x* 3/65, reached" in ran(capsys, "show", "g.json", "--forest").out
    assert "1/x* 7/3, reached" in ran(capsys, "show", "Q(3)", "--forest").out


def test_a_damaged_graph_is_that_of_its_recipe_and_damage(capsys: Capture) -> None:
    damage = ("--fail-links", "10%", "--seed", "4", "--fail-nodes", "3", "--degrade", "0-1=1/2")
    words = ("schedule", "Torus(4,4)", "--method", "forest", "-o")
    assert ran(capsys, *words, "a.json", *damage).code == 0
    assert ran(capsys, "verify", "a.json").code == 0
    document = json.loads(Path("a.json").read_text())
    told = "not valid: the file's graph is not that of Torus(4,4) "
    for label in ("--fail-links 10% --seed 5", "--fail-nodes 99"):
        Path("b.json").write_text(json.dumps(document | {"damage": label}))
        found = ran(capsys, "verify", "b.json")
        assert (found.code, found.out) == (1, f"{told}{label}\n")
    for label in ("--shake 3", "'", "--seed 3", "--fail-nodes 3 --fail-links 0-1"):
        for recipe in (document["recipe"], None):
            changed = document | {"damage": label, "recipe": recipe}
            Path("b.json").write_text(json.dumps(changed))
            found = ran(capsys, "verify", "b.json")
            told = f"not valid: damage: {label!r} is no damage in its canonical form\n"
            assert (found.code, found.out) == (1, told)
    Path("b.json").write_text(json.dumps(document | {"recipe": None}))
    unnamed = ran(capsys, "verify", "b.json")
    assert unnamed.out.startswith("valid: allgather on 15 compute nodes, k ")


def test_a_forest_that_does_not_hold_ends_with_one(capsys: Capture) -> None:
    ran(capsys, "schedule", "K(4)", "--method", "forest", "-o", "a.json")
    document = json.loads(Path("a.json").read_text())
    other = ran(capsys, "verify", "a.json", "--on", "K(5)")
    assert (other.code, other.out) == (1, "not valid: the file's graph is not that of K(5)\n")
    document["spread_trees"][0][1] += 1
    Path("a.json").write_text(json.dumps(document))
    broken = ran(capsys, "verify", "a.json")
    assert broken.code == 2
    assert broken.err.startswith("topofinder: a.json: content: the file says")


STRANDED = (
    '{"format": "topofinder-fabric", "version": 1, "nodes": ["a", "b", "c"], '
    '"links": [{"from": "a", "to": "b", "bandwidth": 1}]}'
)
UNEVEN = (
    '{"format": "topofinder-fabric", "version": 1, "nodes": ["a", "b"], "switches": ["hub"], '
    '"links": [{"from": "a", "to": "hub", "bandwidth": 1}, {"from": "b", "to": "hub", '
    '"bandwidth": 1}, {"from": "a", "to": "hub", "bandwidth": 2, "duplex": false}]}'
)
NEGATIVE = STRANDED.replace('"bandwidth": 1', '"bandwidth": -1')
UNDIRECTED = "#: undirected\na b\nb c\n"
APART = "a b\nb a\nc d\nd c\n"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("stranded.json",), "node c: no link leads out"),
        (("uneven.json",), "switch hub: bandwidth 4 in, but 2 out; both must be equal"),
        (
            ("negative.json",),
            "negative.json: links[0] (a to b): bandwidth: must be above 0, not -1",
        ),
        (("apart.edges",), "node c cannot be reached from node a"),
        (
            ("undirected.edges",),
            "undirected.edges: line 2: undirected; each direction of a link must be an arc here",
        ),
        (("K(4)", "--k", "0"), "k: "),
        (("K(4)", "--fail-links", "50%", "--seed", "-1"), "--seed: at least 0, not -1"),
        (("K(4)", "--fail-links", "0-9"), "--fail-links: no node is called '9'"),
        (("K(4)", "--fail-nodes", "x"), "--fail-nodes: no node is called 'x'"),
        (("K(4)", "--degrade", "0-1=0"), "--degrade '0-1=0': must be above 0, not '0'"),
        (("K(4)", "--weights", "0"), "--weights: NODE=NUMBER is needed, not '0'"),
        (("K(4)", "--weights", "0=-1"), "--weights '0=-1': must be 0 or more, not '-1'"),
        (("K(4)", "--root", "1"), "root: allgather has no root 1"),
        (("K(4)", "--chunks", "2"), "--chunks is for --method timed, not forest"),
        (("DGXA100(0)",), "DGXA100(0): at least one box is needed"),
    ],
)
def test_mistakes_end_with_two_and_one_line(
    words: tuple[str, ...], line: str, capsys: Capture
) -> None:
    for name, text in (
        ("stranded.json", STRANDED),
        ("uneven.json", UNEVEN),
        ("negative.json", NEGATIVE),
        ("undirected.edges", UNDIRECTED),
        ("apart.edges", APART),
    ):
        Path(name).write_text(text)
    ended = ran(capsys, "schedule", *words, "--method", "forest", "-o", "a.npz")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"topofinder: {line}")
    assert ended.err.count("\n") == 1
    assert not Path("a.npz").exists()


def test_options_of_forests_are_for_forests(capsys: Capture) -> None:
    ended = ran(capsys, "schedule", "K(4)", "--fail-links", "0-1", "-o", "a.npz")
    assert ended == (2, "", "topofinder: --fail-links is for --method forest or timed, not auto\n")
    other = ran(capsys, "schedule", "MI250(2)", "-o", "a.npz")
    line = "switches: a graph with switches is scheduled by --method forest"
    assert other == (2, "", f"topofinder: {line}\n")
    suffix = ran(capsys, "schedule", "K(4)", "--method", "forest", "-o", "a.txt")
    assert suffix == (2, "", "topofinder: a.txt: suffix '.txt' is none of .npz, .json\n")


def test_routes_are_asked_for_and_told(capsys: Capture) -> None:
    schedule = ["schedule", "FatTree(2,2,1)", "--method", "forest", "-o", "a.json"]
    assert "  routes: up-down, shortest, at most 4 links; " in ran(capsys, *schedule).out
    told = ran(capsys, *schedule, "--routing", "up").err
    assert told == "topofinder: --routing: one of any, shortest, updown is needed, not 'up'\n"
    plain = ["schedule", "DGXA100(1)", *schedule[2:], "--routing", "updown"]
    refused = ran(capsys, *plain)
    assert refused.code == 2
    assert refused.err == (
        "topofinder: --routing: updown needs tiers, and these switches have none\n"
    )


def test_a_forest_without_tiers_is_still_that_of_its_fabric(capsys: Capture) -> None:
    ran(capsys, "schedule", "FatTree(2,2,1)", "--method", "forest", "-o", "a.npz")
    made = read_forest("a.npz")
    assert made.topology.tiers == (0, 0, 0, 0, 1, 1, 2)
    write_forest(replace(made, topology=replace(made.topology, tiers=None)), "b.npz")
    found = ran(capsys, "verify", "b.npz", "--on", "FatTree(2,2,1)")
    assert found.code == 0
    assert found.out.endswith("\nroutes: shortest, at most 4 links; no deadlock\n")
