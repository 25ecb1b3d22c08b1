"""Whole chunks over unequal links: the least times, exactly, by every way to deal them."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import topofinder as tf
from generators.errors import InvalidInput, Unsupported
from generators.families.complete import complete
from generators.families.generalized_kautz import generalized_kautz
from generators.formats.by_suffix import write_topology
from generators.topology import Topology
from tests.twins import random_topology
from topofinder.schedules.bfb.parametric_flow import Shards, least_chunked_time, least_time
from topofinder.schedules.bfb.schedule import chunked_schedule
from topofinder.schedules.bfb.unequal_links import (
    fewest_chunks,
    unequal_schedule,
)
from topofinder.simulation.alpha_beta import simulate
from topofinder.verification.schedules import verify_schedule

FABRIC = (Fraction(1, 10**5), Fraction(2**20), Fraction(12_500_000_000))


def with_links(graph: Topology, seed: int) -> Topology:
    generator = np.random.default_rng(seed)
    return Topology(
        n=graph.n, tail=graph.tail, head=graph.head,
        capacity=[Fraction(int(x)) for x in generator.integers(1, 4, graph.arcs)],
        latency=[Fraction(int(x), 2) for x in generator.integers(0, 4, graph.arcs)],
    )  # fmt: skip


def twin_time(classes, delay, rate, chunks: int) -> Fraction:
    """Every way to send every chunk over one link that it may take."""
    ways = [shards.links for shards in classes for _ in range(shards.count * chunks)]
    best = None
    for chosen in product(*ways):
        time = max(
            delay[link] + Fraction(chosen.count(link), chunks) / rate[link] for link in set(chosen)
        )
        best = time if best is None else min(best, time)
    assert best is not None
    return best


@pytest.mark.parametrize("seed", range(40))
def test_least_times_are_those_of_the_best_way(seed: int) -> None:
    generator = np.random.default_rng(seed)
    links, chunks = int(generator.integers(1, 4)), int(generator.integers(1, 4))
    classes = [
        Shards(1, tuple(sorted(generator.choice(links, int(generator.integers(1, links + 1)), False)
                               .tolist())))
        for _ in range(int(generator.integers(1, 3)))
    ]  # fmt: skip
    delay = [Fraction(int(x), 3) for x in generator.integers(0, 4, links)]
    rate = [Fraction(int(x), 2) for x in generator.integers(1, 6, links)]
    found = least_chunked_time(classes, delay, rate, chunks)
    assert found == twin_time(classes, delay, rate, chunks)
    assert found >= least_time(classes, delay, rate)


def _check_schedule(seed: int, chunks: int) -> None:
    graph = with_links(random_topology(seed), seed)
    found = unequal_schedule(graph, *FABRIC, chunks)
    verdict = verify_schedule(graph, found.schedule)
    assert verdict.violation is None
    assert found.schedule.denominator in (1, chunks)
    alpha, size, bandwidth = FABRIC
    played = simulate(graph, found.schedule, alpha=alpha, size=size, node_bandwidth=bandwidth)
    assert played.stepped <= found.seconds
    assert found.seconds >= unequal_schedule(graph, *FABRIC).seconds


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("chunks", [1, 3])
def test_schedules_are_valid_and_take_what_they_say(seed: int, chunks: int) -> None:
    _check_schedule(seed, chunks)


@pytest.mark.slow
def test_the_same_on_300_graphs() -> None:
    for seed in range(12, 300):
        _check_schedule(seed, 1 + seed % 4)


@pytest.mark.parametrize("chunks", [1, 2, 5])
def test_over_equal_links_they_cost_what_whole_chunks_do(chunks: int) -> None:
    graph = generalized_kautz(3, 14)
    known = chunked_schedule(graph, chunks)
    fabric = (Fraction(0), Fraction(graph.n), Fraction(graph.degree))
    cost = verify_schedule(graph, known).bandwidth * graph.n / graph.degree
    assert unequal_schedule(graph, *fabric, chunks).seconds == cost


@pytest.mark.parametrize("seed", range(4))
def test_fewest_chunks_are_within_the_loss_and_fewer_are_not(seed: int) -> None:
    graph, loss = with_links(complete(5), seed), Fraction(1, 20)
    count, best = fewest_chunks(graph, *FABRIC, loss), unequal_schedule(graph, *FABRIC).seconds
    assert unequal_schedule(graph, *FABRIC, count).seconds <= best * (1 + loss)
    for fewer in range(1, count):
        assert unequal_schedule(graph, *FABRIC, fewer).seconds > best * (1 + loss)


def test_options_and_refusals(tmp_path) -> None:
    graph = with_links(complete(5), 3)
    file = tmp_path / "uneven.json"
    write_topology(graph, file)
    times = {"alpha": "10us", "size": "1MiB", "bandwidth": "100Gbps"}
    exact, cut, lost = (
        tf.schedule(str(file), method="bfb", **times, **more)
        for more in ({}, {"chunks": 2}, {"loss": "5%"})
    )
    assert cut.schedule.denominator == 2
    assert cut.record.method == "bfb, unequal links, 2 chunks"
    assert exact.runtime <= lost.runtime <= exact.runtime * Fraction(21, 20)
    both = tf.schedule(str(file), tmp_path / "a.npz", method="bfb", collective="allreduce",
                       loss="5%", **times)  # fmt: skip
    assert tf.verify(tmp_path / "a.npz").valid
    assert both.runtime > lost.runtime
    with pytest.raises(InvalidInput, match="--chunks and --loss exclude each other"):
        tf.schedule(str(file), method="bfb", chunks=2, loss="5%", **times)
    with pytest.raises(InvalidInput, match="--loss: links are equal"):
        tf.schedule("K(4)", method="bfb", loss="5%")
    with pytest.raises(InvalidInput, match="chunks"):
        tf.schedule(str(file), method="bfb", chunks=0, **times)
    odd = Topology.from_arcs(2, [(0, 1), (0, 1), (1, 0)], capacity=(1, 997, 998))
    with pytest.raises(Unsupported, match="loss: more than 256 chunks are needed"):
        fewest_chunks(odd, Fraction(0), Fraction(8), Fraction(1), Fraction(0))
