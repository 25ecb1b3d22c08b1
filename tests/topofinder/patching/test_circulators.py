"""Plans where circuits join sides A and B of switches alone: against all placements and ports."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from generators.errors import InvalidInput
from tests.fabrics import fabric_for, topology, wired
from tests.patch_cases import Case, drawn_case
from tests.patch_moves import fewest_allowed
from tests.topofinder.patching.test_fewest_moves import plan_of
from topofinder.model.inventory.forbidden import Forbidden
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Wiring
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.planner import PlanOptions, Target, make_plan

SAMPLE, MORE = 150, 2000
MOST_CIRCUITS = 5


def with_sides(fabric: PortMap, sides: list[str]) -> PortMap:
    return replace(fabric, forbidden=Forbidden(sides=tuple(sides)))


def drawn_sides(seed: int, case: Case) -> list[str] | None:
    """By chance, or by host; circuits in place join A and B. None where that cannot be."""
    random, fabric, to = np.random.default_rng([seed, 3]), case.fabric, case.wiring.to
    by_host = random.integers(2, size=len(fabric.hosts))
    own = by_host[fabric.host] if seed % 2 else random.integers(2, size=fabric.ports)
    for a, b in enumerate(to.tolist()):
        if b >= 0 and to[b] != a:
            return None
        if 0 <= b < a:
            own[a] = 1 - own[b]
    return ["AB"[side] for side in own]


def require_the_best_on_sides(seed: int) -> int:
    case = drawn_case(seed)
    sides = drawn_sides(seed, case)
    if not case.duplex or len(case.graph.tail) > 2 * MOST_CIRCUITS or sides is None:
        return 0
    fabric, names = with_sides(case.fabric, sides), case.fabric.names
    pairs = combinations(range(fabric.ports), 2)
    alike = [(names[a], names[b]) for a, b in pairs if sides[a] == sides[b]]
    least, moves = fewest_allowed(
        case.fabric,
        case.wiring,
        case.graph,
        alike,
        duplex=True,
        hosts=case.hosts,
        fixed=case.fixed,
    )
    plan = plan_of(replace(case, fabric=fabric))
    if plan is None:
        assert least, f"seed {seed}: refused, though {moves} moves do it"
        return 0
    assert (len(plan.missing), plan.moves) == (least, moves), f"seed {seed}: not the best"
    assert plan.missing_proved
    made = [circuit for stage in plan.stages for circuit in stage.connects]
    assert all(sides[circuit.a] != sides[circuit.b] for circuit in made)
    return 1


def test_circuits_join_both_sides_with_the_fewest_moves() -> None:
    assert sum(map(require_the_best_on_sides, range(SAMPLE))) > SAMPLE // 8


@pytest.mark.slow
def test_sides_of_many_fabrics() -> None:
    assert sum(map(require_the_best_on_sides, range(SAMPLE, MORE))) > MORE // 8


def target_of(recipe: str) -> Target:
    return Target(subject=recipe, recipe=recipe, topology=topology(recipe), duplex=True)


def chequered(side: int) -> tuple[PortMap, Wiring]:
    """A torus of so many hosts a side, one of A beside one of B, on shuffled hosts."""
    fabric, graph = fabric_for(hosts=side * side, ports=4), topology(f"Torus({side},{side})")
    order = np.random.default_rng(side).permutation(side * side)
    colour = np.empty(side * side, dtype=np.int64)
    colour[order] = [(v // side + v % side) % 2 for v in range(side * side)]
    there = wired(fabric, graph, duplex=True, seed=side)
    assert all(colour[fabric.host[c.a]] != colour[fabric.host[c.b]] for c in there.circuits())
    return with_sides(fabric, ["AB"[colour[host]] for host in fabric.host]), there


def options(time: float) -> PlanOptions:
    return PlanOptions(placement=PlacementOptions(time=time))


def test_a_bipartite_target_on_hosts_of_one_side_each() -> None:
    """Circuits that are out are made again, and the hosts of either side keep to it."""
    fabric, there = chequered(6)
    to = there.to.copy()
    for a, b, _ in there.circuits()[::9]:
        to[[a, b]] = -1
    plan = make_plan(fabric, Wiring(to=to), target_of("Torus(6,6)"), options(1.0))
    assert (plan.moves, plan.missing, plan.bound.moves) == (8, (), 8)
    # From nothing in place too.
    nothing = Wiring(to=np.full(fabric.ports, -1))
    plan = make_plan(fabric, nothing, target_of("Torus(6,6)"), options(0.2))
    assert (plan.moves, plan.missing) == (72, ())


REFUSED = [
    ("C(16,{3,4})", "target has an odd cycle, of 5 nodes: "),
    ("BiRing(2,15)", "target has an odd cycle, of 15 nodes: 7, 6, 5, 4, 3, 2, 1, 0, 14, ...$"),
]


@pytest.mark.parametrize(("recipe", "reason"), REFUSED)
def test_an_odd_cycle_is_named(recipe: str, reason: str) -> None:
    fabric, there = chequered(4)
    with pytest.raises(InvalidInput, match=reason):
        make_plan(fabric, there, target_of(recipe), options(0.1))


def test_as_many_hosts_of_a_side_as_the_target_needs() -> None:
    fabric = with_sides(fabric_for(hosts=6, ports=2), list("AA" * 2 + "BB" * 4))
    nothing = Wiring(to=np.full(12, -1))
    with pytest.raises(
        InvalidInput, match=r"2 hosts have their ports on side A .* and 4 on side B"
    ):
        make_plan(fabric, nothing, target_of("BiRing(2,6)"), options(0.1))
    plan = make_plan(fabric, nothing, target_of("BiRing(2,4)"), options(0.1))
    assert (plan.moves, plan.missing) == (4, ())


def test_one_way_circuits_are_refused() -> None:
    fabric, there = chequered(4)
    target = replace(target_of("Torus(4,4)"), duplex=False)
    with pytest.raises(InvalidInput, match="--mode: switches have circulators"):
        make_plan(fabric, there, target, options(0.1))


def test_hosts_with_ports_on_both_sides_take_any_graph() -> None:
    fabric = fabric_for(hosts=20, ports=4)
    sided = with_sides(fabric, ["AB"[port % 2] for port in range(fabric.ports)])
    nothing = Wiring(to=np.full(fabric.ports, -1))
    plan = make_plan(sided, nothing, target_of("C(20,{3,4})"), options(0.2))
    assert (plan.moves, plan.missing) == (40, ())
