"""Rates of links: every host has its ports, circuits join like ports, times are those of all."""

from fractions import Fraction
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from expansions.build import build
from expansions.collective import Collective
from expansions.derived_collectives import reverse_schedule
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.api.shared.frontiers import all_candidates
from topofinder.finder.rate_by_link import bfb_link_seconds, rate_wiring, rate_wirings
from topofinder.finder.rated_links import RatedLinks, rated_links
from topofinder.finder.rating import RatingTask
from topofinder.model.port_rates import PortRates, read_port_rates
from topofinder.schedules.bfb.unequal_links import unequal_schedule, unequal_seconds
from topofinder.schedules.pipelined_steps import pipeline_schedule
from topofinder.simulation.alpha_beta import simulate

PORTS = read_port_rates("2@100Gbps,2@200Gbps")


def check_links(graph: Topology, links: RatedLinks, counts: list[int], *, two_way: bool) -> None:
    """Every host sends and receives on `counts[i]` links of rate i; circuits have one rate."""
    for ends in (graph.tail, graph.head):
        has = np.zeros((graph.n, len(counts)), dtype=int)
        np.add.at(has, (ends, links.which), 1)
        assert (has == counts).all()
    if two_way:
        forth = sorted(zip(graph.tail, graph.head, links.which, strict=True))
        assert forth == sorted(zip(graph.head, graph.tail, links.which, strict=True))


def random_digraph(n: int, d: int, seed: int) -> Topology:
    """A digraph of d random permutations: parallel arcs and loops are allowed."""
    rng = np.random.default_rng(seed)
    head = np.concatenate([rng.permutation(n) for _ in range(d)])
    return Topology(n=n, tail=np.tile(np.arange(n), d), head=head)


def random_graph(n: int, d: int, seed: int) -> Topology:
    """A random regular graph of two-way circuits, and every circuit once more."""
    edges = [*nx.random_regular_graph(d, n, seed=seed).edges] * (1 + seed % 2)
    return Topology.from_arcs(n, [*edges, *((v, u) for u, v in edges)])


@pytest.mark.parametrize("seed", range(0, 20, 3))
@pytest.mark.parametrize("counts", [[1, 1], [1, 2], [2, 2, 1]])
def test_random_digraphs_fall_into_factors(counts: list[int], seed: int) -> None:
    graph = random_digraph(3 + seed, sum(counts), seed)
    found = rated_links(graph, counts, two_way=False)
    assert len(found) == 8
    for links in found:
        check_links(graph, links, counts, two_way=False)


