"""The packers, each forced on the same problems, and the transports they rest on."""

from collections import Counter
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.errors import Unsupported
from tests.forests import boxes, random_network
from tests.packings import check_packing, height_of, problem_of, regular
from tests.twins import distances
from topofinder.forests.clock import Clock
from topofinder.forests.optimality.network import Network
from topofinder.forests.packing.exact import pack_exactly
from topofinder.forests.packing.level_kernels import solve_transport
from topofinder.forests.packing.packers import (
    _finish_packing,
    _height_rank,
    _lower_trees,
    _offer_packings,
    pack_by_levels,
    pack_by_repair,
    pack_trees,
)
from topofinder.forests.packing.problem import Packing, PackingProblem
from topofinder.forests.packing.tight_sets import pack_by_tight_sets


def test_parts_below_the_core_are_packed_apart_where_every_node_is_tight_itself() -> None:
    """Two pairs that exchange two shards over two arcs: no least tight set has two nodes."""
    ends = [(0, 1), (1, 0), (2, 3), (3, 2), (0, 2), (2, 0), (1, 3), (3, 1)]
    problem = PackingProblem(
        tail=np.array([u for u, _ in ends], np.int32),
        head=np.array([v for _, v in ends], np.int32),
        capacity=np.array([2, 2, 2, 2, 1, 1, 1, 1]),
        supply=np.ones(4, np.int64),
    )
    assert pack_by_tight_sets(problem, lambda part: pack_exactly(part)) is None
    for part, is_tight in (([7, 7, 3, 3], True), ([0, 1, 0, 1], False)):
        told = replace(problem, part=np.array(part))
        found = pack_by_tight_sets(told, lambda part: pack_exactly(part))
        assert (found is not None) == is_tight
        if found is not None:
            check_packing(problem, found)


def shallow(problem: PackingProblem) -> tuple[Packing | None, Packing | None]:
    rank = problem.hop_ranks()
    return pack_by_levels(problem, rank), pack_by_repair(problem, rank)


def test_every_rung_packs_small_networks() -> None:
    found: Counter[str] = Counter()
    for seed in range(120):
        problem = problem_of(random_network(seed, switches=seed % 2 == 0, rational=seed % 3 == 0))
        check_packing(problem, pack_exactly(problem, seed))
        check_packing(problem, pack_trees(problem, seed))
        for packing in (
            *shallow(problem),
            pack_by_tight_sets(problem, lambda part: pack_exactly(part)),
        ):
            if packing is not None:
                check_packing(problem, packing)
                found[packing.method] += 1
    assert min(found["level"], found["repair"]) >= 50


@pytest.mark.slow
def test_the_exact_packer_never_gives_up() -> None:
    for seed in range(120, 700):
        problem = problem_of(random_network(seed, switches=seed % 2 == 0, rational=seed % 3 == 0))
        check_packing(problem, pack_exactly(problem, seed))


@pytest.mark.parametrize("recipe", ["Torus(4,4)", "Q(5)", "Pi(4,64)", "C(12,{2,3})", "K(4,4)"])
def test_level_forests_are_as_high_as_roots_are_eccentric(recipe: str) -> None:
    topology = build(parse(recipe))
    problem = problem_of(Network.of(topology))
    level, _ = shallow(problem)
    assert level is not None
    check_packing(problem, level)
    assert level.heights(problem).tolist() == distances(topology).max(axis=1)[level.root].tolist()


def test_local_moves_complete_random_cubic_graphs() -> None:
    for seed in range(3):
        problem = problem_of(regular(60, 3, seed))
        level, mended = shallow(problem)
        assert level is None
        assert mended is not None
        check_packing(problem, mended)


def test_exact_trees_of_cubic_graphs_and_tori() -> None:
    for network in (regular(24, 3, 1), Network.of(build(parse("Torus(3,4)")))):
        problem = problem_of(network)
        check_packing(problem, pack_exactly(problem))


def test_boxes_are_tight_sets() -> None:
    for topology in (boxes(4), boxes(3, hosts=3), boxes(5, hosts=2)):
        problem = problem_of(Network.of(topology))
        for pack in (pack_trees, pack_exactly):
            apart = pack_by_tight_sets(problem, pack)
            assert apart is not None
            check_packing(problem, apart)
        assert pack_by_tight_sets(problem, lambda part: None) is None


def test_a_seed_gives_the_same_trees() -> None:
    problem = problem_of(regular(40, 3, 5))
    first, again = pack_trees(problem, 3), pack_trees(problem, 3)
    assert first.method == again.method == "repair"
    assert np.array_equal(first.arc, again.arc)


def test_exact_trees_become_lower_and_stay_trees() -> None:
    for seed in range(4):
        problem = problem_of(regular(32, 3, seed))
        high = pack_exactly(problem)
        low = _lower_trees(problem, high)
        check_packing(problem, low)
        before, after = height_of(problem, high), height_of(problem, low)
        reach = int(problem.hop_ranks().max())
        assert reach <= after < before
        assert after <= 2 * reach + 1


def test_the_exact_packer_stands_beside_the_others_and_the_lowest_is_kept() -> None:
    problem = problem_of(Network.of(build(parse("Pi(3,20)"))))
    offered = _offer_packings(problem, 0, Clock(), whole=True)
    assert [packing.method for packing in offered][-1] == "exact"
    assert len(offered) > 1
    made = [_finish_packing(problem, each, 0, Clock()) for each in offered]
    for each in made:
        check_packing(problem, each)
    best = pack_trees(problem)
    assert _height_rank(problem, best) == min(_height_rank(problem, each) for each in made)


def test_exact_trees_stop_in_time() -> None:
    with pytest.raises(Unsupported, match=r"^packing: not done after 0 s"):
        pack_exactly(problem_of(regular(24, 3, 1)), clock=Clock.of(0))


def test_transports_are_as_good_as_a_maximum_flow() -> None:
    generator = np.random.default_rng(7)
    for _ in range(150):
        roots, arcs = int(generator.integers(1, 9)), int(generator.integers(1, 6))
        supply = generator.integers(0, 6, roots)
        room = generator.integers(0, 8, arcs)
        suits = generator.random((roots, arcs)) < 0.5
        graph = nx.DiGraph()
        graph.add_nodes_from("st")
        for u in range(roots):
            graph.add_edge("s", ("root", u), capacity=int(supply[u]))
            for i in np.flatnonzero(suits[u]):
                graph.add_edge(("root", u), ("arc", int(i)))
        for i in range(arcs):
            graph.add_edge(("arc", i), "t", capacity=int(room[i]))
        first = np.concatenate([[0], np.cumsum(suits.sum(axis=1))])
        listed, left = np.nonzero(suits)[1].astype(np.int32), room.copy()
        given, unmet = solve_transport(supply, left, first, listed)
        assert given.sum() == nx.maximum_flow_value(graph, "s", "t")
        assert given.min(initial=0) >= 0
        used = np.bincount(listed, weights=given, minlength=arcs)
        assert (used + left == room).all()
        assert (left >= 0).all()
        taken = [given[first[u] : first[u + 1]].sum() for u in range(roots)]
        assert (np.array(taken) + unmet == supply).all()
