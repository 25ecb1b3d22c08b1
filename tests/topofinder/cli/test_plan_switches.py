"""`topofinder plan --format sonic-ocs`: from what switches show to their commands, and refusals."""

from pathlib import Path

import pytest

from tests.command import ran
from tests.ocs_emulator import Switch
from topofinder.api.inventory import inventory

FILES = ("--inventory", "i.json", "--current", "now.txt")
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def switch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Switch:
    """A switch with a ring of six hosts of three ports, and what it shows of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOPOFINDER_DB", "t.db")
    inventory("BiRing(2,6)", "i.json", "w.csv", ports=3, kind="ocs")
    found = Switch(ports=384)
    rows = [line.split(",")[1:3] for line in Path("w.csv").read_text().splitlines()[1:]]
    for one, two in rows:
        a, b = (3 * int(host[1:]) + int(port) + 1 for host, port in map(_ends, (one, two)))
        found.run(f"config ocs cross-connect add {a}A-{b}B,{b}A-{a}B safe")
    show(found)
    return found


def _ends(name: str) -> list[str]:
    return name.split(":")


def show(switch: Switch) -> None:
    views = ("show ocs cross-connect status", "show ocs port config")
    Path("now.txt").write_text("".join(f"{view}\n{switch.run(view)}\n" for view in views))


def test_from_what_is_shown_to_commands_and_back(switch: Switch, capsys: Capture) -> None:
    """Stopped after each command, the plan's replay tells how far the switch is."""
    before = dict(switch.connects)
    done = ran(capsys, "plan", *FILES, "--to", "K(3,3)", "-o", "p.csv", "--format", "sonic-ocs")
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("p.json, p.P0.ocs.txt, p.P0.rollback.ocs.txt\n")
    assert ran(capsys, "replay", "p.json", *FILES).code == 0
    for script in ("p.P0.ocs.txt", "p.P0.rollback.ocs.txt"):
        for line in Path(script).read_text().splitlines():
            switch.run(line)
        if script == "p.P0.ocs.txt":
            show(switch)
            assert switch.connects != before
            assert ran(capsys, "replay", "p.json", *FILES, "--rollback").code == 0
    assert switch.connects == before


def test_blocked_ports_take_no_circuit(switch: Switch, capsys: Capture) -> None:
    """Both sides of position 3, free so far, are out of use with one of them."""
    switch.run("config ocs port state 3B force_blocked")
    show(switch)
    done = ran(capsys, "plan", *FILES, "--to", "C(6,{1})", "-o", "p.csv", "--format", "sonic-ocs")
    assert done.code == 0
    assert '"dead": ["h0:2"]' in Path("p.json").read_text()
    done = ran(capsys, "plan", *FILES, "--to", "K(4)")
    assert done.code == 0
    hosts = ran(capsys, "plan", *FILES, "--to", "K(4)", "--hosts", "h0,h1,h2,h3")
    assert (hosts.code, "h0 has 2 usable ports, fewer than 3" in hosts.err) == (2, True)


REFUSED = [
    (("-o", "p.csv", "--format", "cli"), "--format: sonic-ocs, not 'cli'"),
    (("--format", "sonic-ocs"), "--format: --output is needed"),
    (("-o", "mine.csv", "--format", "sonic-ocs"), "--output: mine.P0.ocs.txt is there already"),
]


@pytest.mark.parametrize(("words", "reason"), REFUSED)
def test_what_is_refused(
    words: tuple[str, ...], reason: str, switch: Switch, capsys: Capture
) -> None:
    Path("mine.P0.ocs.txt").write_text("mine\n")
    done = ran(capsys, "plan", *FILES, "--to", "K(3,3)", *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"topofinder: {reason}")
    assert done.err.count("\n") == 1
    assert Path("mine.P0.ocs.txt").read_text() == "mine\n"


def test_patch_panels_take_no_commands(switch: Switch, capsys: Capture) -> None:
    inventory("BiRing(2,6)", "i.json", "w.csv", ports=3, force=True)
    done = ran(capsys, "plan", *FILES, "--to", "Q(2)", "-o", "p.csv", "--format", "sonic-ocs")
    assert (done.code, done.err) == (2, "topofinder: --format: P0 is a patch-panel, not an ocs\n")
