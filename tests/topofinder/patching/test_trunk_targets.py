"""Trunks of parallel links, fibre by fibre: against all placements of tiny fabrics."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from generators.errors import InvalidInput
from generators.topology import Topology
from tests.ocs_emulator import Switch
from tests.patch_cases import Case, drawn_case
from tests.patch_moves import fewest
from tests.topofinder.patching.test_fewest_moves import plan_of
from tests.topofinder.patching.test_rated import (
    FAST,
    MOST_CIRCUITS,
    SLOW,
    drawn_rates,
    fewest_rated,
)
from topofinder.exporters.sonic_ocs import switch_script
from topofinder.model.inventory.cross_connects import bundle_wiring, fibre_wiring
from topofinder.model.inventory.document import (
    Host,
    Inventory,
    Panel,
    PanelKind,
    Port,
    State,
)
from topofinder.model.inventory.ports import PortMap, port_map
from topofinder.model.inventory.switch_state import read_current
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan
from topofinder.model.plan_files import move_rows
from topofinder.patching.planner import Target
from topofinder.patching.trunk_targets import trunk_target

SAMPLE, MORE = 60, 2000


def trunks_of(
    fabric: PortMap,
    links: int,
    random: np.random.Generator,
    kind: PanelKind = PanelKind.PATCH_PANEL,
) -> Inventory:
    """The same with so many fibres for each port, at its rate; of a dead trunk one fibre is."""
    rates = fabric.forbidden.rates
    listed: list[list[Port]] = [[] for _ in fabric.hosts]
    for port in range(fabric.ports):
        dead = int(random.integers(links))
        for fibre in range(links):
            state = fabric.states[port]
            one = State.LIVE if state is State.DEAD and fibre != dead else state
            listed[fabric.host[port]].append(
                Port(
                    panel=fabric.panels[fabric.panel[port]].name,
                    position=port * links + fibre + 1,
                    state=one,
                    trunk=f"t{fabric.within[port]}",
                    rate=f"{8 * rates[port]}bps" if rates else None,
                )
            )
    hosts = [Host(name=name, ports=own) for name, own in zip(fabric.hosts, listed, strict=True)]
    panels = [Panel(name=panel.name, kind=kind) for panel in fabric.panels]
    return Inventory(panels=panels, hosts=hosts)


def fibres_of(wiring: Wiring, links: int, random: np.random.Generator) -> Wiring:
    """The same fibre by fibre, in any order within a trunk."""
    to = np.full(len(wiring.to) * links, -1)
    for port, other in enumerate(wiring.to.tolist()):
        if other >= 0:
            to[port * links : (port + 1) * links] = other * links + random.permutation(links)
    return Wiring(to=to)


def bundled_case(
    seed: int, case: Case | None = None, kind: PanelKind = PanelKind.PATCH_PANEL
) -> tuple[Case, Case, Wiring, Topology, int]:
    """A case, the same in trunks, its wiring by fibre, its target by link, and links of a trunk."""
    random, case = np.random.default_rng([seed, 7]), case or drawn_case(seed)
    links = int(random.integers(2, 5))
    fabric = port_map(trunks_of(case.fabric, links, random, kind))
    fibres = fibres_of(case.wiring, links, random)
    rates = case.graph.capacity or (None,) * case.graph.arcs
    ends = case.graph.tail.tolist(), case.graph.head.tolist(), rates
    arcs = list(zip(*ends, strict=True)) * links
    random.shuffle(arcs)
    graph = Topology.from_arcs(
        case.graph.n,
        [arc[:2] for arc in arcs],
        capacity=[arc[2] for arc in arcs] if case.graph.capacity else None,
        unit_rate=case.graph.unit_rate,
    )
    asked = Target(subject="G", recipe=None, topology=graph, duplex=case.duplex)
    wiring = bundle_wiring(fabric, fibres)
    target = trunk_target(asked, links).topology
    return case, replace(case, fabric=fabric, wiring=wiring, graph=target), fibres, graph, links


def moved_fibres(plan: Plan, fibres: Wiring, links: int) -> Wiring:
    """The fibres after all moves, each of which takes out or plugs in all those of two trunks."""
    names = {name: port for port, name in enumerate(plan.fabric.names)}
    to = fibres.to.copy()
    for row in move_rows(plan.fabric, plan.stages):
        a, b = names[row[5]] * links, names[row[6]] * links
        for one, two in ((a, b), (b, a)) if row[4] == "duplex" else ((a, b),):
            there, other = to[one : one + links], np.arange(two, two + links)
            if row[3] == "disconnect":
                assert set(there) == set(other)
                to[one : one + links] = -1
            else:
                assert (there == -1).all()
                to[one : one + links] = other
    return Wiring(to=to)


def require_the_best_trunks(seed: int) -> int:
    case, bundled, fibres, graph, links = bundled_case(seed)
    least, moves = fewest(
        *(case.fabric, case.wiring, case.graph),
        duplex=case.duplex,
        hosts=case.hosts,
        fixed=case.fixed,
    )
    plan = plan_of(bundled)
    if plan is None:
        assert least, f"seed {seed}: refused, though {moves} moves do it"
        return 0
    assert (len(plan.missing), plan.moves) == (least, moves), f"seed {seed}: not the best"
    after = moved_fibres(plan, fibres, links)
    assert bundle_wiring(plan.fabric, after).same(plan.after)
    if not least:
        host, whole = np.array(plan.host), plan.fabric.by_fibre
        lit = np.flatnonzero(after.to >= 0)
        there = Counter(
            zip(whole.host[lit].tolist(), whole.host[after.to[lit]].tolist(), strict=True)
        )
        wanted = Counter(zip(host[graph.tail].tolist(), host[graph.head].tolist(), strict=True))
        assert not wanted - there, f"seed {seed}: links are lacking"
    return int(moves > 0)


def test_trunks_take_the_fewest_moves_and_every_fibre_ends_where_it_should() -> None:
    assert sum(map(require_the_best_trunks, range(SAMPLE))) > SAMPLE // 6


@pytest.mark.slow
def test_trunks_of_many_tiny_fabrics_take_the_fewest_moves() -> None:
    assert sum(map(require_the_best_trunks, range(SAMPLE, MORE))) > MORE // 6


def require_the_best_rated_trunks(seed: int) -> int:
    """Trunks of fibres of two rates: as many moves as with a port of each rate for each trunk."""
    case = drawn_case(seed)
    if len(case.graph.tail) > MOST_CIRCUITS * (1 + case.duplex) or len(case.hosts) > 5:
        return 0
    case = drawn_rates(seed, case)
    if State.PINNED in case.fabric.states or set(case.fabric.forbidden.rates) != {SLOW, FAST}:
        return 0
    _, bundled, fibres, _, links = bundled_case(seed, case)
    assert set(bundled.graph.capacity) == {links * rate for rate in case.graph.capacity}
    assert bundled.fabric.forbidden.rates == tuple(links * r for r in case.fabric.forbidden.rates)
    least, moves = fewest_rated(case)
    plan = plan_of(bundled)
    if plan is None:
        assert least, f"seed {seed}: refused, though {moves} moves do it"
        return 0
    assert (least, plan.moves) == (0, moves), f"seed {seed}: not the best"
    speed, after = plan.fabric.by_fibre.forbidden.rates, moved_fibres(plan, fibres, links).to
    made = np.flatnonzero((after >= 0) & (after != fibres.to)).tolist()
    assert all(speed[a] == speed[after[a]] for a in made)
    return 1


def test_trunks_of_two_rates_take_the_fewest_moves() -> None:
    assert sum(map(require_the_best_rated_trunks, range(150))) > 15


@pytest.mark.slow
def test_trunks_of_two_rates_of_many_tiny_fabrics_take_the_fewest_moves() -> None:
    assert sum(map(require_the_best_rated_trunks, range(150, 1500))) > 150


def switch_states(fabric: PortMap, fibres: Wiring) -> list[Switch]:
    """Emulated switches with these fibres connected."""
    found = [Switch(ports=panel.limit) for panel in fabric.panels]
    place = [int(position.rpartition(":")[2]) for position in fabric.positions]
    for a in np.flatnonzero(fibres.to >= 0).tolist():
        found[fabric.panel[a]].connects[f"{place[a]}A"] = f"{place[fibres.to[a]]}B"
    return found


def require_scripts_of_trunks(seed: int, path: Path) -> int:
    """Scripts of switches carry out the moves of all fibres, there and back, and are read again."""
    _, bundled, fibres, _, links = bundled_case(seed, kind=PanelKind.OCS)
    plan = plan_of(bundled)
    if plan is None or not plan.moves or plan.fabric.names != bundled.fabric.names:
        return 0
    whole = plan.fabric.by_fibre
    switches = switch_states(whole, fibres)
    after = moved_fibres(plan, fibres, links)
    assert fibre_wiring(plan.fabric, plan.after).same(after)
    for stages, end in ((plan.stages, after), (plan.rollback, fibres)):
        for panel, switch in enumerate(switches):
            script = switch_script(plan.fabric, stages, panel, plan.before.fibres)
            for line in script.splitlines():
                switch.run(line)
        there = [switch.connects for switch in switches]
        assert there == [switch.connects for switch in switch_states(whole, end)], f"seed {seed}"
        shown = ""
        for panel, switch in zip(whole.panels, switches, strict=True):
            shown += f"{panel.name}:~$ show ocs cross-connect config\n"
            shown += switch.run("show ocs cross-connect config")
        path.write_text(shown)
        read = read_current(path, plan.fabric).wiring
        assert fibre_wiring(plan.fabric, read).same(end)
    return 1


def test_scripts_of_switches_move_every_fibre_of_trunks(tmp_path: Path) -> None:
    tried = [require_scripts_of_trunks(seed, tmp_path / "shown.txt") for seed in range(SAMPLE)]
    assert sum(tried) > SAMPLE // 6


def test_capacities_of_links_are_those_of_trunks_together() -> None:
    rows = [(0, 1), (1, 0)] * 4
    slow, fast = [Fraction(1)] * 4, [Fraction(3)] * 4
    graph = Topology.from_arcs(2, rows, capacity=slow + fast)
    asked = Target(subject="G", recipe=None, topology=graph, duplex=True)
    assert sorted(trunk_target(asked, 2).topology.capacity) == [1, 1, 3, 3]
    told = replace(asked, topology=replace(graph, unit_rate=Fraction(5)))
    assert sorted(trunk_target(told, 2).topology.capacity) == [2, 2, 6, 6]
    mixed = replace(asked, topology=replace(graph, capacity=(*slow, *fast[:2], *slow[:2])))
    with pytest.raises(InvalidInput, match="where trunks have 4: of one rate each"):
        trunk_target(mixed, 4)


def test_other_numbers_of_links_than_those_of_trunks_are_refused() -> None:
    graph = Topology.from_arcs(2, [(0, 1), (0, 1), (0, 1), (1, 0), (1, 0), (1, 0)])
    asked = Target(subject="K(2)||3", recipe=None, topology=graph, duplex=True)
    assert trunk_target(asked, 1) is asked
    with pytest.raises(InvalidInput, match="3 links from 0 to 1, where trunks have 2"):
        trunk_target(asked, 2)


def test_fibres_of_trunks_are_there_and_back() -> None:
    for seed in range(50):
        _, bundled, _, _, _ = bundled_case(seed)
        fibres = fibre_wiring(bundled.fabric, bundled.wiring)
        assert bundle_wiring(bundled.fabric, fibres).same(bundled.wiring)
