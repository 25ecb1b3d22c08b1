"""Ports by insertion loss: the least worst loss, against all choices of ports."""

from itertools import permutations, product

import numpy as np
import pytest

from generators.errors import InvalidInput
from tests.fabrics import fabric_for, topology, wired
from topofinder.model.inventory.document import PanelKind, inventory_for
from topofinder.model.inventory.losses import PortLosses, read_losses
from topofinder.model.inventory.ports import port_map
from topofinder.model.inventory.wiring import Circuit, Wiring
from topofinder.model.plan import Plan
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.planner import PlanOptions, Target, make_plan
from topofinder.patching.port_losses import least_bottleneck

CASES = [
    ("", "K(4)", True, 4, 3),
    ("", "BiRing(2,5)", True, 5, 3),
    ("BiRing(2,4)", "K(4)", True, 4, 3),
    ("", "UniRing(1,4)", False, 4, 3),
    ("UniRing(1,4)", "UniRing(2,4)", False, 4, 2),
]


def planned(case: tuple[str, str, bool, int, int], losses: PortLosses, links: int = 1) -> Plan:
    begin, end, duplex, hosts, ports = case
    fabric = port_map(
        inventory_for(hosts=hosts, ports=links * ports, kind=PanelKind.OCS, trunk=links)
    )
    nothing = Wiring(to=np.full(fabric.ports, -1))
    before = wired(fabric, topology(begin), duplex=duplex) if begin else nothing
    target = Target(subject=end, recipe=end, topology=topology(end), duplex=duplex)
    placement = PlacementOptions(time=0.1, fixed=np.arange(hosts, dtype=np.int32))
    return make_plan(fabric, before, target, PlanOptions(placement=placement, losses=losses))


def random_losses(ports: int, seed: int) -> PortLosses:
    random = np.random.default_rng(seed)
    port = {p: int(random.integers(1, 6)) * 250 for p in range(ports)}
    pair = {(a, b): int(random.integers(0, 5)) * 300 for a in range(ports) for b in range(ports)}
    return PortLosses(port=port, pair=pair)


def least_worst(plan: Plan, losses: PortLosses) -> int:
    """Over all ways to put the circuits of the one stage into the ports that are free in it."""
    (stage,) = plan.stages
    to = plan.before.to.copy()
    for a, b, duplex in stage.frees:
        to[[a, b] if duplex else [a]] = -1
    heard = set(to[to >= 0].tolist())
    host, hosts = plan.fabric.host, len(plan.fabric.hosts)
    free = {(h, side): [] for h in range(hosts) for side in (0, 1)}  # type: ignore[var-annotated]
    for port in range(plan.fabric.ports):
        open_sides = (to[port] < 0, port not in heard)
        for side in (0, 1):
            if open_sides[side] and (all(open_sides) or not plan.duplex):
                free[int(host[port]), side].append(port)
    at: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for i, circuit in enumerate(stage.connects):
        for end in (0, 1):
            group = int(host[circuit[end]]), 0 if plan.duplex else end
            at.setdefault(group, []).append((i, end))
    best = 1 << 30
    options = [list(permutations(free[group], len(ends))) for group, ends in at.items()]
    for chosen in product(*options):
        port = {
            end: p for ends, ports in zip(at.values(), chosen, strict=True)
            for end, p in zip(ends, ports, strict=True)
        }  # fmt: skip
        made = [Circuit(port[i, 0], port[i, 1], plan.duplex) for i in range(len(stage.connects))]
        best = min(best, max(map(losses.of_circuit, made)))
    return best


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}>{case[1]}")
def test_no_choice_of_ports_is_better(case: tuple[str, str, bool, int, int]) -> None:
    for seed in range(2):
        losses = random_losses(case[3] * case[4], seed)
        plan = planned(case, losses)
        found = plan.losses
        assert found is not None
        made = plan.stages[0].connects
        assert found.worst == max(map(losses.of_circuit, made))
        assert found.above == ()
        assert found.proved
        assert found.worst == least_worst(plan, losses)


