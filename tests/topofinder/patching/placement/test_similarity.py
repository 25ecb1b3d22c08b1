"""Similarity: one round against loops over sets, and graphs recovered under other labels."""

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from tests.topofinder.patching.twins import bundle, drawn, regular, rewired, scrambled
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.placement.assign import assign
from topofinder.patching.placement.incidence_kernels import spread_likeness
from topofinder.patching.placement.problem import placement_problem
from topofinder.patching.placement.similarity import similarity_placement


def neighbours(circuits: Circuits, v: int) -> set[tuple[int, bool]]:
    sent = {(int(h), True) for t, h in zip(circuits.tail, circuits.head, strict=True) if t == v}
    got = {(int(t), False) for t, h in zip(circuits.tail, circuits.head, strict=True) if h == v}
    return {(w, True) for w, _ in sent | got} if circuits.duplex else sent | got


@pytest.mark.parametrize("seed", range(8))
def test_a_round_sums_the_best_likeness_across_each_circuit(seed: int) -> None:
    duplex = seed % 2 == 0
    wiring, target = (drawn(seed + i, duplex=duplex, n=7) for i in (0, 50))
    asked = placement_problem(wiring, target, Constraints())
    before = np.random.default_rng(seed).standard_normal((7, 7)).astype(np.float32)
    after = np.empty_like(before)
    spread_likeness(asked.wiring, asked.target, before, after)
    for v in range(7):
        for h in range(7):
            total = 0.0
            for w, sent in neighbours(target, v):
                offers = [before[w, g] for g, way in neighbours(wiring, h) if way == sent]
                total += max(offers, default=0.0)
            assert after[v, h] == pytest.approx(total, abs=1e-5)


@pytest.mark.parametrize("duplex", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_a_random_graph_is_known_again_after_some_changes(seed: int, duplex: bool) -> None:
    whole = regular(seed, duplex=duplex, n=200, d=4)
    image = np.random.default_rng(seed).permutation(200)
    asked = placement_problem(whole.on_hosts(image, 200), rewired(whole, seed, 2), Constraints())
    host = similarity_placement(asked)
    assert host is not None
    assert sorted(host.tolist()) == list(range(200))
    assert np.count_nonzero(host == image) > 150


def test_where_all_nodes_are_alike_nothing_is_said() -> None:
    torus = Circuits.of(build(parse("Torus(8,8)")), duplex=True)
    assert (
        similarity_placement(placement_problem(torus, scrambled(torus, 0), Constraints())) is None
    )


@pytest.mark.parametrize("duplex", [True, False])
def test_moved_circuits_of_random_graphs_are_found_again(duplex: bool) -> None:
    whole = regular(5, duplex=duplex, n=256, d=4)
    target = rewired(whole, 5, whole.count // 40)
    planted = whole.count - (bundle(whole) & bundle(target)).total()
    answer = assign(scrambled(whole, 5), target, time=4.0)
    assert answer.moves <= planted
    assert answer.found.startswith("similarity")
