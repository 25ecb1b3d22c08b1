"""Inventories and cross-connects: what is read, and every mistake by file and line."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.errors import InvalidInput
from generators.formats.json_lines import line_of
from tests.fabrics import fabric_for, topology, wired
from topofinder.model.inventory.cross_connects import read_wiring, wiring_text
from topofinder.model.inventory.document import Inventory, State, inventory_for
from topofinder.model.inventory.ports import inventory_schema, inventory_text, read_port_map
from topofinder.model.inventory.wiring import Wiring

INVENTORY = """{
 "panels": [
  {"name": "A", "move_time": "90s", "robots": 2},
  {"name": "B", "kind": "ocs", "ports": 8}
 ],
 "hosts": [
  {"name": "x", "ports": [
   {"panel": "A", "position": 1},
   {"name": "eth1", "panel": "B", "position": 1, "state": "dead"}
  ]},
  {"name": "y", "state": "held", "ports": [
   {"panel": "A", "position": 2},
   {"panel": "B", "position": 2}
  ]}
 ]
}
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "a.json").write_text(INVENTORY)
    return tmp_path


def test_an_inventory_is_read(files: Path) -> None:
    fabric = read_port_map(files / "a.json")
    assert fabric.names == ("x:0", "x:eth1", "y:0", "y:1")
    assert fabric.positions == ("A:1", "B:1", "A:2", "B:2")
    assert fabric.states == (State.LIVE, State.DEAD, State.HELD, State.HELD)
    assert [panel.limit for panel in fabric.panels] == [1008, 8]
    assert [panel.at_once for panel in fabric.panels] == [2, None]
    assert [float(panel.move_seconds) for panel in fabric.panels] == [90, 0.01]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('"robots": 2', '"robots": 0', r"line 3: panels.0.robots: .* not 0"),
        ('"90s"', '"90"', r"line 3: panels.0.move_time: .*no unit"),
        ('"90s"', '"soon"', r"line 3: panels.0.move_time: .*not a quantity"),
        ('"ocs"', '"rod"', r"line 4: panels.1.kind: .* not 'rod'"),
        ('"name": "B"', '"name": "A"', r"line 4: A is used twice"),
        ('"name": "y"', '"name": "x"', r"line 11: x is used twice"),
        ('"name": "y"', '"name": "A"', r"line 11: A is used twice"),
        ('"name": "y"', '"name": "a,b"', r"line 11: hosts.1.name: letters, .* not 'a,b'"),
        ('"position": 1', '"position": true', r"line 8: .*position: .* not True"),
        ('"name": "eth1"', '"name": "0"', r"line 9: x has two ports 0"),
        (
            '"panel": "A", "position": 2',
            '"panel": "A", "position": 1',
            r"line 12: A:1 is wired to x",
        ),
        ('"panel": "B", "position": 2', '"panel": "B", "position": 9', r"line 13: panel B has 8"),
        ('"panel": "B", "position": 2', '"panel": "C", "position": 2', r"line 13: no panel .* C"),
        ('"position": 1}', '"position": 1, "lane": 4}', r"line 8: hosts.0.ports.0.lane: extra"),
        ('"state": "dead"', '"state": "broken"', r"line 9: .*state: .* not 'broken'"),
        ('{"panel": "A", "position": 1}', '{"panel": "A"}', r"line 8: .*position: field required"),
        ('"hosts": [', '"hosts": [[],', r"line 6: hosts.0: "),
        ('"hosts": [', '"hosts": ', r"line \d+, column"),
        ('"panels": [', '"version": 2, "panels": [', r"line 2: version: "),
    ],
)
def test_every_mistake_is_named_with_its_line(files: Path, old: str, new: str, line: str) -> None:
    assert old in INVENTORY
    (files / "a.json").write_text(INVENTORY.replace(old, new, 1))
    with pytest.raises(InvalidInput, match=r"a\.json, " + line):
        read_port_map(files / "a.json")


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    made = inventory_for(hosts=3, ports=4, panels=2)
    text = inventory_text(made)
    (tmp_path / "a.json").write_text(text)
    fabric = read_port_map(tmp_path / "a.json")
    assert fabric.hosts == ("h0", "h1", "h2")
    assert Inventory.model_validate(json.loads(text)) == made
    assert fabric.where(1) == f"{tmp_path / 'a.json'}, line 10"


def test_the_schema_names_every_field() -> None:
    found = inventory_schema()
    assert set(found["properties"]) == {"format", "version", "panels", "hosts"}
    assert set(found["$defs"]["Port"]["properties"]) == {
        "name",
        "panel",
        "position",
        "state",
        "job",
    }


EVERY_PORT_ALIKE = fabric_for(hosts=4, ports=3)
HEAD = "port_a,port_b\n"