class WorstFibre:
    """What a circuit of trunks of three ports loses, from the losses of fibres."""

    def __init__(self, fibres: PortLosses) -> None:
        self.fibres = fibres

    def of_circuit(self, circuit: Circuit) -> int:
        a, b, duplex = circuit
        return max(
            self.fibres.of_circuit(Circuit(3 * a + one, 3 * b + one, duplex)) for one in range(3)
        )


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}>{case[1]}")
def test_no_choice_of_trunks_is_better(case: tuple[str, str, bool, int, int], tmp_path) -> None:
    fibres = random_losses(3 * case[3] * case[4], 4)
    fabric = port_map(inventory_for(hosts=case[3], ports=3 * case[4], kind=PanelKind.OCS, trunk=3))
    names, lines = fabric.by_fibre.names, ["port_a,port_b,loss"]
    lines += [f"{names[a]},,{loss / 1000}" for a, loss in fibres.port.items()]
    lines += [
        f"{names[a]},{names[b]},{loss / 1000}" for (a, b), loss in fibres.pair.items() if a != b
    ]
    (tmp_path / "losses.csv").write_text("\n".join(lines))
    losses, twin = read_losses(tmp_path / "losses.csv", fabric), WorstFibre(fibres)
    plan = planned(case, losses, 3)
    assert plan.losses is not None
    assert plan.losses.worst == max(map(twin.of_circuit, plan.stages[0].connects))
    assert plan.losses.proved
    assert plan.losses.worst == least_worst(plan, twin)


def test_losses_of_trunks_are_those_of_each_fibre(tmp_path) -> None:
    fabric = port_map(inventory_for(hosts=2, ports=4, trunk=2))
    file = tmp_path / "losses.csv"
    file.write_text("port_a,port_b,loss\nh0:t0,,0.5\nh1:3,,1\nh0:t0,h1:t1,0.2\nP0:1,h1:3,3\n")
    losses = read_losses(file, fabric)
    assert losses.port == {0: 500, 1: 500, 7: 1000}
    assert losses.pair == {(0, 6): 200, (1, 7): 200, (0, 7): 3000}
    assert losses.of_circuit(Circuit(0, 3, True)) == 1700
    for line, reason in (
        ("h0:t0,h1:3,1", "line 2: h0:t0 and h1:3 have not as many ports"),
        ("h0:t5,,1", "line 2: no port is called 'h0:t5'"),
        ("h0:t0,,1\nh0:1,,2", "line 3: loss: h0:1 has another one already"),
    ):
        file.write_text(f"port_a,port_b,loss\n{line}\n")
        with pytest.raises(InvalidInput, match=reason):
            read_losses(file, fabric)


def test_the_bottleneck_of_an_assignment_is_the_least() -> None:
    random = np.random.default_rng(7)
    for _ in range(40):
        rows = int(random.integers(1, 5))
        cost = random.integers(0, 9, size=(rows, rows + int(random.integers(0, 3))))
        ways = permutations(range(cost.shape[1]), rows)
        assert least_bottleneck(cost) == min(max(cost[range(rows), list(way)]) for way in ways)


def test_several_stages_keep_their_order() -> None:
    """With exchanged ports the plan has passed its replay, there and back."""
    losses = random_losses(48, 3)
    fabric = fabric_for(hosts=12, ports=4, kind=PanelKind.OCS, panels=2)
    before = Wiring(to=np.full(48, -1))
    target = Target(subject="t", recipe=None, topology=topology("C(12,{1,5})"), duplex=True)
    placement = PlacementOptions(time=0.1, fixed=np.arange(12, dtype=np.int32))
    first = make_plan(fabric, before, target, PlanOptions(placement=placement)).after
    second = Target(subject="u", recipe=None, topology=topology("BiRing(4,12)"), duplex=True)
    plain = PlanOptions(placement=placement, keep_connected=True)
    chosen = PlanOptions(placement=placement, keep_connected=True, losses=losses)
    plans = [make_plan(fabric, first, second, options) for options in (plain, chosen)]
    worst = [
        max(losses.of_circuit(c) for stage in plan.stages for c in stage.connects) for plan in plans
    ]
    assert worst[1] <= worst[0]
    assert plans[1].moves == plans[0].moves
