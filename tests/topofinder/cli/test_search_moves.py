"""`topofinder search --max-moves`: exact answers and refusals."""

import json
from pathlib import Path

import pytest

import topofinder as tf
from tests.command import ran
from topofinder.api.inventory import inventory

FILES = ("--inventory", "i.json", "--current", "c.csv", "--time", "1s")
Capture = pytest.CaptureFixture[str]
FOUR = """\
Within 40 moves of the wiring in place, 16 hosts with 4 ports, duplex:

C(16,{3,4}): 4 moves (no plan has fewer), 4 circuits taken out
  an allreduce takes 217.3 us by bfb: T_L 6 alpha, T_B 1.875 M/B
  written to p.csv, p.rollback.csv, p.wiring.csv, p.json

What was weighed, the quickest first (T_L in alpha, T_B in M/B, of an allreduce):

moves  at least  T_L  T_B    time      method           graph
-----  --------  ---  -----  --------  ------  -------  -----------------------------------
4             4    6  1.875  217.3 us  bfb     planned  C(16,{3,4})
                   6  2.000  227.8 us  bfb              the wiring in place, 9 circuits new
0             0    8  1.875  237.3 us  bfb              the wiring in place
"""


@pytest.fixture(autouse=True)
def fabric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOPOFINDER_DB", "t.db")
    inventory("Torus(4,4)", "i.json", "c.csv", hosts=18)


def test_the_wiring_its_cost_and_the_moves_are_told(capsys: Capture) -> None:
    words = ("search", "--n", 16, "--d", 4, "--max-moves", 40, *FILES, "-o", "p.csv")
    done = ran(capsys, *words)
    assert (done.code, done.err) == (0, "")
    head, _, moves = done.out.partition("\n\nmove  stage")
    assert head + "\n" == FOUR
    rows = [line.split() for line in moves.splitlines()[2:]]
    plan = [row.split(",") for row in Path("p.csv").read_text().splitlines()[1:]]
    assert rows == [[*row[:4], *row[5:7]] for row in plan]
    assert sum(row[3] == "connect" for row in rows) == 4
    assert ran(capsys, "replay", "p.json", *FILES[:4]).code == 0


def test_the_moves_are_those_of_plan(capsys: Capture) -> None:
    for most, name, moves in ((40, "C(16,{3,4})", 4), (3, "the wiring in place", 0)):
        done = ran(capsys, "search", "--n", 16, "--max-moves", most, *FILES, "--json")
        told = json.loads(done.out)
        assert (told["reached"]["graph"], told["moves"], told["max_moves"]) == (name, moves, most)
        assert (told["n"], told["d"], told["links"], told["files"]) == (16, 4, "duplex", [])
        assert len([row for row in told["listed"] if row["action"] == "connect"]) == moves
        done = ran(capsys, "plan", *FILES, "--max-moves", most, "--json")
        assert json.loads(done.out)["targets"] == told["targets"]


def test_hosts_join_where_more_are_asked_for() -> None:
    found = tf.search_moves(18, "i.json", "c.csv", 12, time=2)
    assert found.record.n == found.found.plan.topology.n == 18
    assert found.record.moves <= 12
    assert found.summary() == {"reached": found.record.chosen.name, "moves": found.record.moves}
    assert len(found.table_rows()) == found.record.moves + found.record.taken_out


REFUSED = [
    (("--max-moves", 4, "--inventory", "i.json"), "--max-moves: needs --inventory and --current"),
    (("--inventory", "i.json", "--d", 4), "--inventory: goes with --max-moves"),
    (("--max-moves", 4, *FILES, "--d", 3), "--d: hosts in place use 4 ports, not 3"),
    (("--max-moves", 4, *FILES, "--effort", 2), "--effort: does not go with --max-moves"),
    (("--max-moves", -1, *FILES), "--max-moves: 0 or more, not -1"),
    (("--max-moves", 4, *FILES[:2], "--current", "e.csv"), "--current: no circuits are in place"),
    (("--max-moves", 4, *FILES, "-o", "c.csv"), "--output: c.csv is the file of --current"),
    (("--d", 4, "-o", "p.csv"), "--output: goes with --link-rates or --max-moves"),
]


@pytest.mark.parametrize(("words", "reason"), REFUSED)
def test_what_is_refused(words: tuple[object, ...], reason: str, capsys: Capture) -> None:
    Path("e.csv").write_text("port_a,port_b\n")
    done = ran(capsys, "search", "--n", 16, *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"topofinder: {reason}")
    assert done.err.count("\n") == 1
