"""The simulator against the cost model, an event queue in Fractions, and its own promise."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansions.build import build
from expansions.collective import Collective
from expansions.recipe import Recipe
from generators.arrays import jump_graph
from generators.errors import InvalidInput, Unsupported
from generators.families.register_all import FAMILIES
from generators.topology import Topology
from tests.collectives import collectives, scaled, shipped
from tests.event_twin import play
from tests.recipes import recipes
from tests.schedules import empty, from_rows
from tests.twins import random_topology
from topofinder.model.chunk_times import common_measure
from topofinder.model.time_model import TimeModel
from topofinder.schedules.bfb.schedule import bfb_schedule
from topofinder.simulation.alpha_beta import Simulation, SimulationLimits, simulate

FABRIC = {
    "alpha": Fraction(1, 10**5),
    "size": Fraction(2**14),
    "node_bandwidth": Fraction(125 * 10**8),
}
SLOW_START = {"alpha": Fraction(1), "size": Fraction(6), "node_bandwidth": Fraction(1)}


def uneven(topology: Topology, seed: int) -> Topology:
    """The same arcs with random capacities and latencies."""
    generator = np.random.default_rng(seed)
    capacity, latency = (
        [Fraction(int(a), int(b)) for a, b in generator.integers(1, 5, (topology.arcs, 2))]
        for _ in range(2)
    )
    return replace(topology, capacity=tuple(capacity), latency=tuple(latency), translation=None)


def small(seed: int) -> Topology:
    topology = random_topology(seed)
    return jump_graph(5, [1, 2]) if topology.n > 8 else topology


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("fabric", [FABRIC, SLOW_START], ids=["fabric", "slow"])
def test_steps_take_the_runtime_of_the_cost(seed: int, fabric: dict[str, Fraction]) -> None:
    topology = random_topology(seed)
    for schedule in collectives(topology, pieces=1 + seed % 3, seed=seed):
        times = simulate(topology, schedule, **fabric)
        assert times.stepped == schedule.cost(topology).runtime(**fabric)
        assert len(times.step_ends) == schedule.steps
        assert all(one < other for one, other in pairwise((Fraction(), *times.step_ends)))
        assert times.unsynchronised <= times.stepped


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("even", [True, False], ids=["even", "uneven"])
def test_no_barriers_as_an_event_queue_plays_it(seed: int, even: bool) -> None:
    topology = small(seed) if even else uneven(small(seed), seed)
    for schedule in collectives(topology, pieces=1 + seed % 3, seed=seed):
        for apart, model in product((False, True), TimeModel):
            times = simulate(topology, schedule, **SLOW_START, rows_apart=apart, model=model)
            shard, rate = Fraction(6, topology.n), Fraction(1, topology.degree)
            pipelined = model is TimeModel.PIPELINED
            expected = play(topology, schedule, Fraction(1), shard, rate, rows_apart=apart,
                            pipelined=pipelined)  # fmt: skip
            assert times.unsynchronised == expected
            assert (apart and not pipelined) or times.unsynchronised <= times.stepped


def test_a_pipelined_link_takes_the_next_message_when_the_last_has_left() -> None:
    """Three steps over one link of latency 1, a third of a byte's time each: 3 x 2 or 1 + 3."""
    pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    thirds = from_rows([(0, 0, t, t - 1, t) for t in (1, 2, 3)] + [(1, 1, 1, 0, 3)], 3)
    found = {model: simulate(pair, thirds, **SLOW_START, model=model) for model in TimeModel}
    assert found[TimeModel.OCCUPIED] == simulate(pair, thirds, **SLOW_START)
    assert [times.stepped for times in found.values()] == [8, 8]
    assert found[TimeModel.OCCUPIED].unsynchronised == 6
    assert found[TimeModel.PIPELINED].unsynchronised == 4


