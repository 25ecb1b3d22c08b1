"""`topofinder plan --crews` and the list by crew: every move once, in the order of the work."""

import csv
import json
from pathlib import Path

import pytest

from tests.command import ran
from topofinder.api.inventory import inventory
from topofinder.model.inventory.ports import read_port_map

FILES = ("--inventory", "i.json", "--current", "c.csv", "--to", "C(12,{2,3})", "--time", "0.2s")
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def fabric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two panels three minutes apart, tests of half a minute, racks, labels and cables."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOPOFINDER_DB", "t.db")
    inventory("Torus(3,4)", "i.json", "c.csv", panels=2)
    document = json.loads(Path("i.json").read_text())
    for number, panel in enumerate(document["panels"]):
        panel |= {"test_time": "30s", "rack": f"p{number}"}
    for number, host in enumerate(document["hosts"]):
        host["rack"] = f"r{number // 4}"
        for port in host["ports"]:
            port |= {"label": f"{host['name']}, {port['position']}", "cable": f"c{number}"}
    document["walks"] = [{"between": ["P0", "P1"], "time": "3min"}]
    Path("i.json").write_text(json.dumps(document))


def test_a_list_by_crew(capsys: Capture) -> None:
    for crews in (1, 2):
        done = ran(capsys, "plan", *FILES, "-o", "p.csv", "--work-order", "w.csv",
                   "--crews", str(crews), "--json")  # fmt: skip
        assert (done.code, done.err) == (0, "")
        told = json.loads(done.out)
        rows = list(csv.DictReader(Path("w.csv").read_text().splitlines()))
        moves = list(csv.DictReader(Path("p.csv").read_text().splitlines()))
        by_move = {row["move"]: row for row in rows}
        assert len(by_move) == len(rows) == len(moves)
        for move in moves:
            row = by_move[move["move"]]
            same = ("stage", "panel", "action", "mode", "port_a", "port_b", "position_a")
            assert [row[name] for name in same] == [move[name] for name in same]
            host = int(move["host_b"].removeprefix("h"))
            assert (row["rack_b"], row["cable_b"]) == (f"r{host // 4}", f"c{host}")
            position = move["position_b"].partition(":")[2]
            assert row["label_b"] == f"h{host}, {position}"
            assert row["panel_rack"] == f"p{move['panel'].removeprefix('P')}"
        assert {int(row["crew"]) for row in rows} <= set(range(1, crews + 1))
        order = [(int(row["crew"]), float(row["starts_s"]), int(row["move"])) for row in rows]
        assert order == sorted(order)
        ends = max(float(row["ends_s"]) for row in rows)
        assert told["crews"] == {"crews": crews, "seconds": ends}
        assert ends >= told["seconds_estimated"]
        # A crew is in one place at a time, and walks for three minutes to the other panel.
        for crew in range(1, crews + 1):
            mine = {
                (float(row["starts_s"]), float(row["ends_s"]), row["panel"])
                for row in rows
                if int(row["crew"]) == crew
            }
            for one, two in zip(sorted(mine), sorted(mine)[1:], strict=False):
                assert two[0] - one[1] >= (180 if one[2] != two[2] else 0)
        if crews == 2:
            assert ends == told["seconds_estimated"]


def test_what_a_plan_says_of_its_crews(capsys: Capture) -> None:
    done = ran(capsys, "plan", *FILES, "--crews", "1", "--work-order", "w.html")
    assert done.code == 0
    assert "  by 1 crew with all walks, about " in done.out
    assert ran(capsys, "plan", *FILES, "-o", "p.csv").code == 0
    assert ran(capsys, "replay", "p.json", *FILES[:4]).code == 0


def test_without_crews_nobody_is_named(capsys: Capture) -> None:
    assert ran(capsys, "plan", *FILES, "--work-order", "w.csv").code == 0
    rows = list(csv.DictReader(Path("w.csv").read_text().splitlines()))
    assert {row["crew"] for row in rows} == {""}


REFUSED = [
    (("--crews", "0"), "--crews: from 1 to 100, not 0"),
    (("--crews", "101"), "--crews: from 1 to 100, not 101"),
    (("--work-order", "w.txt"), "--work-order: w.txt ends in none of .html, .csv"),
    (("--work-order", "c.csv"), "--work-order: c.csv is the file of --current"),
    (("-o", "p.csv", "--work-order", "p.csv"), "--work-order: p.csv is the file of --output"),
]


@pytest.mark.parametrize(("words", "reason"), REFUSED)
def test_what_is_refused(words: tuple[str, ...], reason: str, capsys: Capture) -> None:
    done = ran(capsys, "plan", *FILES, *words)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"topofinder: {reason}\n"


WALKS = [
    ([{"between": ["P0", "X"], "time": "1min"}], "between: no panel is called X"),
    ([{"between": ["P0", "P0"], "time": "1min"}], "between: P0 and P0 is told already"),
    ([{"between": ["P0", "P1"], "time": "fast"}], "'fast' is not a quantity"),
    ([{"between": ["P0"], "time": "1min"}], "walks.0.between"),
]


@pytest.mark.parametrize(("walks", "reason"), WALKS)
def test_walks_that_are_refused(walks: object, reason: str, capsys: Capture) -> None:
    document = json.loads(Path("i.json").read_text()) | {"walks": walks}
    Path("i.json").write_text(json.dumps(document))
    done = ran(capsys, "plan", *FILES)
    assert (done.code, done.out) == (2, "")
    assert reason in done.err
    assert done.err.count("\n") == 1


def test_walks_are_known_both_ways() -> None:
    walks = read_port_map("i.json").walks
    assert walks == {(0, 1): 180, (1, 0): 180}
