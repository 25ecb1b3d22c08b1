"""Ports whose fibres are bundled: what is refused, and names, states and positions of trunks."""

import numpy as np
import pytest

from generators.errors import InvalidInput
from tests.fabrics import fabric_for
from topofinder.model.inventory.cross_connects import read_wiring, wiring_text
from topofinder.model.inventory.document import (
    Host,
    Inventory,
    Panel,
    PanelKind,
    Port,
    State,
    inventory_for,
)
from topofinder.model.inventory.ports import PortMap, inventory_text, port_map
from topofinder.model.inventory.wiring import Wiring

PANELS = [Panel(name="A"), Panel(name="B"), Panel(name="S", kind=PanelKind.OCS)]


def ports_of(*ports: dict) -> PortMap:
    own = [Port(**{"panel": "A", "position": place, **one}) for place, one in enumerate(ports, 1)]
    return port_map(Inventory(panels=PANELS, hosts=[Host(name="h", ports=own)]))


def test_a_trunk_is_one_port_that_its_fibres_stand_for() -> None:
    fabric = port_map(inventory_for(hosts=2, ports=4, panels=2, trunk=2))
    assert fabric.names == ("h0:t0", "h0:t1", "h1:t0", "h1:t1")
    assert fabric.positions == ("P0:1-2", "P1:1-2", "P0:3-4", "P1:3-4")
    assert (fabric.links, fabric.ports, fabric.by_fibre.ports) == (2, 4, 8)
    assert fabric.within.tolist() == [0, 1, 0, 1]
    assert {fabric.number[name] for name in ("h1:t1", "h1:2", "h1:3", "P1:4", "P1:3-4")} == {3}
    assert fabric_for(hosts=2, ports=2).by_fibre.links == 1


def test_the_state_of_a_trunk_is_that_of_its_ports_or_dead() -> None:
    trunk = {"trunk": "t"}
    dead = ports_of(trunk, trunk | {"state": State.DEAD, "label": "L2"})
    assert (dead.states, dead.labels) == ((State.DEAD,), ("L2",))
    apart = ports_of(trunk, {"state": State.HELD}, trunk)
    assert apart.positions == ("A:1+3", "A:2")
    assert apart.forbidden.fibres == (2, 1)
    with pytest.raises(InvalidInput, match="h:t: a trunk with ports that are held and live"):
        ports_of(trunk, trunk | {"state": State.HELD})


def test_a_trunk_has_the_rates_of_its_ports_together_and_their_side() -> None:
    slow, fast = {"trunk": "t", "rate": "8Gbps"}, {"trunk": "u", "rate": "16Gbps"}
    alone = {"rate": "16Gbps", "state": State.HELD}
    rated = ports_of(slow, fast, fast, slow, alone)
    assert rated.forbidden.rates == (2 * 10**9, 4 * 10**9, 4 * 10**9)
    assert ports_of(slow, slow).forbidden.rates == ()
    on_switch = {"panel": "S", "trunk": "t", "side": "B"}
    sided = ports_of(on_switch, on_switch, on_switch | {"trunk": "u", "side": "A"},
                     on_switch | {"trunk": "u", "side": "A", "position": 9})  # fmt: skip
    assert sided.forbidden.sides == ("B", "A")
    assert sided.positions == ("S:1-2B", "S:3+9A")


@pytest.mark.parametrize(
    ("ports", "reason"),
    [
        (({"trunk": "t"}, {"trunk": "t"}, {}), "h:2 is in no trunk, as others are"),
        (({"trunk": "t"}, {"trunk": "t"}, {"trunk": "u"}), "some of 1 and 2 ports"),
        (({"trunk": "t"}, {"trunk": "t", "panel": "B"}), "h:t is on two panels"),
        (({"trunk": "t", "pairs": 2},), "a port in a trunk has no pairs"),
        (
            ({"trunk": "t", "rate": "1Gbps"}, {"trunk": "t", "rate": "2Gbps"}),
            "h:t: rate: the ports of a trunk need one rate",
        ),
        (
            (
                {"trunk": "t", "panel": "S", "side": "A"},
                {"trunk": "t", "panel": "S", "side": "B"},
            ),
            "h:t: side: the ports of a trunk need one side",
        ),
        (({"trunk": "1"}, {"trunk": "0"}), "h:1 is a port too"),
    ],
)
def test_trunks_that_cannot_be_are_refused(ports: tuple[dict, ...], reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        ports_of(*ports)


def test_a_wiring_is_read_by_fibre_and_by_trunk(tmp_path) -> None:
    fabric = port_map(inventory_for(hosts=2, ports=4, panels=2, trunk=2))
    wiring, file = Wiring(to=np.array([2, -1, 0, -1])), tmp_path / "now.csv"
    text = wiring_text(fabric, wiring)
    assert text.splitlines()[1:] == ["P0,h0:0,h1:0,duplex", "P0,h0:1,h1:1,duplex"]
    crossed = text.replace("h1:0", "h1:9").replace("h1:1", "h1:0").replace("h1:9", "h1:1")
    for same in (text, crossed, "port_a,port_b\nh0:t0,h1:t0\n", "port_a,port_b\nP0:1-2,h1:t0\n"):
        file.write_text(same)
        found = read_wiring(file, fabric)
        assert found.same(wiring)
        assert wiring_text(fabric, found) == (crossed if same == crossed else text)
    for wrong, reason in (
        (
            text.rsplit("\n", 2)[0] + "\n",
            "h0:0 and h0:1 are in one trunk, and lead to h1:0 and not",
        ),
        ("port_a,port_b\nh0:t0,h1:0\n", "line 2: h0:t0 and h1:0 have not as many ports"),
        ("port_a,port_b\nh0:t0,h1:t7\n", "line 2: port_b: no port is called 'h1:t7'"),
        (text + "P0,h0:t0,h1:t0,duplex\n", "line 4: port h0:0 is used on line 2 already"),
    ):
        file.write_text(wrong)
        with pytest.raises(InvalidInput, match=reason):
            read_wiring(file, fabric)


def test_an_inventory_in_trunks_says_so_in_its_file() -> None:
    text = inventory_text(inventory_for(hosts=1, ports=2, trunk=2))
    assert '{"panel": "P0", "position": 2, "trunk": "t0"}' in text
    with pytest.raises(InvalidInput, match=r"from 1 to 2 \(trunks of a host\), not 3"):
        inventory_for(hosts=2, ports=4, panels=3, trunk=2)
