"""`topofinder plan --take-out` and `--keep-throughput`: exact answers, replays and refusals."""

import json
from pathlib import Path

import pytest

from tests.command import ran
from topofinder.api.inventory import inventory
from topofinder.api.plan import plan

FILES = ("--inventory", "i.json", "--current", "c.csv")
TO = ("--to", "C(16,{3,4})", "--time", "0.5s")
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def fabric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A torus on a switch that sets all its mirrors at once."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOPOFINDER_DB", "t.db")
    inventory("Torus(4,4)", "i.json", "c.csv", kind="ocs")


def test_links_and_throughput_in_the_middle_of_stages(capsys: Capture) -> None:
    words = ("--take-out", "25%", "--keep-throughput", "0.7", "--cut", "h0,h1", "-o", "p.csv")
    done = ran(capsys, "plan", *FILES, *TO, *words)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[3:7] == [
        "  4 stages, about 40 ms; to roll back, 30 ms",
        "  the hosts stay strongly connected in every stage",
        "  of the links of a host, or across a cut, at most 25% are out at a time",
        "  0.09375 or more is carried in every stage (uniform; 70% of 0.125 was asked)",
    ]
    told = json.loads(Path("p.json").read_text())["drain"]
    assert (told["take_out"], told["keep_throughput"], told["whole"]) == ("1/4", "7/10", "1/8")
    assert told["cuts"] == [["h0", "h1"]]
    assert min(map(eval, told["throughputs"])) == 0.09375
    done = ran(capsys, "replay", "p.json", *FILES)
    assert done.code == 0
    assert "only claimed: that no plan has fewer moves (lower_bound); bound, drain," in done.out


def test_what_cannot_be_kept_is_told(capsys: Capture) -> None:
    done = ran(capsys, "plan", *FILES, *TO, "--take-out", "1/100", "--keep-throughput", "1")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[5:9] == [
        "  of the links of a host at most 25% are out at a time",
        "  more than 1% are out in 4 stages: 1, 2, 3, 4",
        "  0.09375 or more is carried in every stage (uniform; 100% of 0.125 was asked)",
        "  less than was asked may be carried in 4 stages: 1, 2, 3, 4",
    ]
    told = json.loads(ran(capsys, "plan", *FILES, *TO, "--take-out", "0.01", "--json").out)
    assert told["drain"]["stages_beyond"] == [1, 2, 3, 4]


def test_racks_are_cuts(capsys: Capture) -> None:
    document = json.loads(Path("i.json").read_text())
    for number, host in enumerate(document["hosts"]):
        host["rack"] = f"r{number // 4}"
    Path("i.json").write_text(json.dumps(document))
    found = plan("i.json", "c.csv", "C(16,{3,4})", time=0.5, take_out=0.25)
    assert found.plan.drain is not None
    assert found.plan.drain.cuts == tuple(tuple(range(k, k + 4)) for k in (0, 4, 8, 12))


FORGED = [
    ("most_out", ["0", "0", "0", "0"], "drain: most_out: the plan says "),
    ("most_out", [], "drain: most_out: the plan says "),
    ("throughputs", ["1"] * 9, "drain: throughputs: the plan says 9; it is 1"),
    ("cuts", [["nobody"]], "drain: cuts: the inventory has no host 'nobody'"),
]


@pytest.mark.parametrize(("field", "value", "reason"), FORGED)
def test_forged_drains_are_refused(field: str, value: object, reason: str, capsys: Capture) -> None:
    plan("i.json", "c.csv", "C(16,{3,4})", "p.csv", time=0.5, take_out=0.25, keep_throughput=0.5)
    document = json.loads(Path("p.json").read_text())
    document["drain"][field] = value
    Path("p.json").write_text(json.dumps(document))
    done = ran(capsys, "replay", "p.json", *FILES)
    assert done.code == 1
    assert reason in done.out + done.err


REFUSED = [
    (("--take-out", "1"), "--take-out: a share above 0 and below 1, not '1'"),
    (("--take-out", "nan"), "--take-out: a share above 0 and below 1, not 'nan'"),
    (("--take-out", "1/0"), "--take-out: a share above 0 and below 1, not '1/0'"),
    (("--keep-throughput", "0"), "--keep-throughput: a share above 0, at most 1, not '0'"),
    (("--keep-throughput", "1e9999999"), "--keep-throughput: a share above 0, at most 1, not"),
    (("--cut", "h0"), "--cut: --take-out is needed, the share that may be out"),
    (("--take-out", "0.5", "--cut", "z"), "--cut: no host is called 'z'"),
    (("--take-out", "0.5", "--cut", "h*"), "--cut: 'h*' leaves no host on the other side"),
    (("--demand", "ring"), "--demand: --keep-throughput is needed, the share that is kept"),
    (("--keep-throughput", "0.5", "--demand", "x"), "--demand: 'x' is none of uniform,"),
    (("--keep-throughput", "0.5", "--demand", "x.csv"), "x.csv: cannot be read"),
]


@pytest.mark.parametrize(("words", "reason"), REFUSED)
def test_what_is_refused(words: tuple[str, ...], reason: str, capsys: Capture) -> None:
    done = ran(capsys, "plan", *FILES, *TO, *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"topofinder: {reason}")
    assert done.err.count("\n") == 1
