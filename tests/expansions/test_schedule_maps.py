"""Every map of schedules: complete by replay, and as dear as the map of costs says."""

from fractions import Fraction

import numpy as np
import pytest

from expansions import costs
from expansions.cartesian import (
    cartesian_power,
    cartesian_product,
    power_schedule,
    product_schedule,
)
from expansions.cost import Cost
from expansions.degree import degree_expansion, degree_schedule
from expansions.line_graph import line_graph, line_schedule
from expansions.schedule import Schedule
from expansions.two_way import two_way, two_way_schedule
from generators.arrays import jump_graph
from generators.errors import InvalidInput
from generators.families.complete import complete
from generators.families.register_all import FAMILIES
from generators.topology import Topology
from tests.replay import replay
from tests.schedules import breadth_first, empty, from_rows, rows_of
from tests.twins import random_topology

BASES = [
    (name, arguments)
    for name, family in FAMILIES.items()
    for arguments in family.samples
    if family.properties(*arguments).n <= 9
    and family.properties(*arguments).d <= 4
    and family.build(*arguments).is_regular
]
bases = pytest.mark.parametrize(("name", "arguments"), BASES)
seeds = pytest.mark.parametrize("seed", range(12))


def base(name: str, arguments: tuple) -> tuple[Topology, Schedule]:
    graph = FAMILIES[name].build(*arguments)
    return graph, breadth_first(graph, pieces=2)


def small(seed: int, *, regular: bool = True, loops: bool = True) -> tuple[Topology, Schedule]:
    """A random multigraph of at most 6 nodes with a schedule in 1 to 3 pieces."""
    while True:
        graph = random_topology(seed, regular=regular)
        if graph.n <= 6 and graph.degree <= 3 and (loops or not graph.has_loops):
            return graph, breadth_first(graph, pieces=1 + seed % 3, seed=seed)
        seed += 1000


def require_line(graph: Topology, schedule: Schedule) -> None:
    found, line = line_schedule(graph, schedule), line_graph(graph)
    replay(line, found)
    loads = costs.line_loads(schedule.loads(graph), graph.degree)
    assert all(is_ <= was for is_, was in zip(found.loads(line), loads, strict=False))
    if graph.is_regular:
        bound = costs.line_cost(schedule.cost(graph), graph.n, graph.degree)
        assert found.cost(line).weakly_beats(bound)
    assert rows_of(found) == line_twin(graph, line, schedule)


def line_twin(graph: Topology, line: Topology, schedule: Schedule) -> set:
    """Definition 1, word by word; arcs of L(G) are distinct, so their ends name them."""
    ends = zip(line.tail.tolist(), line.head.tolist(), strict=True)
    number = {pair: arc for arc, pair in enumerate(ends)}
    rows = {(e, number[e, f], 1, Fraction(0), Fraction(1)) for e, f in number if e != f}
    for v, e, t, begin, end in rows_of(schedule):
        for source in np.flatnonzero(graph.head == v).tolist():
            for f in np.flatnonzero(graph.tail == graph.head[e]).tolist():
                if source != f:
                    rows.add((source, number[e, f], t + 1, begin, end))
    return rows


@bases
def test_line_graphs_of_bases(name: str, arguments: tuple) -> None:
    require_line(*base(name, arguments))


@seeds
def test_line_graphs_of_random_graphs(seed: int) -> None:
    require_line(*small(seed))
    require_line(*small(seed, regular=False))


@pytest.mark.parametrize(("d", "times"), [(2, 3), (3, 2), (4, 1)])
def test_line_graphs_meet_theorem_10(d: int, times: int) -> None:
    """K(d,d) with its balanced schedule: theorem 10 makes the bound of theorem 7 an equality."""
    graph, schedule = complete(d, d), balanced_bipartite(d)
    expected = costs.line_cost(schedule.cost(graph), 2 * d, d, times)
    for _ in range(times):
        schedule, graph = line_schedule(graph, schedule), line_graph(graph)
    assert schedule.cost(graph) == expected


