"""The least fibre and the fewest circuits above a reach, against all placements and panels."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from topofinder.model.inventory.document import Inventory
from topofinder.model.inventory.ports import PortMap, port_map
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.lengths import LeastOf
from topofinder.patching.circuits import Circuits
from topofinder.patching.lengths import measure_circuits
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.planner import PlanOptions, Target
from topofinder.patching.shortest_placement import plan_shortest

TARGETS = (("K(2,2)", 4), ("BiRing(2,4)", 4), ("K(4)", 4), ("BiRing(4,3)", 3), ("BiRing(2,3)", 3))
ONE_WAY = (
    ("UniRing(1,5)", 5),
    ("Diamond", 4),
    ("UniRing(2,3)", 3),
    ("K(3)", 3),
    ("UniRing(1,4)", 4),
)


def draw_fabric(draw: random.Random, hosts: int, ports: int, racked: bool) -> PortMap:
    """Two panels; hosts in racks on a line, with an end of each port drawn at random."""
    used, listed = [0, 0], []
    for h in range(hosts):
        own = []
        for _ in range(ports):
            panel = draw.randrange(2)
            used[panel] += 1
            own.append({"panel": f"P{panel}", "position": used[panel]})
        listed.append({"name": f"h{h}", "rack": f"r{draw.randrange(4)}", "ports": own})
    racks = [f"r{draw.randrange(4)}", f"r{draw.randrange(4)}" if racked else None]
    document: dict[str, Any] = {
        "panels": [
            {"name": f"P{p}"} | ({} if rack is None else {"rack": rack})
            for p, rack in enumerate(racks)
        ],
        "hosts": listed,
        "trays": [
            {"between": [f"r{i}", f"r{i + 1}"], "length": f"{draw.randrange(1, 9)}.5m"}
            for i in range(3)
        ],
        "slack": "1m",
    }
    return port_map(Inventory.model_validate(json.loads(json.dumps(document))))


def draw_wiring(draw: random.Random, fabric: PortMap, *, duplex: bool) -> Wiring:
    """Circuits between some ports of a panel, both ways or one."""
    to = np.full(fabric.ports, -1, dtype=np.int32)
    for panel in (0, 1):
        free = np.flatnonzero(fabric.panel == panel).tolist()
        draw.shuffle(free)
        if not duplex:
            for a, b in zip(free, free[1:] + free[:1], strict=True):
                if draw.random() < 0.8 and fabric.host[a] != fabric.host[b]:
                    to[a] = b
            continue
        for a, b in zip(free[::2], free[1::2], strict=False):
            if draw.random() < 0.8 and fabric.host[a] != fabric.host[b]:
                to[a], to[b] = b, a
    return Wiring(to=to)


def all_prices(
    fabric: PortMap, wiring: Wiring, target: Circuits, reach: int, least: LeastOf
) -> Iterator[tuple[int, int, int]]:
    """Circuits above the reach (0 where nobody asks), millimetres and moves of every wiring."""
    pair = frozenset if target.duplex else tuple
    there = Counter(
        (pair((int(fabric.host[c.a]), int(fabric.host[c.b]))), int(fabric.panel[c.a]))
        for c in wiring.circuits(split=not target.duplex)
    )
    ports = Counter(zip(fabric.host.tolist(), fabric.panel.tolist(), strict=True))
    ends = list(zip(target.tail.tolist(), target.head.tolist(), strict=True))
    for host in permutations(range(len(fabric.hosts)), target.n):
        for panel in product((0, 1), repeat=len(ends)):
            rows = [(host[u], host[v], p) for (u, v), p in zip(ends, panel, strict=True)]
            ways = (0, 0) if target.duplex else (0, 1)
            used = Counter(
                (h, p, way) for u, v, p in rows for h, way in zip((u, v), ways, strict=True)
            )
            if any(count > ports[key[:2]] for key, count in used.items()):
                continue
            port = {key: place for place, key in enumerate(
                zip(fabric.host.tolist(), fabric.panel.tolist(), strict=True))}  # fmt: skip
            each = [fabric.circuit_length(port[u, p], port[v, p]) or 0 for u, v, p in rows]
            wanted = Counter((pair((u, v)), p) for u, v, p in rows)
            far = sum(length > reach for length in each) if least is LeastOf.REACH else 0
            yield far, sum(each), len(rows) - (wanted & there).total()


@pytest.mark.parametrize("least", [LeastOf.FIBRE, LeastOf.REACH])
@pytest.mark.parametrize("duplex", [True, False])
def test_nothing_is_shorter_on_tiny_fabrics(duplex: bool, least: LeastOf) -> None:
    draw = random.Random(7)
    proved = checked = 0
    for number in range(14 if duplex else 8):
        name, n = (TARGETS if duplex else ONE_WAY)[number % 5]
        topology = build(parse(name))
        target = Target(subject=name, recipe=name, topology=topology, duplex=duplex)
        circuits = Circuits.of(topology, duplex=duplex)
        fabric = draw_fabric(
            draw,
            n + draw.randrange(2),
            topology.degree + draw.randrange(2) + (not duplex),
            draw.random() < 0.7,
        )
        wiring, reach = draw_wiring(draw, fabric, duplex=duplex), draw.randrange(3000, 22000)
        best = min(all_prices(fabric, wiring, circuits, reach, least), default=None)
        options = PlanOptions(placement=PlacementOptions(time=20.0), reach=reach)
        if best is None:
            continue
        checked += 1
        plan = plan_shortest(fabric, wiring, target, options, least)
        assert plan.lengths
        assert plan.trade
        assert not plan.missing
        far = len(plan.lengths.above) if least is LeastOf.REACH else 0
        assert (far, plan.lengths.total, plan.moves) == best
        assert plan.trade.fewest <= plan.moves
        proved += plan.trade.proved
    assert checked >= 5 + 2 * duplex
    assert proved == checked


def test_larger_fabrics_reach_the_bound_of_the_assignment() -> None:
    """Twelve hosts of twenty play: those nearest to the panel, whatever their order."""
    draw = random.Random(3)
    document = json.loads(Inventory.model_validate({
        "panels": [{"name": "P", "rack": "r0"}],
        "hosts": [
            {"name": f"h{h}", "rack": f"r{h}", "ports": [
                {"panel": "P", "position": 4 * h + j + 1} for j in range(4)]}
            for h in range(20)
        ],
        "trays": [{"between": [f"r{i}", f"r{i + 1}"], "length": "2m"} for i in range(19)],
    }).model_dump_json(exclude_unset=True))  # fmt: skip
    draw.shuffle(document["hosts"])
    fabric = port_map(Inventory.model_validate(document))
    target = Target(subject="t", recipe=None, topology=build(parse("Torus(3,4)")), duplex=True)
    nothing = Wiring(to=np.full(fabric.ports, -1, dtype=np.int32))
    options = PlanOptions(placement=PlacementOptions(time=0.2))
    plan = plan_shortest(fabric, nothing, target, options, LeastOf.FIBRE)
    assert plan.lengths
    assert plan.trade
    assert plan.trade.proved
    assert plan.lengths.total == 4 * sum(2000 * i for i in range(12))


def test_runs_from_host_to_host_are_short_in_a_row() -> None:
    """A ring of ten hosts in a row of ten racks: no panel, and no ring is shorter than 18 trays."""
    document = {
        "panels": [{"name": "P"}],
        "hosts": [
            {"name": f"h{h}", "rack": f"r{(3 * h) % 10}", "ports": [
                {"panel": "P", "position": 2 * h + j + 1} for j in range(2)]}
            for h in range(10)
        ],
        "trays": [{"between": [f"r{i}", f"r{i + 1}"], "length": "1m"} for i in range(9)],
    }  # fmt: skip
    fabric = port_map(Inventory.model_validate(document))
    target = Target(subject="t", recipe=None, topology=build(parse("BiRing(2,10)")), duplex=True)
    nothing = Wiring(to=np.full(fabric.ports, -1, dtype=np.int32))
    options = PlanOptions(placement=PlacementOptions(time=0.2), reach=2000)
    plan = plan_shortest(fabric, nothing, target, options, LeastOf.REACH)
    assert plan.lengths
    assert plan.lengths.total >= 18000
    circuits = Circuits.of(target.topology, duplex=True)
    panel = np.zeros(circuits.count, dtype=np.int32)
    before = measure_circuits(fabric, circuits, np.arange(10, dtype=np.int32), panel, 2000)
    assert before
    assert plan.lengths.total < before.total
    assert len(plan.lengths.above) < len(before.above)
