"""Cross-connects: what is read, and every mistake by file and line."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.errors import InvalidInput
from tests.fabrics import INVENTORY_TEXT, fabric_for
from topofinder.model.inventory.cross_connects import MOST_LINES, read_wiring, wiring_text
from topofinder.model.inventory.document import inventory_for
from topofinder.model.inventory.ports import port_map, read_port_map
from topofinder.model.inventory.wiring import Wiring

EVERY_PORT_ALIKE = fabric_for(hosts=4, ports=3)
HEAD = "port_a,port_b\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "a.json").write_text(INVENTORY_TEXT)
    return tmp_path


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


def test_files_of_too_many_lines_are_not_read_to_their_end(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("port_a,port_b\n" + "#\n" * MOST_LINES + "x,y\n")
    with pytest.raises(InvalidInput, match=f"w.csv, more than {MOST_LINES} lines$"):
        read_wiring(path, port_map(inventory_for(hosts=2, ports=1)))
