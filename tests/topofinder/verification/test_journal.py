"""Plans that stop in the middle: where they are by their journal, and the end all the same."""

import re
from pathlib import Path

import numpy as np
import pytest

from generators.errors import InvalidInput
from generators.topology import IntArray
from topofinder.api.inventory import inventory
from topofinder.api.plan import plan
from topofinder.api.replay_journal import FollowedJournal, replay_journal
from topofinder.model.inventory.cross_connects import read_wiring, wiring_text
from topofinder.model.inventory.ports import PortMap, read_port_map
from topofinder.model.inventory.wiring import Circuit, Wiring
from topofinder.model.plan import Plan
from topofinder.verification.journal import follow_journal, plan_moves, read_journal
from topofinder.verification.plan_reader import SavedPlan, read_plan

FILES = ("p.json", "i.json", "c.csv", "j.csv")
CASES: dict[str, tuple[str, str, dict[str, int]]] = {
    "torus": ("Torus(4,4)", "C(16,{3,4})", {"ports": 4}),
    "panels": ("Torus(3,4)", "C(12,{2,3})", {"panels": 2, "ports": 5}),
    "simplex": ("Kautz(2,2)", "UniRing(1,6)*2", {"ports": 3}),
}


@pytest.fixture(scope="module", params=list(CASES))
def begun(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan, of hosts that have a port to spare, or none."""
    folder = tmp_path_factory.mktemp("journal")
    begin, end, options = CASES[request.param]
    inventory(begin, folder / "i.json", folder / "c.csv", **options)
    plan(folder / "i.json", folder / "c.csv", end, folder / "p.csv", time=0.2)
    return folder


@pytest.fixture
def folder(begun: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(begun)
    return begun


def saved() -> tuple[PortMap, Wiring, SavedPlan]:
    fabric = read_port_map("i.json")
    return fabric, read_wiring("c.csv", fabric), read_plan("p.json", fabric)


def write_journal(*lines: str, end: str = "\n") -> None:
    Path("j.csv").write_text("\n".join(["move,outcome,port", *lines]) + end)


def carry_out(to: IntArray, make: bool, move: Circuit) -> None:
    """One move on the fibres themselves."""
    a, b, duplex = move
    to[a] = b if make else -1
    if duplex:
        to[b] = a if make else -1


def host_arcs(fabric: PortMap, to: IntArray) -> list[tuple[int, int]]:
    has = np.flatnonzero(to >= 0)
    return sorted(zip(fabric.host[has].tolist(), fabric.host[to[has]].tolist(), strict=True))


def follow_plan(to: IntArray, made: Plan) -> None:
    """Each move on the fibres, which must be there or free."""
    for stage in made.stages:
        for make, circuits in ((False, stage.frees), (True, stage.connects)):
            for move in circuits:
                assert (to[move.a] == move.b) is not make
                assert not make or not (to == move.b).any()
                carry_out(to, make, move)


def test_stopped_at_any_line_the_end_is_right(folder: Path) -> None:
    """Each move is noted as unknown before and as done after; the stop is before or after it."""
    fabric, before, told = saved()
    moves = plan_moves(told)
    end = before.to.copy()
    for move in moves:
        carry_out(end, move.makes, move.circuit)
    lines: list[str] = []
    to = before.to.copy()
    for move in moves:
        for note in ("unknown", "done"):
            for was_made in (False, True) if note == "unknown" else (True,):
                now = to.copy()
                if was_made:
                    carry_out(now, move.makes, move.circuit)
                write_journal(*lines, f"{move.number},{note},")
                found = replay_journal(*FILES)
                assert found.valid
                for circuit in found.state.doubtful:
                    if now[circuit.a] == circuit.b:
                        carry_out(now, False, circuit)
                assert found.state.now.same(Wiring(to=now))
        lines.append(f"{move.number},done,")
        carry_out(to, move.makes, move.circuit)
    for count in (0, len(moves) // 2, len(moves)):
        write_journal(*lines[:count])
        found = replay_journal(*FILES, onward="on.csv", back="back.csv", time=0.2)
        for made, aim in ((found.onward, end), (found.back, before.to)):
            assert made is not None
            now = found.state.now.to.copy()
            follow_plan(now, made)
            assert host_arcs(fabric, now) == host_arcs(fabric, aim)


def failed(number: int, port: str = "") -> FollowedJournal:
    """The moves before one are done, that one failed."""
    write_journal(*(f"{done},done," for done in range(1, number)), f"{number},failed,{port}")
    return replay_journal(*FILES, onward="on.csv", back="back.csv", time=0.2)


def test_a_bad_port_is_gone_round(folder: Path) -> None:
    """A spare port on the panel takes the circuit; none comes to the bad one, onward or back."""
    fabric, before, told = saved()
    move = next(move for move in plan_moves(told) if move.makes)
    found = failed(move.number, fabric.names[move.circuit.a])
    assert found.state.bad == (move.circuit.a,)
    for made, aim in ((found.onward, told.end), (found.back, None)):
        assert made is not None
        now = found.state.now.to.copy()
        follow_plan(now, made)
        assert now[move.circuit.a] in (-1, before.to[move.circuit.a])
        whole = before.to if aim is None else replayed(before, told)
        lacking = len(host_arcs(fabric, whole)) - len(host_arcs(fabric, now))
        out = found.record.left_out.get("back" if aim is None else "onward", 0)
        assert lacking == (len(made.missing) + out) * (2 if move.circuit.duplex else 1)
    assert found.onward is not None
    assert not (found.onward.after.to == move.circuit.a).any()


def replayed(before: Wiring, told: SavedPlan) -> IntArray:
    to = before.to.copy()
    for move in plan_moves(told):
        carry_out(to, move.makes, move.circuit)
    return to


def test_a_rollback_has_a_journal_too(folder: Path) -> None:
    fabric, before, told = saved()
    end = Wiring(to=replayed(before, told))
    Path("end.csv").write_text(wiring_text(fabric, end))
    write_journal("1,done,")
    replay_journal("p.json", "i.json", "end.csv", "j.csv", rollback=True, output="now.csv")
    to = end.to.copy()
    move = plan_moves(told, back=True)[0]
    carry_out(to, move.makes, move.circuit)
    assert read_wiring("now.csv", fabric).same(Wiring(to=to))


@pytest.mark.parametrize("begun", ["torus"], indirect=True)
def test_an_unknown_move_follows_from_a_later_one(folder: Path) -> None:
    """What is in the way of a circuit that was made has been taken out."""
    _, before, told = saved()
    moves = plan_moves(told)
    made = next(move for move in moves if move.makes and before.to[move.circuit.a] >= 0)
    ends = {made.circuit.a, made.circuit.b} if made.circuit.duplex else {made.circuit.a}
    gone = [m for m in moves if not m.makes and m.circuit.a in ends and m.number < made.number]
    lines = [f"{move.number},done," for move in moves[: made.number]]
    for move in gone:
        lines[move.number - 1] = f"{move.number},unknown,"
    write_journal(*lines)
    found = replay_journal(*FILES)
    assert found.valid
    assert gone
    assert not set(found.state.doubtful) & {move.circuit for move in gone}


def test_a_line_that_was_cut_off_is_unknown(folder: Path) -> None:
    """Of the move that it begins with, or of the first that is not noted."""
    _, before, told = saved()
    for text, number in (("2,do", 2), ("2", 2), ("2,", 2)):
        write_journal("1,done,", text, end="")
        notes = read_journal("j.csv", told)
        assert {move: note.outcome.value for move, note in notes.items()} == {
            1: "done",
            number: "unknown",
        }
        assert follow_journal(told, before, notes).unknown == 1


REFUSED = [
    ("move,outcome\n0,done\n", "line 2: move: from 1 to "),
    ("move,outcome\n999,done\n", "line 2: move: from 1 to "),
    ("move,outcome\n1,finished\n", "line 2: outcome: done, failed or unknown, not 'finished'"),
    ("move,outcome,port\n1,failed,x:1\n", "line 2: port: "),
    ("move,by\n1,done\n", "line 1: columns move and outcome are needed"),
    ("", "a head such as move,outcome is needed"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_what_is_refused(text: str, reason: str, folder: Path) -> None:
    _, _, told = saved()
    Path("j.csv").write_text(text)
    with pytest.raises(InvalidInput, match=re.escape(reason)):
        read_journal("j.csv", told)


@pytest.mark.parametrize("begun", ["torus"], indirect=True)
def test_what_cannot_be_is_told(folder: Path) -> None:
    """A circuit made where another one still is, for which nothing was noted."""
    _, before, told = saved()
    made = next(m for m in plan_moves(told) if m.makes and before.to[m.circuit.a] >= 0)
    write_journal(f"{made.number},done,")
    found = replay_journal(*FILES)
    assert not found.valid
    assert f"move {made.number}, connect" in str(found)
    assert str(found).endswith("done, but a fibre of it was not free")