@pytest.mark.parametrize(
    ("text", "to"),
    [
        (HEAD + "x:0,y:0\n", [2, -1, 0, -1]),
        ("# exported\n\nPort_A , PORT_B,loss\n A:1, A:2 ,0.3\n", [2, -1, 0, -1]),
        ("panel,port_a,port_b\nA,1,2\nB,2,1\n", [2, 3, 0, 1]),
        ("tx,rx\nx:0,y:0\n", [2, -1, -1, -1]),
        ("port_a,port_b,mode\ny:0,x:0,simplex\nx:eth1,y:1,duplex\n", [-1, 3, 0, 1]),
        ("tx,rx\nx:0,y:0\ny:0,x:0\n", [2, -1, 0, -1]),
        (HEAD, [-1] * 4),
    ],
)
def test_cross_connects_are_read(files: Path, text: str, to: list[int]) -> None:
    fabric = read_port_map(files / "a.json")
    (files / "c.csv").write_text(text)
    wiring = read_wiring(files / "c.csv", fabric)
    assert wiring.to.tolist() == to
    (files / "d.csv").write_text(wiring_text(fabric, wiring))
    assert read_wiring(files / "d.csv", fabric).same(wiring)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (HEAD + "x:0,y:0\nx:0,y:1\n", "line 3: x:0 is on panel A, y:1 on B"),
        (HEAD + "x:0,y:0\n\ny:0,x:0\n", "line 4: port y:0 is used on line 2 already"),
        ("tx,rx\nx:0,y:0\nx:0,y:0\n", "line 3: port x:0 tx is used on line 2 already"),
        (HEAD + "x:0,z:0\n", "line 2: port_b: no port is called 'z:0'"),
        (HEAD + "x:0,A:1\n", "line 2: x:0 is connected to itself"),
        (HEAD + "1,2\n", "line 2: port_a: no port is called '1'"),
        (HEAD + "x:0\n", "line 2: 1 fields, where the head has 2"),
        ("panel,port_a,port_b\nC,1,2\n", "line 2: panel: no panel is called 'C'"),
        ("panel,port_a,port_b\nB,x:0,y:0\n", "line 2: port_a: x:0 is not on panel B"),
        ("port_a,port_b,mode\nx:0,y:0,half\n", "line 2: mode: duplex or simplex, not 'half'"),
        ("from,to\nx:0,y:0\n", "line 1: columns port_a and port_b, or tx and rx, are needed"),
        ("port_a,port_b,port_a\nx:0,y:0,x:0\n", "line 1: two columns are called port_a"),
        ('port_a,port_b\n"x:0,y:0\n', "line 2: unexpected end of data"),
        ("tx,rx,mode\nx:0,y:0,duplex\n", "line 1: mode: circuits from tx to rx are simplex"),
        (HEAD + "x:0,y:0\f\u2028\nx:0,y:0\n", "line 3: port x:0 is used on line 2 already"),
        (HEAD + "x" * 140000 + ",y:0\n", "line 2: longer than 65536 characters"),
        ("", "a head such as port_a,port_b is needed"),
    ],
)
def test_every_mistake_in_cross_connects_is_named(files: Path, text: str, line: str) -> None:
    fabric = read_port_map(files / "a.json")
    (files / "c.csv").write_text(text)
    with pytest.raises(InvalidInput) as told:
        read_wiring(files / "c.csv", fabric)
    assert line in str(told.value)
    assert str(told.value).startswith(str(files / "c.csv"))


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=12,
    )
)
def test_lines_are_those_of_an_indented_text(value: object) -> None:
    text = json.dumps(value, indent=1)

    def walk(found: object, path: tuple[str | int, ...]) -> None:
        at = line_of(text, path)
        first = json.dumps(found, indent=1).splitlines()[0]
        assert first in text.splitlines()[at - 1]
        items = found.items() if isinstance(found, dict) else ()
        for key, inner in [*items, *(enumerate(found) if isinstance(found, list) else ())]:
            walk(inner, (*path, key))

    walk(value, ())


@given(st.permutations(range(12)), st.integers(0, 12))
def test_any_wiring_survives_its_file(order: list[int], fibres: int) -> None:
    to = np.full(12, -1)
    for sender, receiver in enumerate(order[:fibres]):
        if sender != receiver:
            to[sender] = receiver
    wiring = Wiring(to=to)
    split = wiring.circuits(split=True)
    assert len(split) == (to >= 0).sum()
    assert sum(1 + c.duplex for c in wiring.circuits()) == len(split)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "c.csv"
        path.write_text(wiring_text(EVERY_PORT_ALIKE, wiring))
        assert read_wiring(path, EVERY_PORT_ALIKE).same(wiring)


def test_a_wiring_refuses_what_no_panel_can_do() -> None:
    with pytest.raises(InvalidInput, match="connected to itself"):
        Wiring(to=np.array([0, -1]))
    with pytest.raises(InvalidInput, match="reached twice"):
        Wiring(to=np.array([2, 2, -1]))


def test_wirings_of_recipes_have_their_circuits() -> None:
    fabric = fabric_for(hosts=9, ports=4)
    assert wired(fabric, topology("Torus(3,3)"), duplex=True, seed=4).count == 18
