"""Switches with circulators: from an inventory to scripts that the emulator obeys, and back."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from generators.errors import InvalidInput
from tests.command import ran
from tests.ocs_emulator import Switch
from topofinder.api.inventory import inventory
from topofinder.api.plan import plan
from topofinder.model.inventory.ports import PortMap, read_port_map
from topofinder.model.inventory.switch_state import read_current
from topofinder.model.inventory.wiring import Wiring

CASES = [
    ("Torus(4,4)", "C(16,{3,4})", 2),
    pytest.param("Torus(4,4)", "C(16,{3,4})", 1, marks=pytest.mark.slow),
    ("BiRing(2,9)", "C(7,{2})", 1),
]
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def connects(fabric: PortMap, wiring: Wiring) -> list[dict[str, str]]:
    """A side to B side of each switch, once for each pair of ports that hear one another."""
    found: list[dict[str, str]] = [{} for _ in fabric.panels]
    for a, b in enumerate(wiring.to.tolist()):
        if b >= 0:
            assert wiring.to[b] == a
            one, two = (fabric.positions[port].split(":")[1] for port in (a, b))
            assert {one[-1], two[-1]} == {"A", "B"}
            if one[-1] == "A":
                found[fabric.panel[a]][one] = two
    return found


def shown(switches: Sequence[Switch]) -> str:
    views = [
        f"admin@P{place}:~$ show ocs cross-connect config\n"
        f"{switch.run('show ocs cross-connect config')}"
        for place, switch in enumerate(switches)
    ]
    return "".join(views)


@pytest.mark.parametrize(("begin", "end", "panels"), CASES)
def test_one_cross_connect_a_circuit_there_and_back(begin: str, end: str, panels: int) -> None:
    """What the switches show is read as current before, and is the end of the plan after."""
    inventory(begin, "i.json", "c.csv", panels=panels, kind="ocs", circulators=True)
    fabric = read_port_map("i.json")
    before = read_current("c.csv", fabric).wiring
    switches = [Switch(ports=384, connects=one) for one in connects(fabric, before)]
    Path("now.txt").write_text(shown(switches))
    found = plan("i.json", "now.txt", end, "p.csv", time=0.2, form="sonic-ocs").plan
    assert found.before.same(before)
    assert found.moves
    for suffix, wiring in ((".ocs.txt", found.after), (".rollback.ocs.txt", found.before)):
        for place, switch in enumerate(switches):
            for line in Path(f"p.P{place}{suffix}").read_text().splitlines():
                switch.run(line)
        assert [switch.connects for switch in switches] == connects(fabric, wiring)
        Path("now.txt").write_text(shown(switches))
        assert read_current("now.txt", fabric).wiring.same(wiring)


def test_hosts_have_as_many_ports_on_either_side() -> None:
    made = inventory("C(9,{2,3})", kind="ocs", ports=5, circulators=True).inventory
    for host in made.hosts:
        on_a = [port.side for port in host.ports].count("A")
        assert on_a in (2, 3)
    places = [(port.position, port.side) for host in made.hosts for port in host.ports]
    assert len(set(places)) == len(places) == 45


def test_a_blocked_side_is_one_dead_port() -> None:
    inventory("K(4)", "i.json", "c.csv", kind="ocs", circulators=True)
    fabric = read_port_map("i.json")
    Path("now.json").write_text(
        '{"OCS_CROSS_CONNECT": {"1A-2B": {"a_side": "1A", "b_side": "2B"}},'
        '"OCS_PORT": {"3B": {"state": "force_blocked"}}}'
    )
    found = read_current("now.json", fabric)
    assert [fabric.number[port] for port in found.blocked] == [fabric.number["P0:3B"]]
    one, two = fabric.number["P0:1A"], fabric.number["P0:2B"]
    assert (found.wiring.to[one], found.wiring.to[two]) == (two, one)


def changed_inventory(**fields: object) -> None:
    """The inventory with other fields of the first port of h1."""
    document = json.loads(Path("i.json").read_text())
    port = document["hosts"][1]["ports"][0]
    port |= fields
    document["hosts"][1]["ports"][0] = {key: port[key] for key in port if port[key] is not None}
    Path("i.json").write_text(json.dumps(document, indent=0))


WRONG_PORTS = [
    ({"side": None}, "the port has no side, and others of P0 have"),
    ({"side": "C"}, "hosts.1.ports.0.side: input should be 'A' or 'B', not 'C'"),
    ({"side": "A", "position": 1}, "P0:1A is wired to h0:0 and to h1:0"),
]


@pytest.mark.parametrize(("fields", "reason"), WRONG_PORTS)
def test_sides_that_are_refused(fields: dict[str, object], reason: str) -> None:
    inventory("K(4)", "i.json", "c.csv", kind="ocs", circulators=True)
    changed_inventory(**fields)
    with pytest.raises(InvalidInput, match=reason):
        read_port_map("i.json")


WRONG_CIRCUITS = [
    ("P0:1A,P0:2A,duplex", "line 2: h0:0 and h0:2 are both on side A of the switch"),
    ("P0:1A,P0:2B,simplex", "have circulators: duplex circuits are needed"),
]


@pytest.mark.parametrize(("row", "reason"), WRONG_CIRCUITS)
def test_circuits_that_are_refused(row: str, reason: str) -> None:
    inventory("K(4)", "i.json", "c.csv", kind="ocs", circulators=True)
    Path("c.csv").write_text(f"port_a,port_b,mode\n{row}\n")
    with pytest.raises(InvalidInput, match=reason):
        read_current("c.csv", read_port_map("i.json"))


WRONG_COMMANDS = [
    (("K(4)",), "--circulators: --kind ocs is needed, not patch-panel"),
    (("UniRing(1,4)", "--kind", "ocs"), "--circulators: duplex circuits are needed"),
]


@pytest.mark.parametrize(("words", "reason"), WRONG_COMMANDS)
def test_commands_that_are_refused(words: tuple[str, ...], reason: str, capsys: Capture) -> None:
    files = "-o", "i.json", "--current", "c.csv"
    done = ran(capsys, "inventory", *words, *files, "--circulators")
    assert (done.code, done.out, done.err) == (2, "", f"topofinder: {reason}\n")


def test_an_odd_cycle_is_named_by_the_command(capsys: Capture) -> None:
    """Hosts of one side each, on a ring of four; a triangle has no two sides."""
    inventory("BiRing(2,4)", "i.json", "c.csv", kind="ocs", circulators=True)
    document = json.loads(Path("i.json").read_text())
    for number, host in enumerate(document["hosts"]):
        for place, port in enumerate(host["ports"]):
            port |= {"side": "AB"[number % 2], "position": 2 * (number // 2) + place + 1}
    Path("i.json").write_text(json.dumps(document))
    done = ran(capsys, "plan", "--inventory", "i.json", "--current", "c.csv", "--to", "K(3)")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "topofinder: --to: each host has ports on one side of the switches alone, A or B, and "
        "the target has an odd cycle, of 3 nodes: 1, 0, 2\n"
    )
