"""`topofinder check`: exact answers, exit codes, the files of the repair, and what is refused."""

import json
from pathlib import Path

import pytest

from tests.command import ran
from topofinder.api.check import check
from topofinder.api.inventory import inventory

Capture = pytest.CaptureFixture[str]
FILES = ("--inventory", "i.json", "--expected", "w.csv", "--observed")


@pytest.fixture
def ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ring of twelve, and its list of ports."""
    monkeypatch.chdir(tmp_path)
    inventory("BiRing(2,12)", "i.json", "w.csv")
    return tmp_path


def observe(change: dict[str, str]) -> None:
    """A list of the ports in place, with some of them changed."""
    text = Path("w.csv").read_text()
    lines = [line.split(",") for line in text.splitlines()[1:]]
    rows = [f"{change.get(a, a)},{change.get(b, b)}" for _, a, b, _ in lines]
    Path("seen.csv").write_text("\n".join(["port_a,port_b", *rows]) + "\n")


def test_a_fabric_as_it_should_be(ring: Path, capsys: Capture) -> None:
    observe({})
    done = ran(capsys, "check", *FILES, "seen.csv")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "12 circuits should be there, 12 were seen, 12 of them as they should be\n\n"
        "every fibre is where it should be\n"
    )


def test_swapped_fibres_and_their_repair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Two circuits of a torus with their far ends swapped, mended and replayed."""
    monkeypatch.chdir(tmp_path)
    inventory("Torus(4,4)", "i.json", "w.csv")
    observe({"h6:0": "h10:1", "h10:1": "h6:0"})
    done = ran(capsys, "check", *FILES, "seen.csv", "-o", "mend.csv", "--no-costs")
    assert done.code == 1
    assert done.out == SWAPPED
    again = ("--inventory", "i.json", "--current", "seen.csv")
    assert ran(capsys, "replay", "mend.json", *again).code == 0
    told = json.loads(ran(capsys, "check", *FILES, "seen.csv", "--no-costs", "--json").out)
    assert (told["verdict"], told["right"], told["restored"]) == ("moves", 30, 2)
    assert told["differences"][0] == {
        "port": "h2:2",
        "panel": "P0",
        "expected": "h6:0",
        "found": "h10:1",
    }


SWAPPED = """\
32 circuits should be there, 32 were seen, 30 of them as they should be

port   should reach  reaches  panel
-----  ------------  -------  -----
h2:2   h6:0          h10:1    P0
h6:0   h2:2          h9:2     P0
h9:2   h10:1         h6:0     P0
h10:1  h9:2          h2:2     P0

the wiring that should be on 16 hosts, degree 4, duplex
  2 moves; no plan has fewer (cycles); placed by start, seed 0
  30 of 32 circuits stay, 2 are taken out
  2 stages, about 4 min 0 s; to roll back, 4 min 0 s
  the hosts stay strongly connected in every stage
  replayed move by move, there and back
  written to mend.csv, mend.rollback.csv, mend.wiring.csv, mend.json
"""


def test_the_costs_of_living_with_it(ring: Path, capsys: Capture) -> None:
    """A circuit that is not there makes a path of the ring: every way is as long as it gets."""
    observe({})
    lines = Path("seen.csv").read_text().splitlines()
    Path("seen.csv").write_text("\n".join(lines[:-1]) + "\n")
    done = ran(capsys, "check", *FILES, "seen.csv")
    assert done.code == 1
    lost = lines[-1].split(",")
    assert f"{lost[0]}  " in done.out
    assert "nothing" in done.out
    assert "1 moves; no plan has fewer" in done.out
    told = done.out.split("To live with it")[1].splitlines()
    assert [line.split()[:4] for line in told[4:5]] == [["as", "it", "should", "be"]]
    assert told[5].split()[:4] == ["as", "built", "22", "3.667"]


def test_a_fabric_cut_in_two_is_told(ring: Path) -> None:
    observe({})
    lines = Path("seen.csv").read_text().splitlines()
    Path("seen.csv").write_text("\n".join([*lines[:2], *lines[3:7], *lines[8:]]) + "\n")
    found = check("i.json", "w.csv", "seen.csv")
    assert found.plan is not None
    assert found.plan.moves == 2
    assert not found.record.connects
    assert len(found.record.costs) == 1
    assert "does not let every host reach every other" in str(found)


