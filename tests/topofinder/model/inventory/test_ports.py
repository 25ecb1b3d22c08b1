"""Inventories as ports: what is read, and every mistake by file and line."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from generators.errors import InvalidInput
from tests.fabrics import INVENTORY_TEXT
from topofinder.model.inventory.document import Inventory, Panel, State, inventory_for
from topofinder.model.inventory.ports import (
    InventorySource,
    inventory_schema,
    inventory_text,
    port_map,
    read_port_map,
)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "a.json").write_text(INVENTORY_TEXT)
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
    assert old in INVENTORY_TEXT
    (files / "a.json").write_text(INVENTORY_TEXT.replace(old, new, 1))
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
    fields = {"format", "version", "panels", "hosts", "walks", "trays", "slack", "forbidden"}
    assert set(found["properties"]) == fields
    assert set(found["$defs"]["Port"]["properties"]) == {
        "name",
        "panel",
        "position",
        "state",
        "job",
        "label",
        "cable",
        "pairs",
        "trunk",
        "rate",
        "side",
    }
    assert "rate" in found["$defs"]["Panel"]["properties"]


def test_rates_are_those_of_ports_else_of_panels() -> None:
    plain = inventory_for(hosts=2, ports=2, panels=2)
    first, second = plain.panels
    slow, fast = Fraction(10**11, 8), Fraction(2 * 10**11, 8)
    both = [one.model_copy(update={"rate": "100Gbps"}) for one in (first, second)]
    made = plain.model_copy(update={"panels": both})
    assert port_map(made).forbidden.rates == ()  # all alike
    made.hosts[1].ports[0] = made.hosts[1].ports[0].model_copy(update={"rate": "200Gbps"})
    assert port_map(made).forbidden.rates == (slow, slow, fast, slow)
    assert Inventory.model_validate(json.loads(inventory_text(made))) == made
    lacking = made.model_copy(update={"panels": [both[0], second]})
    with pytest.raises(InvalidInput, match=r"hosts\.0\.ports\.1: the port has no rate, and other"):
        port_map(lacking)
    with pytest.raises(ValueError, match="fast"):
        Panel(name="A", rate="fast")


def test_places_in_the_file_are_looked_up_for_mistakes_alone() -> None:
    """To find a line the text is read anew: once for each port that would take minutes."""

    class CountedSource(InventorySource):
        def at(self, *path: str | int) -> str:
            raise AssertionError(path)

    assert port_map(inventory_for(hosts=3, ports=4, trunk=2), CountedSource()).links == 2
    assert port_map(inventory_for(hosts=3, ports=2), CountedSource()).ports == 6
