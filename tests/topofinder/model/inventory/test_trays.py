"""Lengths of cables: those of networkx, of single trays and corners; what is refused."""

import json
import random
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from generators.errors import InvalidInput
from topofinder.model.inventory.document import inventory_for
from topofinder.model.inventory.ports import inventory_text, port_map, read_inventory, read_port_map

TRAYS = [{"between": ["r1", "r2"], "length": "4.5m"}, {"between": ["r2", "r3"], "length": "40m"}]


def document(**more: Any) -> dict[str, Any]:
    """Three hosts in three racks on two panels, the second of them in none."""
    made = json.loads(inventory_text(inventory_for(hosts=3, ports=2, panels=2)))
    made["panels"][0]["rack"] = "r2"
    for number, host in enumerate(made["hosts"], 1):
        host["rack"] = f"r{number}"
    return made | {"trays": TRAYS, "slack": "90cm"} | more


def write(path: Path, made: dict[str, Any]) -> Path:
    path.write_text(json.dumps(made))
    return path


def test_circuits_go_by_way_of_their_panel_or_straight(tmp_path: Path) -> None:
    fabric = read_port_map(write(tmp_path / "i.json", document()))
    assert fabric.circuit_length(0, 2) == 4500 + 900 + 900
    assert fabric.circuit_length(0, 4) == 4500 + 900 + 40000 + 900
    assert fabric.circuit_length(1, 5) == 44500 + 900
    assert port_map(inventory_for(hosts=2, ports=1)).circuit_length(0, 1) is None


def test_the_text_of_an_inventory_keeps_trays(tmp_path: Path) -> None:
    inventory = read_inventory(write(tmp_path / "i.json", document()))
    (tmp_path / "j.json").write_text(inventory_text(inventory))
    assert read_inventory(tmp_path / "j.json") == inventory


def test_cables_take_the_shortest_way() -> None:
    draw = random.Random(1)
    for _ in range(20):
        racks = draw.randrange(2, 12)
        graph = nx.gnp_random_graph(racks, 0.4, seed=draw.randrange(1000))
        graph.add_edges_from((i, i + 1) for i in range(racks - 1))
        trays = []
        for one, two in graph.edges:
            graph[one][two]["weight"] = draw.randrange(1, 30000)
            length = f"{graph[one][two]['weight']}mm"
            trays.append({"between": [f"r{one}", f"r{two}"], "length": length})
        made = inventory_for(hosts=racks, ports=1)
        hosts = [host.model_copy(update={"rack": f"r{i}"}) for i, host in enumerate(made.hosts)]
        read = type(made).model_validate(
            made.model_dump(mode="json")
            | {"trays": trays, "slack": "1m", "hosts": [host.model_dump() for host in hosts]}
        )
        fabric = port_map(read)
        ways = dict(nx.all_pairs_dijkstra_path_length(graph))
        for a in range(racks):
            for b in range(racks):
                assert fabric.circuit_length(a, b) == ways[a][b] + 1000


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"trays": []}, "slack: there are no trays"),
        ({"slack": "3"}, "slack: length: '3' has no unit; write for example 12.5m"),
        ({"slack": "2s"}, "slack: length: unknown unit 's'"),
        ({"slack": "0.1mm"}, "slack: length: 0.1mm is no whole number of millimetres"),
        (
            {"slack": "1001km"},
            "slack: length: 1001km is no whole number of millimetres up to 1000 km",
        ),
        ({"trays": TRAYS[:1]}, "rack: no trays lead from r1 to r3"),
        ({"trays": [*TRAYS, TRAYS[0]]}, "between: r1 and r2 is told already, or one place"),
        (
            {"trays": [{"between": ["r1", "r1"], "length": "1m"}]},
            "between: r1 and r1 is told already, or one place",
        ),
        ({"trays": [TRAYS[0] | {"length": "0m"}]}, "length: 0m is not above zero"),
        ({"trays": [TRAYS[0] | {"length": "-1m"}]}, "trays.0.length: length: '-1m' is not"),
        ({"trays": [{"between": ["r1"], "length": "1m"}]}, "trays.0.between"),
    ],
)
def test_what_is_refused(tmp_path: Path, more: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_port_map(write(tmp_path / "i.json", document(**more)))
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_host_without_a_rack_is_refused(tmp_path: Path) -> None:
    made = document()
    del made["hosts"][1]["rack"]
    with pytest.raises(InvalidInput, match=r"rack: trays are told, and h1 stands in none"):
        read_port_map(write(tmp_path / "i.json", made))
