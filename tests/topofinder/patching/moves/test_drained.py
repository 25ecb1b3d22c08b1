"""Orders that keep links and throughput up in the middle of stages, wherever some order does."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import linprog

from generators.topology import Topology
from tests.fabrics import fabric_for, topology, wired
from topofinder.api.shared.middle_rates import MiddleRates
from topofinder.model.inventory.document import PanelKind
from topofinder.model.plan import Plan
from topofinder.patching.drained_order import DrainRules, RatesOfHosts
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.planner import PlanOptions, Target, make_plan

Arcs = list[tuple[int, int]]
CUT = (0, 1)
SHARE = Fraction(1, 2)


def rates_of(*given: object) -> Callable[..., tuple[Fraction, Fraction]]:
    return MiddleRates(*given).bounds  # type: ignore[arg-type]


RATES: RatesOfHosts = rates_of


def counts(arcs: Arcs, n: int = 4) -> list[int]:
    """Links out of and into each of the hosts, and out of and into the cut."""
    found = [[arc[side] for arc in arcs].count(host) for side in (0, 1) for host in range(n)]
    across = [(u in CUT, v in CUT) for u, v in arcs]
    return [*found, across.count((True, False)), across.count((False, True))]


def concurrent_flow(arcs: Arcs, n: int, room: Sequence[int] = ()) -> float:
    """The throughput of a uniform all-to-all, by the linear program as it is written down."""
    graph = nx.DiGraph(arcs)
    if len(graph) < n or not nx.is_strongly_connected(graph):
        return 0.0
    width = n * len(arcs) + 1
    rows, held = np.zeros((len(arcs), width)), np.zeros((n * n, width))
    for source in range(n):
        for e, (u, v) in enumerate(arcs):
            place = source * len(arcs) + e
            rows[e, place] = 1
            held[source * n + u, place] -= 1
            held[source * n + v, place] += 1
        for node in range(n):
            held[source * n + node, -1] = n - 1 if node == source else -1
    cost = np.zeros(width)
    cost[-1] = -1
    done = linprog(
        cost, A_ub=rows, b_ub=room or np.ones(len(arcs)), A_eq=held, b_eq=np.zeros(n * n)
    )
    return float(-done.fun)


def some_order_holds(old: Arcs, new: Arcs, ports: int, holds: Callable[[Arcs], bool]) -> bool:
    """Whether any order of simplex moves does: all subsets of what is in place and what is made."""
    gone = tuple((Counter(old) - Counter(new)).elements())
    made = tuple((Counter(new) - Counter(old)).elements())
    stays = list((Counter(old) & Counter(new)).elements())
    met, waiting = set(), [(frozenset(range(len(gone))), frozenset[int]())]
    while waiting:
        left, done = waiting.pop()
        if len(done) == len(made):
            return True
        for j in set(range(len(made))) - done:
            for taken in product([None, *left], repeat=2):
                there = left - set(taken)
                up = stays + [gone[i] for i in there] + [made[i] for i in done]
                state = (there, done | {j})
                fits = all(
                    [arc[side] for arc in up].count(made[j][side]) < ports for side in (0, 1)
                )
                if fits and state not in met and (there == left or holds(up)):
                    met.add(state)
                    waiting.append(state)
    return False


def random_arcs(random: np.random.Generator, ports: int, n: int = 4) -> Arcs:
    """A digraph of some hosts that is strongly connected."""
    while True:
        arcs = [(u, int(v)) for _ in range(ports) for u, v in enumerate(random.permutation(n))]
        if all(u != v for u, v in arcs) and nx.is_strongly_connected(nx.DiGraph(arcs)):
            return arcs


def changed_arcs(random: np.random.Generator, arcs: Arcs, count: int) -> Arcs:
    """So many arcs pass their heads on in a round; again one that is strongly connected."""
    while True:
        chosen = random.choice(len(arcs), count, replace=False).tolist()
        after = list(arcs)
        for one, two in zip(chosen, [*chosen[1:], chosen[0]], strict=True):
            after[one] = arcs[one][0], arcs[two][1]
        if all(u != v for u, v in after) and nx.is_strongly_connected(nx.DiGraph(after)):
            return after


def ordered(old: Arcs, new: Arcs, ports: int, rules: DrainRules, n: int = 4) -> Plan:
    fabric = fabric_for(hosts=n, ports=ports, kind=PanelKind.OCS)
    before, graph = (Topology.from_arcs(n, arcs) for arcs in (old, new))
    target = Target(subject="any", recipe=None, topology=graph, duplex=False)
    placement = PlacementOptions(time=0.05, fixed=np.arange(n, dtype=np.int32))
    options = PlanOptions(placement=placement, drain=rules)
    return make_plan(fabric, wired(fabric, before, duplex=False), target, options)


@pytest.mark.parametrize("ports", [2, 3])
def test_links_stay_up_wherever_some_order_keeps_them(ports: int) -> None:
    kinds = set()
    for seed in range(16):
        random = np.random.default_rng(seed)
        old, new = (random_arcs(random, ports) for _ in range(2))
        share = Fraction(1, ports + (seed % 4 == 0))
        least = [
            ceil(min(first, last) * (1 - share))
            for first, last in zip(counts(old), counts(new), strict=True)
        ]
        plan = ordered(old, new, ports, DrainRules(take_out=share, cuts=(CUT,)))
        assert plan.drain is not None
        possible = some_order_holds(
            old,
            new,
            ports,
            lambda up, least=least: all(  # type: ignore[misc]
                there >= few for there, few in zip(counts(up), least, strict=True)
            ),
        )
        assert (plan.drain.beyond == ()) is possible
        kinds.add(possible)
    assert kinds == {True, False}


@pytest.mark.parametrize(("n", "ports", "changed"), [(5, 2, 5), (6, 2, 5), (7, 2, 6), (7, 3, 4)])
def test_links_of_more_hosts_stay_up(n: int, ports: int, changed: int) -> None:
    """Against all orders of the moves of up to seven hosts, some of whose circuits change."""
    kinds = set()
    for seed in range(12):
        random = np.random.default_rng([n, seed])
        old = random_arcs(random, ports, n)
        new = changed_arcs(random, old, changed)
        share = Fraction(1, ports + (seed % 3 == 0))
        ends = zip(counts(old, n), counts(new, n), strict=True)
        least = [ceil(min(pair) * (1 - share)) for pair in ends]
        plan = ordered(old, new, ports, DrainRules(take_out=share, cuts=(CUT,)), n)

        def holds(up: Arcs, least: list[int] = least) -> bool:
            pairs = zip(counts(up, n), least, strict=True)
            return all(there >= few for there, few in pairs)

        possible = some_order_holds(old, new, ports, holds)
        assert plan.drain is not None
        assert (plan.drain.beyond == ()) is possible, f"seed {seed}"
        kinds.add(possible)
    assert kinds == {True, False}


@pytest.mark.parametrize("seed", range(6))
def test_a_circuit_carries_what_the_slower_of_its_ports_does(seed: int) -> None:
    random = np.random.default_rng(seed)
    arcs, fabric = random_arcs(random, 2), fabric_for(hosts=4, ports=2, kind=PanelKind.OCS)
    before = wired(fabric, Topology.from_arcs(4, arcs), duplex=False).to
    rates = [25 * int(rate) for rate in random.integers(1, 4, fabric.ports)]
    found = MiddleRates(fabric.with_rates(map(Fraction, rates)), (0, 1, 2, 3), before)
    up = before.copy()
    up[np.flatnonzero(up >= 0)[seed]] = -1
    for to in (before, up):
        ends = [(int(p), int(to[p])) for p in np.flatnonzero(to >= 0)]
        there = [(int(fabric.host[p]), int(fabric.host[q])) for p, q in ends]
        room = [min(rates[p], rates[q]) / min(rates) for p, q in ends]
        least, most = found.bounds(to)
        true = concurrent_flow(there, 4, room)
        assert float(least) - 1e-9 <= true <= float(most) + 1e-9


def test_throughput_stays_wherever_some_order_keeps_it() -> None:
    kinds = set()
    for seed in range(8):
        random = np.random.default_rng(seed)
        old, new = (random_arcs(random, 2) for _ in range(2))
        plan = ordered(old, new, 2, DrainRules(keep=Fraction(2, 5), rates=RATES))
        assert plan.drain is not None
        whole = min(concurrent_flow(old, 4), concurrent_flow(new, 4))
        assert float(plan.drain.whole) == pytest.approx(whole, rel=0.02)
        floor = float(plan.drain.floor) - 1e-9
        known: dict[tuple[tuple[int, int], ...], float] = {}

        def carries(up: Arcs, known: dict = known, floor: float = floor) -> bool:  # type: ignore[type-arg]
            key = tuple(sorted(up))
            if key not in known:
                known[key] = concurrent_flow(up, 4)
            return known[key] >= floor

        possible = some_order_holds(old, new, 2, carries)
        assert (plan.drain.below == ()) is possible
        kinds.add(possible)
    assert kinds == {True, False}


@pytest.mark.parametrize(("n", "keep"), [(5, 2), (6, 2), (7, 2), (7, 3)])
def test_throughput_of_more_hosts_stays(n: int, keep: int) -> None:
    """The same against all orders, what each middle carries by the linear program."""
    kinds = set()
    for seed in range(6):
        random = np.random.default_rng([n, keep, seed])
        old = random_arcs(random, 2, n)
        new = changed_arcs(random, old, 3 + seed % 2)
        plan = ordered(old, new, 2, DrainRules(keep=Fraction(keep, 5), rates=RATES), n)
        assert plan.drain is not None
        floor = float(plan.drain.floor) - 1e-9
        carried = cache(lambda up: concurrent_flow(list(up), n))
        possible = some_order_holds(
            old,
            new,
            2,
            lambda up, floor=floor, carried=carried: carried(tuple(sorted(up))) >= floor,
        )
        assert (plan.drain.below == ()) is possible, f"seed {seed}"
        kinds.add(possible)
    assert True in kinds


def test_what_is_told_of_each_stage_follows_from_its_wiring() -> None:
    """Shares counted one by one, throughputs by the linear program."""
    random = np.random.default_rng(3)
    old, new = (random_arcs(random, 3) for _ in range(2))
    rules = DrainRules(take_out=Fraction(1, 3), cuts=(CUT,), keep=SHARE, rates=RATES)
    plan = ordered(old, new, 3, rules)
    drain = plan.drain
    assert drain is not None
    whole = [min(pair) for pair in zip(counts(old), counts(new), strict=True)]
    up = Counter(old)
    for stage, out, rate in zip(plan.stages, drain.most_out, drain.rates, strict=True):
        hosts = plan.fabric.host
        up -= Counter((int(hosts[c.a]), int(hosts[c.b])) for c in stage.frees)
        middle = list(up.elements())
        pairs = zip(counts(middle), whole, strict=True)
        assert out == max(max(1 - Fraction(there, most), Fraction()) for there, most in pairs)
        assert float(rate) == pytest.approx(concurrent_flow(middle, 4), rel=0.02)
        up += Counter((int(hosts[c.a]), int(hosts[c.b])) for c in stage.connects)
    assert up == Counter(new)


def test_many_stages_are_told_together_and_never_above_their_own() -> None:
    """A panel that makes one circuit at a time, in more stages than are looked at one by one."""
    fabric = fabric_for(hosts=20, ports=4)
    before = wired(fabric, topology("C(20,{1,9})"), duplex=True)
    target = Target(subject="t", recipe=None, topology=topology("BiRing(4,20)"), duplex=True)
    rules = DrainRules(keep=Fraction(1, 10), rates=RATES)
    placement = PlacementOptions(time=0.1, fixed=np.arange(20, dtype=np.int32))
    plan = make_plan(fabric, before, target, PlanOptions(placement=placement, drain=rules))
    assert plan.drain is not None
    assert len(plan.stages) == len(plan.drain.rates) > 16
    assert not plan.drain.below
    bounds = MiddleRates(fabric, plan.host, before.to).bounds
    to = before.to.copy()
    for stage, rate in zip(plan.stages, plan.drain.rates, strict=True):
        for a, b, _ in stage.frees:
            to[[a, b]] = -1
        assert plan.drain.floor <= rate <= bounds(to)[1]
        for a, b, _ in stage.connects:
            to[a], to[b] = b, a


def test_hosts_that_join_ask_for_nothing() -> None:
    fabric = fabric_for(hosts=6, ports=4)
    before = wired(fabric, topology("K(4)"), duplex=True)
    target = Target(subject="t", recipe=None, topology=topology("C(6,{1,2})"), duplex=True)
    rules = DrainRules(take_out=Fraction(1, 2), keep=Fraction(1, 4), rates=RATES)
    options = PlanOptions(placement=PlacementOptions(time=0.2), drain=rules)
    plan = make_plan(fabric, before, target, options)
    assert plan.drain is not None
    assert (plan.drain.beyond, plan.drain.below) == ((), ())
    empty = make_plan(fabric, type(before)(to=np.full(24, -1)), target, options)
    assert empty.drain is not None
    assert (empty.drain.whole, empty.drain.below) == (0, ())
