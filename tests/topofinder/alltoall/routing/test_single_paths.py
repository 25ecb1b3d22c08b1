"""One path for each pair: among those of its flow, and none chosen blindly."""

from fractions import Fraction

import numpy as np
import pytest

from tests.routes import ROUTED_RECIPES, path_loads, solved_certificate, uniform_demand, walk_paths
from topofinder.alltoall.routing.path_kernels import choose_paths
from topofinder.alltoall.routing.paths import Paths, decompose_flow
from topofinder.alltoall.routing.single_paths import single_paths


@pytest.mark.parametrize("recipe", ROUTED_RECIPES)
@pytest.mark.parametrize("seed", [0, 5])
def test_one_path_for_each_pair(recipe: str, seed: int) -> None:
    saved = solved_certificate(recipe)
    paths = decompose_flow(saved)
    one = single_paths(paths, seed)
    routes = walk_paths(one)
    assert all(len(choice) == 1 for choice in routes.values())
    assert set(routes) == set(uniform_demand(saved.topology))
    weighted = walk_paths(paths)
    for pair, [(_, arcs)] in routes.items():
        assert arcs in [other for _, other in weighted[pair]]
    assert one.rate() == 1 / max(path_loads(one, uniform_demand(saved.topology)))
    assert one.rate() <= saved.upper
    again = single_paths(paths, seed)
    assert np.array_equal(again.arc, one.arc)


def test_single_paths_beat_a_blind_choice() -> None:
    """The first of the paths of every pair, as a router without the rounding would take."""
    paths = decompose_flow(solved_certificate("Pi(4,48)"))
    first = paths.pair[:-1]
    blind = np.zeros(paths.topology.arcs)
    for path in first.tolist():
        blind[paths.arc[paths.first[path] : paths.first[path + 1]]] += 1
    assert single_paths(paths).rate() > Fraction(1, int(blind.max()))


def chosen_slowly(paths: Paths, order: list[int], load: dict[int, float]) -> list[int]:
    """One pass of the rounding from weighted paths, in plain loops."""
    arcs = [
        paths.arc[paths.first[path] : paths.first[path + 1]].tolist()
        for path in range(len(paths.sink))
    ]
    found = [-1] * len(order)
    for pair in order:
        own = range(int(paths.pair[pair]), int(paths.pair[pair + 1]))
        for path in own:
            for arc in arcs[path]:
                load[arc] -= paths.share[path]
        rises = []
        for path in own:
            before = [max(load[arc], 0.0) for arc in arcs[path]]
            rises.append(sum((x + 1) ** 64 - x**64 for x in before))
        found[pair] = own[int(np.argmin(rises))]
        for arc in arcs[found[pair]]:
            load[arc] += 1
    return found


def test_the_kernel_that_chooses_against_plain_loops() -> None:
    paths = decompose_flow(solved_certificate("Pi(4,24)"))
    order = np.random.default_rng(1).permutation(len(paths.asked))
    share = np.repeat(paths.share, paths.hops)
    load = np.bincount(paths.arc, weights=share, minlength=paths.topology.arcs)
    slow = chosen_slowly(paths, order.tolist(), dict(enumerate(load.tolist())))
    fast = np.full(len(order), -1, dtype=np.int64)
    room, asked = np.ones(paths.topology.arcs), np.ones(len(order))
    choose_paths(order, paths.pair, paths.first, paths.arc, paths.share, asked, room, load, fast)
    # Rises that are equal but for rounding may be told apart differently: the loads decide.
    assert np.mean(fast == slow) > 0.95
