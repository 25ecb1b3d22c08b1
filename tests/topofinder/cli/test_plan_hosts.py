"""From rails alike to rails unlike: inventories whose ports accelerators own, and the moves."""

import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from expansions.hosts import host_graph, host_wiring, parse_host_fabric
from tests.command import ran
from topofinder.finder.host_prediction import predict_forest

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


UNEQUAL = "Host(4*2.8*3;switch@450GB/s;1@50GB/s)"


def test_hosts_of_unlike_size_are_planned_each_with_its_own_ports(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    inventory, current = tmp_path / "inventory.json", tmp_path / "now.csv"
    words = ("--panels", 4, "-o", inventory, "--current", current)
    made = ran(capsys, "inventory", f"{UNEQUAL}[UniRing(4,8)]", *words)
    assert made.out.startswith("5 hosts, 32 ports, 4 panels")
    hosts = json.loads(inventory.read_text(encoding="utf-8"))["hosts"]
    assert [len(host["ports"]) for host in hosts] == [4, 4, 8, 8, 8]
    assert [port["name"] for port in hosts[4]["ports"]] == [f"gpu{i}" for i in range(8)]
    files = ("--inventory", inventory, "--current", current, "-o", tmp_path / "plan.csv")
    to = ("--to", f"{UNEQUAL}[Pi(4,8)]", "--mode", "simplex", "--db", tmp_path / "a.db")
    ended = ran(capsys, "plan", *files, *to)
    assert (ended.code, ended.err) == (0, "")
    assert "on 5 hosts, degree 8, simplex" in ended.out
    document = json.loads((tmp_path / "plan.json").read_text(encoding="utf-8"))
    _require_same_graph(document, tmp_path / "plan.wiring.csv", f"{UNEQUAL}[Pi(4,8)]")
    words = ("--inventory", inventory, "--current", tmp_path / "plan.wiring.csv")
    graph = tmp_path / "fabric.json"
    assert ran(capsys, "build", UNEQUAL, *words, "-o", graph).out.startswith(f"{UNEQUAL} by ")
    made = ran(capsys, "schedule", graph, "--method", "forest", "-o", tmp_path / "f.npz").out
    cost = predict_forest(parse_host_fabric(f"{UNEQUAL}[Pi(4,8)]"))
    assert f"1/x* {cost.inverse_rate}, reached" in made
    assert "by forest, hosts" in made
    assert _most_height(made) <= cost.height(cost.hops)
    assert ran(capsys, "verify", tmp_path / "f.npz").out.startswith("valid: allgather on 32 ")
    steps = ("--method", "composed", "-o", tmp_path / "s.npz")
    assert "by composed: T_L 8 alpha" in ran(capsys, "schedule", graph, *steps).out
    assert ran(capsys, "verify", tmp_path / "s.npz").out.startswith("valid: allgather on 37 ")
    for host, told in (
        ("Host(4*2.8*4;switch@450GB/s;1@50GB/s)", "--inventory: 5 hosts, 6 in "),
        ("Host(4.8.4.8*2;switch@450GB/s;1@50GB/s)", "ports gpu4, gpu5, gpu6 are not those"),
    ):
        refused = ran(capsys, "build", host, *words, "-o", graph)
        assert (refused.code, told in refused.err) == (2, True), refused.err


def _most_height(told: str) -> int:
    found = re.findall(r"(\d+) \(\d+\)", told.partition("heights (trees): ")[2])
    return max(map(int, found))


def _require_same_graph(document: dict[str, Any], wiring: Path, name: str) -> None:
    """The circuits in place are those of the graph of hosts, played by hosts of the same size."""
    fabric = parse_host_fabric(name)
    graph = host_graph(fabric, host_wiring(fabric))
    player = [int(host[1:]) for host in document["hosts"]]
    assert [fabric.host_sizes[host] for host in player] == list(fabric.host_sizes)
    ends = zip(graph.tail.tolist(), graph.head.tolist(), strict=True)
    wanted = Counter((player[u], player[v]) for u, v in ends if u != v)
    found = Counter[tuple[int, int]]()
    with wiring.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            a, b = (int(row[end].split(":")[0][1:]) for end in ("port_a", "port_b"))
            found[a, b] += 1
            found[b, a] += row["mode"] == "duplex"
    assert +found == wanted


def test_unlike_hosts_with_other_ports_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("-o", tmp_path / "a.json", "--current", tmp_path / "a.csv")
    for option in (("--ports", 9), ("--hosts", 6)):
        ended = ran(capsys, "inventory", f"{UNEQUAL}[Pi(4,8)]", *option, *words)
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert "--hosts, --ports: Host(4*2.8*3;" in ended.err


def test_a_host_of_another_size_plays_no_host(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Circuits within hosts need no ports outside, so that smaller ones would do for the plan."""
    inventory, current = tmp_path / "a.json", tmp_path / "a.csv"
    ring = "Host(2.1*2;switch@450GB/s;2@50GB/s)[UniRing(2,4)]"
    words = ("--panels", 2, "-o", inventory, "--current", current)
    assert ran(capsys, "inventory", ring, *words).code == 0
    files = ("--inventory", inventory, "--current", current, "-o", tmp_path / "plan.csv")
    to = ("--to", ring, "--mode", "simplex", "--db", tmp_path / "a.db")
    assert ran(capsys, "plan", *files, *to).code == 0
    files = (*files[:4], "-o", tmp_path / "other.csv")
    ended = ran(capsys, "plan", *files, *to, "--pin", "h1=0")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "--to: h1 has not the ports of host 0 of 'Host(2.1*2;switch@450GB/s" in ended.err
