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
    done = ran(capsys, "plan", *FILES, "--losses", "l.csv", "-o", "p.csv")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[4:7] == [
        "  the hosts stay strongly connected in every stage",
        "  a new circuit loses at most 3 dB; no choice of ports has less",
        "  replayed move by move, there and back",
    ]
    made = [row.split(",")[5:7] for row in Path("p.csv").read_text().splitlines()[1:]]
    assert all(port.endswith(":3") for row in made for port in row)
    done = ran(capsys, "replay", "p.json", *FILES[:4])
    assert done.code == 0
    assert "only claimed: that ports lose so much, and that no choice of ports has" in done.out
    done = ran(capsys, "plan", *FILES, "--losses", "l.csv", "--loss-budget", "3", "--json")
    assert json.loads(done.out)["losses"] == {
        "worst": 3.0,
        "proved": True,
        "budget": 3.0,
        "above": [],
    }


def test_a_budget_is_kept_by_other_hosts_or_refused(capsys: Capture) -> None:
    """Opposite hosts of the ring are joined; rotated by one, none of them are h0 and h3."""
    words = ("plan", *FILES, "--losses", "l.csv", "-o", "p.csv", "--loss-budget")
    done = ran(capsys, *words, "2.8")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[5:7] == [
        "  a new circuit loses at most 2.5 dB; no choice of ports has less",
        "  all new circuits are within 2.8 dB",
    ]
    done = ran(capsys, *words, "2.4", "--json")
    told = json.loads(done.out)
    assert (told["losses"]["worst"], told["moves"]) == (1.25, 6)  # ports in use are made free
    Path("p.json").unlink()
    done = ran(capsys, *words, "1.2")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "topofinder: --loss-budget: h0:3 - h3:3 loses 3 dB, above 1.2 dB, and 2 more new circuits "
        "too much; no choice of their ports has less\n"
    )
    assert not Path("p.json").exists()


def circuit_ports(name: str) -> list[tuple[str, str]]:
    rows = [row.split(",") for row in Path(name).read_text().splitlines()[1:]]
    return [(row[5], row[6]) for row in rows if row[3] == "connect"]


def test_plans_onward_and_back_keep_losses(capsys: Capture) -> None:
    """The port of 1.25 dB at h0 fails: that of 3 dB takes its circuit, which is told."""
    plan = ("plan", *FILES, "--losses", "l.csv", "--loss-budget", "3", "-o", "p.csv")
    assert ran(capsys, *plan, "--pin", "h0=0").code == 0
    told = json.loads(Path("p.json").read_text())["losses"]
    assert (told["budget"], told["worst"], told["proved"]) == ("3", "3", True)
    assert told["ports"][:2] == [["h0:2", "3"], ["h0:3", "1.25"]]
    assert told["pairs"] == [["h0:3", ["h3:3"], ["0.5"]]]
    (bad,) = [i for i, pair in enumerate(circuit_ports("p.csv"), 1) if "h0:3" in pair]
    Path("j.csv").write_text(f"move,outcome,port\n{bad},failed,h0:3\n")
    words = ("replay", "p.json", *FILES[:4], "--journal", "j.csv", "--onward", "on.csv")
    done = ran(capsys, *words)
    assert (done.code, done.err) == (0, "")
    assert "  a new circuit loses at most 4.25 dB; no choice of ports has less\n" in done.out
    assert "  1 new circuit loses more than 3 dB: h0:2 - h3:3\n" in done.out
    new = {port for pair in circuit_ports("on.csv") for port in pair}
    assert new == {"h0:2", *(f"h{host}:3" for host in range(1, 6))}
    assert json.loads(Path("on.json").read_text())["losses"]["ports"] == told["ports"]
    assert ran(capsys, "replay", "on.json", *FILES[:4]).code == 0
    done = ran(capsys, *words, "--loss-budget", "5", "--back", "back.csv")
    assert "all new circuits are within 5 dB" in done.out
    Path("m.csv").write_text("port_a,port_b,loss\nh1:3,,4\n")
    done = ran(capsys, *words, "--losses", "m.csv")
    assert done.code == 0
    assert "h1:2" in {port for pair in circuit_ports("on.csv") for port in pair}


def test_old_plans_and_false_losses(capsys: Capture) -> None:
    """A plan of before losses stood in files is read; one that tells others is not valid."""
    assert ran(capsys, "plan", *FILES, "--losses", "l.csv", "-o", "p.csv").code == 0
    whole = json.loads(Path("p.json").read_text())
    Path("j.csv").write_text("move,outcome,port\n1,done,\n")
    onward = ("--journal", "j.csv", "--onward", "on.csv")
    rows, pairs = whole["losses"]["ports"], whole["losses"]["pairs"]
    for change, code, text in (
        ({"worst": "2"}, 0, "not valid: losses: worst: the plan says '2'; it is '3'"),
        ({"ports": [["h9:1", "2"]]}, 2, "p.json: losses: the inventory has no port 'h9:1'"),
        ({"pairs": [["h0:1", ["h0:1"], ["2"]]]}, 2, "losses: 'h0:1' is no other port of that"),
        ({"pairs": [["h0:1", ["h0:2"], []]]}, 2, "losses: h0:1: 0 for 1 receivers"),
        ({"ports": [["h0:2", "-1"]]}, 2, "p.json: losses.ports.0.1: "),
        ({"ports": rows, "pairs": pairs}, 0, "valid: after"),
    ):
        Path("p.json").write_text(json.dumps(whole | {"losses": whole["losses"] | change}))
        done = ran(capsys, "replay", "p.json", *FILES[:4])
        assert text in done.out + done.err
        assert done.code == (1 if text.startswith("not") else code)
    Path("p.json").write_text(json.dumps({k: v for k, v in whole.items() if k != "losses"}))
    done = ran(capsys, "replay", "p.json", *FILES[:4], *onward)
    assert done.code == 0
    assert "loses" not in done.out
    done = ran(capsys, "replay", "p.json", *FILES[:4], *onward, "--loss-budget", "3")
    assert done.err == "topofinder: --loss-budget: --losses is needed, the plan has none\n"
    unlisted = whole | {"losses": whole["losses"] | {"ports": None, "pairs": None}}
    Path("p.json").write_text(json.dumps(unlisted))
    done = ran(capsys, "replay", "p.json", *FILES[:4], *onward)
    assert done.err == (
        "topofinder: --losses: too long for the plan's file, and to be named again\n"
    )
    assert ran(capsys, "replay", "p.json", *FILES[:4], *onward, "--losses", "l.csv").code == 0


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
