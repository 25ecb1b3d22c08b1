"""`topofinder replay --journal`: exact answers and exit codes."""

import json
from pathlib import Path

import pytest

from tests.command import ran
from topofinder.api.inventory import inventory
from topofinder.api.plan import plan

FILES = ("p.json", "--inventory", "i.json", "--current", "c.csv", "--journal", "j.csv")
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan of a ring of six, to be wired otherwise with a port to spare."""
    monkeypatch.chdir(tmp_path)
    inventory("BiRing(2,6)", "i.json", "c.csv", ports=3)
    plan("i.json", "c.csv", "K(3,3)", "p.csv", time=0.2)


def test_three_moves_to_make(capsys: Capture) -> None:
    Path("j.csv").write_text("move,outcome\n1,done\n2,unknown\n")
    done = ran(capsys, "replay", *FILES, "--onward", "on.csv")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "1 of 3 moves are done, 0 failed, 1 unknown; 7 circuits are up"
    assert lines[1].startswith("  first take out, if it is there: h")
    assert lines[3] == "onward: the end of the plan on 6 hosts, degree 3, duplex"
    assert lines[4].startswith("  2 moves;")
    assert lines[-1] == "  written to on.csv, on.rollback.csv, on.wiring.csv, on.json"
    told = json.loads(ran(capsys, "replay", *FILES, "--json").out)
    assert (told["valid"], told["done"], told["unknown"], told["onward"]) == (True, 1, 1, None)


def test_a_port_that_failed_for_which_there_is_no_other(capsys: Capture) -> None:
    Path("j.csv").write_text("move,outcome\n1,failed\n")
    done = ran(capsys, "replay", *FILES, "--onward", "on.csv", "--back", "back.csv")
    assert done.code == 0
    assert "  dead from now on: " in done.out
    assert "  2 moves;" in done.out
    assert "back: the wiring before the plan on 6 hosts, degree 2, duplex\n  0 moves;" in done.out


REFUSED = [
    (("--after", "1"), "--after: not with --journal"),
    (("--onward", "p.csv"), "--output: p.json is the file of FILE"),
    (("-o", "j.csv"), "--output: j.csv is the file of --journal"),
    (("--onward", "on.csv", "--back", "on.csv"), "--back: on.csv is written already"),
    (("--rollback",), "--current: c.csv is not the wiring that the plan begins with"),
]


@pytest.mark.parametrize(("words", "reason"), REFUSED)
def test_what_is_refused(words: tuple[str, ...], reason: str, capsys: Capture) -> None:
    Path("j.csv").write_text("move,outcome\n1,done\n")
    done = ran(capsys, "replay", *FILES, *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"topofinder: {reason}")
    assert done.err.count("\n") == 1


def test_plans_from_there_need_a_journal(capsys: Capture) -> None:
    done = ran(capsys, "replay", *FILES[:5], "--onward", "on.csv")
    assert (done.code, done.err) == (2, "topofinder: --onward, --back: --journal is needed\n")


def test_circuits_keep_their_rates_onward_and_back(capsys: Capture) -> None:
    """Whatever was done, both plans end in the wirings' own graphs with the rates of the links."""
    inventory("Torus(3,3)", "i.json", "c.csv", panels=2, force=True)
    plan("i.json", "c.csv", "C(9,{1,2})", "p.csv", link_rates="P0=1Gbps,P1=3Gbps", time=0.2)
    made = json.loads(Path("p.json").read_text())
    moves = sum(len(stage["disconnect"]) + len(stage["connect"]) for stage in made["stages"])
    for done in range(0, moves + 1, 3):
        lines = [f"{move},done" for move in range(1, done + 1)]
        Path("j.csv").write_text("\n".join(["move,outcome", *lines, ""]))
        words = ("--onward", f"on{done}.csv", "--back", f"back{done}.csv", "--time", "0.2s")
        assert ran(capsys, "replay", *FILES, *words).code == 0
        for name, wanted in (("on", made["arc_rates"]), ("back", None)):
            found = json.loads(Path(f"{name}{done}.json").read_text())
            rate = dict(zip(_port_names(), found["port_rates"], strict=True))
            assert all(rate[a] == rate[b] for a, b, _ in found["wiring"])
            assert wanted is None or sorted(found["arc_rates"]) == sorted(wanted)
            assert len(found["wiring"]) == 18


def _port_names() -> list[str]:
    given = json.loads(Path("i.json").read_text())
    return [f"{host['name']}:{j}" for host in given["hosts"] for j in range(len(host["ports"]))]
