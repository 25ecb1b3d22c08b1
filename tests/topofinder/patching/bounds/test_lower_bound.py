from itertools import product

import networkx as nx
import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from tests.sampled import sampled
from tests.topofinder.patching.twins import drawn, fewest_moves, regular, rewired, scrambled
from topofinder.patching.bounds import lower_bound
from topofinder.patching.bounds.cycles import cycle_counts, double_cover, list_cycles
from topofinder.patching.bounds.ladders import cyclic_ladders, ladder_bound
from topofinder.patching.bounds.subgraph_kernels import ABSENT, PRESENT, UNKNOWN, embeds, pattern
from topofinder.patching.bounds.surfaces import (
    CycleSupply,
    by_edge,
    euler_characteristic,
    face_bound,
    four_cycles,
    most_staying_edges,
    simple_graph,
)
from topofinder.patching.bounds.walks import WalkCounts, _through, walk_bound
from topofinder.patching.circuits import Circuits
from topofinder.patching.placement.assign import assign


def made(recipe: str, *, duplex: bool = True) -> Circuits:
    return Circuits.of(build(parse(recipe)), duplex=duplex)


def question(seed: int) -> tuple[Circuits, Circuits]:
    random = np.random.default_rng(seed)
    duplex, n = bool(seed % 2), int(random.integers(3, 8))
    if seed % 3 == 0:
        return drawn(seed, duplex=duplex, n=n), drawn(seed + 1, duplex=duplex, n=n)
    if seed % 3 == 1:
        d = 2 * int(random.integers(1, 3))
        return tuple(regular(seed + i, duplex=duplex, n=n, d=d) for i in (0, 1))
    graph = drawn(seed, duplex=duplex, n=n, most=2)
    return graph, scrambled(rewired(graph, seed, 2), seed)


def all_bounds(wiring: Circuits, target: Circuits) -> dict[str, int]:
    more = target.count - wiring.count
    bounds: dict[str, int] = {}
    for name, one, two in lower_bound._bounds(wiring, target, quick=True):
        bounds[name] = max(bounds.get(name, 0), one, two + more)
    ours, theirs = (WalkCounts(one, max(target.n, wiring.n)) for one in (target, wiring))
    walks = walk_bound(ours, theirs), walk_bound(theirs, ours) + more
    return bounds | {"walks": max(walks)}


@pytest.mark.parametrize("seed", sampled(range(120), 50))
def test_no_bound_is_above_the_fewest_moves(seed: int) -> None:
    wiring, target = question(seed)
    fewest = fewest_moves(wiring, target)
    for name, moves in all_bounds(wiring, target).items():
        assert moves <= fewest, name
    bound = lower_bound.least_moves(wiring, target)
    assert bound.moves <= fewest
    for enough in range(1, fewest + 1):
        early = lower_bound.least_moves(wiring, target, enough)
        assert min(bound.moves, enough) <= early.moves <= bound.moves


SMALL = ["Torus(3,3)", "C(8,{1,3})", "C(9,{1,2})", "C(8,{1,2})", "K(4,4)", "Q(3)", "C(10,{2,3})"]
SMALL += ["BiRing(4,8)", "C(10,{1,4})", "Torus(2,4)"]


@pytest.mark.parametrize("one", SMALL)
def test_no_bound_is_above_the_best_of_structured_pairs(one: str) -> None:
    for other in SMALL:
        wiring, target = made(one), made(other)
        if wiring.n < target.n:
            continue
        best = assign(wiring, target)
        assert best.bound.name == "exhaustive search" or not best.moves
        for name, moves in all_bounds(wiring, target).items():
            assert moves <= best.moves, (name, other)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("recipe", ["Torus(5,5)", "Torus(4,6)", "C(20,{3,4})", "Pi(3,27)"])
def test_no_bound_is_above_a_planted_answer(recipe: str, seed: int) -> None:
    graph = made(recipe, duplex="Pi" not in recipe)
    other = rewired(graph, seed, 1 + seed)
    planted = assign(graph, other, time=0.01).moves
    for name, moves in all_bounds(graph, scrambled(other, seed)).items():
        assert moves <= planted, name


@pytest.mark.parametrize(
    ("wiring", "target", "least"),
    [
        ("BiRing(4,64)", "Torus(8,8)", 64),
        ("C(64,{5,6})", "Torus(8,8)", 11),
        ("Torus(16,16)", "Torus(8,32)", 21),
        ("Pi(4,64)", "L(C(16,{3,4}))", 44),
        ("Pi(4,256)", "L^2(C(16,{3,4}))", 122),
    ],
)
def test_what_is_proved_of_structured_pairs(wiring: str, target: str, least: int) -> None:
    duplex = "Pi" not in wiring
    proved = lower_bound.least_moves(made(wiring, duplex=duplex), made(target, duplex=duplex))
    assert proved.moves >= least


