"""InfraGraphs: hosts are read, fabrics are written, and what is no host is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansions.hosts import host_topology, parse_host_fabric
from expansions.infragraph_writer import infragraph_text
from generators.errors import InvalidInput
from generators.hosts.host_files import read_host_file
from generators.hosts.infragraph_reader import host_of_infragraph

PARTS = [("cpu", "cpu", 2), ("xpu", "xpu", 4), ("nvsw", "switch", 2), ("pcie", "switch", 2)]


def edge(one: str, other: str, link: str, scheme: str = "many2many") -> dict[str, Any]:
    return {
        "ep1": {"component": one}, "ep2": {"component": other}, "link": link, "scheme": scheme,
    }  # fmt: skip


def link(name: str, rate: float | None = None) -> dict[str, Any]:
    unit = "gigabits_per_second"
    physical = {"bandwidth": {"choice": unit, unit: rate}}
    return {"name": name} if rate is None else {"name": name, "physical": physical}


def graph(**changes: Any) -> dict[str, Any]:
    """A box of four accelerators, two switches, and adapters that are devices of their own."""
    card = {"name": "card", "components": [{"name": "port", "choice": "port", "count": 2}]}
    box = {
        "name": "box",
        "components": [
            *({"name": n, "choice": c, "count": k} for n, c, k in PARTS),
            {"name": "card", "choice": "device", "count": 2},
        ],
        "links": [link("nvlink", 800), link("pci", 500)],
        "edges": [
            edge("xpu", "nvsw[0:2]", "nvlink"),
            edge("xpu[:2]", "pcie[0]", "pci"),
            edge("xpu[2:]", "pcie[1]", "pci"),
            edge("pcie", "card.port[0]", "pci", "one2one"),
            edge("pcie[0]", "card[0].port[1]", "pci"),
            edge("pcie[-1]", "card[1].port[1]", "pci"),
        ],
    }
    return {
        "devices": [card, {**box, **changes}],
        "instances": [{"name": "host", "device": "box", "count": 2}],
    }


def test_a_box_of_devices() -> None:
    found = host_of_infragraph(graph())
    assert str(found.complete(None, "50GB/s")) == "Host(4;switch@200GB/s;1@50GB/s)"
    untold = host_of_infragraph(graph(links=[]))
    assert str(untold.complete("450GB/s", "50GB/s")) == "Host(4;switch@450GB/s;1@50GB/s)"


@pytest.mark.parametrize(
    "name",
    [
        "Host(8;switch@450GB/s;1@50GB/s)[C(12,{1,3,4,5})]",
        "Host(3;links:0-1*2.1-2@12.5GB/s;ports:0.0.2@50GB/s)[K(4)]",
        "Host(4;mesh@64GB/s~0.5us;2@25GB/s~2us)[K(8,8)]",
        "Host(1;none;2@12.5GB/s)[Pi(2,7)]",
    ],
)
def test_what_is_written_is_read_back(name: str, tmp_path: Path) -> None:
    fabric, path = parse_host_fabric(name), tmp_path / "fabric.json"
    path.write_text(infragraph_text(fabric), encoding="utf-8")
    found = read_host_file(path)
    assert found.owners == fabric.template.owners
    assert (found.rate, found.latency) == (fabric.template.rate, fabric.template.latency)
    assert found.inner.latency == fabric.template.inner.latency
    g = found.accelerators
    assert found.inner.pairs(g) == fabric.template.inner.pairs(g)
    assert found.inner.rate == fabric.template.inner.rate


def test_circuits_join_the_ports_that_the_fabric_joins() -> None:
    fabric = parse_host_fabric("Host(4*2.8*3;switch@450GB/s;1@50GB/s)[Pi(4,8)]")
    document = json.loads(infragraph_text(fabric))
    begin = {"host4": 0, "host8": 2}
    owners = {
        device["name"]: [edge["ep1"]["component"] for edge in device["edges"][:8]]
        for device in document["devices"]
    }

    def end(row: dict[str, str]) -> str:
        kind, number = row["instance"][:-1].split("[")
        owned = owners[f"H{kind[1:]}"][int(row["component"][5:-1])]
        return f"gpu{begin[kind] + int(number)}.{owned[4:-1]}"

    found = [(end(row["ep1"]), end(row["ep2"])) for row in document["edges"]]
    whole = host_topology(fabric)
    names = whole.names
    assert names is not None
    circuits = zip(whole.tail.tolist(), whole.head.tolist(), strict=True)
    assert found == [(names[u], names[v]) for u, v in circuits][: len(found)]
    for name in ("ep1", "ep2"):
        ends = [tuple(row[name].values()) for row in document["edges"]]
        assert len(set(ends)) == len(ends)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"components": []}, "edges: 'xpu' is no component of 'box'"),
        ({"components": [], "edges": []}, "no device with a component of choice xpu"),
        ({"edges": [edge("xpu[9]", "nvsw", "a")]}, "edges: [9], where there are 4"),
        ({"edges": [edge("xpu[0:9:0]", "nvsw", "a")]}, "edges: a slice such as 0:2"),
        ({"edges": [edge("xpu", "nvsw", "a", "ring")]}, "scheme: one2one or many2many, not 'ring'"),
        ({"edges": [{"ep1": 1}]}, "edges: an endpoint with a component, not 1"),
        ({"edges": {}}, None),
        ({"edges": [1]}, "edges: a list of objects is needed"),
        ({"components": [{"name": "xpu", "choice": "xpu", "count": 10**9}]}, "count: 0 to 4096"),
        ({"components": [{"name": "box", "choice": "device", "count": 2}], "edges": []}, "deep"),
        ({"components": [{"name": "b", "choice": "device", "count": 2}], "edges": []}, "none of"),
        ({"links": [link("nvlink", -1)]}, "gigabits_per_second: a number above 0"),
    ],
)
def test_what_is_no_host_is_refused(change: dict[str, Any], told: str | None) -> None:
    if told is None:
        assert host_of_infragraph(graph(**change)).inner is None
        return
    with pytest.raises(InvalidInput) as error:
        host_of_infragraph(graph(**change))
    assert told in str(error.value)
    assert "\n" not in str(error.value)


@given(
    st.sampled_from(["components", "links", "edges"]),
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
        max_leaves=6,
    ),
)
def test_any_value_is_read_or_refused(field: str, value: object) -> None:
    told = ""
    try:
        host_of_infragraph(graph(**{field: value}))
    except InvalidInput as error:
        told = str(error)
    assert "\n" not in told
