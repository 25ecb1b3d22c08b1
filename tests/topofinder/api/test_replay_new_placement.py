"""A port that dies amid a plan: other hosts take parts where that leaves out fewer circuits."""

from pathlib import Path

import numpy as np
import pytest

from tests.command import ran
from topofinder.api.inventory import inventory
from topofinder.api.plan import plan
from topofinder.api.replay_journal import FollowedJournal, replay_journal
from topofinder.model.inventory.cross_connects import read_wiring
from topofinder.model.inventory.ports import read_port_map
from topofinder.verification.journal import plan_moves
from topofinder.verification.plan_reader import read_plan

FILES = ("p.json", "i.json", "c.csv", "j.csv")
Capture = pytest.CaptureFixture[str]


@pytest.fixture(
    autouse=True, params=[("C(6,{1,2})", "BiRing(4,6)", 4), ("BiRing(2,6)", "K(3,3)", 3)]
)
def begun(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan of six hosts; a seventh stands by, and no host has a port to spare."""
    monkeypatch.chdir(tmp_path)
    begin, end, ports = request.param
    inventory(begin, "i.json", "c.csv", ports=ports, hosts=7)
    plan("i.json", "c.csv", end, "p.csv", hosts="h0,h1,h2,h3,h4,h5", time=0.2)


def failed_at(number: int) -> None:
    """The moves before one are done, and that one failed at its first port."""
    fabric = read_port_map("i.json")
    move = plan_moves(read_plan("p.json", fabric))[number - 1]
    lines = [f"{done},done," for done in range(1, number)]
    lines.append(f"{number},failed,{fabric.names[move.circuit.a]}")
    Path("j.csv").write_text("\n".join(["move,outcome,port", *lines]) + "\n")


def first_made() -> int:
    moves = plan_moves(read_plan("p.json", read_port_map("i.json")))
    return next(move.number for move in moves if move.makes)


def left_out(found: FollowedJournal) -> int:
    assert found.onward is not None
    return len(found.onward.missing) + found.record.left_out.get("onward", 0)


def test_a_host_that_stands_by_takes_the_part() -> None:
    failed_at(first_made())
    kept = replay_journal(*FILES, onward="on.csv", time=0.5)
    anew = replay_journal(*FILES, onward="on.csv", new_placement=True, time=0.5)
    assert left_out(kept) > left_out(anew) == 0
    assert anew.onward is not None
    assert 6 in anew.onward.host
    assert not np.isin(anew.state.bad, anew.onward.after.to).any()
    assert anew.onward.after.to[anew.state.bad[0]] == -1


def test_where_nothing_is_lacking_every_host_keeps_its_part() -> None:
    Path("j.csv").write_text("move,outcome\n1,done\n")
    found = replay_journal(*FILES, onward="on.csv", new_placement=True, time=0.5)
    assert found.onward is not None
    assert 6 not in found.onward.host
    assert left_out(found) == 0


def test_killed_at_any_line_again_the_end_is_right() -> None:
    """The plan with another placement is stopped too, before and after each of its moves."""
    failed_at(first_made())
    first = replay_journal(*FILES, onward="on.csv", output="now.csv", new_placement=True, time=0.5)
    assert first.onward is not None
    fabric = first.onward.fabric
    saved = read_plan("on.json", fabric)
    assert read_wiring("now.csv", fabric).same(first.onward.before)
    dead = set(first.state.bad)
    count = len(plan_moves(saved))
    for number in range(count + 1):
        lines = [f"{done},done" for done in range(1, number + 1)]
        if number < count:
            lines.append(f"{number + 1},unknown")
        Path("again.csv").write_text("\n".join(["move,outcome", *lines]) + "\n")
        found = replay_journal("on.json", "i.json", "now.csv", "again.csv", onward="end.csv",
                               new_placement=True, time=0.5)  # fmt: skip
        assert found.onward is not None
        assert left_out(found) == 0
        has = np.flatnonzero(found.onward.after.to >= 0)
        assert not dead & set(has.tolist())
        arcs = sorted(
            zip(
                fabric.host[has].tolist(),
                fabric.host[found.onward.after.to[has]].tolist(),
                strict=True,
            )
        )
        ends = np.flatnonzero(first.onward.after.to >= 0)
        aim = first.onward.after.to[ends]
        expected = zip(fabric.host[ends].tolist(), fabric.host[aim].tolist(), strict=True)
        assert arcs == sorted(expected)


def test_the_command(capsys: Capture) -> None:
    failed_at(first_made())
    words = ("p.json", "--inventory", "i.json", "--current", "c.csv")
    done = ran(capsys, "replay", *words, "--journal", "j.csv", "--onward", "on.csv",
               "--new-placement")  # fmt: skip
    assert (done.code, done.err) == (0, "")
    assert "left out" not in done.out
    assert "  1 host joins: h6\n" in done.out
    refused = ran(capsys, "replay", *words, "--new-placement")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == "topofinder: --new-placement: --journal is needed\n"
