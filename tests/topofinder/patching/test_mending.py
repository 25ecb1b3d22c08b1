"""Fabrics wired amiss: planted swaps are mended with no more moves than were planted."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from generators.topology import Int64Array, Topology
from topofinder.api.inventory import new_inventory
from topofinder.model.inventory.document import State, inventory_for
from topofinder.model.inventory.ports import PortMap, port_map
from topofinder.model.inventory.wiring import Wiring
from topofinder.patching.failures import Failures, mark_failed
from topofinder.patching.mending import Mending, mend_wiring
from topofinder.patching.planner import require_replay
from topofinder.verification.plans import replay_stages

Random = np.random.Generator


def wired(recipe: str, panels: int = 1) -> tuple[PortMap, Wiring]:
    """A fabric with the wiring of a recipe."""
    inventory, plan = new_inventory(recipe, panels=panels)
    return port_map(inventory), plan.after


def swapped(fabric: PortMap, wiring: Wiring, swaps: int, random: Random) -> Wiring:
    """The wiring with the far ends of two circuits of a panel swapped, so many times."""
    to, used = wiring.to.copy(), set[int]()
    circuits = [circuit[:2] for circuit in wiring.circuits()]
    duplex = all(circuit.duplex for circuit in wiring.circuits())
    while len(used) < 2 * swaps:
        one, two = random.choice(len(circuits), 2, replace=False).tolist()
        (a, b), (c, d) = circuits[one], circuits[two]
        hosts = fabric.host[[a, b, c, d]].tolist()
        same_panel = fabric.panel[a] == fabric.panel[c]
        if used & {one, two} or not same_panel or len(set(hosts)) < 4:
            continue
        used |= {one, two}
        to[a], to[c] = d, b
        if duplex:
            to[d], to[b] = a, c
    return Wiring(to=to)


def renamed(fabric: PortMap, wiring: Wiring, order: Int64Array) -> Wiring:
    """The wiring in which host order[h] has the circuits of host h, port by port."""
    port = np.empty(fabric.ports, dtype=np.int64)
    each = fabric.ports // len(fabric.hosts)
    for p in range(fabric.ports):
        port[p] = order[fabric.host[p]] * each + fabric.within[p]
    to = np.full(fabric.ports, -1)
    has = np.flatnonzero(wiring.to >= 0)
    to[port[has]] = port[wiring.to[has]]
    return Wiring(to=to)


def arcs(fabric: PortMap, wiring: Wiring) -> list[tuple[int, int]]:
    """The arcs between hosts, in order, from the fibres alone."""
    has = np.flatnonzero(wiring.to >= 0)
    return sorted(zip(fabric.host[has].tolist(), fabric.host[wiring.to[has]].tolist(), strict=True))


def require_mended(fabric: PortMap, seen: Wiring, wanted: Wiring, found: Mending) -> None:
    """The plan leads to a wiring that is the wanted one under the names that it tells."""
    require_replay(found.plan)
    end = replay_stages(fabric, seen, found.plan.stages).after
    name = dict(found.renamed)
    told = sorted((name.get(u, u), name.get(v, v)) for u, v in arcs(fabric, end))
    assert told == arcs(fabric, wanted)


SWAPPED = [
    ("Torus(8,8)", 1, 3),
    ("Torus(8,8)", 4, 20),
    ("Pi(4,64)", 1, 1),
    ("Pi(4,64)", 4, 8),
    ("C(60,{7,11})", 2, 5),
    ("Q(5)", 5, 4),
    ("Kautz(2,3)", 2, 2),
    ("BiRing(2,24)", 1, 3),
]


@pytest.mark.parametrize(("recipe", "panels", "swaps"), SWAPPED)
def test_planted_swaps_are_mended(recipe: str, panels: int, swaps: int) -> None:
    fabric, wanted = wired(recipe, panels)
    seen = swapped(fabric, wanted, swaps, np.random.default_rng(swaps))
    found = mend_wiring(fabric, seen, wanted, time=0.2)
    assert found.restored is not None
    assert found.plan.bound.moves <= found.plan.moves <= found.restored <= 2 * swaps
    require_mended(fabric, seen, wanted, found)


@pytest.mark.parametrize(("recipe", "panels"), [("Torus(6,7)", 1), ("Pi(4,64)", 4), ("Q(4)", 4)])
def test_another_naming_is_found_and_nothing_touched(recipe: str, panels: int) -> None:
    fabric, wanted = wired(recipe, panels)
    order = np.random.default_rng(1).permutation(len(fabric.hosts))
    seen = renamed(fabric, wanted, order)
    found = mend_wiring(fabric, seen, wanted, time=0.2)
    assert found.plan.moves == 0
    assert found.renamed
    assert found.restored
    require_mended(fabric, seen, wanted, found)


def test_two_hosts_in_each_others_place_and_a_swap() -> None:
    """Rewiring both hosts would take up to 8 moves more than the swap."""
    fabric, wanted = wired("Torus(7,7)")
    order = np.arange(49)
    order[[3, 40]] = 40, 3
    seen = swapped(fabric, renamed(fabric, wanted, order), 1, np.random.default_rng(0))
    found = mend_wiring(fabric, seen, wanted, time=1.0)
    assert found.plan.moves == 2 == found.plan.bound.moves
    assert found.restored == 10
    require_mended(fabric, seen, wanted, found)


def test_other_ports_or_panels_of_the_same_hosts_are_left() -> None:
    """Two hosts joined on each of two panels, once with the ports and panels crossed."""
    fabric = port_map(inventory_for(hosts=2, ports=4, panels=2))
    wanted = Wiring(to=np.array([4, 5, -1, -1, 0, 1, -1, -1]))
    seen = Wiring(to=np.array([6, 7, -1, -1, -1, -1, 0, 1]))
    found = mend_wiring(fabric, seen, wanted)
    assert (found.plan.moves, found.renamed) == (0, ())


def test_fewest_moves_of_all_namings() -> None:
    """Six hosts on one panel, against all 720 namings; with parallel circuits and missing ones."""
    random = np.random.default_rng(7)
    for _ in range(15):
        fabric = port_map(inventory_for(hosts=6, ports=2))
        wanted, seen = drawn_wiring(random, 12), drawn_wiring(random, 12)
        between = [pair for pair in arcs(fabric, wanted) if pair[0] != pair[1]]
        if not between:
            continue
        found = mend_wiring(fabric, seen, wanted)
        least = min(lacking(between, arcs(fabric, seen), order) for order in permutations(range(6)))
        assert 2 * found.plan.moves == least


def drawn_wiring(random: Random, ports: int) -> Wiring:
    to = np.full(ports, -1)
    a, b = random.permutation(ports)[: 2 * int(random.integers(2, ports // 2 + 1))].reshape(2, -1)
    to[a], to[b] = b, a
    return Wiring(to=to)


def lacking(
    wanted: list[tuple[int, int]], there: list[tuple[int, int]], order: tuple[int, ...]
) -> int:
    left, lacks = list(there), 0
    for u, v in wanted:
        pair = (order[u], order[v])
        if pair in left:
            left.remove(pair)
        else:
            lacks += 1
    return lacks


def test_a_pinned_circuit_in_the_wrong_place_stays() -> None:
    fabric, wanted = wired("BiRing(2,12)")
    seen = swapped(fabric, wanted, 1, np.random.default_rng(3))
    wrong = int(np.flatnonzero(seen.to != wanted.to)[0])
    states = tuple(
        State.PINNED if port in (wrong, int(seen.to[wrong])) else state
        for port, state in enumerate(fabric.states)
    )
    pinned = replace(fabric, states=states)
    found = mend_wiring(pinned, seen, wanted, time=0.5)
    assert found.restored is None
    assert found.plan.after.to[wrong] == seen.to[wrong]
    assert not found.plan.missing


@pytest.mark.parametrize(("recipe", "swaps"), [("Torus(3,4)", 2), ("Q(5)", 3), ("BiRing(2,8)", 1)])
def test_with_hosts_given_circuits_in_place_nowhere_are_the_bound(recipe: str, swaps: int) -> None:
    fabric, wanted = wired(recipe)
    seen = swapped(fabric, wanted, swaps, np.random.default_rng(swaps))
    found = mend_wiring(fabric, seen, wanted, time=0.2, fixed=True)
    own = tuple(range(len(fabric.hosts)))
    assert found.plan.host == own
    # On one panel a circuit is in place or not; duplex arcs are counted at both ends.
    lacks = lacking(arcs(fabric, wanted), arcs(fabric, seen), own) // 2
    assert found.plan.moves == found.plan.bound.moves == lacks == 2 * swaps


def test_a_dead_port_takes_no_circuit() -> None:
    fabric, wanted = wired("Torus(4,4)")
    dead = mark_failed(fabric, wanted, Failures(ports=["h0:0"]))
    found = mend_wiring(dead, Wiring(to=np.full(fabric.ports, -1)), wanted, time=0.2)
    assert found.plan.moves == 31
    assert found.plan.after.to[0] == -1


def test_graphs_of_hosts_agree_with_topologies() -> None:
    """The helpers of these tests, against a topology."""
    fabric, wanted = wired("Torus(3,4)")
    graph = Topology.from_arcs(12, arcs(fabric, wanted))
    assert graph.degree == 4
    assert graph.is_bidirectional
