"""What hosts add to steps: theorem 6 and corollary 6.1 of Zhao et al., and injection limits."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import topofinder as tf
from expansions.compact_schedule import CompactSchedule
from expansions.schedule import Schedule
from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from topofinder.model.host_costs import HostCosts
from topofinder.simulation.alpha_beta import compact_step_ends, simulate

FABRIC = {"alpha": Fraction(1, 10**5), "size": Fraction(10**6), "node_bandwidth": Fraction(10**10)}
RECIPES = ("Q(3)", "Torus(3,4)", "Pi(2,13)", "L(K(3,3))", "Diamond*2", "Mesh(2,3)", "BiRing(2,5)")
COLLECTIVES = ("allgather", "reduce-scatter", "allreduce")
COSTS = st.builds(
    HostCosts,
    overhead=st.fractions(0, Fraction(1, 10**4), max_denominator=10**7),
    reduction=st.fractions(0, Fraction(1, 10**8), max_denominator=10**11),
    injection=st.none() | st.integers(10**8, 2 * 10**10).map(Fraction),
)


def made(recipe: str, collective: str) -> tuple[Topology, Schedule]:
    saved = tf.schedule(recipe, collective=collective).saved
    rows = saved.schedule
    return saved.topology, rows.expand(saved.topology) if isinstance(
        rows, CompactSchedule
    ) else rows


def stepped_slowly(graph: Topology, rows: Schedule, hosts: HostCosts) -> Fraction:
    """Step by step, host by host."""
    rate = FABRIC["node_bandwidth"] / graph.degree
    piece = FABRIC["size"] / graph.n / rows.denominator
    summing = rows.turn if rows.turn is not None else (
        rows.steps if rows.collective in ("reduce-scatter", "reduce") else 0)  # fmt: skip
    total = hosts.overhead
    for step in range(1, rows.steps + 1):
        arcs: dict[int, int] = {}
        for i in np.flatnonzero(rows.step == step):
            arc = int(rows.arc[i])
            arcs[arc] = arcs.get(arc, 0) + int(rows.end[i] - rows.begin[i])
        length = max(FABRIC["alpha"] + amount * piece / rate for amount in arcs.values())
        combined = 0
        for host in range(graph.n):
            sent = sum(amount for arc, amount in arcs.items() if graph.tail[arc] == host)
            got = sum(amount for arc, amount in arcs.items() if graph.head[arc] == host)
            if hosts.injection is not None:
                busy = max(sent, got) * piece / hosts.injection
                length = max(length, FABRIC["alpha"] + busy)
            combined = max(combined, got)
        total += length + (combined * piece * hosts.reduction if step <= summing else 0)
    return total


@given(
    st.sampled_from(RECIPES), st.sampled_from(["allgather", "reduce-scatter", "allreduce"]), COSTS
)
def test_steps_take_what_hosts_add(recipe: str, collective: str, hosts: HostCosts) -> None:
    graph, rows = made(recipe, collective)
    found = simulate(graph, rows, **FABRIC, hosts=hosts)
    assert found.stepped == stepped_slowly(graph, rows, hosts)
    assert (found.unsynchronised is None) == hosts.lengthens_steps


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("collective", ["reduce-scatter", "allreduce"])
def test_bandwidth_bounds_the_time_of_combining(recipe: str, collective: str) -> None:
    """Theorem 6; where the schedule is BW-optimal the bound is the time (corollary 6.1)."""
    graph, rows = made(recipe, collective)
    gamma = Fraction(1, 10**9)
    plain = simulate(graph, rows, **FABRIC).stepped
    spent = simulate(graph, rows, **FABRIC, hosts=HostCosts(reduction=gamma)).stepped - plain
    turn = rows.turn if rows.turn is not None else rows.steps
    loads = rows.loads(graph)[:turn]
    y = Fraction(graph.degree, graph.n) * sum(loads)
    least = FABRIC["size"] * gamma * Fraction(graph.n - 1, graph.n)
    assert least <= spent <= FABRIC["size"] * gamma * y
    if y == Fraction(graph.n - 1, graph.n):
        assert spent == least


def test_with_nothing_to_add_nothing_changes() -> None:
    graph, rows = made("Pi(2,13)", "allreduce")
    assert simulate(graph, rows, **FABRIC) == simulate(graph, rows, **FABRIC, hosts=HostCosts())
    wide = HostCosts(injection=FABRIC["node_bandwidth"])
    assert simulate(graph, rows, **FABRIC).stepped == simulate(
        graph, rows, **FABRIC, hosts=wide).stepped  # fmt: skip


@given(COSTS)
def test_compact_schedules_take_as_long(hosts: HostCosts) -> None:
    for collective in ("allgather", "allreduce"):
        saved = tf.schedule("Torus(3,4)", collective=collective, compact=True).saved
        whole = saved.schedule.expand(saved.topology)
        long = simulate(saved.topology, whole, **FABRIC, hosts=hosts).step_ends
        assert compact_step_ends(saved.topology, saved.schedule, **FABRIC, hosts=hosts) == long


def test_compact_schedules_refuse_what_they_cannot_tell() -> None:
    saved = tf.schedule("Torus(3,4)", compact=True).saved
    ring = saved.topology
    slow = Topology(n=12, tail=ring.tail, head=ring.head, latency=(Fraction(2),) * ring.arcs)
    with pytest.raises(Unsupported, match="injection"):
        compact_step_ends(slow, saved.schedule, **FABRIC, hosts=HostCosts(injection=Fraction(1)))


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"overhead": Fraction(-1)}, "overhead"),
        ({"reduction": 0.5}, "reduction"),
        ({"injection": Fraction()}, "injection"),
    ],
)
def test_costs_that_cannot_be_are_refused(values: dict, named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        HostCosts(**values)


@given(
    st.sampled_from(RECIPES), st.sampled_from(["allgather", "reduce-scatter", "allreduce"]), COSTS
)
def test_what_is_predicted_of_a_cost_is_an_upper_bound(
    recipe: str, collective: str, hosts: HostCosts
) -> None:
    graph, rows = made(recipe, collective)
    last = rows.turn if rows.turn is not None else rows.steps if collective != "allgather" else 0
    y = Fraction(graph.degree, graph.n) * sum(rows.loads(graph)[:last], Fraction())
    args = (FABRIC["alpha"], FABRIC["size"], FABRIC["node_bandwidth"])
    at_most = hosts.runtime(rows.cost(graph), y, *args)
    if graph.is_regular:
        assert simulate(graph, rows, **FABRIC, hosts=hosts).stepped <= at_most
