"""BFB over unequal links against linear program (14), tried on every choice of used links."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

from generators.errors import InvalidInput, Unsupported
from generators.families.complete import complete
from generators.families.generalized_kautz import generalized_kautz
from generators.topology import Topology
from tests.breadth_first import check_breadth_first
from tests.sampled import sampled
from tests.twins import distances, random_topology
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.unequal_links import UnequalSchedule, unequal_schedule

ALPHA, SIZE, BANDWIDTH = Fraction(1, 10**5), Fraction(2**20), Fraction(12_500_000_000)


def with_links(topology: Topology, seed: int) -> Topology:
    """Random capacities and latencies, some of them as slow as many steps."""
    generator = np.random.default_rng(seed)
    capacities = [Fraction(1, 2), Fraction(1), Fraction(2), Fraction(3)]
    latencies = [Fraction(0), Fraction(1), Fraction(3, 2), Fraction(40)]
    return replace(
        topology,
        capacity=[capacities[i] for i in generator.integers(4, size=topology.arcs)],
        latency=[latencies[i] for i in generator.integers(4, size=topology.arcs)],
    )


def program(
    shards: list[list[int]], delay: list[float], rate: list[float], used: set[int]
) -> float:
    """Program (14) for one receiver and step on the used links; infinite if a shard has none."""
    pairs = [(j, link) for j, links in enumerate(shards) for link in links if link in used]
    if {j for j, _ in pairs} != set(range(len(shards))):
        return np.inf
    columns = len(pairs) + 1
    late, whole = np.zeros((len(delay), columns)), np.zeros((len(shards), columns))
    for column, (j, link) in enumerate(pairs):
        late[link, column] = 1 / rate[link]
        whole[j, column] = 1
    late[:, -1] = -1
    rows = sorted(used)
    answer = linprog(
        np.eye(columns)[-1],
        A_ub=late[rows],
        b_ub=[-delay[link] for link in rows],
        A_eq=whole,
        b_eq=np.ones(len(shards)),
    )
    assert answer.status == 0
    return answer.fun


def best_times(topology: Topology, alpha: float, unit: float) -> list[float]:
    """Seconds of each step; links move capacity * unit shards a second."""
    hops = distances(topology)
    times = []
    for step in range(1, int(hops.max()) + 1):
        worst = 0.0
        for u in range(topology.n):
            arcs = [e for e in range(topology.arcs) if topology.head[e] == u != topology.tail[e]]
            delay = [alpha * float(topology.latency[e]) for e in arcs]
            rate = [unit * float(topology.capacity[e]) for e in arcs]
            shards = [
                [i for i, e in enumerate(arcs) if hops[v, topology.tail[e]] == step - 1]
                for v in range(topology.n)
                if hops[v, u] == step
            ]
            choices = (
                set(used)
                for size in range(1, len(arcs) + 1)
                for used in combinations(range(len(arcs)), size)
            )
            if shards:
                worst = max(worst, min(program(shards, delay, rate, used) for used in choices))
        times.append(worst)
    return times


def check(topology: Topology, found: UnequalSchedule, alpha: Fraction, unit: Fraction) -> None:
    """Every used arc of the schedule is done within its step, and some just in time."""
    check_breadth_first(topology, found.schedule)
    table = found.schedule
    sent: dict[tuple[int, int], int] = {}
    columns = (table.step, table.arc, table.end - table.begin)
    for step, arc, length in zip(*(column.tolist() for column in columns), strict=True):
        sent[step, arc] = sent.get((step, arc), 0) + length
    latency = topology.latency or [Fraction(1)] * topology.arcs
    capacity = topology.capacity or [Fraction(1)] * topology.arcs
    worst = [Fraction()] * len(found.times)
    for (step, arc), length in sent.items():
        shards = Fraction(length, table.denominator)
        time = alpha * latency[arc] + shards / (unit * capacity[arc])
        worst[step - 1] = max(worst[step - 1], time)
    assert worst == list(found.times)


@pytest.mark.parametrize("seed", sampled(range(25), 12))
def test_times_are_the_optimum_over_all_choices_of_links(seed: int) -> None:
    topology = with_links(random_topology(seed, regular=seed % 2 > 0), seed)
    unit = BANDWIDTH * topology.n / (topology.degree * SIZE)
    found = unequal_schedule(topology, ALPHA, SIZE, BANDWIDTH)
    check(topology, found, ALPHA, unit)
    expected = best_times(topology, float(ALPHA), float(unit))
    assert [float(time) for time in found.times] == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("seed", range(100, 160))
def test_schedules_take_the_times_that_are_said(seed: int) -> None:
    topology = with_links(random_topology(seed), seed)
    for size in (Fraction(1000), SIZE, Fraction(10**9)):
        unit = BANDWIDTH * topology.n / (topology.degree * size)
        check(topology, unequal_schedule(topology, ALPHA, size, BANDWIDTH), ALPHA, unit)


@pytest.mark.parametrize("seed", range(60))
def test_equal_links_take_what_the_evaluation_says(seed: int) -> None:
    topology = random_topology(seed)
    found = unequal_schedule(topology, ALPHA, SIZE, BANDWIDTH)
    expected = evaluate(topology)
    assert found.seconds == expected.cost.runtime(ALPHA, SIZE, BANDWIDTH)
    assert found.schedule.loads(topology) == expected.loads


def test_a_link_whose_latency_alone_dominates_is_left_out() -> None:
    """Two parallel arcs, one late: it is used only when the other would take longer."""
    arcs = [(0, 1), (0, 1), (1, 0), (1, 0)]
    late = Topology.from_arcs(2, arcs, latency=(1, 10, 1, 10))
    for size, expected, used in ((4, 3, 2), (40, Fraction(31, 2), 4)):
        found = unequal_schedule(late, Fraction(1), Fraction(size), Fraction(2))
        assert found.seconds == expected
        assert len(np.unique(found.schedule.arc)) == used


def test_a_hundred_nodes() -> None:
    topology = with_links(generalized_kautz(4, 100), 1)
    unit = BANDWIDTH * topology.n / (topology.degree * SIZE)
    check(topology, unequal_schedule(topology, ALPHA, SIZE, BANDWIDTH), ALPHA, unit)


def test_refusals() -> None:
    pair = complete(2)
    with pytest.raises(InvalidInput, match="size: more than 0 is needed, not 0"):
        unequal_schedule(pair, ALPHA, Fraction(0), BANDWIDTH)
    with pytest.raises(InvalidInput, match="bandwidth: more than 0"):
        unequal_schedule(pair, ALPHA, SIZE, Fraction(-1))
    with pytest.raises(InvalidInput, match="alpha: at least 0"):
        unequal_schedule(pair, Fraction(-1), SIZE, BANDWIDTH)
    with pytest.raises(InvalidInput, match="switches"):
        unequal_schedule(replace(pair, switches=(1,)), ALPHA, SIZE, BANDWIDTH)
    with pytest.raises(InvalidInput, match="node 1 cannot reach node 0"):
        unequal_schedule(Topology.from_arcs(2, [(0, 1), (1, 1)]), ALPHA, SIZE, BANDWIDTH)
    odd = Fraction(10**18 + 9, 10**18 + 3)
    three = Topology.from_arcs(2, [(0, 1), (0, 1), (1, 0)], latency=(1, odd, odd / 3))
    with pytest.raises(Unsupported, match="beyond 64 bits"):
        unequal_schedule(three, Fraction(1), Fraction(100), Fraction(1))
