"""BFB through switches: rows that `verify` finds valid, and times within what ways allow."""

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import topofinder as tf
from expansions.collective import Collective
from expansions.schedule import Schedule
from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from tests.fabrics import random_fabric
from topofinder.api.schedule_methods import ScheduleRequest, make_schedule
from topofinder.api.schedule_pipeline import PipelineParts
from topofinder.api.shared.forest_times import Transfer
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Network
from topofinder.forests.switch_removal.host_links import host_links
from topofinder.model.host_links import HostLinks
from topofinder.schedules.bfb.through_switches import lay_over_ways
from topofinder.schedules.bfb.unequal_links import unequal_schedule
from topofinder.simulation.alpha_beta import simulate
from topofinder.verification.schedules import verify_schedule

SAMPLE, MORE = 60, 360
SIZE, RATE = Fraction(2**20), Fraction(10**9)


def drawn(seed: int) -> Topology:
    """A fabric of unequal links; some switches multicast, some combine sums."""
    graph, random = random_fabric(seed), np.random.default_rng([seed, 1])
    able = [tuple(w for w in sorted(graph.switches) if random.random() < 0.4) for _ in range(2)]
    latency = [Fraction(int(x), 2) for x in random.integers(0, 4, graph.arcs)]
    return replace(graph, multicast=able[0], reduce=able[1], latency=latency)


def require_true_ways(graph: Topology, links: HostLinks) -> None:
    """Ways lead from host to host through switches alone, and keep to the capacities."""
    tail, head = graph.tail.tolist(), graph.head.tolist()
    used: defaultdict[int, Fraction] = defaultdict(Fraction)
    for e, way in enumerate(links.ways):
        stops = [tail[way[0]], *(head[arc] for arc in way)]
        assert [tail[arc] for arc in way] == stops[:-1]
        assert len(set(stops)) == len(stops)
        between = [False, *[True] * (len(way) - 1), False]
        assert [stop in graph.switches for stop in stops] == between
        logical = links.topology
        assert stops[0] == links.hosts[logical.tail[e]]
        assert stops[-1] == links.hosts[logical.head[e]]
        assert logical.latency[e] == sum(graph.latency[arc] for arc in way)
        for arc in way:
            used[arc] += logical.capacity[e]
    assert all(amount <= graph.capacity[arc] for arc, amount in used.items())


def require_valid(seed: int) -> None:
    """The ways carry the optimum of the fabric; rows are valid, and no later than their bounds."""
    graph = drawn(seed)
    links = host_links(graph)
    require_true_ways(graph, links)
    best = find_optimum(Network.of(graph), Cuts.of(Network.of(graph)))
    logical = Network.of(links.topology)
    assert find_optimum(logical, Cuts.of(logical)).inverse_rate == best.inverse_rate
    fabric = Fraction(1, 10**6), SIZE, RATE * links.topology.degree
    made = unequal_schedule(links.topology, *fabric)
    rows = lay_over_ways(made.schedule, links, graph, sums=False)
    longest = max(map(len, links.ways))
    alpha, hosts = fabric[0], len(links.hosts)
    found = simulate(graph, rows, alpha=alpha, size=SIZE, node_bandwidth=RATE * graph.degree)
    # Each hop of a step takes no longer than the step between hosts.
    assert found.stepped <= longest * made.seconds
    assert found.stepped >= best.inverse_rate * SIZE / hosts / RATE
    answer = make_schedule(
        ScheduleRequest(
            subject=graph,
            collective=Collective.ALLREDUCE,
            method="bfb",
            transfer=Transfer(size=SIZE, alpha=alpha, bandwidth=RATE),
        )
    )
    verdict = verify_schedule(graph, answer.saved.schedule)
    assert verdict.valid, (seed, verdict.violation)
    assert answer.runtime > found.stepped


def test_fabrics_of_unequal_links_are_scheduled_through_their_switches() -> None:
    for seed in range(SAMPLE):
        require_valid(seed)


@pytest.mark.slow
def test_three_hundred_fabrics_are_scheduled_through_their_switches() -> None:
    for seed in range(SAMPLE, MORE):
        require_valid(seed)


def star(**known: object) -> Topology:
    """Three hosts at a switch, links of rate 2 there and back."""
    arcs = [pair for v in range(3) for pair in ((v, 3), (3, v))]
    return Topology.from_arcs(4, arcs, switches=(3,), capacity=[2] * 6, **known)