@pytest.mark.parametrize("seed", range(0, 20, 3))
@pytest.mark.parametrize("d", [3, 4])
def test_random_graphs_fall_into_two_way_factors(d: int, seed: int) -> None:
    graph = random_graph(6 + 2 * (seed // 2), d, seed)
    for first in range(1, graph.degree):
        counts = [first, graph.degree - first]
        found = rated_links(graph, counts, two_way=True)
        assert found or d % 2 or first % 2
        for links in found:
            check_links(graph, links, counts, two_way=True)


@pytest.mark.parametrize(
    "recipe", ["C(16,{3,4})", "Torus(4,4)", "Q(4)", "BiRing(2,8)||2", "K(5)", "C(8,{1,4})*2"]
)
@pytest.mark.parametrize("two_way", [False, True])
def test_what_sees_the_same_at_every_host_takes_what_host_0_takes(
    recipe: str, two_way: bool
) -> None:
    graph = build(parse(recipe))
    counts = [2, graph.degree - 2]
    ports = PortRates(counts=tuple(counts), rates=PORTS.rates)
    found = rated_links(graph, counts, two_way=two_way)
    assert found
    for links in found:
        check_links(graph, links, counts, two_way=two_way)
        rated = links.topology(graph, ports)
        timed = (rated, Fraction(1, 10**6), Fraction(10**6), ports.rates[0] * ports.ports)
        whole = unequal_schedule(*timed).seconds
        assert unequal_seconds(*timed) == whole
        if links.alike:
            assert {unequal_seconds(*timed, [u]) for u in (0, 1, graph.n - 1)} == {whole}


def two_factors(graph: Topology) -> list[np.ndarray]:
    """All ways to give half of a 4-regular graph's circuits the second rate."""
    edges = [(u, v) for u, v in zip(graph.tail, graph.head, strict=True) if u < v]
    found = []
    for fast in combinations(edges, graph.n):
        if (np.bincount(np.ravel(fast), minlength=graph.n) == 2).all():
            both = {*fast, *((v, u) for u, v in fast)}
            arcs = zip(graph.tail, graph.head, strict=True)
            found.append(np.array([arc in both for arc in arcs], dtype=np.int64))
    return found


@pytest.mark.parametrize("recipe", ["K(5)", "C(6,{1,2})"])
@pytest.mark.parametrize("size", [10**4, 10**7])
def test_no_rates_of_small_graphs_are_quicker_than_those_by_generator(
    recipe: str, size: int
) -> None:
    graph = build(parse(recipe))
    task = RatingTask(
        collective=Collective.ALLREDUCE,
        alpha=Fraction(1, 10**6),
        size=Fraction(size),
        bandwidth=PORTS.egress,
    )
    tried = [
        bfb_link_seconds(task, PORTS, graph, links)
        for links in rated_links(graph, PORTS.counts, two_way=True)
    ]
    every = [
        bfb_link_seconds(task, PORTS, graph, RatedLinks(which=which, alike=False))
        for which in two_factors(graph)
    ]
    assert min(tried) == min(every)


def test_a_search_leaves_out_only_what_a_bound_excludes() -> None:
    task = RatingTask(
        collective=Collective.ALLREDUCE,
        alpha=Fraction(1, 10**5),
        size=Fraction(10**4),
        bandwidth=PORTS.egress,
    )
    rows = all_candidates(12, 4, "duplex")
    found = [*rate_wirings(task, PORTS, rows, two_way=True)]
    every = [rate_wiring(task, PORTS, row, two_way=True) for row in rows]
    assert len(found) < len(rows)
    assert min(one.seconds for one in found) == min(one.seconds for one in every if one)
    assert all(one.bound <= one.seconds for one in every if one)


def test_graphs_of_many_hosts_without_translations_are_weighed() -> None:
    """A schedule in chunks is played beside the time of the best pieces."""
    graph, ports = build(parse("Pi(4,144)")), PORTS
    task = RatingTask(
        collective=Collective.ALLGATHER,
        alpha=Fraction(1, 10**5),
        size=Fraction(10**6),
        bandwidth=ports.egress,
    )
    assert graph.translation is None
    (links,) = rated_links(graph, ports.counts, two_way=False)
    rated, bandwidth = links.topology(graph, ports), ports.rates[0] * ports.ports
    made = unequal_schedule(rated, task.alpha, task.size, bandwidth, 2)
    times = {"alpha": task.alpha, "size": task.size, "node_bandwidth": bandwidth}
    seconds = bfb_link_seconds(task, ports, graph, links)
    assert seconds <= simulate(rated, made.schedule, **times).stepped <= seconds * Fraction(5, 4)


def test_pipelines_over_unlike_links_take_what_their_rounds_do() -> None:
    ports = read_port_rates("100Gbps,200Gbps")
    task = RatingTask(
        collective=Collective.REDUCE_SCATTER,
        alpha=Fraction(1, 10**6),
        size=Fraction(1 << 26),
        bandwidth=ports.egress,
        methods=("pipeline",),
    )
    row = next(row for row in all_candidates(9, 2) if row.recipe == "Pi(2,9)")
    found = rate_wiring(task, ports, row, two_way=False)
    assert found is not None
    best = found.by_methods(task, ports)
    assert best.method == "bfb, pipeline of 24"
    times = {"alpha": task.alpha, "size": task.size}
    rated, bandwidth = found.topology, ports.rates[0] * ports.ports
    made = unequal_schedule(rated.transpose(), **times, bandwidth=bandwidth).schedule
    cut = pipeline_schedule(reverse_schedule(made), (24,))
    played = simulate(rated, cut, **times, node_bandwidth=bandwidth)
    assert played.stepped == best.seconds < found.seconds


def test_graphs_without_such_links_have_none() -> None:
    edges = [*nx.petersen_graph().edges]
    petersen = Topology.from_arcs(10, [*edges, *((v, u) for u, v in edges)])
    assert rated_links(petersen, [1, 2], two_way=True)
    assert rated_links(petersen, [2, 2], two_way=True) == []
    odd = build(parse("K(5)"))  # of five hosts no matching joins all
    assert rated_links(odd, [1, 3], two_way=True) == []
    assert rated_links(odd, [1, 3], two_way=False)
    assert rated_links(build(parse("Kautz(2,2)")), [1, 1], two_way=True) == []


def test_ports_are_read() -> None:
    ports = read_port_rates("200Gbps, 2@100Gbps,200Gbps")
    assert ports == PORTS
    assert ports.egress == 75 * 10**9
    with pytest.raises(InvalidInput, match=r"^--link-rates: such as 2@100Gbps,.* not '0@1'"):
        read_port_rates("0@1")
    with pytest.raises(InvalidInput, match="--link-rates"):
        read_port_rates("2@100Gbps,,")
    with pytest.raises(InvalidInput, match=r"^counts: "):
        PortRates(counts=(), rates=())
    with pytest.raises(InvalidInput, match=r"^rates: "):
        PortRates(counts=(1, 1), rates=(Fraction(2), Fraction(2)))
