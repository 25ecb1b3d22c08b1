"""The search through all placements of a few hosts: its bounds, its symmetries, its answers."""

from itertools import count, permutations, product
from types import SimpleNamespace

import numpy as np
import pytest

from tests.sampled import sampled
from tests.topofinder.patching.twins import drawn
from topofinder.compilation import Announcer
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.placement import few_hosts
from topofinder.patching.placement.exact_split import SplitProblem, best_split, relaxed_split
from topofinder.patching.placement.integer_program import SCALE, Effort
from topofinder.patching.placement.port_price_kernels import (
    add_prices,
    exchange_hosts,
    is_cut_here,
    no_prices,
)
from topofinder.patching.placement.target_symmetry import lower_hosts


def drawn_question(seed: int, hosts: int = 5) -> tuple[Circuits, Circuits, Constraints]:
    """Wiring, target and unequal ports on 2 or 3 panels, rarely enough of them."""
    random = np.random.default_rng(seed)
    duplex, panels = seed % 2 == 0, int(random.integers(2, 4))
    ports = random.integers(4, size=(hosts, panels))
    base = drawn(seed, duplex=duplex, n=hosts)
    wiring = Circuits(
        n=hosts,
        duplex=duplex,
        tail=base.tail,
        head=base.head,
        panel=random.integers(panels, size=base.count),
    )
    target = drawn(seed + 7, duplex=duplex, n=hosts - seed % 3, most=2)
    return wiring, target, Constraints(ports=ports)


def search_of(seed: int) -> few_hosts._Search:
    wiring, target, constraints = drawn_question(seed)
    return few_hosts._Search(wiring, target, constraints, 0, np.arange(5), 1.0)


def best_of(asked: SplitProblem) -> tuple[int, int]:
    found = best_split(asked, np.zeros_like(asked.there), Effort())
    assert (found.out, found.made) == asked.price(found.on)
    return found.out, found.made