def rows_of(schedule: Schedule) -> list[tuple[int, ...]]:
    columns = schedule.source, schedule.arc, schedule.step, schedule.begin, schedule.end
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


def test_copies_come_to_a_switch_once_if_it_multicasts() -> None:
    plain, able = star(), star(multicast=(3,))
    links = host_links(plain)
    assert sorted(links.ways) == [(0, 3), (0, 5), (2, 1), (2, 5), (4, 1), (4, 3)]
    assert links.topology.capacity == (1,) * 6
    made = unequal_schedule(links.topology, Fraction(0), Fraction(3), Fraction(2)).schedule
    laid = lay_over_ways(made, links, plain, sums=False)
    assert rows_of(laid) == sorted(
        [(v, 2 * v, 1, 0, 1) for v in range(3) for _ in range(2)]
        + [(v, 2 * u + 1, 2, 0, 1) for v in range(3) for u in range(3) if u != v]
    )
    once = lay_over_ways(made, links, able, sums=False)
    assert set(rows_of(once)) == set(rows_of(laid))
    assert once.rows == 9
    assert verify_schedule(able, once).valid
    assert "does not multicast" in str(verify_schedule(plain, once).violation)


def test_sums_pass_a_switch_in_turns_unless_it_combines() -> None:
    for graph, steps in ((star(), 3), (star(reduce=(3,)), 2)):
        back = graph.transpose()
        links = host_links(back)
        made = unequal_schedule(links.topology, Fraction(0), Fraction(3), Fraction(2)).schedule
        assert lay_over_ways(made, links, back, sums=True).steps == steps


def test_what_cannot_be_scheduled_is_refused() -> None:
    transfer = Transfer(size=SIZE, alpha=Fraction(0), bandwidth=RATE)
    with pytest.raises(InvalidInput, match="--alpha, --size and --bandwidth are needed"):
        make_schedule(ScheduleRequest(subject=star(), method="bfb"))
    rooted = ScheduleRequest(
        subject=star(), method="bfb", collective=Collective.REDUCE, root=0, transfer=transfer
    )
    with pytest.raises(Unsupported, match="a reduce is scheduled by --method forest"):
        make_schedule(rooted)
    chunked = ScheduleRequest(subject=star(), method="bfb", chunks=2, transfer=transfer)
    made = make_schedule(chunked).saved
    assert made.method == "bfb, through switches, 2 chunks"
    assert made.schedule.denominator == 2
    with pytest.raises(InvalidInput, match="--chunks and --loss exclude"):
        make_schedule(replace(chunked, loss=Fraction(1, 10)))
    assert make_schedule(replace(chunked, chunks=None, loss=Fraction(0))).saved.method.endswith(
        "1 chunk"
    )


@pytest.mark.parametrize(
    ("name", "pipeline"), [("DGXA100(2)", None), ("DGXA100(2)", 4), ("MI250(2)", "auto")]
)
def test_few_chunks_are_taken_where_they_are_quicker(
    name: str, pipeline: PipelineParts | None
) -> None:
    transfer = Transfer(size=Fraction(2**26), alpha=Fraction(3, 10**6))
    asked = ScheduleRequest(subject=name, method="bfb", transfer=transfer, pipeline=pipeline)
    found = make_schedule(asked)
    each = [make_schedule(replace(asked, chunks=chunks)).runtime for chunks in (1, 2)]
    pieces = make_schedule(replace(asked, seconds=lambda saved: Fraction("chunk" in saved.method)))
    assert found.runtime == min(*each, pieces.runtime)
    assert "chunk" in found.saved.method
    assert verify_schedule(found.saved.topology, found.saved.schedule).valid


def test_the_quickest_method_looks_at_it_too() -> None:
    times = {"alpha": "10us", "size": "1MiB", "model": "occupied"}
    told = tf.schedule("DGXA100(2)", time="2s", **times)
    offered = {each.method: each.seconds for each in told.record.methods}
    alone = tf.schedule("DGXA100(2)", method="bfb", alpha="10us", size="1MiB")
    saved = alone.made.saved
    # Links carry nothing else meanwhile, so that without barriers it is no later.
    assert 0 < offered["bfb"] <= alone.made.runtime
    assert saved.method == "bfb, through switches"
