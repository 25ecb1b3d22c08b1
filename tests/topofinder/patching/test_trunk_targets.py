"""Trunks of parallel links, fibre by fibre: against all placements of tiny fabrics."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from generators.errors import InvalidInput
from generators.topology import Topology
from tests.patch_cases import Case, drawn_case
from tests.patch_moves import fewest
from tests.topofinder.patching.test_fewest_moves import plan_of
from topofinder.model.inventory.cross_connects import bundle_wiring, fibre_wiring
from topofinder.model.inventory.document import Host, Inventory, Panel, Port, State
from topofinder.model.inventory.ports import PortMap, port_map
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan
from topofinder.model.plan_files import move_rows
from topofinder.patching.planner import Target
from topofinder.patching.trunk_targets import trunk_target

SAMPLE, MORE = 60, 2000


def trunks_of(fabric: PortMap, links: int, random: np.random.Generator) -> Inventory:
    """The same with so many fibres for each port; of a dead trunk one fibre is."""
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
                )
            )
    hosts = [Host(name=name, ports=own) for name, own in zip(fabric.hosts, listed, strict=True)]
    return Inventory(panels=[Panel(name=panel.name) for panel in fabric.panels], hosts=hosts)


def fibres_of(wiring: Wiring, links: int, random: np.random.Generator) -> Wiring:
    """The same fibre by fibre, in any order within a trunk."""
    to = np.full(len(wiring.to) * links, -1)
    for port, other in enumerate(wiring.to.tolist()):
        if other >= 0:
            to[port * links : (port + 1) * links] = other * links + random.permutation(links)
    return Wiring(to=to)


def bundled_case(seed: int) -> tuple[Case, Case, Wiring, Topology, int]:
    """A case, the same in trunks, its wiring by fibre, its target by link, and links of a trunk."""
    random, case = np.random.default_rng([seed, 7]), drawn_case(seed)
    links = int(random.integers(2, 5))
    fabric = port_map(trunks_of(case.fabric, links, random))
    fibres = fibres_of(case.wiring, links, random)
    arcs = list(zip(case.graph.tail.tolist(), case.graph.head.tolist(), strict=True)) * links
    random.shuffle(arcs)
    graph = Topology.from_arcs(case.graph.n, arcs)
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