def balanced_bipartite(d: int) -> Schedule:
    graph = complete(d, d)
    rows = [(int(v), arc, 1, 0, d) for arc, v in enumerate(graph.tail)]
    for arc, (w, u) in enumerate(zip(graph.tail.tolist(), graph.head.tolist(), strict=True)):
        chunk = w % d
        same_side = [v for v in range(2 * d) if v // d == u // d and v != u]
        rows += [(v, arc, 2, chunk, chunk + 1) for v in same_side]
    return from_rows(rows, d)


@bases
def test_degree_expansions_of_bases(name: str, arguments: tuple) -> None:
    graph, schedule = base(name, arguments)
    for copies in (1, 2, 3):
        if not graph.has_loops and graph.n * copies <= 16:
            require_degree(graph, schedule, copies)


@seeds
def test_degree_expansions_of_random_graphs(seed: int) -> None:
    require_degree(*small(seed, loops=False), 2)
    graph, schedule = small(seed, loops=False, regular=False)
    replay(degree_expansion(graph, 2), degree_schedule(graph, schedule, 2))


def require_degree(graph: Topology, schedule: Schedule, copies: int) -> None:
    found, larger = degree_schedule(graph, schedule, copies), degree_expansion(graph, copies)
    replay(larger, found)
    if copies == 1:
        assert found is schedule
        return
    assert found.cost(larger) == costs.degree_cost(schedule.cost(graph), graph.n, copies)
    assert found.loads(larger)[:-1] == schedule.loads(graph)
    given = rows_of(schedule)
    within = {row for row in rows_of(found) if row[2] <= schedule.steps}
    for v, arc, t, begin, end in within:
        u, w = larger.tail[arc], larger.head[arc]
        assert v % copies == u % copies
        parents = np.flatnonzero((graph.tail == u // copies) & (graph.head == w // copies))
        assert any((v // copies, e, t, begin, end) in given for e in parents.tolist())
    assert len(within) == schedule.rows * copies**2


@bases
def test_powers_of_bases(name: str, arguments: tuple) -> None:
    graph, schedule = base(name, arguments)
    for exponent in (1, 2, 3):
        if graph.n**exponent <= 27:
            require_power(graph, schedule, exponent)


@seeds
def test_powers_of_random_graphs(seed: int) -> None:
    require_power(*small(seed), 2)


def require_power(graph: Topology, schedule: Schedule, exponent: int) -> None:
    found, larger = power_schedule(graph, schedule, exponent), cartesian_power(graph, exponent)
    replay(larger, found)
    assert found.cost(larger) == costs.power_cost(schedule.cost(graph), graph.n, exponent)
    assert rows_of(found) == power_twin(graph, larger, schedule, exponent) or exponent == 1


def power_twin(graph: Topology, larger: Topology, schedule: Schedule, exponent: int) -> set:
    """Definition 14 by loops over vertices as tuples; equal arcs of a bundle keep their order."""
    bundles: dict = {}
    for arc, pair in enumerate(zip(larger.tail.tolist(), larger.head.tolist(), strict=True)):
        bundles.setdefault(pair, []).append(arc)
    proper = graph.tail != graph.head
    rank = {
        e: int(np.sum(same[:e] & proper[:e]))
        for e in np.flatnonzero(proper).tolist()
        for same in [(graph.tail == graph.tail[e]) & (graph.head == graph.head[e])]
    }
    number = {v: i for i, v in enumerate(np.ndindex(*[graph.n] * exponent))}
    rows = set()
    for shift in range(exponent):
        for j in range(exponent):
            for w, e, t, begin, end in rows_of(schedule):
                for x in np.ndindex(*[graph.n] * j):
                    for y in np.ndindex(*[graph.n] * j):
                        for z in np.ndindex(*[graph.n] * (exponent - j - 1)):
                            plain = [
                                (*x, w, *z),
                                (*y, int(graph.tail[e]), *z),
                                (*y, int(graph.head[e]), *z),
                            ]
                            source, u, v = (
                                number[p[exponent - shift :] + p[: exponent - shift]] for p in plain
                            )
                            rows.add(
                                (
                                    source,
                                    bundles[u, v][rank[e]],
                                    t + j * schedule.steps,
                                    (begin + shift) / exponent,
                                    (end + shift) / exponent,
                                )
                            )
    return rows


@seeds
def test_products_of_different_graphs_are_complete(seed: int) -> None:
    graphs = [jump_graph(2, [1]), jump_graph(3, [1, 1]), complete(4)][seed % 2 :]
    schedules = [breadth_first(graph, pieces=1 + seed % 3, seed=seed) for graph in graphs]
    found, larger = product_schedule(graphs, schedules), cartesian_product(*graphs)
    replay(larger, found)
    assert found.steps == sum(schedule.steps for schedule in schedules)


@bases
def test_two_way_versions_of_bases(name: str, arguments: tuple) -> None:
    require_two_way(*base(name, arguments))


@seeds
def test_two_way_versions_of_random_graphs(seed: int) -> None:
    require_two_way(*small(seed))
    require_two_way(*small(seed, regular=False))


def require_two_way(graph: Topology, schedule: Schedule) -> None:
    turned = graph.transpose()
    transposed = breadth_first(turned, pieces=3)
    found, larger = two_way_schedule(graph, schedule, transposed), two_way(graph)
    replay(larger, found)
    sides = schedule.loads(graph), transposed.loads(turned)
    if graph.is_regular:
        assert found.cost(larger) == costs.two_way_cost(*sides, graph.n, graph.degree)
    halves = rows_of(found)
    assert {row for row in halves if row[1] < graph.arcs} == {
        (v, e, t, begin / 2, end / 2) for v, e, t, begin, end in rows_of(schedule)
    }
    assert len(halves) == schedule.rows + transposed.rows


def test_a_chain_of_maps() -> None:
    """L((K(2)*2)^2): three maps on end."""
    graph, schedule = complete(2), from_rows([(0, 0, 1, 0, 1), (1, 1, 1, 0, 1)])
    cost = schedule.cost(graph)
    graph, schedule = degree_expansion(graph, 2), degree_schedule(graph, schedule, 2)
    cost = costs.degree_cost(cost, 2, 2)
    graph, schedule = cartesian_power(graph, 2), power_schedule(graph, schedule, 2)
    cost = costs.power_cost(cost, 4, 2)
    assert schedule.cost(graph) == cost == Cost(4, Fraction(15, 16))
    graph, schedule = line_graph(graph), line_schedule(graph, schedule)
    replay(graph, schedule)
    assert schedule.cost(graph).weakly_beats(costs.line_cost(cost, 16, 4))


def test_single_nodes() -> None:
    single, looped = Topology.from_arcs(1, []), Topology.from_arcs(1, [(0, 0), (0, 0)])
    replay(line_graph(looped), line_schedule(looped, empty()))
    replay(cartesian_power(single, 3), power_schedule(single, empty(), 3))
    replay(two_way(single), two_way_schedule(single, empty(), empty()))
    with pytest.raises(InvalidInput, match="node 0 receives nothing"):
        degree_schedule(single, empty(), 2)


def test_what_cannot_be_mapped_is_refused() -> None:
    ring, other = jump_graph(3, [1]), from_rows([], collective="reduce-scatter")
    for mapped in (
        lambda: line_schedule(ring, other),
        lambda: degree_schedule(ring, other, 2),
        lambda: power_schedule(ring, other, 2),
        lambda: two_way_schedule(ring, empty(), other),
    ):
        with pytest.raises(InvalidInput, match="maps an allgather, not reduce-scatter"):
            mapped()
    stray = from_rows([(0, 3, 1, 0, 1)])
    for mapped in (
        lambda: line_schedule(ring, stray),
        lambda: degree_schedule(ring, stray, 2),
        lambda: power_schedule(ring, stray, 1),
        lambda: two_way_schedule(ring, stray, stray),
    ):
        with pytest.raises(InvalidInput, match=r"arc: 3 in row 0 is not in 0\.\.2"):
            mapped()
    with pytest.raises(InvalidInput, match="exponent: at least 1, not 0"):
        power_schedule(ring, empty(), 0)
    with pytest.raises(InvalidInput, match="schedules: 1 for 2 graphs"):
        product_schedule([ring, ring], [empty()])


def test_too_many_rows_are_refused_before_they_are_made() -> None:
    graph = complete(30, 30)
    rows = breadth_first(complete(3), pieces=1)
    with pytest.raises(InvalidInput, match="rows: at most"):
        power_schedule(complete(3), rows, 10)
    wide = from_rows([(0, 0, 1, i, i + 1) for i in range(300_000)], 300_000)
    with pytest.raises(InvalidInput, match="rows: at most"):
        line_schedule(graph, wide)
    with pytest.raises(InvalidInput, match="rows: at most"):
        degree_schedule(graph, wide, 30)
