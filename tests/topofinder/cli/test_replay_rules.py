"""`replay --onward` and `--back` keep what the plan was to keep up, and write scripts."""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from tests.command import ran
from tests.ocs_emulator import NotThereError, Switch
from topofinder.api.inventory import inventory
from topofinder.api.plan import plan

FILES = ("p.json", "--inventory", "i.json", "--current", "c.csv", "--journal", "j.csv")
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(name: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(Path(name).read_text())
    return found


def journal(*lines: str) -> None:
    Path("j.csv").write_text("\n".join(["move,outcome,port", *lines, ""]))


def circuits(name: str) -> set[tuple[str, str]]:
    rows = Path(name).read_text().splitlines()[1:]
    return {(row.split(",")[1], row.split(",")[2]) for row in rows}


def links(up: set[tuple[str, str]]) -> Counter[str]:
    """Circuits at each host."""
    return Counter(port.split(":")[0] for pair in up for port in pair)


def middles(name: str, up: set[tuple[str, str]]) -> list[set[tuple[str, str]]]:
    """What is up in the middle of each stage of a plan, from its document alone."""
    up, found = {tuple(sorted(pair)) for pair in up}, []
    for stage in json.loads(Path(name).read_text())["stages"]:
        up = up - {tuple(sorted(pair[:2])) for pair in stage["disconnect"]}
        found.append(set(up))
        up |= {tuple(sorted(pair[:2])) for pair in stage["connect"]}
    return found


def test_throughput_and_links_stay_up_onward(capsys: Capture) -> None:
    inventory("Torus(4,4)", "i.json", "c.csv", kind="ocs")
    plan(
        *("i.json", "c.csv", "C(16,{1,6})", "p.csv"),
        keep_throughput=0.6,
        take_out="25%",
        keep_connected=True,
        time=1,
    )
    journal("1,done,")
    done = ran(capsys, "replay", *FILES, "--onward", "on.csv", "--back", "back.csv")
    assert (done.code, done.err) == (0, "")
    for name in ("on.json", "back.json"):
        found = written(name)
        drain = found["drain"]
        assert isinstance(drain, dict)
        assert found["keep_connected"] is True
        assert (drain["take_out"], drain["keep_throughput"]) == ("1/4", "3/5")
        assert Fraction(drain["whole"]) == Fraction(1, 8)  # that of the torus, not of what is left
        assert all(Fraction(rate) >= Fraction(3, 40) for rate in drain["throughputs"])
        assert all(Fraction(share) <= Fraction(1, 4) for share in drain["most_out"])


def test_the_share_is_of_what_was_up_before_the_plan(capsys: Capture) -> None:
    """A quarter of eight links may be out: with two out by now, no third one goes."""
    inventory("C(16,{1,2,3,4})", "i.json", "c.csv", kind="ocs")
    plan("i.json", "c.csv", "C(16,{1,3,5,6})", "p.csv", take_out="25%", time=0.5)
    made = Path("p.csv").read_text().splitlines()
    outs = sum(row.startswith(f"{i},1,P0,disconnect") for i, row in enumerate(made))
    for moves in (outs // 2, outs):
        journal(*(f"{move},done," for move in range(1, moves + 1)))
        done = ran(capsys, "replay", *FILES, "--onward", "on.csv", "-o", "now.csv")
        assert (done.code, done.err) == (0, "")
        assert "before the plan is out" not in done.out
        for up in middles("on.json", circuits("now.csv")):
            assert min(links(up)[f"h{host}"] for host in range(16)) >= 6


def test_what_is_told_anew_goes_before_the_file(capsys: Capture) -> None:
    inventory("Torus(4,4)", "i.json", "c.csv")
    plan("i.json", "c.csv", "C(16,{3,4})", "p.csv", take_out="50%", time=0.2)
    journal("1,done,")
    words = ("--take-out", "1/4", "--cut", "h0,h1", "--keep-throughput", "0.5", "--demand", "ring")
    words = (*words, "--keep-connected")
    done = ran(capsys, "replay", *FILES, "--onward", "on.csv", *words)
    assert (done.code, done.err) == (0, "")
    found = written("on.json")
    drain = found["drain"]
    assert isinstance(drain, dict)
    assert found["keep_connected"] is True
    assert (drain["take_out"], drain["cuts"]) == ("1/4", [["h0", "h1"]])
    assert (drain["keep_throughput"], drain["demand"]) == ("1/2", "ring:1")


def test_a_demand_is_between_the_nodes_of_the_plan_that_was_begun(capsys: Capture) -> None:
    """Between hosts in their own order other amounts would be carried before it and after it."""
    inventory("BiRing(2,8)", "i.json", "c.csv", ports=3, kind="ocs")
    plan(
        *("i.json", "c.csv", "C(8,{1,4})", "p.csv"),
        pins={f"h{v * 3 % 8}": v for v in range(8)},
        keep_throughput=0.1,
        demand="ring",
        time=0.2,
    )
    begun = written("p.json")["drain"]
    journal("1,done,")
    assert ran(capsys, "replay", *FILES, "--onward", "on.csv").code == 0
    onward = written("on.json")["drain"]
    assert isinstance(begun, dict)
    assert isinstance(onward, dict)
    assert onward["whole"] == begun["whole"]


def test_a_demand_of_a_file_is_named_again(capsys: Capture) -> None:
    inventory("BiRing(2,6)", "i.json", "c.csv", ports=3)
    Path("d.csv").write_text("\n".join(",".join("1" * 6) for _ in range(6)))
    plan("i.json", "c.csv", "K(3,3)", "p.csv", keep_throughput=0.5, demand="d.csv", time=0.2)
    journal("1,done,")
    done = ran(capsys, "replay", *FILES, "--onward", "on.csv")
    told = "topofinder: --demand: matrix is that of a file, which is to be named again\n"
    assert (done.code, done.out, done.err) == (2, "", told)
    assert ran(capsys, "replay", *FILES, "--onward", "on.csv", "--demand", "d.csv").code == 0
    assert isinstance(drain := written("on.json")["drain"], dict)
    assert drain["demand"] == "matrix"


NEED_A_JOURNAL = [
    ("--keep-connected",),
    ("--take-out", "0.5"),
    ("--cut", "h0"),
    ("--keep-throughput", "0.5"),
    ("--demand", "ring"),
    ("--format", "sonic-ocs"),
]


@pytest.mark.parametrize("words", NEED_A_JOURNAL)
def test_rules_need_a_journal(words: tuple[str, ...], capsys: Capture) -> None:
    done = ran(capsys, "replay", *FILES[:5], *words)
    assert (done.code, done.err) == (2, f"topofinder: {words[0]}: --journal is needed\n")


def run_script(switch: Switch, name: str) -> int:
    """Run a script, as far as what is not there is refused; how many lines were."""
    refused = 0
    for line in Path(name).read_text().splitlines():
        try:
            switch.run(line)
        except NotThereError:
            refused += 1
    return refused


def cross_connects(name: str) -> dict[str, str]:
    """Both ways of the circuits in a list, by the positions of one panel of four ports a host."""
    found = {}
    for a, b in circuits(name):
        one, two = (
            4 * int(host.removeprefix("h")) + int(port) + 1
            for host, port in (end.split(":") for end in (a, b))
        )
        found |= {f"{one}A": f"{two}B", f"{two}A": f"{one}B"}
    return found


@pytest.mark.parametrize("doubt", ["there", "half", "gone"])
def test_scripts_lead_onward_from_an_unknown_move(doubt: str, capsys: Capture) -> None:
    """The circuit of the last move may be there, half of it, or not: the end is the same."""
    inventory("Torus(4,4)", "i.json", "c.csv", kind="ocs")
    plan("i.json", "c.csv", "C(16,{3,4})", "p.csv", time=0.2)
    rows = Path("p.csv").read_text().splitlines()[1:]
    first = next(i for i, row in enumerate(rows, 1) if row.split(",")[3] == "connect")
    journal(*(f"{move},done," for move in range(1, first)), f"{first},unknown,")
    words = ("--onward", "on.csv", "--back", "back.csv", "-o", "now.csv", "--format", "sonic-ocs")
    done = ran(capsys, "replay", *FILES, *words)
    assert (done.code, done.err) == (0, "")
    assert "on.P0.ocs.txt, on.P0.rollback.ocs.txt" in done.out
    one, two = (place.split(":")[1] for place in rows[first - 1].split(",")[7:9])
    both = {f"{one}A": f"{two}B", f"{two}A": f"{one}B"}
    unsure = dict(list(both.items())[: {"there": 2, "half": 1, "gone": 0}[doubt]])
    for name, end in (("on", "p.wiring.csv"), ("back", "c.csv")):
        switch = Switch(ports=384, connects=cross_connects("now.csv") | unsure)
        run_script(switch, f"{name}.P0.ocs.txt")
        assert switch.connects == cross_connects(f"{name}.wiring.csv")
        ends = [sorted(links(circuits(file)).items()) for file in (f"{name}.wiring.csv", end)]
        assert ends[0] == ends[1]
        again = dict(switch.connects)
        run_script(switch, f"{name}.P0.ocs.txt")
        assert switch.connects == again


def test_scripts_are_of_switches_alone(capsys: Capture) -> None:
    inventory("BiRing(2,6)", "i.json", "c.csv", ports=3)
    plan("i.json", "c.csv", "K(3,3)", "p.csv", time=0.2)
    journal("1,done,")
    for words, reason in (
        (("--onward", "on.csv", "--format", "sonic-ocs"), "P0 is a patch-panel, not an ocs"),
        (("--onward", "on.csv", "--format", "tl1"), "sonic-ocs, not 'tl1'"),
        (("--format", "sonic-ocs"), "--onward or --back is needed"),
    ):
        done = ran(capsys, "replay", *FILES, *words)
        assert (done.code, done.out) == (2, "")
        assert done.err == f"topofinder: --format: {reason}\n"
