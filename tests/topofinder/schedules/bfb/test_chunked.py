"""Chunked BFB schedules against integer programs, and against theorem 20."""

from fractions import Fraction
from math import ceil, lcm

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from expansions.build import build
from expansions.cost import Cost
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.families.complete import complete
from generators.topology import Topology
from tests.breadth_first import check_breadth_first
from tests.twins import distances, random_topology
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.schedule import chunked_schedule, rounding_bound


def chunked_loads(topology: Topology, chunks: int) -> tuple[Fraction, ...]:
    """The loads of the linear program, rounded up to whole chunks."""
    return tuple(Fraction(ceil(load * chunks), chunks) for load in evaluate(topology).loads)


def chunked_cost(topology: Topology, chunks: int) -> Cost:
    loads = chunked_loads(topology, chunks)
    return Cost(len(loads), Fraction(topology.degree, topology.n) * sum(loads, Fraction()))


def smallest_lossless_chunks(topology: Topology) -> int:
    """The exact load p/q of a step is a whole number of chunks when q divides their number."""
    return lcm(*(load.denominator for load in evaluate(topology).loads))


def integer_load(shards: list[list[int]], links: int, chunks: int) -> int:
    """Integer program (13) for one receiver and step: shards[j] lists the links for j."""
    pairs = [(j, link) for j, eligible in enumerate(shards) for link in eligible]
    columns = len(pairs) + 1
    load, whole = np.zeros((links, columns)), np.zeros((len(shards), columns))
    for column, (j, link) in enumerate(pairs):
        load[link, column] = whole[j, column] = 1
    load[:, -1] = -1
    answer = milp(
        np.eye(columns)[-1],
        constraints=[LinearConstraint(load, ub=0), LinearConstraint(whole, chunks, chunks)],
        integrality=np.ones(columns),
        bounds=Bounds(0, np.inf),
    )
    assert answer.status == 0
    return round(answer.fun)


def busiest_by_integer_program(topology: Topology, chunks: int) -> list[int]:
    hops = distances(topology)
    busiest = []
    for step in range(1, int(hops.max()) + 1):
        worst = 0
        for u in range(topology.n):
            tails = [v for v, w in zip(topology.tail, topology.head, strict=True) if w == u]
            shards = [
                [link for link, w in enumerate(tails) if hops[v, w] == step - 1 and w != u]
                for v in range(topology.n)
                if hops[v, u] == step
            ]
            if shards:
                worst = max(worst, integer_load(shards, len(tails), chunks))
        busiest.append(worst)
    return busiest


@pytest.mark.parametrize("seed", range(24))
def test_loads_are_the_optimum_of_the_integer_program(seed: int) -> None:
    topology, chunks = random_topology(seed, regular=seed % 2 > 0), 1 + seed % 5
    expected = [Fraction(load, chunks) for load in busiest_by_integer_program(topology, chunks)]
    assert list(chunked_loads(topology, chunks)) == expected
    assert list(chunked_schedule(topology, chunks).loads(topology)) == expected


@pytest.mark.parametrize("seed", range(100))
def test_schedules_are_complete_and_cost_what_is_said(seed: int) -> None:
    topology = random_topology(seed)
    for chunks in (1, 2, 3, 7):
        schedule = chunked_schedule(topology, chunks)
        check_breadth_first(topology, schedule)
        assert schedule.denominator == chunks
        assert schedule.cost(topology) == chunked_cost(topology, chunks)


@pytest.mark.parametrize("recipe", ["Q(5)", "Torus(4,7)", "C(50,{3,4})", "Pi(4,60)", "K(4,4)"])
def test_symmetric_and_larger_graphs(recipe: str) -> None:
    topology = build(parse(recipe))
    for chunks in (1, 3, 5):
        schedule = chunked_schedule(topology, chunks)
        check_breadth_first(topology, schedule)
        assert schedule.cost(topology) == chunked_cost(topology, chunks)


@pytest.mark.parametrize("seed", range(100))
def test_the_smallest_lossless_number_of_chunks(seed: int) -> None:
    topology = random_topology(seed)
    best, least = evaluate(topology).cost, smallest_lossless_chunks(topology)
    lossless = [p for p in range(1, least + 1) if chunked_cost(topology, p) == best]
    assert lossless == [least]
    assert chunked_schedule(topology, least).cost(topology) == best


@pytest.mark.parametrize("seed", range(60))
def test_the_loss_is_within_theorem_20_and_below_a_chunk_a_step(seed: int) -> None:
    topology = random_topology(seed)
    best = evaluate(topology).cost
    for chunks in (1, 4, 10):
        loss = chunked_cost(topology, chunks).bandwidth - best.bandwidth
        below = Fraction(topology.degree * best.steps, chunks * topology.n)
        assert 0 <= loss < below <= rounding_bound(topology, chunks)


@pytest.mark.parametrize("chunks", [0, -1, 1 << 40])
def test_refuses_impossible_numbers_of_chunks(chunks: int) -> None:
    with pytest.raises(InvalidInput, match=f"not {chunks}"):
        chunked_schedule(complete(3), chunks)
