"""From rails alike to rails unlike: inventories whose ports accelerators own, and the moves."""

import csv
import json
from pathlib import Path

import pytest

from tests.command import ran

ALIKE, UNLIKE = "Host(4;switch@450GB/s;1@50GB/s)[UniRing(4,9)]", "C(9,{1,2})"


def test_rails_are_wired_anew_each_on_its_own_panel(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    inventory, current = tmp_path / "inventory.json", tmp_path / "now.csv"
    words = ("--panels", 4, "-o", inventory, "--current", current)
    assert ran(capsys, "inventory", ALIKE, *words).code == 0
    ports = json.loads(inventory.read_text(encoding="utf-8"))["hosts"][0]["ports"]
    assert [port["name"] for port in ports] == ["gpu0", "gpu1", "gpu2", "gpu3"]
    files = ("--inventory", inventory, "--current", current, "-o", tmp_path / "plan.csv")
    prices = tmp_path / "prices.csv"
    prices.write_text(
        "part,price,watts,ports,source\ntransceiver,9,1,,a\nfibre,0.5,0,,a\npanel,99,5,504,a\n"
    )
    files += ("--prices", prices)
    to = ("--to", f"Host(4;switch@450GB/s;1@50GB/s)[{UNLIKE}]", "--mode", "simplex")
    ended = ran(capsys, "plan", *files, *to, "--db", tmp_path / "a.db")
    assert (ended.code, ended.err) == (0, "")
    assert "27 moves; no plan has fewer" in ended.out
    assert ended.out.rstrip().endswith("1134 in all, 0.08 kW")
    with (tmp_path / "plan.wiring.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert sum(1 + (row["mode"] == "duplex") for row in rows) == 36
    for row in rows:
        assert row["port_a"].split(":")[1] == row["port_b"].split(":")[1]
        assert row["panel"] == f"P{row['port_a'][-1]}"
    words = ("--inventory", inventory, "--current", tmp_path / "plan.wiring.csv")
    host, graph = "Host(4;switch@450GB/s;1@50GB/s)", tmp_path / "fabric.json"
    assert ran(capsys, "build", host, *words, "-o", graph).code == 0
    made = ran(capsys, "schedule", graph, "--method", "forest", "-o", tmp_path / "f.npz").out
    assert "1/x* 4/25, reached" in made
    refused = ran(capsys, "build", host.replace("4", "5", 1), *words, "-o", graph)
    assert "line 11: ports gpu4 are not those of the host" in refused.err


def test_hosts_are_scheduled_by_forests_unless_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    made = ran(capsys, "schedule", ALIKE, "-o", tmp_path / "a.npz")
    assert (made.code, "by forest, hosts" in made.out) == (0, True)
    assert ran(capsys, "verify", tmp_path / "a.npz").out.startswith("valid: allgather")


def test_hosts_of_unlike_size_are_not_planned(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    name = "Host(4*2.8*3;switch@450GB/s;1@50GB/s)[Pi(4,8)]"
    words = ("-o", tmp_path / "a.json", "--current", tmp_path / "a.csv")
    ended = ran(capsys, "inventory", name, *words)
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "has hosts of unlike size, which are not planned" in ended.err
