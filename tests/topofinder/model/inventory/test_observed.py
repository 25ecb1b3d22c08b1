"""What is read from files of neighbours, cables and ports, and the wiring that it makes up."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from generators.errors import InvalidInput
from topofinder.model.inventory.document import (
    Host,
    Inventory,
    Panel,
    PanelKind,
    Port,
    inventory_for,
)
from topofinder.model.inventory.observed import Observation, observation_of
from topofinder.model.inventory.observed_files import ObservedForm, form_of, read_links
from topofinder.model.inventory.ports import PortMap, port_map
from topofinder.model.inventory.wiring import Wiring


def racks() -> PortMap:
    """Three hosts of two ports with names of their own; the second ports on another panel."""
    hosts = [
        Host(
            name=f"h{h}",
            ports=[
                Port(name="eth0", panel="A", position=1 + h),
                Port(name="swp1", panel="B", position=1 + h),
            ],
        )
        for h in range(3)
    ]
    return port_map(Inventory(panels=[Panel(name="A"), Panel(name="B")], hosts=hosts))


def seen(tmp_path: Path, text: str, fabric: PortMap | None = None) -> Observation:
    file = tmp_path / "seen"
    file.write_text(text)
    fabric = fabric or racks()
    return observation_of(fabric, read_links(file, [panel.name for panel in fabric.panels]))


def neighbour(name: str, port: str, kind: str = "ifname") -> dict[str, object]:
    return {
        "via": "LLDP",
        "chassis": {name: {"id": {"type": "mac", "value": "02:00:00:00:00:01"}}},
        "port": {"id": {"type": kind, "value": port}, "descr": "up"},
    }


RING = {  # eth0 of h0 and h1, swp1 of h1 and h2
    "h0": {"lldp": {"interface": {"eth0": neighbour("h1.example.org", "eth0")}}},
    "h1": {
        "lldp": {
            "interface": [{"eth0": neighbour("h0", "eth0")}, {"swp1": neighbour("h2", "swp1")}]
        }
    },
    "h2": {"lldp": {"interface": {"swp1": neighbour("h1", "swp1"), "mgmt": neighbour("tor", "1")}}},
}
"""As lldpd prints it: an object for one interface, a list for several."""
RING_TO = [2, -1, 0, 5, -1, 3]


def test_neighbours_in_json(tmp_path: Path) -> None:
    found = seen(tmp_path, json.dumps(RING))
    assert found.to.tolist() == RING_TO
    assert (found.foreign, found.assumed, found.strays) == (1, 0, ())


def test_neighbours_in_the_verbose_json(tmp_path: Path) -> None:
    entry = [{"name": "eth0", "chassis": [{"name": [{"value": "h1"}]}]}]
    entry[0]["port"] = [{"id": [{"type": "ifname", "value": "eth0"}]}]
    found = seen(tmp_path, json.dumps({"h0": {"lldp": [{"interface": entry}]}}))
    assert (found.to.tolist(), found.assumed) == ([2, -1, 0, -1, -1, -1], 1)


def test_a_port_known_by_its_remark_alone(tmp_path: Path) -> None:
    entry = {"chassis": {"h1": {}}, "port": {"id": {"value": "02:0a"}, "descr": "eth0"}}
    found = seen(tmp_path, json.dumps({"h0": {"lldp": {"interface": {"eth0": entry}}}}))
    assert found.to.tolist() == [2, -1, 0, -1, -1, -1]


KEYS = """\
h0: lldp.eth0.via=LLDP
h0: lldp.eth0.chassis.name=h1
h0: lldp.eth0.port.ifname=eth0
h0: lldp.eth0.port.descr=to: h0
h1: lldp.eth0.chassis.name=h0
h1: lldp.eth0.port.ifname=eth0
h1: lldp.swp1.chassis.name=h2
h1: lldp.swp1.port.local=swp1
h2: lldp.swp1.chassis.name=h1
h2: lldp.swp1.port.ifname=swp1
"""
TABLE = """\
admin@h1:~$ show lldp table
Capability codes: (R) Router, (B) Bridge, (O) Other
LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr
-----------  --------------  --------------  ------------  -----------------
eth0         h0              eth0            BR            up
swp1         h2              etp7            BR            swp1
--------------------------------------------------
Total entries displayed:  2
admin@h2:~$ show lldp table
LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr
-----------  --------------  --------------  ------------  -----------------
swp1         h1              swp1            BR
"""


@pytest.mark.parametrize("text", [KEYS, TABLE], ids=["keyvalue", "table"])
def test_neighbours_in_text(text: str, tmp_path: Path) -> None:
    """h0 says nothing in the table: what it hears is what h1 says back."""
    found = seen(tmp_path, text)
    assert found.to.tolist() == RING_TO
    assert found.assumed == (text is TABLE)


def test_a_fibre_that_one_end_does_not_hear_is_not_assumed(tmp_path: Path) -> None:
    """h1 speaks of another port, so that it would have told of eth0 too."""
    lines = [line for line in KEYS.splitlines() if not line.startswith("h1: lldp.eth0")]
    found = seen(tmp_path, "\n".join(lines))
    assert found.to.tolist() == [-1, -1, 0, 5, -1, 3]


def test_the_prefix_of_a_table_of_many_hosts(tmp_path: Path) -> None:
    head, rule = TABLE.splitlines()[2:4]
    rows = {"h0": "eth0         h1              eth0            BR            up"}
    rows["h1"] = rows["h0"].replace("h1", "h0")
    lines = [f"{host}: {line}" for host, row in rows.items() for line in (head, rule, row)]
    assert seen(tmp_path, "\n".join(lines)).to.tolist() == [2, -1, 0, -1, -1, -1]


PTM = """\
graph G {
  # racks
  graph [label="as planned"]
  "h0":"eth0" -- "h1":"eth0" [BFD="1"];
  h2:swp1 -- h1:swp1
}
"""
NETBOX = """\
ID,Label,Device A,Termination A,Device B,Termination B,Status
1,,h0,eth0,h1,eth0,Connected
2,,h1,swp1,h2,swp1,Connected
3,,h0,swp1,h2,eth0,Planned
4,,h0,psu1,,,Connected
5,,h0,eth0,A,1,Connected
"""
IMPORT = """\
side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name
h0,dcim.interface,eth0,h1,dcim.interface,eth0
B,dcim.frontport,3,B,dcim.frontport,2
"""
PORTS = "port_a,port_b\nh0:eth0,A:2\nh2:swp1,h1:swp1\n"
HOSTS = "host_a,port_a,host_b,port_b,by\nh0,eth0,h1,eth0,me\nh1,swp1,h2,swp1,you\n"
FIBRES = "tx,rx\nh0:eth0,h1:eth0\nh1:eth0,h0:eth0\nh1:swp1,h2:swp1\nh2:swp1,h1:swp1\n"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (PTM, ObservedForm.PTM),
        (NETBOX, ObservedForm.CABLES),
        (IMPORT, ObservedForm.CABLES),
        (PORTS, ObservedForm.CABLES),
        (HOSTS, ObservedForm.CABLES),
        (FIBRES, ObservedForm.CABLES),
        (KEYS, ObservedForm.LLDP_TEXT),
        (TABLE, ObservedForm.LLDP_TEXT),
        (json.dumps(RING), ObservedForm.LLDP_JSON),
    ],
)
def test_all_forms_tell_the_same_wiring(text: str, form: ObservedForm, tmp_path: Path) -> None:
    found = seen(tmp_path, text)
    assert (form_of(tmp_path / "seen"), found.to.tolist()) == (form, RING_TO)


def test_what_is_no_circuit_within_a_panel(tmp_path: Path) -> None:
    text = "port_a,port_b\nh0:eth0,h1:swp1\nh2:eth0,sw9:1\nx:1,y:2\nh0:swp1,h0:swp1\nh2:swp1,B:9\n"
    found = seen(tmp_path, text)
    assert found.to.tolist() == [-1] * 6
    assert found.across == ((0, 3), (3, 0))
    assert found.strays == ((1, "h0:swp1"), (4, "sw9:1"), (5, "B:9"))
    assert (found.leads, found.foreign) == ((), 1)


def test_cables_that_end_at_another_position(tmp_path: Path) -> None:
    head = "Device A,Termination A,Device B,Termination B\n"
    found = seen(tmp_path, head + "A,2,h0,eth0\nh2,swp1,B,9\nh1,eth0,A,2\n")
    assert found.leads == ((0, "A:2"), (5, "B:9"))


REFUSED = [
    (
        "port_a,port_b\nh0:eth0,h1:eth0\nh0:eth0,h2:eth0\n",
        "line 3: h0:eth0 reaches h1:eth0",
    ),
    ("port_a,port_b\nh0:eth0,h1:eth0\nh2:eth0,h1:eth0\n", "line 3: h1:eth0 hears h0:eth0 already"),
    ("tx,rx\nh0:eth0,h1:eth0\nh2:eth0,h1:eth0\n", "line 3: h1:eth0 hears h0:eth0 already"),
    ("port_a,port_b\nh0:eth0\n", "line 2: 1 fields, where the head has 2"),
    ("a,b\nh0:eth0,h1:eth0\n", "line 1: columns port_a and port_b"),
    ("port_a,port_b,mode\nh0:eth0,h1:eth0,both\n", "mode: duplex or simplex, not 'both'"),
    ("port_a,port_b\nh0:eth0,\n", "line 2: port_b is empty"),
    ('graph G {\n"h0" -- "h1"\n}\n', 'line 2: "host":"port" -- "host":"port" is needed'),
    ("graph G {\n}\n", "tells of no link"),
    ("", "tells of no link"),
    ("{", "line 1, column 2"),
    ('{"h0": []}', "tells of no link"),
    ('{"h0": "x"}', "an object is needed, not 'x'"),
    ('{"h0": {"lldp": {"interface": {"e": {"chassis": 3}}}}}', "an object is needed, not '3'"),
    ("lldp.eth0.chassis.name=h1\n", "line 1: who hears this?"),
    (KEYS + "h0: lldp.eth0.chassis.name=h2\n", "line 11: h0:eth0 hears two neighbours"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_what_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=re.escape(reason)):
        seen(tmp_path, text)


def test_drawn_wirings_come_back_from_every_form(tmp_path: Path) -> None:
    """Circuits of forty fabrics, one panel, written in four forms by this test alone."""
    random = np.random.default_rng(5)
    for _ in range(40):
        hosts, ports = int(random.integers(2, 9)), int(random.integers(1, 4))
        fabric = port_map(inventory_for(hosts=hosts, ports=ports))
        order = random.permutation(fabric.ports)
        half = int(random.integers(1, fabric.ports // 2 + 1))
        to = np.full(fabric.ports, -1)
        a, b = order[: 2 * half].reshape(2, half)
        to[a], to[b] = b, a
        names = [name.split(":") for name in fabric.names]
        pairs = [(names[int(x)], names[int(y)]) for x, y in zip(a, b, strict=True)]
        dot = "".join(f'"{u}":"{i}" -- "{v}":"{j}"\n' for (u, i), (v, j) in pairs)
        listed = "".join(f"{u},{i},{v},{j}\n" for (u, i), (v, j) in pairs)
        told: dict[str, list[dict[str, object]]] = {}
        for one, two in [*pairs, *(pair[::-1] for pair in pairs)]:
            told.setdefault(one[0], []).append({one[1]: neighbour(*two)})
        spoken = {host: {"lldp": {"interface": rows}} for host, rows in told.items()}
        texts = [
            f"graph G {{\n{dot}}}\n",
            f"host_a,port_a,host_b,port_b\n{listed}",
            json.dumps(spoken),
        ]
        for text in texts:
            assert seen(tmp_path, text, fabric).wiring.same(Wiring(to=to))


def switch(*sides: str) -> PortMap:
    """Two hosts of two ports each on an optical switch, with a circulator each, or with none."""
    given = iter(sides or ("",) * 4)
    ports = [Port(panel="P0", position=n, side=next(given) or None) for n in (1, 2, 3, 4)]
    hosts = [Host(name="h0", ports=ports[:2]), Host(name="h1", ports=ports[2:])]
    return port_map(Inventory(panels=[Panel(name="P0", kind=PanelKind.OCS)], hosts=hosts))


SHOWN = """\
show ocs cross-connect config
id     a_side    b_side
-----  --------  --------
1A-3B  1A        3B
4A-2B  4A        2B
"""
CONFIGURED = json.dumps(
    {
        "OCS_CROSS_CONNECT": {
            f"{a}-{b}": {"a_side": a, "b_side": b} for a, b in (("1A", "3B"), ("4A", "2B"))
        }
    }
)
AS_CABLES = "Device A,Termination A,Device B,Termination B\nP0,1A,P0,3B\nP0,2B,P0,4A\nh0,0,P0,1\n"


@pytest.mark.parametrize("text", [SHOWN, CONFIGURED, AS_CABLES])
def test_sides_of_a_switch(tmp_path: Path, text: str) -> None:
    """One way without circulators; with them both ways, and each side is a port of its own."""
    assert seen(tmp_path, text, switch()).to.tolist() == [2, -1, -1, 1]
    found = seen(tmp_path, text, switch("A", "B", "B", "A"))
    assert (found.to.tolist(), found.leads) == ([2, 3, 0, 1], ())
    found = seen(tmp_path, text, switch("B", "B", "B", "A"))
    assert (found.to.tolist(), found.strays) == ([-1, 3, -1, 1], ((2, "P0:1A"),))


def test_fibres_within_a_side_are_told_apart(tmp_path: Path) -> None:
    text = "host_a,port_a,host_b,port_b\nh0,0,h1,0\n"
    found = seen(tmp_path, text, switch("A", "B", "A", "B"))
    assert (found.to.tolist(), found.alike) == ([-1] * 4, ((0, 2), (2, 0)))
    assert seen(tmp_path, text, switch("A", "B", "B", "A")).alike == ()
    with pytest.raises(InvalidInput, match="line 2: P0:1A and P0:3A are both on side A"):
        seen(tmp_path, AS_CABLES.replace("3B", "3A"), switch())


def test_which_switch_it_is(tmp_path: Path) -> None:
    (tmp_path / "seen").write_text(SHOWN)
    assert form_of(tmp_path / "seen") is ObservedForm.SWITCHES
    with pytest.raises(InvalidInput, match=r"one of the switches A, B: a prompt tells$"):
        read_links(tmp_path / "seen", ["A", "B"])
    (tmp_path / "seen").write_text(f"admin@A:~$ show ocs cross-connect config\nadmin@B:~$ {SHOWN}")
    assert read_links(tmp_path / "seen", ["A", "B"])[0].near == ("B:1A",)