@pytest.mark.parametrize("seed", sampled(range(12), 6))
def test_prices_of_one_placement_bound_all_others(seed: int) -> None:
    search = search_of(seed)
    ways = list(permutations(range(5), len(search.fixed)))
    chosen = np.random.default_rng(seed).choice(len(ways), size=4, replace=False)
    prices = no_prices(search.problem.times, 5, SCALE)
    for way in chosen.tolist():
        relaxed = relaxed_split(
            search._split_problem(np.array(ways[way])), prices.out_cost, Effort()
        )
        assert relaxed is not None
        add_prices(prices, search.problem, relaxed.price)
    for way in ways[:: max(1, len(ways) // 40)]:
        now = np.array(way)
        out, made = best_of(search._split_problem(now))
        # Nothing is cut that would be better than a plan that makes one move more.
        assert not is_cut_here(prices, search.problem, now, np.array([out, made + 1, 0]))
    for way in chosen.tolist():
        # The relaxation of a placement is within a circuit left out of its best panels.
        now = np.array(ways[way])
        out, made = best_of(search._split_problem(now))
        if out > 1:
            assert is_cut_here(prices, search.problem, now, np.array([out - 1, 0, 0]))


@pytest.mark.parametrize("seed", range(12))
def test_branches_that_prices_cut_hold_nothing_better(seed: int) -> None:
    wiring, target, constraints = drawn_question(seed)
    whole = few_hosts.few_hosts(wiring, target, constraints, time=600)
    early = few_hosts.FewHostsLimits(first_steps=1, chunk_steps=64, quick_steps=1, descents=3)
    priced = few_hosts.few_hosts(wiring, target, constraints, time=600, limits=early)
    assert whole.whole
    assert priced.whole
    if whole.assignment is None or priced.assignment is None:
        assert whole.assignment is priced.assignment
        return
    search = few_hosts._Search(wiring, target, constraints, 0, np.arange(5), 1.0)
    fits = search._allowed_hosts(strict=True)
    ways = [
        np.array(way)
        for way in permutations(range(5), target.n)
        if fits[np.arange(target.n), list(way)].all()
    ]
    best = min(best_of(search._split_problem(way)) for way in ways)
    assert priced.assignment.price == whole.assignment.price <= best


@pytest.mark.parametrize("compiled", [True, False])
def test_what_compiling_takes_is_not_taken_from_the_search(compiled: bool) -> None:
    now, looks = [0.0], [0]
    announcer = Announcer(clock=lambda: now[0])

    def clock() -> float:
        """From the first to the second look 100 seconds pass, if with compiling or not."""
        looks[0] += 1
        if looks[0] == 2:
            if compiled:
                announcer.notify(SimpleNamespace(is_start=True))
            now[0] += 100.0
            if compiled:
                announcer.notify(SimpleNamespace(is_start=False))
        return announcer.working_time()

    limits = few_hosts.FewHostsLimits(clock=clock)
    found = few_hosts.few_hosts(*drawn_question(1), time=2.0, limits=limits)
    assert looks[0] >= 2
    assert found.whole == compiled


@pytest.mark.parametrize("time", [0.0, 2.0, 20.0])
def test_a_search_takes_no_more_seconds_than_are_offered(time: float) -> None:
    looks = count()
    limits = few_hosts.FewHostsLimits(
        first_steps=1, chunk_steps=1, quick_steps=1, descents=0, clock=lambda: float(next(looks))
    )
    found = few_hosts.few_hosts(*drawn_question(1), time=time, limits=limits)
    assert not found.whole
    # One second more is for what is always done; one look each begins and ends a search.
    assert next(looks) <= time + 1 + 2


@pytest.mark.parametrize("seed", range(10))
def test_a_descent_exchanges_hosts_and_no_more(seed: int) -> None:
    search = search_of(seed)
    nodes = len(search.fixed)
    now = np.random.default_rng(seed).permutation(5)[:nodes]
    search.prices.size[0] = 0
    search._take_prices(now.copy())
    may = np.ones((nodes, 5), dtype=np.bool_)
    may[0] = np.arange(5) == now[0]
    first = now[0]
    exchange_hosts(search.prices, search.problem, now, may)
    assert now[0] == first
    assert len(set(now.tolist())) == nodes


def symmetries(near: np.ndarray) -> list[tuple[int, ...]]:
    n = len(near)
    return [
        image
        for image in permutations(range(n))
        if all(near[u, v] == near[image[u], image[v]] for u, v in product(range(n), repeat=2))
    ]


@pytest.mark.parametrize("seed", range(30))
def test_of_placements_alike_exactly_one_is_asked_for(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 6))
    circulant = sum(np.roll(np.eye(n, dtype=np.int64), j, axis=1) for j in range(1, seed % n + 1))
    loose = random.integers(2, size=(n, n)) * (1 - np.eye(n, dtype=np.int64))
    near = np.asarray(circulant if seed % 2 else loose + loose.T * (seed % 4 == 0))
    near = np.zeros((n, n), dtype=np.int64) if near.ndim == 0 else near
    order = random.permutation(n).tolist()
    lower = lower_hosts(near, order)
    asked = {
        host
        for host in permutations(range(n))
        if all(host[v] < host[w] for v, w in zip(*np.nonzero(lower), strict=True))
    }
    for host in permutations(range(n)):
        alike = {tuple(host[v] for v in image) for image in symmetries(near)}
        assert len(alike & asked) == 1


def unequal_fabric(seed: int) -> tuple[Circuits, Circuits, Constraints]:
    """Ten hosts of 6 ports each, unevenly on 3 panels, in place at random; a dense target."""
    random = np.random.default_rng(seed)
    ports = np.array([random.multinomial(6, random.dirichlet([0.6] * 3)) for _ in range(10)])
    rows = []
    for panel in range(3):
        ends = random.permutation(np.repeat(np.arange(10), ports[:, panel]))
        pairs = zip(ends[::2].tolist(), ends[1::2].tolist(), strict=False)
        rows += [(a, b, panel) for a, b in pairs if a != b]
    tail, head, panel = np.array(rows).T
    wiring = Circuits(n=10, duplex=True, tail=tail, head=head, panel=panel)
    node = np.arange(10)
    ring = [(node + step) % 10 for step in (1, 2, 3)]
    target = Circuits(n=10, duplex=True, tail=np.tile(node, 3), head=np.concatenate(ring))
    return wiring, target, Constraints(ports=ports)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_very_unequal_fabrics_of_ten_hosts_are_decided(seed: int) -> None:
    wiring, target, constraints = unequal_fabric(seed)
    found = few_hosts.few_hosts(wiring, target, constraints, time=600)
    assert found.whole
    assert found.assignment is not None
    assert found.assignment.leaves_out_least
