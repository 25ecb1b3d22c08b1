"""Pictures of inventories: each cell has the colour of what the file says of its position."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import AxesImage

import topofinder as tf
from reports.plots.panels import FREE, MARKS, owner_colour
from tests.command import ran
from topofinder.model.inventory.document import inventory_for


@pytest.fixture
def fabric(tmp_path: Path) -> Path:
    """Nine hosts on a full panel and a small one, with ports in every state."""
    file = tmp_path / "fabric.json"
    tf.inventory("Torus(3,3)", file, current=tmp_path / "wired.csv", panels=2)
    told = json.loads(file.read_text(encoding="utf-8"))
    told["panels"][1]["ports"] = 60
    told["hosts"][2]["state"] = "dead"
    for place, state in enumerate(("pinned", "reserved", "held")):
        told["hosts"][5]["ports"][place]["state"] = state
    file.write_text(json.dumps(told), encoding="utf-8")
    return file


def document(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def cells(image: AxesImage) -> np.ndarray[Any, Any]:
    return np.asarray(image.get_array())


def marks(axes: Any) -> dict[str, set[tuple[int, int]]]:
    """The marked cells (row, column) by state."""
    found = {}
    for line in axes.lines:
        if line.get_label() in MARKS:
            columns, rows = line.get_data()
            found[line.get_label()] = set(zip(rows.tolist(), columns.tolist(), strict=True))
    return found


def states(told: dict[str, Any]) -> dict[tuple[int, int], str]:
    """The state of each port that is not live, by host and place."""
    return {
        (h, place): state
        for h, host in enumerate(told["hosts"])
        for place, port in enumerate(host["ports"])
        if (state := host.get("state", port.get("state", "live"))) != "live"
    }


def test_each_side_of_a_switch_has_a_table(tmp_path: Path) -> None:
    """A torus of nine hosts: two ports of each on either side."""
    file = tmp_path / "fabric.json"
    tf.inventory("Torus(3,3)", file, kind="ocs", circulators=True)
    tables = tf.draw(tf.load(file)).figure.axes
    assert len(tables) == 2
    for side, axes in zip("AB", tables, strict=True):
        wanted = np.ones_like(cells(axes.images[0])).reshape(-1, 3)
        wanted[:384] = FREE
        for h, host in enumerate(document(file)["hosts"]):
            for port in host["ports"]:
                if port["side"] == side:
                    wanted[port["position"] - 1] = owner_colour(h, 9)
        assert np.array_equal(cells(axes.images[0]).reshape(-1, 3), wanted)


def test_each_position_has_the_colour_of_its_host(fabric: Path) -> None:
    told = document(fabric)
    picture = tf.draw(tf.load(fabric))
    assert len(picture.figure.axes) == 2
    odd = states(told)
    for panel, axes in zip(told["panels"], picture.figure.axes, strict=True):
        wanted = np.ones_like(cells(axes.images[0]))
        columns = wanted.shape[1]
        wanted.reshape(-1, 3)[: panel["ports"]] = FREE
        marked: dict[str, set[tuple[int, int]]] = {}
        for h, host in enumerate(told["hosts"]):
            for place, port in enumerate(host["ports"]):
                if port["panel"] == panel["name"]:
                    row, column = divmod(port["position"] - 1, columns)
                    wanted[row, column] = owner_colour(h, 9)
                    if (h, place) in odd:
                        marked.setdefault(odd[h, place], set()).add((row, column))
        assert np.array_equal(cells(axes.images[0]), wanted)
        assert marks(axes) == marked
    assert picture.words == (
        "36 ports of 9 hosts (4 dead, 1 held, 29 live, 1 pinned, 1 reserved) on P0 of 1008 "
        "positions, P1 of 60 positions; 1032 positions are free"
    )


def test_each_port_has_the_colour_of_its_panel(fabric: Path) -> None:
    told = document(fabric)
    [axes] = tf.draw(tf.load(fabric), "hosts").figure.axes
    names = [panel["name"] for panel in told["panels"]]
    wanted = [
        [owner_colour(names.index(port["panel"]), 2) for port in host["ports"]]
        for host in told["hosts"]
    ]
    assert np.array_equal(cells(axes.images[0]), np.array(wanted))
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        host["name"] for host in told["hosts"]
    ]
    odd = states(told)
    assert marks(axes) == {
        state: {at for at, one in odd.items() if one == state} for state in odd.values()
    }


def test_large_inventories_are_refused() -> None:
    with pytest.raises(tf.Unsupported, match="plot: 1025 hosts are too many to draw"):
        tf.draw(inventory_for(hosts=1025, ports=1), "hosts")
    small = inventory_for(hosts=2, ports=1)
    panel = small.panels[0].model_copy(update={"ports": 1 << 17})
    with pytest.raises(tf.Unsupported, match="1 panels with 131072 positions are too many"):
        tf.draw(small.model_copy(update={"panels": [panel]}))


def test_command(
    fabric: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(fabric.parent)
    picture = tf.draw(tf.load("fabric.json"))
    told = ran(capsys, "draw", "--inventory", "fabric.json", "-o", "a.svg")
    assert told == (0, f"{picture.words}, written to a.svg\n", "")
    assert Path("a.svg").read_text(encoding="utf-8").endswith(f"{picture.svg}\n")
    tf.inventory("Torus(3,3)", "i.json", current="i.csv")
    plan = tf.plan("i.json", "i.csv", "C(9,{1,2})", "p.json", time=1)
    told = ran(capsys, "draw", "p.json", "--inventory", "i.json", "-o", "b.svg")
    assert told == (0, f"{plan.plot().words}, written to b.svg\n", "")
    assert tf.draw("p.json", inventory="i.json").svg == plan.plot().svg


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ((), "SUBJECT: a recipe, a fabric or a file is needed, or --inventory"),
        (
            ("K(3)", "K(4)", "--inventory", "fabric.json"),
            "--inventory: is for one plan, not for several subjects",
        ),
        (
            ("--inventory", "fabric.json", "--view", "ports"),
            "view: 'ports' is none of panels, hosts",
        ),
        (
            ("K(4)", "--inventory", "fabric.json"),
            "inventory: is for plans and wirings, not for K(4)",
        ),
        (
            ("--inventory", "wired.csv"),
            "wired.csv, line 1, column 1: expecting value",
        ),
    ],
)
def test_refusals(
    words: tuple[str, ...],
    line: str,
    fabric: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(fabric.parent)
    assert ran(capsys, "draw", *words, "-o", "x.svg") == (2, "", f"topofinder: {line}\n")
    assert not Path("x.svg").exists()
