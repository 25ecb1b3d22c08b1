"""`topofinder replay` on files that were edited, mixed up, forged or overtaken by events."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from generators.errors import InvalidInput
from tests.command import Ended, ran
from topofinder.api.inventory import new_inventory
from topofinder.api.plan_methods import PlanWish, find_plan
from topofinder.model.inventory.cross_connects import read_wiring, wiring_text
from topofinder.model.inventory.ports import inventory_text, read_port_map
from topofinder.model.plan_files import write_plan
from topofinder.verification.plan_lists import COLUMNS, list_difference
from topofinder.verification.plan_reader import read_plan

FILES = ("--inventory", "i.json", "--current", "c.csv")
Document = dict[str, Any]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ring of nine, and the plan of a ring of seven on the same hosts."""
    folder = tmp_path_factory.mktemp("plan")
    inventory, before = new_inventory("BiRing(2,9)")
    (folder / "i.json").write_text(inventory_text(inventory))
    (folder / "c.csv").write_text(wiring_text(before.fabric, before.after))
    pins = {f"h{node}": node for node in range(7)}
    fabric = read_port_map(folder / "i.json")
    wiring = read_wiring(folder / "c.csv", fabric)
    found = find_plan(fabric, wiring, "C(7,{2})", PlanWish(pins=pins, time=0.2))
    write_plan(found.plan, folder / "p.csv")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of these files, to be changed."""
    copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOPOFINDER_DB", "t.db")
    return tmp_path


def document() -> Document:
    found: Document = json.loads(Path("p.json").read_text())
    return found


def wire(name: str, circuits: list[list[str]]) -> None:
    lines = [f"{a},{b},{mode}\n" for a, b, mode in circuits]
    Path(name).write_text("port_a,port_b,mode\n" + "".join(lines))


CLAIMS = ("found", "bound", "lower_bound", "placement_moves")
"""What may say less than is true, or is not looked at."""


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(Path(name).read_text().splitlines()))


def write_rows(name: str, listed: list[dict[str, str]]) -> None:
    with Path(name).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(listed[0]))
        writer.writeheader()
        writer.writerows(listed)


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    ended = ran(capsys, "replay", *words, *FILES)
    assert (ended.code, ended.out.startswith("not valid: ")) == (1, True)
    assert ended.out.count("\n") == 1
    return ended.out


def replayed(capsys: pytest.CaptureFixture[str], current: str, *words: str) -> Ended:
    return ran(capsys, "replay", "p.json", "--inventory", "i.json", "--current", current, *words)


def test_the_answer_tells_what_is_claimed_and_which_files_agree(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = json.loads(replayed(capsys, "c.csv", "--json").out)
    assert told["files"] == ["p.csv", "p.rollback.csv", "p.wiring.csv"]
    assert told["claimed"]["lower_bound"].startswith("that ")
    assert {"bound", "keep_connected", "found", "seed", "by"} <= set(told["claimed"])
    for name in told["files"]:
        Path(name).unlink()
    assert json.loads(replayed(capsys, "c.csv", "--json").out)["files"] == []


def test_a_bound_that_is_counted_is_no_claim(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wire("none.csv", [])
    words = ("--inventory", "i.json", "--current", "none.csv")
    assert ran(capsys, "plan", *words, "--to", "BiRing(2,9)", "-o", "q.csv").code == 0
    told = json.loads(ran(capsys, "replay", "q.json", *words, "--json").out)
    assert "lower_bound" not in told["claimed"]
    forged = json.loads(Path("q.json").read_text()) | {"lower_bound": 10}
    Path("f.json").write_text(json.dumps(forged))
    line = "lower_bound: the plan says 10, more than the 9 moves the plan makes"
    assert line in ran(capsys, "replay", "f.json", *words).out


def test_a_wiring_after_some_stages_names_after(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stages = document()["stages"]
    count = len(stages)
    assert count > 2
    for done in (1, count - 1, count):
        wire("now.csv", stages[done - 1]["wiring"])
        ended = replayed(capsys, "now.csv")
        line = f"not valid: before: the current wiring is the one after {done} of {count} stages"
        assert (ended.code, ended.out.startswith(line)) == (1, True)
        assert f"--after {done} gives this one" in ended.out
        assert replayed(capsys, "c.csv", "--after", str(done), "-o", "then.csv").code == 0
        assert rows("then.csv") == [row | {"panel": "P0"} for row in rows("now.csv")]
        if done < count:
            back = replayed(capsys, "now.csv", "--rollback")
            assert (back.code, f"the one after {done} of {count} stages" in back.out) == (1, True)


def test_a_wiring_in_the_middle_of_a_stage_names_after(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stages = document()["stages"]
    number = next(i for i, stage in enumerate(stages[1:], 2) if stage["disconnect"])
    before, stage = stages[number - 2]["wiring"], stages[number - 1]
    wire("now.csv", [row for row in before if row != stage["disconnect"][0]])
    ended = replayed(capsys, "now.csv")
    moves = len(stage["disconnect"] + stage["connect"])
    line = f"in the middle of stage {number} of {len(stages)}, 1 of whose {moves} moves are done"
    assert (ended.code, line in ended.out) == (1, True)
    assert f"--after {number - 1} and --after {number}" in ended.out


def test_moves_that_were_made_out_of_order_are_counted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    last = document()["stages"][-1]["connect"]
    wire("now.csv", last)
    ended = replayed(capsys, "now.csv")
    line = f"before: the current wiring is not the one before the plan, but {len(last)} of its "
    assert (ended.code, line in ended.out, "--after N" in ended.out) == (1, True, True)
    wire("now.csv", [])
    assert "before: the plan says '" in replayed(capsys, "now.csv").out


@pytest.mark.parametrize("name", ["p.csv", "p.rollback.csv"])
@pytest.mark.parametrize("column", COLUMNS)
def test_every_cell_of_the_lists_is_compared(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, column: str
) -> None:
    sound = rows(name)
    assert tuple(sound[0]) == COLUMNS
    saved = read_plan("p.json", read_port_map("i.json"))
    assert list_difference(saved, Path(name)) is None
    values = {row[column] for row in sound} | {"", "h8:0", "P0:1"}
    for place, row in enumerate(sound):
        for value in values - {row[column]}:
            write_rows(name, [*sound[:place], row | {column: value}, *sound[place + 1 :]])
            line = f"{name}, line {place + 2}: {column}: the plan says "
            assert str(list_difference(saved, Path(name))).startswith(line)
    write_rows(name, [{key: row[key] for key in row if key != column} for row in sound])
    assert f"{name}: 0 columns are called {column}" in refused(capsys, "p.csv")


@pytest.mark.parametrize("column", ["panel", "port_a", "port_b", "mode"])
def test_every_cell_of_the_wiring_is_compared(
    folder: Path, capsys: pytest.CaptureFixture[str], column: str
) -> None:
    sound = rows("p.wiring.csv")
    saved = read_plan("p.json", read_port_map("i.json"))
    others = {"panel": "P1", "mode": "simplex", "port_a": "h8:1", "port_b": "h0:9"}
    for place, row in enumerate(sound):
        changed = [*sound[:place], row | {column: others[column]}, *sound[place + 1 :]]
        write_rows("p.wiring.csv", changed)
        assert "p.wiring.csv" in str(list_difference(saved, Path("p.wiring.csv")))
    assert "p.wiring.csv" in refused(capsys, "p.json")


Rows = list[dict[str, str]]
EDITS: dict[str, Callable[[Rows], Rows]] = {
    "a move is gone": lambda rows: rows[:-1],
    "a move is there twice": lambda rows: [rows[0], *rows],
    "two moves are exchanged": lambda rows: [rows[1], rows[0], *rows[2:]],
    "two ports are exchanged": lambda rows: [
        rows[0] | {"port_a": rows[1]["port_a"], "port_b": rows[1]["port_b"]},
        *rows[1:],
    ],
    "ends are exchanged": lambda rows: [
        rows[0] | {"port_a": rows[0]["port_b"], "port_b": rows[0]["port_a"]},
        *rows[1:],
    ],
    "a move is a remark": lambda rows: [rows[0] | {"move": "# 1"}, *rows[1:]],
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_list_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], edit: str
) -> None:
    for name in ("p.csv", "p.rollback.csv", "p.wiring.csv"):
        sound = Path(name).read_bytes()
        if name != "p.wiring.csv":
            write_rows(name, EDITS[edit](rows(name)))
            assert name in refused(capsys, "p.json")
        Path(name).write_bytes(sound)
    assert replayed(capsys, "c.csv").code == 0


def test_a_list_may_have_remarks_of_its_own(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    noted = [row | {"done by": "me, at 10:00"} for row in rows("p.csv")]
    write_rows("p.csv", noted)
    lines = Path("p.csv").read_text().splitlines()
    Path("p.csv").write_bytes(b"\xef\xbb\xbf# Monday\r\n" + "\r\n".join(lines).encode())
    assert replayed(capsys, "c.csv").code == 0
    assert ran(capsys, "replay", "p.csv", *FILES).code == 0
    ended = ran(capsys, "replay", "q.csv", *FILES)
    assert (ended.code, "q.csv: there is no such list of moves" in ended.err) == (2, True)


def test_files_of_two_plans_do_not_pass_together(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--to", "C(7,{3})", "--mode", "duplex", "--time", "1s", "-o", "q.csv")
    assert ran(capsys, "plan", *FILES, *words).code == 0
    one, other = document(), json.loads(Path("q.json").read_text())
    Path("q.json").unlink()
    for name in ("csv", "rollback.csv", "wiring.csv"):
        sound = Path(f"p.{name}").read_bytes()
        Path(f"p.{name}").write_bytes(Path(f"q.{name}").read_bytes())
        assert f"p.{name}" in refused(capsys, "p.json")
        Path(f"p.{name}").write_bytes(sound)
    assert other["format"] == one["format"]
    for name in one:
        if one[name] != other[name] and name not in CLAIMS:
            Path("m.json").write_text(json.dumps(one | {name: other[name]}))
            refused(capsys, "m.json")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda text: text.replace('"moves":', '"moves": 1, "moves":'), "the key 'moves' is there"),
        (lambda text: text.replace('"parts":', '"parts": 9, "parts":'), "the key 'parts' is there"),
        (lambda text: text.replace('"n": 7', '"n": ' + "7" * 4000), "n: input should be less"),
        (lambda text: text.replace('"n": 7', '"n": ' + "7" * 5000), "integer of too many digits"),
        (lambda text: text.replace('"n": 7', '"n": 1e999'), "n: input should be a valid integer"),
        (lambda text: text.replace('"n": 7', '"n": true'), "n: input should be a valid integer"),
        (lambda text: text.replace('"n": 7', '"n": "7"'), "n: input should be a valid integer"),
        (lambda text: text.replace('"version": 2', '"version": 1'), "version: 2 is needed, not 1"),
        (lambda text: text.replace('"n": 7', '"n": 7, "sure": true'), "sure: extra inputs"),
        (lambda text: '{"stages": ' + "[" * 10**5, "nested too deep"),
        (lambda text: text + " " * (20 << 20), "p.json: larger than"),
        (lambda text: text.replace("h0:0", "h0:\\ud800"), "the inventory has no port"),
    ],
)
def test_a_file_that_is_none_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], change: Callable[[str], str], line: str
) -> None:
    Path("p.json").write_text(change(Path("p.json").read_text()))
    ended = replayed(capsys, "c.csv")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert line in ended.err
    assert len(ended.err) < 300


def test_more_stages_than_ports_allow(folder: Path) -> None:
    """Each of 18 transmitters is taken out once and made once at most."""
    fabric = read_port_map(folder / "i.json")
    document = json.loads((folder / "p.json").read_text())
    for name in ("stages", "rollback"):
        for count, told in ((2 * fabric.ports, None), (2 * fabric.ports + 1, f"{name}: 37, where")):
            rows = (document[name] * count)[:count]
            (folder / "p.json").write_text(json.dumps(document | {name: rows}))
            if told is None:
                assert len(read_plan(folder / "p.json", fabric).fields.model_dump()[name]) == count
            else:
                with pytest.raises(InvalidInput, match=told):
                    read_plan(folder / "p.json", fabric)
