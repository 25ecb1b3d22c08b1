"""`topofinder plan --least` and `--reach`: exact answers and refusals."""

import json
from pathlib import Path

import pytest

from tests.command import ran
from topofinder.api.inventory import inventory

FILES = ("--inventory", "i.json", "--current", "c.csv", "--to", "K(2,2)", "--time", "0.5s")
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def fabric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ring of four hosts, the last of them far away, and one near that stands by."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOPOFINDER_DB", "t.db")
    inventory("BiRing(2,5)", "i.json", "c.csv")
    document = json.loads(Path("i.json").read_text())
    for host, rack in zip(document["hosts"], ("r1", "r1", "r2", "r3", "r2"), strict=True):
        host["rack"] = rack
    document["panels"][0]["rack"] = "r1"
    document["trays"] = [
        {"between": ["r1", "r2"], "length": "4.5m"},
        {"between": ["r2", "r3"], "length": "40m"},
    ]
    Path("i.json").write_text(json.dumps(document | {"slack": "2m"}))
    rows = ["h0:0,h1:0", "h1:1,h2:0", "h2:1,h3:0"]
    Path("c.csv").write_text("\n".join(["port_a,port_b,mode", *(f"{r},duplex" for r in rows), ""]))


def test_circuits_above_the_reach_are_told(capsys: Capture) -> None:
    done = ran(capsys, "plan", *FILES, "--reach", "40m")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[5:7] == [
        "  114 m of circuits, the longest 53 m",
        "  2 circuits are longer than 40 m: h0 - h3, h2 - h3",
    ]


def test_the_trade_between_lengths_and_moves_is_told(capsys: Capture) -> None:
    done = ran(capsys, "plan", *FILES, "--least", "fibre", "-o", "p.csv")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[5:7] == [
        "  34 m of circuits, the longest 13 m",
        "  no wiring has less fibre; with 1 move, 1 fewer, 114 m",
    ]
    assert ran(capsys, "replay", "p.json", *FILES[:4]).code == 0
    done = ran(capsys, "plan", *FILES, "--least", "reach", "--reach", "40m")
    assert done.out.splitlines()[5:8] == [
        "  34 m of circuits, the longest 13 m",
        "  none is longer than 40 m",
        "  no wiring has fewer above the reach; with 1 move, 1 fewer, 114 m and 2 above the reach",
    ]
    done = ran(capsys, "plan", *FILES, "--least", "reach", "--reach", "60m", "--json")
    assert json.loads(done.out)["lengths"] == {
        "total": 34.0,
        "longest": 13.0,
        "reach": 60.0,
        "above": [],
        "least": "reach",
        "proved": True,
        "fewest": {"moves": 1, "total": 114.0, "longest": 53.0, "reach": 60.0, "above": []},
    }


REFUSED = [
    (("--least", "cost"), "--least: one of moves, fibre, reach, not 'cost'"),
    (("--least", "reach"), "--least: reach: --reach is needed, such as 100m"),
    (("--reach", "3"), "--reach: '3' has no unit; write for example 12.5m"),
    (("--least", "fibre", "--degraded"), "--least: fibre: for one --to alone, and without"),
    (("--least", "fibre", "--max-moves", "3"), "--least: fibre: for one --to alone, and without"),
]


@pytest.mark.parametrize(("words", "reason"), REFUSED)
def test_what_is_refused(words: tuple[str, ...], reason: str, capsys: Capture) -> None:
    done = ran(capsys, "plan", *FILES, *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"topofinder: {reason}")
    assert done.err.count("\n") == 1


def test_lengths_need_trays(capsys: Capture) -> None:
    inventory("BiRing(2,5)", "j.json", "d.csv")
    for words in (("--least", "fibre"), ("--reach", "3m")):
        done = ran(capsys, "plan", "--inventory", "j.json", *FILES[2:], *words)
        assert (
            done.err == f"topofinder: {words[0]}: the inventory has no trays, and so no lengths\n"
        )
