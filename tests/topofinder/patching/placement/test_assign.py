import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.topofinder.patching.twins import (
    bundle,
    drawn,
    fewest_moves,
    regular,
    rewired,
    scrambled,
)
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.placement.assign import assign
from topofinder.patching.placement.assignment import Assignment


def made(recipe: str, *, duplex: bool = True) -> Circuits:
    return Circuits.of(build(parse(recipe)), duplex=duplex)


def require_sound(wiring: Circuits, target: Circuits, answer: Assignment) -> None:
    """What is kept is in place, nothing is kept twice, and as much is kept as can be."""
    assert len(set(answer.host.tolist())) == target.n
    there, wanted = bundle(wiring), bundle(target, answer.host)
    assert answer.moves == target.count - (there & wanted).total()
    kept = answer.kept[answer.kept >= 0]
    assert len(np.unique(kept)) == len(kept)
    for i, circuit in enumerate(answer.kept.tolist()):
        if circuit >= 0:
            ours = answer.host[[target.tail[i], target.head[i]]].tolist()
            theirs = [int(wiring.tail[circuit]), int(wiring.head[circuit])]
            assert theirs in ([ours, ours[::-1]] if target.duplex else [ours])
    assert answer.bound.moves <= answer.moves


@pytest.mark.parametrize("seed", range(60))
def test_few_hosts_are_answered_as_by_all_permutations(seed: int) -> None:
    random = np.random.default_rng(seed)
    duplex, n = bool(seed % 2), int(random.integers(3, 8))
    wiring = drawn(seed, duplex=duplex, n=n, loops=True)
    target = drawn(seed + 1, duplex=duplex, n=int(random.integers(2, n + 1)))
    answer = assign(wiring, target)
    require_sound(wiring, target, answer)
    assert answer.moves == answer.bound.moves == fewest_moves(wiring, target)


@pytest.mark.parametrize("seed", range(30))
def test_few_hosts_with_constraints_are_answered_as_by_all_permutations(seed: int) -> None:
    random = np.random.default_rng(seed)
    wiring = regular(seed, duplex=True, n=6, d=4)
    target = drawn(seed, duplex=True, n=5, most=1)
    need = np.maximum(target.sends, target.receives)
    ports = np.full((6, 1), need.max())
    ports[random.integers(6)] = need.min()
    fixed = np.full(5, -1)
    fixed[int(np.argmax(need))] = int(np.argmax(ports[:, 0]))
    answer = assign(wiring, target, constraints=Constraints(fixed=fixed, ports=ports))
    require_sound(wiring, target, answer)
    assert answer.moves == fewest_moves(wiring, target, fixed, ports[:, 0])
    assert answer.is_optimal
    assert (need <= ports[answer.host, 0]).all()


RECIPES = ["Torus(8,8)", "BiRing(4,64)", "Q(6)", "C(64,{5,6})", "Torus(4,4,4)"]
DIRECTED = ["UniRing(4,64)", "Pi(4,64)", "L(C(16,{3,4}))", "Kautz(2,3)", "Torus(8,8)"]


@pytest.mark.parametrize(
    ("recipe", "duplex"), [(r, True) for r in RECIPES] + [(r, False) for r in DIRECTED]
)
@pytest.mark.parametrize("seed", range(2))
def test_a_scrambled_target_needs_no_moves(recipe: str, duplex: bool, seed: int) -> None:
    target = made(recipe, duplex=duplex)
    answer = assign(scrambled(target, seed), scrambled(target, seed + 10), seed=seed)
    assert (answer.moves, answer.found) == (0, "isomorphism")


@pytest.mark.parametrize("seed", range(8))
def test_neither_identity_nor_the_users_own_is_better(seed: int) -> None:
    duplex = bool(seed % 2)
    graph = regular(seed, duplex=duplex, n=30, d=4)
    target = rewired(graph, seed, 3)
    answer = assign(graph, target, time=0.02)
    identity = target.count - (bundle(graph) & bundle(target)).total()
    assert answer.moves <= identity
    own = np.random.default_rng(seed).permutation(30)
    hidden = target.on_hosts(np.argsort(own), 30)
    again = assign(graph, hidden, start=own, time=0.02)
    require_sound(graph, hidden, again)
    assert again.moves <= identity


@pytest.mark.parametrize("duplex", [True, False])
def test_one_seed_gives_one_answer(duplex: bool) -> None:
    wiring, target = (regular(seed, duplex=duplex, n=40, d=4) for seed in (1, 2))
    one, two = (assign(wiring, target, seed=5, time=1) for _ in range(2))
    assert one.host.tolist() == two.host.tolist()
    assert one.kept.tolist() == two.kept.tolist()
    assert (one.bound, one.found) == (two.bound, two.found)


def test_a_ring_lies_along_a_hamiltonian_cycle() -> None:
    answer = assign(made("BiRing(4,64)"), made("Torus(8,8)"))
    assert (answer.moves, answer.bound.moves, answer.is_optimal) == (64, 64, True)


@pytest.mark.parametrize(
    ("wiring", "target", "duplex", "most"),
    [
        ("C(64,{5,6})", "Torus(8,8)", True, 20),
        ("Pi(4,64)", "L(C(16,{3,4}))", False, 101),
    ],
)
def test_structured_pairs_are_answered_well(
    wiring: str, target: str, duplex: bool, most: int
) -> None:
    answer = assign(made(wiring, duplex=duplex), made(target, duplex=duplex))
    require_sound(made(wiring, duplex=duplex), made(target, duplex=duplex), answer)
    assert answer.moves <= most


