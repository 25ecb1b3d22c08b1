"""Symmetries against all permutations, ports that wait for new circuits against a slow count."""

from collections import Counter
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from tests.topofinder.patching.twins import bundle, regular, rewired, scrambled
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.placement.assignment import carry_placement
from topofinder.patching.placement.isomorphism import draw_symmetries
from topofinder.patching.placement.problem import placement_problem
from topofinder.patching.placement.symmetric_placements import (
    _products,
    count_ready,
    symmetric_images,
    symmetric_placements,
)


def named(recipe: str, *, duplex: bool) -> Circuits:
    return Circuits.of(build(parse(recipe)), duplex=duplex)


@pytest.mark.parametrize(
    ("recipe", "duplex"),
    [("BiRing(2,6)", True), ("UniRing(1,5)", False), ("K(3,3)", True), ("Torus(2,3)", True)],
)
def test_products_of_drawn_symmetries_are_all_there_are(recipe: str, duplex: bool) -> None:
    graph = named(recipe, duplex=duplex)
    problem = placement_problem(graph, graph, Constraints())
    own = bundle(graph)
    every = {
        image for image in permutations(range(graph.n)) if bundle(graph, np.array(image)) == own
    }
    found = _products(draw_symmetries(problem, 24, 0))
    assert {tuple(image.tolist()) for image in found} == every


def test_a_random_graph_has_no_symmetry_but_one() -> None:
    graph = regular(0, duplex=True, n=40, d=4)
    problem = placement_problem(graph, graph, Constraints())
    assert all((image == np.arange(40)).all() for image in draw_symmetries(problem, 3, 0))


def test_the_search_for_symmetries_gives_up() -> None:
    graph = named("Torus(6,6)", duplex=True)
    problem = placement_problem(graph, graph, Constraints())
    assert draw_symmetries(problem, 4, 0, visits=4) == []


def changed_torus(seed: int, ports: int) -> tuple[Circuits, Circuits, Constraints]:
    """A torus on four panels, and one with some circuits changed on other hosts."""
    whole = named("Torus(5,6)", duplex=True)
    constraints = Constraints(ports=np.full((30, 4), ports))
    nothing = replace(whole, tail=whole.tail[:0], head=whole.head[:0], panel=whole.tail[:0])
    split = carry_placement(nothing, whole, constraints, np.arange(30), "split", seed)
    return replace(whole, panel=split.panel), rewired(whole, seed, 3), constraints


@pytest.mark.parametrize("seed", range(3))
def test_symmetric_placements_keep_as_many_circuits(seed: int) -> None:
    wiring, target, constraints = changed_torus(seed, 2)
    problem, own = placement_problem(wiring, target, constraints), np.arange(30, dtype=np.int32)
    images = symmetric_images(problem, own, seed)
    assert len({image.tobytes() for image in images}) == len(images) == 120
    most = problem.count_kept(own.astype(np.int64))
    assert {problem.count_kept(image.astype(np.int64)) for image in images} == {most}
    found = symmetric_placements(problem, wiring, target, constraints, own, seed)
    ready = [count_ready(wiring, target, constraints, one) for one in found]
    assert ready == sorted(ready, reverse=True)
    assert 0 < len(found) < 120


def test_fixed_nodes_stay() -> None:
    wiring, target, constraints = changed_torus(0, 2)
    fixed = np.full(30, -1, dtype=np.int32)
    fixed[7] = 7
    constraints = replace(constraints, fixed=fixed)
    problem, own = placement_problem(wiring, target, constraints), np.arange(30, dtype=np.int32)
    images = symmetric_images(problem, own, 0)
    assert 1 < len(images) < 120
    assert all(image[7] == 7 for image in images)


@pytest.mark.parametrize("duplex", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_ready_circuits_have_a_panel_with_free_ports(seed: int, duplex: bool) -> None:
    whole = regular(seed, duplex=duplex, n=12, d=3)
    constraints = Constraints(ports=np.full((12, 3), 2), receivers=np.full((12, 3), 2))
    panel = np.random.default_rng(seed).integers(3, size=whole.count).astype(np.int32)
    wiring = replace(whole, panel=panel)
    target = scrambled(rewired(whole, seed, 3), seed)
    host = np.random.default_rng(seed + 9).permutation(12).astype(np.int32)

    def pair(a: int, b: int) -> tuple[int, int]:
        return (min(a, b), max(a, b)) if duplex else (a, b)

    ends = zip(host[target.tail].tolist(), host[target.head].tolist(), strict=True)
    wanted = Counter(pair(*two) for two in ends)
    used = Counter[tuple[int, int, int]]()
    for a, b, p in zip(wiring.tail.tolist(), wiring.head.tolist(), panel.tolist(), strict=True):
        if wanted[pair(a, b)]:
            wanted[pair(a, b)] -= 1
            used[0, a, p] += 1
            used[0 if duplex else 1, b, p] += 1
    hear = 0 if duplex else 1
    ready = sum(
        count * any(used[0, a, p] < 2 and used[hear, b, p] < 2 for p in range(3))
        for (a, b), count in wanted.items()
    )
    assert count_ready(wiring, target, constraints, host) == ready
