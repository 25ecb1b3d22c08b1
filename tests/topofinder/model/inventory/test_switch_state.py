"""What switches show, cut off at every byte: refused, told, or all the same."""

import json
import re
from pathlib import Path

import pytest

from generators.errors import InvalidInput
from tests.command import ran
from tests.ocs_emulator import Switch
from topofinder.api.inventory import inventory, new_inventory
from topofinder.model.inventory.ports import PortMap, port_map
from topofinder.model.inventory.switch_state import CurrentWiring, read_current

CONFIG, STATUS, PORTS = (
    "show ocs cross-connect config",
    "show ocs cross-connect status",
    "show ocs port config",
)
FABRIC = port_map(new_inventory("UniRing(1,12)", panels=1, kind="ocs")[0])
TWO = port_map(new_inventory("BiRing(2,4)", panels=2, kind="ocs")[0])
Capture = pytest.CaptureFixture[str]


def ring(hosts: int, ports: int) -> Switch:
    """A switch that joins each position to the next, with one side blocked."""
    switch = Switch(ports=ports)
    names = ",".join(f"{i}A-{i % hosts + 1}B" for i in range(1, hosts + 1))
    switch.run(f"config ocs cross-connect add {names}")
    switch.run(f"config ocs port state {hosts - 1}A force_blocked")
    return switch


def session(switch: Switch, name: str, *views: str) -> str:
    return "".join(f"admin@{name}:~$ {view}\n{switch.run(view)}" for view in views)


def tables(switch: Switch, *views: str) -> str:
    return "".join(f"{view}\n{switch.run(view)}\n" for view in views)


ONE = ring(12, 16)
WHOLE = {
    "config": (FABRIC, tables(ONE, CONFIG)),
    "config and ports": (FABRIC, tables(ONE, CONFIG, PORTS)),
    "ports and status": (FABRIC, tables(ONE, PORTS, STATUS)),
    "config and status": (FABRIC, tables(ONE, CONFIG, STATUS)),
    "a session": (FABRIC, session(ONE, "P0", PORTS, CONFIG) + "admin@P0:~$ exit\n"),
    "two sessions": (
        TWO,
        session(ring(4, 6), "P0", CONFIG, PORTS)
        + session(ring(4, 6), "P1", PORTS, STATUS)
        + "admin@P1:~$",
    ),
    "a configuration": (
        FABRIC,
        json.dumps(
            {
                "OCS_CROSS_CONNECT": {
                    f"{a}-{b}": {"a_side": a, "b_side": b} for a, b in ONE.connects.items()
                }
            }
        ),
    ),
}
MAY_BE_OPEN = {"config", "ports and status", "config and status"}


def outcome(file: Path, text: str, fabric: PortMap) -> CurrentWiring | None:
    """What is read, None where it is refused."""
    file.write_text(text)
    try:
        return read_current(file, fabric)
    except InvalidInput:
        return None


def blocked_told(name: str, text: str) -> bool:
    """Whether the states of ports were asked for by then; a file may leave them out."""
    return PORTS in text or PORTS not in WHOLE[name][1]


@pytest.mark.parametrize("name", WHOLE)
def test_no_cut_off_output_is_read_as_fewer_circuits(name: str, tmp_path: Path) -> None:
    fabric, text = WHOLE[name]
    file = tmp_path / "now"
    whole = outcome(file, text, fabric)
    assert whole is not None
    assert whole.wiring.count == (12 if fabric is FABRIC else 8)
    assert (whole.open_ended is not None) == (name in MAY_BE_OPEN)
    same = told = refused = 0
    for end in range(1, len(text)):
        found = outcome(file, text[:end], fabric)
        if found is None:
            refused += 1
        elif found.open_ended is None and blocked_told(name, text[:end]):
            assert found.wiring.same(whole.wiring), text[:end][-60:]
            assert found.blocked == whole.blocked, text[:end][-60:]
            same += 1
        else:
            told += 1
    assert refused > len(text) // 2
    assert told <= text.count("\n")  # at ends of lines alone


def test_lines_that_are_lost_at_the_end(tmp_path: Path) -> None:
    """The longest id is among the last: the dashes tell that it was there."""
    lines = tables(ONE, CONFIG).splitlines(keepends=True)
    file = tmp_path / "now"
    for count, reason in (
        (12, "line 3: the dashes are for an id of 7 characters, and none is there"),
        (4, "line 3: the dashes are for an id of 7 characters"),
        (3, "line 3: the dashes are for an id of 7 characters"),
    ):
        file.write_text("".join(lines[:count]))
        with pytest.raises(InvalidInput, match=re.escape(reason)):
            read_current(file, FABRIC)
    file.write_text("".join(lines[:13]))  # 11A-12B is left, 12A-1B not, and no dash tells
    assert read_current(file, FABRIC).open_ended == (
        f"{file}: nothing follows show ocs cross-connect"
    )


REFUSED = [
    (tables(ONE, CONFIG).rstrip(), "cut off in the middle of a line, '12A-1B   12A       1B'"),
    (tables(ONE, CONFIG).replace("5A-6B    5A        6B", "..."), "rows are left out here"),
    (
        tables(ONE, CONFIG, STATUS).rstrip().rpartition("\n")[0] + "\n",
        "P0: 12A-1B is in show ocs cross-connect config and not in status: cut off?",
    ),
    (
        tables(ONE, PORTS)[: tables(ONE, PORTS).index("10B")],
        "P0: 10B is not among the 19 ports of show ocs port config: cut off?",
    ),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_what_is_missing_is_named(text: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "now"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=re.escape(reason)):
        read_current(file, FABRIC)


def test_plan_remarks_an_open_end(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOPOFINDER_DB", "t.db")
    inventory("UniRing(1,12)", "i.json", "c.csv", kind="ocs")
    words = ("plan", "--inventory", "i.json", "--current", "now.txt", "--to", "UniRing(1,12)")
    Path("now.txt").write_text(session(ONE, "P0", CONFIG))
    done = ran(capsys, *words)
    assert (done.code, done.err) == (
        0,
        "topofinder: now.txt: nothing follows show ocs cross-connect: if it was cut off, circuits "
        "are missing; a prompt, or show ocs port config, tells its end\n",
    )
    Path("now.txt").write_text(session(ONE, "P0", CONFIG) + "admin@P0:~$")
    done = ran(capsys, *words)
    assert (done.code, done.err) == (0, "")