def test_fixed_nodes_and_forbidden_hosts_are_respected() -> None:
    target = made("Torus(5,5)")
    wiring = scrambled(made("Torus(5,6)"), 3)
    fixed = np.full(25, -1)
    fixed[[3, 17]] = 20, 4
    allowed = np.ones(30, dtype=bool)
    allowed[[0, 11, 29]] = False
    constraints = Constraints(fixed=fixed, allowed=allowed)
    answer = assign(wiring, target, constraints=constraints, time=1)
    require_sound(wiring, target, answer)
    assert answer.host[[3, 17]].tolist() == [20, 4]
    assert not set(answer.host.tolist()) & {0, 11, 29}


def test_more_moves_are_proved_where_a_circuit_must_be_added() -> None:
    ring = made("BiRing(2,16)")
    answer = assign(ring, made("C(16,{1,5})"), time=0.5)
    assert answer.moves == answer.bound.moves == 16


def refused(message: str, wiring: Circuits, target: Circuits, **options: object) -> None:
    with pytest.raises(InvalidInput, match=message):
        assign(wiring, target, **options)


def test_what_does_not_fit_is_refused_by_name() -> None:
    ring, simplex = made("BiRing(2,5)"), made("UniRing(1,5)", duplex=False)
    refused("both be duplex", ring, simplex)
    refused("target: 5 nodes, but the wiring has 4 hosts", made("BiRing(2,4)"), ring)
    loop = Circuits(n=2, duplex=True, tail=np.array([0]), head=np.array([0]))
    refused("from a node to itself", ring, loop)
    refused("start: a host for each of 5", ring, ring, start=np.arange(4))
    refused("start: 5 different hosts", ring, ring, start=np.zeros(5, dtype=int))
    refused("time: seconds above 0", ring, ring, time=0.0)
    refused("fixed: 5 values", ring, ring, constraints=Constraints(fixed=np.array([1])))
    refused(
        "fixed: host 9", ring, ring, constraints=Constraints(fixed=np.array([9, -1, -1, -1, -1]))
    )
    ports = Constraints(ports=np.array([[2], [2], [2], [2], [1]]))
    refused("too few allowed hosts", ring, ring, constraints=ports)
    tight = Constraints(ports=ports.ports, fixed=np.array([4, -1, -1, -1, -1]))
    refused("fixed: node 0 needs 2 ports, host 4 has 1", ring, ring, constraints=tight)
    panels = Circuits(n=5, duplex=True, tail=ring.tail, head=ring.head, panel=np.arange(5))
    refused("panel: 4 is not among the 1", panels, ring)


def test_the_nouns_refuse_nonsense() -> None:
    with pytest.raises(InvalidInput, match="head: 7 is not in"):
        Circuits(n=5, duplex=True, tail=np.array([0]), head=np.array([7]))
    with pytest.raises(InvalidInput, match="tail has 1 circuits, head 2"):
        Circuits(n=5, duplex=True, tail=np.array([0]), head=np.array([1, 2]))
    with pytest.raises(InvalidInput, match="panel: 1 values, 2 circuits"):
        Circuits(n=3, duplex=True, tail=np.arange(2), head=np.arange(2) + 1, panel=np.array([0]))
    with pytest.raises(InvalidInput, match="n: circuits join 1 to"):
        Circuits(n=0, duplex=True, tail=np.array([]), head=np.array([]))
    with pytest.raises(InvalidInput, match="flat array of integers"):
        Circuits(n=2, duplex=True, tail=np.array([0.5]), head=np.array([1]))
    with pytest.raises(InvalidInput, match="without an arc back"):
        Circuits.of(Topology.from_arcs(2, [(0, 1)]), duplex=True)
    with pytest.raises(InvalidInput, match="host 1 is fixed to two nodes"):
        Constraints(fixed=np.array([1, 1]))
    with pytest.raises(InvalidInput, match="ports: counts of shape"):
        Constraints(ports=np.array([1, 1]))
    with pytest.raises(InvalidInput, match="a host has -1 ports"):
        Constraints(ports=np.array([[-1]]))


def test_neighbours_are_placed_on_hosts_with_ports_on_the_same_panels() -> None:
    # Two rings of six nodes; the hosts of two panels take turns, those of the nodes do not.
    ring = np.arange(6)
    tail, head = np.append(ring, ring + 6), np.append((ring + 1) % 6, (ring + 1) % 6 + 6)
    target = Circuits(n=12, duplex=True, tail=tail, head=head)
    ports = np.zeros((12, 2), dtype=np.int32)
    ports[np.arange(12), np.arange(12) % 2] = 2
    nothing = np.zeros(0, dtype=np.int32)
    bare = Circuits(n=12, duplex=True, tail=nothing, head=nothing, panel=nothing)
    answer = assign(bare, target, constraints=Constraints(ports=ports), time=2)
    assert (answer.unplaced, answer.moves) == (0, 12)


def test_what_all_placements_of_many_hosts_leave_out_is_proved_by_counting() -> None:
    odd = made("BiRing(2,13)")
    answer = assign(
        odd, odd, constraints=Constraints(ports=np.ones((13, 2), dtype=np.int32)), time=0.1
    )
    assert (answer.unplaced, answer.least_unplaced, answer.leaves_out_least) == (1, 1, True)


def test_receivers_are_refused_without_ports() -> None:
    with pytest.raises(InvalidInput, match="receivers: ports of the same hosts"):
        Constraints(receivers=np.ones((2, 1), dtype=np.int32))
