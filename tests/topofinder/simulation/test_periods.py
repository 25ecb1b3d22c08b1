"""Forests run by periods: every message played, first come, first served."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from generators.errors import InvalidInput
from generators.topology import Topology
from tests.command import ran
from tests.topofinder.api.shared.test_forest_times import (
    SIZES,
    allreduces,
    hops_of,
    one_way_forests,
    rates_of,
)
from topofinder.model.forest import Forest
from topofinder.simulation.periods import CLOSE, enough_chunks, period_seconds
from topofinder.simulation.pipeline import Pipeline

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOPOFINDER_DB", raising=False)


Release = tuple[tuple[int, int], int, Fraction]
"""A link, after how many hops its message is released, and what part of a unit of weight it is."""


def releases_of(forest: Forest) -> list[Release]:
    """The hops of all trees of one chunk; in-trees run backwards, before out-trees."""
    found: list[Release] = []
    before = 0
    for phase in forest.phases:
        hops, depth = hops_of(phase.topology, phase.trees), list[int]()
        for *_, last in hops:
            depth.append(0 if last < 0 else depth[last] + 1)
        deepest = max(depth)
        for (i, u, v, _), at in zip(hops, depth, strict=True):
            part = Fraction(int(phase.trees.copies[i]), phase.trees.k)
            gathers = len(forest.phases) > 1 and not before
            link, after = ((v, u), deepest - at) if gathers else ((u, v), before + at)
            found.append((link, after, part))
        before = deepest + 1
    return found


def ended(
    topology: Topology,
    hops: list[Release],
    chunks: int,
    unit: Fraction,
    alpha: Fraction,
) -> tuple[Fraction, Fraction]:
    """When all chunks are there, if links send first come, first served; and the period.

    Every message is there before what follows on it is released.
    """
    rates = rates_of(topology)
    load: dict[tuple[int, int], Fraction] = {}
    for link, _, part in hops:
        load[link] = load.get(link, Fraction(0)) + part / rates[link][0]
    period = unit * max(load.values()) / chunks
    wait = period + alpha * max(rate[1] for rate in rates.values())
    last = Fraction(0)
    free = dict.fromkeys(load, Fraction(0))
    jobs = [(c * period + at * wait, link, part) for c in range(chunks) for link, at, part in hops]
    for release, link, part in sorted(jobs):
        free[link] = max(free[link], release) + unit * part / chunks / rates[link][0]
        there = free[link] + alpha * rates[link][1]
        assert there <= release + wait
        last = max(last, there)
    return last, period


@pytest.mark.parametrize("place", range(14))
def test_chunks_released_by_periods_are_there_in_time(place: int) -> None:
    forest = [*one_way_forests(), *allreduces()][place]
    hops = releases_of(forest)
    if len(forest.phases) > 1:
        gather, spread = (phase.trees for phase in forest.phases)
        pipeline = Pipeline.from_phases(forest.topology, gather, spread)
    else:
        pipeline = Pipeline.from_trees(forest.phases[0].topology, forest.phases[0].trees)
    equal = len({late for _, late, _ in pipeline.kinds}) == 1
    for chunks in (1, 2, 9):
        for unit, alpha in ((Fraction(5, 3), Fraction(2)), (Fraction(1000), Fraction(1, 9))):
            last, period = ended(forest.phases[-1].topology, hops, chunks, unit, alpha)
            told = period_seconds(pipeline, chunks, unit, alpha)
            assert last <= told
            assert not equal or told - last < period


@pytest.mark.parametrize("unit", SIZES)
def test_chunks_are_as_few_as_come_close_to_what_more_of_them_take(unit: Fraction) -> None:
    for forest in one_way_forests():
        pipeline = Pipeline.from_trees(forest.phases[0].topology, forest.phases[0].trees)
        count, time = enough_chunks(pipeline, unit, Fraction(1))
        limit = period_seconds(pipeline, 10**15, unit, Fraction(1))
        assert time == period_seconds(pipeline, count, unit, Fraction(1))
        whole = limit - pipeline.depth * max(late for _, late, _ in pipeline.kinds)
        near = time <= limit * (1 + CLOSE) * (1 + Fraction(1, 10**9))
        assert near or whole / (count + 1) < max(late for _, late, _ in pipeline.kinds)
        if count > 1:
            assert period_seconds(pipeline, count - 1, unit, Fraction(1)) > limit * (1 + CLOSE)
            assert whole / count >= max(late for _, late, _ in pipeline.kinds)
    with pytest.raises(InvalidInput, match="chunks: at least 1, not 0"):
        period_seconds(pipeline, 0, unit, Fraction(1))


@pytest.mark.parametrize(
    ("subject", "lost"), [("C(64,{5,6})", "0-5"), ("C(16,{3,4})", "0-3"), ("Torus(8,8)", "0-1")]
)
def test_large_allreduces_after_a_lost_circuit_are_near_what_nothing_beats(
    subject: str, lost: str, capsys: Capture
) -> None:
    words = ("--method", "forest", "--collective", "allreduce", "--overlap", "--fail-links", lost)
    times = ("--size", "1GiB", "--alpha", "10us", "--bandwidth", "100Gbps")
    told = ran(capsys, "schedule", subject, *words, *times, "-o", "a.npz").out
    (line,) = (line for line in told.splitlines() if " pipelined, both phases" in line)
    assert float(line.split(": ")[1].split(" % above the bound")[0]) < 1
    made = json.loads(ran(capsys, "verify", "a.npz", *times, "--json").out)["pipelined"]
    assert made["bytes_alone"]["seconds"] < made["together"]["seconds"]