@given(
    recipe=recipes(max_nodes=32, max_degree=8),
    late=st.fractions(min_value=0, max_value=3, max_denominator=4),
    apart=st.booleans(),
)
def test_bfb_is_no_slower_pipelined_than_its_cost(
    recipe: Recipe, late: Fraction, apart: bool
) -> None:
    """On random recipes, messages joint or rows apart."""
    topology = build(recipe)
    schedule = bfb_schedule(topology)
    fabric = SLOW_START | {"alpha": late}
    times = simulate(topology, schedule, **fabric, rows_apart=apart, model=TimeModel.PIPELINED)
    occupied = simulate(topology, schedule, **fabric)
    assert times.unsynchronised <= schedule.cost(topology).runtime(**fabric) == times.stepped
    assert times.step_ends == occupied.step_ends


@pytest.mark.parametrize("seed", range(20))
def test_barriers_never_help(seed: int) -> None:
    """Messages of whole steps: no barrier is no slower, on any arcs; sometimes it is faster."""
    topology = uneven(random_topology(seed), seed)
    gather, *others = collectives(topology, pieces=1 + seed % 3, seed=seed)
    for schedule in (gather, *others):
        times = simulate(topology, schedule, **SLOW_START)
        assert times.unsynchronised <= times.stepped
        assert times.unsynchronised >= max(busy(topology, schedule))


def busy(topology, schedule):
    """What every arc sends in all, and one latency."""
    for arc in set(schedule.arc.tolist()):
        rows = schedule.arc == arc
        amount = int((schedule.end - schedule.begin)[rows].sum())
        whole = Fraction(6 * topology.degree * amount, topology.n * schedule.denominator)
        yield topology.latency[arc] + whole / topology.capacity[arc]


def test_uneven_arcs_gain_without_barriers() -> None:
    """Half the shard goes straight, over a slow arc, while the other half makes its two hops."""
    lone = Topology.from_arcs(3, [(0, 1), (1, 2), (0, 2)], latency=(1, 1, 9))
    cast = from_rows(
        [(0, 0, 1, 0, 1), (0, 1, 2, 0, 1), (0, 2, 1, 1, 2), (0, 0, 2, 1, 2)],
        2,
        collective=Collective.BROADCAST,
        root=0,
    )
    with pytest.raises(InvalidInput, match="schedule: after step 2: node 2 lacks"):
        simulate(lone, replace(cast, arc=[0, 0, 2, 0]), **SLOW_START)
    times = simulate(lone, cast, **SLOW_START)
    assert times.step_ends == (Fraction(11), Fraction(14))
    assert times.unsynchronised == 11


def test_rows_apart_pay_their_own_latency() -> None:
    """Two rows of one arc and step: one latency joined, two apart, beyond the stepped time."""
    pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    halves = from_rows([(0, 0, 1, 0, 1), (0, 0, 1, 1, 2), (1, 1, 1, 0, 2)], 2)
    joined = simulate(pair, halves, **SLOW_START)
    apart = simulate(pair, halves, **SLOW_START, rows_apart=True)
    assert joined.stepped == apart.stepped == joined.unsynchronised == 4
    assert apart.unsynchronised == 5


def test_a_piece_counts_from_its_first_copy() -> None:
    """Node 1 has [0, 1) early; the late second copy over the slow arc holds nobody up."""
    slow = Topology.from_arcs(3, [(0, 1), (0, 1), (1, 2)], latency=(1, 50, 1))
    cast = from_rows(
        [(0, 0, 1, 0, 1), (0, 1, 1, 0, 1), (0, 2, 2, 0, 1)],
        collective=Collective.BROADCAST,
        root=0,
    )
    assert simulate(slow, cast, **SLOW_START).unsynchronised == 54
    assert simulate(slow, replace(cast, arc=[1, 0, 2]), **SLOW_START).unsynchronised == 59


