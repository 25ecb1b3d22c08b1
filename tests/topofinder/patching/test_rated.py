"""Plans of links with rates: against all placements, rate by rate on the ports of that rate."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from generators.errors import InvalidInput
from generators.topology import Topology
from tests.fabrics import fabric_for
from tests.patch_cases import Case, drawn_case
from tests.patch_moves import _placements, fewest_allowed
from tests.topofinder.patching.test_fewest_moves import plan_of
from topofinder.model.inventory.document import State
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.placement.problem import TooFewPorts
from topofinder.patching.planner import PlanOptions, Target, make_plan

SLOW, FAST = Fraction(1), Fraction(2)
SAMPLE, MORE, MOST_CIRCUITS = 60, 1000, 5


def drawn_rates(seed: int, case: Case) -> Case:
    """Ports and links of two rates; what is in place joins ports of one."""
    random, to = np.random.default_rng([seed, 3]), case.wiring.to
    fast = random.random(case.fabric.ports) < 0.5
    for _ in range(case.fabric.ports):  # chains of simplex circuits are as their first port
        for port in np.flatnonzero(to >= 0).tolist():
            fast[to[port]] = fast[port]
    rates = [FAST if one else SLOW for one in fast.tolist()]
    graph, known = case.graph, {}
    for u, v in sorted(zip(graph.tail.tolist(), graph.head.tolist(), strict=True)):
        known.setdefault((u, v), FAST if random.random() < 0.5 else SLOW)
        if case.duplex:
            known.setdefault((v, u), known[u, v])
    ends = zip(graph.tail.tolist(), graph.head.tolist(), strict=True)
    capacity = tuple(known[pair] for pair in ends)
    rated = replace(graph, capacity=capacity, unit_rate=Fraction(1), translation=None)
    return replace(case, fabric=case.fabric.with_rates(rates), graph=rated)


def of_rate(case: Case, rate: Fraction) -> tuple[PortMap, Topology]:
    """The fabric with the ports of this rate alone that can be used, and the links of it."""
    told = zip(case.fabric.states, case.fabric.forbidden.rates, strict=True)
    states = tuple(s if own == rate or s is not State.LIVE else State.DEAD for s, own in told)
    fabric = replace(case.fabric.with_rates([]), states=states)
    keep = np.array([one == rate for one in case.graph.capacity])
    graph = Topology(n=case.graph.n, tail=case.graph.tail[keep], head=case.graph.head[keep])
    return fabric, graph


def fewest_rated(case: Case) -> tuple[int, int]:
    """The fewest circuits left out and moves: for each placement, each rate by itself."""
    parts = [of_rate(case, rate) for rate in (SLOW, FAST)]
    best = None
    for place in _placements(case.graph.n, case.hosts, case.fixed):
        found = [
            fewest_allowed(
                fabric, case.wiring, graph, [], duplex=case.duplex, hosts=case.hosts, place=place
            )
            for fabric, graph in parts
            if graph.arcs
        ]
        total = tuple(map(sum, zip(*found, strict=True)))
        best = total if best is None else min(best, total)
    return best


def require_the_best_rated(seed: int) -> int:
    case = drawn_case(seed)
    if len(case.graph.tail) > MOST_CIRCUITS * (1 + case.duplex):
        return 0
    if State.PINNED in case.fabric.states or len(case.hosts) > 5:  # the twin knows no pins by rate
        return 0
    case = drawn_rates(seed, case)
    if set(case.graph.capacity) - set(case.fabric.forbidden.rates):
        return 0
    least, moves = fewest_rated(case)
    plan = plan_of(case)
    if plan is None:
        assert least, f"seed {seed}: refused, though {moves} moves do it"
        return 0
    assert (least, plan.moves) == (0, moves), f"seed {seed}: not the best"
    rates = case.fabric.forbidden.rates
    assert all(rates[c.a] == rates[c.b] for stage in plan.stages for c in stage.connects)
    return 1


def test_no_plan_by_rates_is_better_than_the_one_found() -> None:
    assert sum(map(require_the_best_rated, range(SAMPLE))) > SAMPLE // 10


@pytest.mark.slow
def test_plans_by_rates_of_many_fabrics() -> None:
    assert sum(map(require_the_best_rated, range(SAMPLE, MORE))) > MORE // 10


def rated_rings(n: int, steps: tuple[int, int], order: list[int]) -> Topology:
    """Two rings over nodes in an order, by these steps, the second of twice the rate."""
    rows = [
        (order[v], order[(v + sign * step) % n], rate)
        for step, rate in zip(steps, (SLOW, FAST), strict=True)
        for v in range(n)
        for sign in (1, -1)
    ]
    return Topology.from_arcs(
        n, [row[:2] for row in rows], capacity=[row[2] for row in rows], unit_rate=Fraction(1)
    )


def rings_in_place(fabric: PortMap, steps: tuple[int, int]) -> Wiring:
    """A ring by each of two steps on a panel of its own, over hosts of four ports."""
    n, to = len(fabric.hosts), np.full(fabric.ports, -1)
    for panel, step in enumerate(steps):
        for v in range(n):
            a, b = 4 * v + panel, 4 * ((v + step) % n) + panel + 2
            to[a], to[b] = b, a
    return Wiring(to=to)


def test_links_of_more_hosts_are_found_at_their_rates() -> None:
    """Two rings of 10 hosts, renamed, and with rates exchanged: 3 * 3 = -1 mod 10 turns them."""
    n = 10
    fabric = fabric_for(hosts=n, ports=4, panels=2)
    wiring = rings_in_place(fabric, (1, 3))
    rated = fabric.with_rates([SLOW if panel == 0 else FAST for panel in fabric.panel.tolist()])
    order = np.random.default_rng(1).permutation(n).tolist()
    options = PlanOptions(placement=PlacementOptions(time=2.0))
    for steps in ((1, 3), (3, 1)):
        graph = rated_rings(n, steps, order)
        target = Target(subject="rings", recipe=None, topology=graph, duplex=True)
        assert make_plan(rated, wiring, target, options).moves == 0
    slow = rated.with_rates([SLOW] * fabric.ports)
    with pytest.raises(InvalidInput, match="which no port has"):
        make_plan(slow, wiring, target, options)
    unlike = rated.with_rates([SLOW if p % 4 == 0 else FAST for p in range(fabric.ports)])
    with pytest.raises(TooFewPorts, match="circuits find no two ports of their rate"):
        make_plan(unlike, wiring, target, options)