@pytest.mark.parametrize("seed", range(2))
def test_faces_prove_most_of_a_torus_against_random_circuits(seed: int) -> None:
    graph = nx.random_regular_graph(4, 100, seed=seed)
    ends = np.array(graph.edges())
    random = Circuits(n=100, duplex=True, tail=ends[:, 0], head=ends[:, 1])
    torus = made("Torus(10,10)")
    found = assign(random, torus, time=1)
    assert 40 <= face_bound(torus, random, cycle_counts(random)) <= found.moves


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("duplex", [True, False])
def test_cycles_agree_with_networkx(seed: int, duplex: bool) -> None:
    circuits = drawn(seed, duplex=duplex, n=7, loops=True)
    graph = nx.Graph() if duplex else nx.DiGraph()
    pairs = zip(circuits.tail.tolist(), circuits.head.tolist(), strict=True)
    graph.add_edges_from((u, v) for u, v in pairs if u != v)
    found = cycle_counts(circuits, 7)
    lengths = np.bincount([len(cycle) for cycle in nx.simple_cycles(graph)], minlength=8)
    assert found.whole[:8].tolist() == lengths[: len(found.whole)].tolist()
    assert (found.through.sum(axis=1) == found.whole * np.arange(len(found.whole))).all()


def test_the_count_of_cycles_stops_at_its_limit() -> None:
    full = cycle_counts(made("Torus(8,8)"), 14)
    cut = cycle_counts(made("Torus(8,8)"), 14, 200_000)
    assert cut.longest < full.longest
    assert cut.whole.tolist() == full.whole[: cut.longest + 1].tolist()


def test_a_double_cover_parts_senders_from_receivers() -> None:
    cover = double_cover(made("Pi(4,64)", duplex=False))
    assert nx.is_bipartite(simple_graph(cover))
    assert cover.sends.max() == 4


@pytest.mark.parametrize("name", ["cycle", "grid", "complete", "petersen"])
def test_squares_agree_with_networkx(name: str) -> None:
    graph = {
        "cycle": nx.cycle_graph(4),
        "grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 5, periodic=True)),
        "complete": nx.complete_graph(6),
        "petersen": nx.petersen_graph(),
    }[name]
    expected = [cycle for cycle in nx.simple_cycles(graph, 4) if len(cycle) == 4]
    found = four_cycles(graph)
    assert len(found) == len(expected)
    assert {frozenset(square) for square in found} == {frozenset(cycle) for cycle in expected}
    assert all(graph.has_edge(*side) for side in by_edge(found))


@pytest.mark.parametrize(
    ("recipe", "value"),
    [("Torus(5,7)", 0), ("C(64,{5,6})", 0), ("Q(3)", 2), ("BiRing(4,8)", None), ("Q(4)", None)],
)
def test_surfaces(recipe: str, value: int | None) -> None:
    graph = simple_graph(made(recipe))
    assert euler_characteristic(graph, four_cycles(graph)) == value


def test_ladders_of_a_torus() -> None:
    graph = simple_graph(made("Torus(5,7)"))
    ladders = cyclic_ladders(four_cycles(graph))
    assert sorted(map(len, ladders)) == [5] * 7 + [7] * 5
    for rungs in ladders:
        for one, two in zip(rungs, rungs[1:] + rungs[:1], strict=True):
            assert graph.has_edge(*one)
            assert graph.has_edge(one[0], two[0])
            assert graph.has_edge(one[1], two[1])


def test_a_ladder_is_counted_only_where_it_is_absent() -> None:
    assert ladder_bound(made("Torus(5,7)"), made("Torus(5,7)")) == 0
    assert ladder_bound(made("Torus(8,8)"), made("C(64,{5,6})")) == 11