def test_other_names_are_told_and_nothing_is_touched(ring: Path, capsys: Capture) -> None:
    """Hosts 0 and 6 in each other's place: a ring is a ring."""
    change = {f"h{a}:{p}": f"h{b}:{p}" for a, b in ((0, 6), (6, 0)) for p in (0, 1)}
    observe(change)
    done = ran(capsys, "check", *FILES, "seen.csv", "-o", "mend.csv")
    assert done.code == 1
    assert "the same fabric under other names: rename, touch nothing: " in done.out
    told = json.loads(ran(capsys, "check", *FILES, "seen.csv", "--json").out)
    assert (told["verdict"], told["plan"]["moves"], told["restored"]) == ("renamed", 0, 4)
    assert told["renamed"]
    assert told["costs"] == []


def test_other_ports_of_the_same_hosts(ring: Path, capsys: Capture) -> None:
    observe({"h0:0": "h0:1", "h0:1": "h0:0"})
    done = ran(capsys, "check", *FILES, "seen.csv")
    assert (done.code, done.out.splitlines()[-1]) == (
        1,
        "the same hosts are joined, in other ports: touch nothing",
    )


def test_a_wrong_inventory_is_not_mended(ring: Path, capsys: Capture) -> None:
    Path("nb.csv").write_text("Device A,Termination A,Device B,Termination B\nh0,0,P0,2\n")
    done = ran(capsys, "check", *FILES, "nb.csv")
    assert done.code == 1
    assert "  h0:0 leads to P0:2, elsewhere than in the inventory\n" in done.out
    assert done.out.endswith("moves would be made in the wrong places\n")


REFUSED = [
    (
        ("seen.csv", "--format", "xml"),
        "--format: one of lldp-json, lldp-text, ptm, csv, ocs, not 'xml'",
    ),
    (("seen.csv", "--time", "never"), "--time"),
    (("seen.csv", "-o", "mend.txt"), "--output: mend.txt ends in none of .csv, .json"),
    (("none.csv",), "none.csv: cannot be read: no such file or directory"),
    (("empty.csv",), "--observed: empty.csv tells of no link"),
    (("twice.csv",), "twice.csv, line 3: h0:0 reaches h1:0 already, not h2:0"),
]


@pytest.mark.parametrize(("words", "reason"), REFUSED)
def test_what_is_refused(words: tuple[str, ...], reason: str, ring: Path, capsys: Capture) -> None:
    observe({})
    Path("empty.csv").write_text("port_a,port_b\n")
    Path("twice.csv").write_text("port_a,port_b\nh0:0,h1:0\nh0:0,h2:0\n")
    done = ran(capsys, "check", *FILES, *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"topofinder: {reason}")
    assert done.err.count("\n") == 1


def test_a_file_that_is_read_is_not_written_over(ring: Path, capsys: Capture) -> None:
    observe({})
    done = ran(capsys, "check", *FILES, "seen.csv", "-o", "seen.csv")
    assert done.code == 2
    assert "--output: seen.csv is the file of --observed" in done.err


def test_what_switches_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """A switch with circulators, whose circuits are wanted and seen in its own words."""
    monkeypatch.chdir(tmp_path)
    inventory("BiRing(2,4)", "i.json", "w.csv", kind="ocs", circulators=True)
    head = "show ocs cross-connect config\nid a_side b_side\n----- ------ ------\n"
    rows = [("1A", "2B"), ("2A", "3B"), ("3A", "4B"), ("4A", "1B")]
    lines = [f"{a}-{b} {a:6} {b}\n" for a, b in rows]
    Path("want.txt").write_text(head + "".join(lines))
    Path("seen.txt").write_text(head + "".join(lines[:3]))
    told = ("check", "--inventory", "i.json", "--expected", "want.txt", "--no-costs", "--observed")
    assert ran(capsys, *told, "want.txt").out.endswith("every fibre is where it should be\n")
    done = ran(capsys, *told, "seen.txt", "--json")
    assert done.code == 1
    found = json.loads(done.out)
    assert (found["verdict"], found["plan"]["moves"], found["alike"]) == ("moves", 1, [])
    assert [one["found"] for one in found["differences"]] == ["", ""]
