"""`topofinder plan --losses`: exact answers and refusals."""

import json
from pathlib import Path

import pytest

from tests.command import ran
from topofinder.api.inventory import inventory

FILES = ("--inventory", "i.json", "--current", "c.csv", "--to", "K(3,3)", "--time", "0.5s")
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def fabric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ring on a switch; each host has two ports to spare, the last of which loses a decibel."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOPOFINDER_DB", "t.db")
    inventory("BiRing(2,6)", "i.json", "c.csv", ports=4, kind="ocs")
    rows = [f"h{host}:{port},,{loss}" for host in range(6) for port, loss in ((2, 3), (3, 1.25))]
    Path("l.csv").write_text("\n".join(["port_a,port_b,loss", *rows, "h0:3,h3:3,0.5dB"]) + "\n")


def test_new_circuits_take_the_ports_that_lose_least(capsys: Capture) -> None:
    done = ran(capsys, "plan", *FILES, "--losses", "l.csv", "--loss-budget", "2.8", "-o", "p.csv")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[4:8] == [
        "  the hosts stay strongly connected in every stage",
        "  a new circuit loses at most 3 dB; no choice of ports has less",
        "  1 new circuit loses more than 2.8 dB: h0:3 - h3:3",
        "  replayed move by move, there and back",
    ]
    made = [row.split(",")[5:7] for row in Path("p.csv").read_text().splitlines()[1:]]
    assert all(port.endswith(":3") for row in made for port in row)
    assert ran(capsys, "replay", "p.json", *FILES[:4]).code == 0
    done = ran(capsys, "plan", *FILES, "--losses", "l.csv", "--loss-budget", "3", "--json")
    assert json.loads(done.out)["losses"] == {
        "worst": 3.0,
        "proved": True,
        "budget": 3.0,
        "above": [],
    }


REFUSED = [
    ("port,loss\nh0:0,1\n", (), "l.csv, line 1: port_a,port_b,loss is needed, not"),
    ("", (), "l.csv: port_a,port_b,loss is needed"),
    ("port_a,port_b,loss\nh9:0,,1\n", (), "l.csv, line 2: no port is called 'h9:0'"),
    ("port_a,port_b,loss\nh0:0,h0:0,1\n", (), "l.csv, line 2: port_b: another port of the"),
    ("port_a,port_b,loss\nh0:0,,-1\n", (), "l.csv, line 2: loss: decibels such as 1.25 are"),
    ("port_a,port_b,loss\nh0:0,,1e9\n", (), "l.csv, line 2: loss: decibels such as 1.25 are"),
    ("port_a,port_b,loss\nh0:0,,1\nh0:0,,2\n", (), "l.csv, line 3: loss: h0:0 has another"),
    ("port_a,port_b,loss\nh0:0,1\n", (), "l.csv, line 2: 2 fields, where the head has 3"),
    ("port_a,port_b,loss\n", ("--loss-budget", "lots"), "--loss-budget: loss: decibels such as"),
]


@pytest.mark.parametrize(("text", "words", "reason"), REFUSED)
def test_what_is_refused(text: str, words: tuple[str, ...], reason: str, capsys: Capture) -> None:
    Path("l.csv").write_text(text)
    done = ran(capsys, "plan", *FILES, "--losses", "l.csv", *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"topofinder: {reason}")
    assert done.err.count("\n") == 1


def test_a_budget_needs_losses(capsys: Capture) -> None:
    done = ran(capsys, "plan", *FILES, "--loss-budget", "3")
    assert (done.code, done.out) == (2, "")
    assert done.err == "topofinder: --loss-budget: --losses is needed, what light loses at ports\n"