@pytest.mark.parametrize("seed", range(40))
def test_embedding_agrees_with_networkx(seed: int) -> None:
    random = np.random.default_rng(seed)
    graph = nx.gnm_random_graph(8, int(random.integers(8, 20)), seed=seed)
    small = nx.gnm_random_graph(5, int(random.integers(4, 8)), seed=seed + 1)
    if not nx.is_connected(small):
        small = nx.cycle_graph(5)
    order = list(nx.bfs_tree(small, 0))
    rows = [sorted(graph[v]) for v in range(8)]
    start = np.cumsum([0] + [len(row) for row in rows])
    end = np.array([v for row in rows for v in row], dtype=np.int64)
    wanted = pattern(list(small.edges()), order)
    matcher = nx.algorithms.isomorphism.GraphMatcher(graph, small)
    expected = PRESENT if matcher.subgraph_is_monomorphic() else ABSENT
    assert embeds(start, end, wanted, 10**6) == expected
    assert embeds(start, end, wanted, 0) == UNKNOWN or expected == ABSENT


def walks_of(circuits: Circuits, length: int) -> list[tuple[int, int, list[int]]]:
    """Every walk as its ends and its circuits, by following them one at a time."""
    steps = [[] for _ in range(circuits.n)]
    for i, (u, v) in enumerate(zip(circuits.tail.tolist(), circuits.head.tolist(), strict=True)):
        if u != v:
            steps[u].append((v, i))
            if circuits.duplex:
                steps[v].append((u, i))
    walks = [(u, u, []) for u in range(circuits.n)]
    for _ in range(length):
        walks = [(u, w, [*used, i]) for u, v, used in walks for w, i in steps[v]]
    return walks


@pytest.mark.parametrize("seed", range(12))
def test_walks_through_each_circuit_are_those_followed_one_by_one(seed: int) -> None:
    circuits = drawn(seed, duplex=seed % 2 == 0, n=5, most=2, loops=True)
    asked = np.random.default_rng(seed).random((5, 5)) < 0.5
    length = 2 + seed % 2
    counted = _through(WalkCounts(circuits, 5), asked, length)
    followed = np.zeros(circuits.count)
    for u, v, used in walks_of(circuits, length):
        if asked[u, v]:
            np.add.at(followed, used, 1)
    assert counted.tolist() == followed.tolist()


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("duplex", [True, False])
def test_listed_cycles_are_those_of_networkx(seed: int, duplex: bool) -> None:
    circuits = drawn(seed, duplex=duplex, n=7, most=2)
    graph = nx.Graph() if duplex else nx.DiGraph()
    pairs = list(zip(circuits.tail.tolist(), circuits.head.tolist(), strict=True))
    graph.add_edges_from(pairs)
    edges = sorted({tuple(sorted(pair)) if duplex else pair for pair in pairs})
    found = list_cycles(circuits, cycle_counts(circuits), 1 << 30)
    ours = {frozenset(edges[e] for e in row if e >= 0) for row in found.tolist()}
    theirs = set()
    for cycle in nx.simple_cycles(graph):
        steps = zip(cycle, cycle[1:] + cycle[:1], strict=True)
        theirs.add(frozenset(tuple(sorted(step)) if duplex else step for step in steps))
    assert ours == theirs
    assert len(found) == len(theirs)


def test_few_cycles_are_listed_up_to_a_whole_length() -> None:
    ladder = made("Torus(2,4)")
    counts = cycle_counts(ladder)
    squares_only = list_cycles(ladder, counts, int(counts.whole[:6].sum()))
    assert len(squares_only) == counts.whole[4]
    assert len(list_cycles(ladder, counts, 0)) == 0


def most_by_trial(prices: CycleSupply, spare: int) -> int:
    """Every set of edges, and every number of walks given each cycle."""
    best = 0
    for kept in product((0, 1), repeat=prices.edges):
        for given in product((0, 1, 2), repeat=len(prices.cycles)):
            load = np.zeros(prices.edges, dtype=int)
            for cycle, times in zip(prices.cycles, given, strict=True):
                load[cycle] += times
            if (load > 2 * np.array(kept)).any():
                continue
            cost = sum(
                times * len(cycle) + prices.again * (times == 2)
                for cycle, times in zip(prices.cycles, given, strict=True)
            )
            walks = sum(given) + max(0, 2 * sum(kept) - cost) // prices.beyond
            if cost <= 2 * sum(kept) and walks >= sum(kept) - spare:
                best = max(best, sum(kept))
    return best


@pytest.mark.parametrize("seed", range(12))
def test_no_more_edges_stay_than_proved(seed: int) -> None:
    random = np.random.default_rng(seed)
    found = [random.choice(7, 3 + i, replace=False) for i in range(3)]
    prices = CycleSupply(edges=7, cycles=found, longer={}, again=3, beyond=6)
    for spare in range(5):
        most = most_by_trial(prices, spare)
        assert most <= most_staying_edges(prices, spare) <= most + 2
