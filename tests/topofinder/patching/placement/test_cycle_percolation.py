"""Percolation along cycles: looks at pairs against loops over sets, and lattices found again."""

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from tests.topofinder.patching.twins import bundle, drawn, rewired, scrambled
from topofinder.kernels import kernel
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.placement.assign import assign
from topofinder.patching.placement.cycle_percolation_kernels import (
    MOST_LOOKS,
    meets_witness,
    meets_witness_beyond,
    percolate_along_cycles,
)
from topofinder.patching.placement.percolation_kernels import witness_queue
from topofinder.patching.placement.problem import PlacementProblem, placement_problem

Ways = dict[int, set[tuple[int, bool]]]


@kernel
def meets_both_ways(wiring, target, host, node, v, h, looks):
    near = meets_witness(wiring, target, host, node, (v, h), (-1, -1), looks)
    return near, meets_witness_beyond(wiring, target, host, node, (v, h), looks)


def lattice(name: str) -> Circuits:
    return Circuits.of(build(parse(name)), duplex=True)


def changed_share(whole: Circuits, seed: int, percent: int) -> tuple[Circuits, int]:
    """Circuits of which a share was changed, and how many are no longer in place."""
    target = rewired(whole, seed, whole.count * percent // 200)
    return target, whole.count - (bundle(whole) & bundle(target)).total()


def ways(circuits: Circuits) -> Ways:
    """To which ends circuits lead from each, and whether that end receives."""
    found: Ways = {v: set() for v in range(circuits.n)}
    for tail, head in zip(circuits.tail.tolist(), circuits.head.tolist(), strict=True):
        found[tail].add((head, True))
        found[head].add((tail, circuits.duplex))
    return found


def partial_placement(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Half of the nodes on hosts drawn by chance, and the inverse."""
    random = np.random.default_rng(seed)
    host, node = np.full((2, n), -1)
    placed, places = random.permutation(n)[: n // 2], random.permutation(n)[: n // 2]
    host[placed], node[places] = places, placed
    return host, node


@pytest.mark.parametrize("seed", range(12))
def test_looks_find_the_witnesses_that_sets_hold(seed: int) -> None:
    duplex, n = seed % 2 == 0, 14
    wiring, target = (drawn(seed + more, duplex=duplex, n=n, most=2) for more in (0, 50))
    asked = placement_problem(wiring, target, Constraints())
    host, node = partial_placement(seed, n)
    there, wanted = ways(wiring), ways(target)
    free = {(v, h) for v in range(n) for h in range(n) if host[v] < 0 and node[h] < 0}

    def across(v: int, h: int) -> set[tuple[int, int]]:
        both = {(w, g) for w, way in wanted[v] for g, other in there[h] if way == other}
        return both & free

    def has_witness(v: int, h: int) -> bool:
        return any(host[w] >= 0 and (int(host[w]), way) in there[h] for w, way in wanted[v])

    for v, h in free:
        near = any(has_witness(*pair) for pair in across(v, h))
        beyond = any(
            has_witness(w, g)
            for pair in across(v, h)
            for w, g in across(*pair)
            if w != v and g != h
        )
        looks = np.array([n**4])
        rows = asked.wiring, asked.target
        assert meets_both_ways(*rows, host, node, v, h, looks) == (near, beyond)
        assert n**4 - looks[0] <= len(free) ** 2


def grown(problem: PlacementProblem, host: np.ndarray, node: np.ndarray, most: int) -> int:
    """What percolation along cycles says that it keeps, within so many looks."""
    rows, looks = (problem.wiring, problem.target), np.array([most])
    waiting = witness_queue(*rows)
    return percolate_along_cycles(
        *rows, host, node, problem.rules, waiting, looks, len(host) + 1, 1
    )


@pytest.mark.parametrize("most", [0, 40, 1 << 20])
@pytest.mark.parametrize("seed", range(6))
def test_a_growth_keeps_what_it_says(seed: int, most: int) -> None:
    wiring = drawn(seed, duplex=seed % 2 == 0, n=12)
    target = drawn(seed + 99, duplex=seed % 2 == 0, n=10)
    asked = placement_problem(wiring, target, Constraints())
    host, node = np.full((2, 12), -1)
    host[3], node[7] = 7, 3
    kept = grown(asked, host, node, most)
    assert kept == asked.count_kept(host) == (bundle(wiring) & bundle(target, host)).total()
    assert host[3] == 7
    assert (node[host] == np.arange(12)).all()


def test_a_growth_heeds_the_ports() -> None:
    wiring, target = lattice("Torus(4,4)"), lattice("Torus(3,4)")
    ports = np.full((16, 1), 4)
    ports[[2, 9]] = 3
    asked = placement_problem(wiring, target, Constraints(ports=ports))
    host, node = np.full((2, 16), -1)
    host[0], node[0] = 0, 0
    assert grown(asked, host, node, 1 << 20) == asked.count_kept(host)
    assert asked.allows(host)


@pytest.mark.parametrize("name", ["Torus(16,16)", "C(256,{11,12})", "Torus(6,6,6)"])
def test_lattices_grow_from_one_pair_where_much_is_changed(name: str) -> None:
    whole = lattice(name)
    target, planted = changed_share(whole, 3, 20)
    image = np.random.default_rng(3).permutation(whole.n)
    asked = placement_problem(whole.on_hosts(image, whole.n), target, Constraints())
    moves = []
    for v in range(40):
        host, node = np.full((2, whole.n), -1)
        host[v], node[image[v]] = image[v], v
        moves.append(whole.count - grown(asked, host, node, MOST_LOOKS * whole.n))
    assert min(moves) < 1.5 * planted


@pytest.mark.parametrize("seed", range(3))
def test_changed_circuits_of_a_small_torus_are_found_again(seed: int) -> None:
    whole = lattice("Torus(16,16)")
    target, planted = changed_share(whole, seed, 20)
    answer = assign(scrambled(whole, seed), target, seed=seed, time=3.0)
    assert answer.moves <= planted


@pytest.mark.slow
@pytest.mark.parametrize("percent", [5, 20])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "name", ["Torus(32,32)", "Torus(16,64)", "C(1024,{22,23})", "Torus(4,4,4,4,4)", "Q(10)"]
)
def test_changed_circuits_of_lattices_are_found_again(name: str, seed: int, percent: int) -> None:
    whole = lattice(name)
    target, planted = changed_share(whole, seed, percent)
    assert assign(scrambled(whole, seed), target, seed=seed).moves <= planted