@pytest.mark.parametrize("by", [1, 10**4, 10**17])
def test_awkward_numbers_stay_exact(by: int) -> None:
    """Ticks of 64 bits and beyond: large primes in the parameters, large denominators."""
    topology = small(3)
    awkward = {
        "alpha": Fraction(1, 2**61 - 1),
        "size": Fraction(10**9 + 7),
        "node_bandwidth": Fraction(2**31 - 1, 998_244_353),
    }
    for schedule in collectives(topology, pieces=3, seed=2):
        fine = scaled(schedule, by)
        times = simulate(topology, fine, **awkward)
        assert times.stepped == schedule.cost(topology).runtime(**awkward)
        shard = awkward["size"] / topology.n
        rate = awkward["node_bandwidth"] / topology.degree
        for apart in (False, True):
            found = simulate(topology, fine, **awkward, rows_apart=apart).unsynchronised
            expected = play(topology, schedule, awkward["alpha"], shard, rate, rows_apart=apart)
            assert found == expected


@pytest.mark.parametrize("text", ["Diamond", "DBJMod(4,2)"])
def test_synthesised_schedules(text: str) -> None:
    arguments = () if text == "Diamond" else (4, 2)
    topology = FAMILIES[text.split("(")[0]].build(*arguments)
    schedule = shipped(text)
    times = simulate(topology, schedule, **FABRIC)
    assert times.stepped == schedule.cost(topology).runtime(**FABRIC)
    assert times.unsynchronised <= times.stepped


def test_nothing_to_do_takes_no_time() -> None:
    times = simulate(Topology.from_arcs(1, [(0, 0)]), empty(), **FABRIC)
    assert times == Simulation(step_ends=(), unsynchronised=Fraction())
    assert times.stepped == 0


def test_no_latency_at_all() -> None:
    ring = jump_graph(4, [1])
    listed = [(s, (s + t - 1) % 4, t, 0, 1) for s in range(4) for t in (1, 2, 3)]
    times = simulate(ring, from_rows(listed), **(SLOW_START | {"alpha": Fraction()}))
    assert times.stepped == times.unsynchronised == Fraction(3 * 6, 4)


@pytest.mark.parametrize(
    ("name", "value"), [("alpha", -1), ("size", 0), ("node_bandwidth", 0), ("size", -3)]
)
def test_parameters_out_of_range_are_refused(name: str, value: int) -> None:
    ring = jump_graph(3, [1])
    with pytest.raises(InvalidInput, match=f"{name}: .* not {value}"):
        simulate(ring, empty(), **(FABRIC | {name: Fraction(value)}))


def test_invalid_schedules_are_refused() -> None:
    with pytest.raises(InvalidInput, match="schedule: after step 0: node 1 lacks"):
        simulate(jump_graph(3, [1]), empty(), **FABRIC)


def test_too_fine_a_cut_is_refused() -> None:
    topology = small(1)
    schedule = collectives(topology, pieces=3, seed=0)[0]
    with pytest.raises(Unsupported, match="pieces of a shard"):
        simulate(topology, schedule, limits=SimulationLimits(pieces=3), **FABRIC)


def test_common_measure() -> None:
    values = [Fraction(9, 4), Fraction(0), Fraction(3, 10)]
    assert common_measure(values) == Fraction(3, 20)
    assert common_measure([Fraction()]) == 1


@pytest.mark.parametrize("limits", [SimulationLimits(delivered=0), SimulationLimits(waits=0)])
def test_more_pieces_than_are_numbered_are_refused(limits: SimulationLimits) -> None:
    """Numbers of pieces are kept in 32 bits: too many are refused, not counted anew from below."""
    topology = small(3)
    schedule = next(iter(collectives(topology, pieces=3, seed=2)))
    assert simulate(topology, schedule, **FABRIC).unsynchronised > 0
    with pytest.raises(Unsupported, match="take too much memory to simulate"):
        simulate(topology, schedule, limits=limits, **FABRIC)
