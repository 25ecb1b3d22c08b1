"""The search kernels, each against a slow, obvious twin."""

import networkx as nx
import numpy as np
import pytest

from tests.topofinder.patching.twins import bundle, drawn, fewest_moves, regular
from topofinder.model.plan import Bound
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.placement.annealing_kernels import anneal
from topofinder.patching.placement.incidence import incidence_rows
from topofinder.patching.placement.neighbourhood_kernels import destroy_and_repair
from topofinder.patching.placement.percolation_kernels import percolate, witness_queue
from topofinder.patching.placement.problem import lawful_placement, placement_problem
from topofinder.patching.placement.search import Search
from topofinder.patching.placement.special_case_kernels import best_bijection, hamiltonian_cycle
from topofinder.patching.placement.special_cases import ring_order


def overlap(wiring: Circuits, target: Circuits, host: np.ndarray) -> int:
    return (bundle(wiring) & bundle(target, host)).total()


def question(seed: int, *, n: int = 8, spare: int = 2):
    duplex = seed % 2 == 0
    return drawn(seed, duplex=duplex, n=n), drawn(seed + 99, duplex=duplex, n=n - spare)


@pytest.mark.parametrize("seed", range(30))
def test_rows_hold_every_circuit_at_both_ends(seed: int) -> None:
    circuits = drawn(seed, duplex=seed % 2 == 0, n=6, loops=True)
    table = incidence_rows(circuits)
    assert table.mult.sum() == 2 * bundle(circuits).total()
    for v in range(6):
        low, high = table.start[v : v + 2]
        assert (np.diff(table.key[low:high]) > 0).all()
        for entry in range(low, high):
            ends = (v, int(table.end[entry]))
            ends = ends[::-1] if table.colour[entry] == 1 else ends
            ends = (min(ends), max(ends)) if circuits.duplex else ends
            assert table.mult[entry] == bundle(circuits)[ends, 0]


@pytest.mark.parametrize("seed", range(20))
def test_kept_circuits_are_the_common_ones(seed: int) -> None:
    wiring, target = question(seed)
    asked = placement_problem(wiring, target, Constraints())
    host = np.random.default_rng(seed).permutation(8)
    assert asked.count_kept(host) == overlap(wiring, target, host[:6])


@pytest.mark.parametrize("seed", range(20))
def test_every_search_returns_what_its_placement_keeps(seed: int) -> None:
    wiring, target = question(seed, n=14, spare=3)
    asked = placement_problem(wiring, target, Constraints())
    table = asked.wiring, asked.target
    waiting = witness_queue(*table)
    host = np.arange(14)
    before = asked.count_kept(host)
    kept = anneal(*table, host, asked.rules, 0.5, 0.1, 3000, seed)
    assert kept == overlap(wiring, target, host[:11]) >= before
    again = destroy_and_repair(*table, host, asked.rules, waiting, 6, 0.3, 50, seed)
    assert again == overlap(wiring, target, host[:11]) >= kept
    assert sorted(host.tolist()) == list(range(14))
    host, node = np.full(14, -1), np.full(14, -1)
    host[2], node[5] = 5, 2
    kept = percolate(*table, host, node, asked.rules, waiting, seed)
    assert kept == overlap(wiring, target, host[:11])
    assert host[2] == 5
    assert (node[host] == np.arange(14)).all()


@pytest.mark.parametrize("seed", range(20))
def test_searches_heed_the_rules(seed: int) -> None:
    random = np.random.default_rng(seed)
    wiring = regular(seed, duplex=True, n=12, d=4)
    target = drawn(seed, duplex=True, n=9, most=2)
    need = np.maximum(target.sends, target.receives)
    ports = np.full((12, 1), need.max())
    ports[random.integers(12, size=2)] = np.sort(need)[0]
    fixed = np.full(9, -1)
    fixed[int(np.argmax(need))] = int(np.argmax(ports[:, 0]))
    constraints = Constraints(fixed=fixed, ports=ports)
    asked = placement_problem(wiring, target, constraints)
    host = lawful_placement(random.permutation(12)[:9], asked.rules, fixed)
    table = asked.wiring, asked.target
    anneal(*table, host, asked.rules, 0.5, 0.1, 2000, seed)
    destroy_and_repair(*table, host, asked.rules, witness_queue(*table), 6, 0.3, 50, seed)
    assert asked.allows(host)
    assert (host[:9][fixed >= 0] == fixed[fixed >= 0]).all()
    assert sorted(host.tolist()) == list(range(12))


@pytest.mark.parametrize("seed", range(20))
def test_branch_and_bound_is_the_best_of_all(seed: int) -> None:
    wiring, target = question(seed, n=7, spare=1)
    asked = placement_problem(wiring, target, Constraints())
    host = np.arange(7)
    kept = best_bijection(asked.wiring, asked.target, host, asked.rules, asked.count_kept(host))
    assert kept == asked.count_kept(host)
    assert target.count - kept == fewest_moves(wiring, target)


@pytest.mark.parametrize("seed", range(10))
def test_a_hamiltonian_cycle_is_one(seed: int) -> None:
    graph = nx.random_regular_graph(4, 60, seed=seed)
    ends = np.array(graph.edges())
    table = incidence_rows(Circuits(n=60, duplex=True, tail=ends[:, 0], head=ends[:, 1]))
    path = np.empty(60, dtype=np.int64)
    assert hamiltonian_cycle(table.start, table.end, path, 100_000, seed)
    assert sorted(path.tolist()) == list(range(60))
    assert all(graph.has_edge(int(path[i - 1]), int(path[i])) for i in range(60))


def test_where_there_is_no_hamiltonian_cycle_none_is_found() -> None:
    ends = np.array(nx.petersen_graph().edges())
    table = incidence_rows(Circuits(n=10, duplex=True, tail=ends[:, 0], head=ends[:, 1]))
    assert not hamiltonian_cycle(table.start, table.end, np.empty(10, dtype=np.int64), 20_000, 0)
    star = incidence_rows(Circuits(n=3, duplex=True, tail=np.array([0]), head=np.array([1])))
    assert not hamiltonian_cycle(star.start, star.end, np.empty(3, dtype=np.int64), 100, 0)


def test_rings_are_recognised() -> None:
    ends = np.arange(6)
    ring = Circuits(n=6, duplex=True, tail=np.tile(ends, 2), head=np.tile((ends + 1) % 6, 2))
    order = ring_order(incidence_rows(ring))
    assert order is not None
    assert all(abs(int(order[i] - order[i - 1])) in (1, 5) for i in range(6))
    two = Circuits(n=6, duplex=True, tail=ends, head=np.array([1, 2, 0, 4, 5, 3]))
    assert ring_order(incidence_rows(two)) is None
    assert (
        ring_order(incidence_rows(Circuits(n=6, duplex=False, tail=ends, head=(ends + 1) % 6)))
        is None
    )


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemError])
def test_an_interrupt_leaves_the_best_placement_so_far(
    kind: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    wiring, target = question(2, n=12, spare=0)
    problem = placement_problem(wiring, target, Constraints())
    search = Search(problem, np.arange(12), seed=0, time=60.0)
    better = np.roll(np.arange(12), 1)
    search.kept = -1

    def interrupt() -> Bound:
        search.offer(better, problem.count_kept(better), "hand")
        raise kind from KeyboardInterrupt()

    search.run(interrupt)
    assert (search.interrupted, search.found) == (True, "hand")
    assert (search.best == better).all()
    assert caplog.messages == ["interrupted; the plan is of the best placement so far"]
    with pytest.raises(SystemError):
        search.run(_fail)


def _fail() -> Bound:
    raise SystemError
