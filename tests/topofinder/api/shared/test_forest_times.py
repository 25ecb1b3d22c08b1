"""Forests of a finite size: the best number of chunks, against all of them and a slow twin."""

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.topology import Topology
from reports.forest_time import time_lines
from reports.units import time_text
from tests.command import ran
from tests.known_forests import box_forest, ring_forest
from topofinder.api.schedule_forest import ForestRequest, schedule_forest
from topofinder.api.shared.forest_times import Transfer, forest_time
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.model.forest import Forest, Phase
from topofinder.model.forest_files import read_forest
from topofinder.model.time_model import TimeModel
from topofinder.model.tree_set import TreeSet
from topofinder.simulation.chunk_count import _time_bound, best_chunks
from topofinder.simulation.pipeline import Pipeline

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOPOFINDER_DB", raising=False)


def hops_of(topology: Topology, trees: TreeSet) -> list[tuple[int, int, int, int]]:
    """(tree, u, v, the hop that must be over before, -1 if none) of every hop, tree by tree."""
    found: list[tuple[int, int, int, int]] = []
    for i in range(trees.trees):
        brought = {int(trees.root[i]): -1}
        for j in range(trees.start[i], trees.start[i + 1]):
            r = trees.route[j]
            stops = trees.node[trees.route_start[r] : trees.route_start[r + 1]].tolist()
            stops = stops[trees.multicast_skips[j] :]
            last = brought[stops[0]]
            for u, v in pairwise(stops):
                found.append((i, u, v, last))
                last = len(found) - 1
                if v not in topology.switches or v in topology.multicast:
                    brought[v] = last
    return found


def rates_of(topology: Topology) -> dict[tuple[int, int], tuple[Fraction, Fraction]]:
    """Bandwidth and latency of every link; parallel ones are one."""
    rates: dict[tuple[int, int], tuple[Fraction, Fraction]] = {}
    for e in range(topology.arcs):
        pair = (int(topology.tail[e]), int(topology.head[e]))
        more = Fraction(1) if topology.capacity is None else topology.capacity[e]
        late = Fraction(1) if topology.latency is None else topology.latency[e]
        known = rates.get(pair, (Fraction(0), late))
        rates[pair] = known[0] + more, max(known[1], late)
    return rates


Rounds = dict[int, dict[tuple[int, int], Fraction]]
"""Which part of a unit of weight is on every link, by round."""


def played(topology: Topology, rounds: Rounds, unit: Fraction, alpha: Fraction) -> Fraction:
    """The time of all rounds, each as long as its longest message."""
    rates = rates_of(topology)
    total = Fraction(0)
    for load in rounds.values():
        total += max(alpha * rates[link][1] + unit * part / rates[link][0]
                     for link, part in load.items())  # fmt: skip
    return total


def twin(phase: Phase, chunks: int, unit: Fraction, alpha: Fraction) -> Fraction:
    """Message by message, each as soon as the one before it is there, in rounds with barriers."""
    trees = phase.trees
    ended: dict[tuple[int, int], int] = {}
    rounds: Rounds = {}
    for c in range(chunks):
        for number, (i, u, v, before) in enumerate(hops_of(phase.topology, trees)):
            begun = max(c, ended.get((before, c), 0))
            ended[number, c] = begun + 1
            load = rounds.setdefault(begun, {})
            part = Fraction(int(trees.copies[i]), trees.k * chunks)
            load[u, v] = load.get((u, v), Fraction(0)) + part
    return played(phase.topology, rounds, unit, alpha)


def twin_of_both(forest: Forest, chunks: int, unit: Fraction, alpha: Fraction) -> Fraction:
    """In-trees from the leaves up, as late as they may; a chunk is spread once all have ended."""
    gather, spread = forest.phases
    upward = hops_of(gather.topology, gather.trees)
    after: dict[int, int] = {}
    for number in reversed(range(len(upward))):
        before = upward[number][3]
        if before >= 0:
            after[before] = max(after.get(before, 0), after.get(number, 0) + 1)
    depth: list[int] = []
    for *_, before in upward:
        depth.append(0 if before < 0 else depth[before] + 1)
    deepest = max(depth)
    assert all(deepest - depth[number] >= rounds for number, rounds in after.items())
    loads: Rounds = {}
    for c in range(chunks):
        hops = [(i, (v, u), deepest - at + c, gather.trees)
                for (i, u, v, _), at in zip(upward, depth, strict=True)]  # fmt: skip
        below: list[int] = []
        for i, u, v, before in hops_of(spread.topology, spread.trees):
            below.append(deepest + 1 + c if before < 0 else below[before] + 1)
            hops.append((i, (u, v), below[-1], spread.trees))
        for i, link, at, trees in hops:
            load = loads.setdefault(at, {})
            part = Fraction(int(trees.copies[i]), trees.k * chunks)
            load[link] = load.get(link, Fraction(0)) + part
    return played(forest.topology, loads, unit, alpha)


def late(forest: Forest) -> Forest:
    """The same forest on links with latencies of their own."""
    topology = forest.topology
    latency = tuple(Fraction((7 * e) % 5, 1 + e % 3) for e in range(topology.arcs))
    return replace(forest, topology=replace(topology, latency=latency, translation=None))


@cache
def one_way_forests() -> list[Forest]:
    """Made by the first test that asks, not while tests are collected."""
    return [
        ring_forest(6),
        box_forest(),
        box_forest(able=True),
        schedule_forest(ForestRequest(subject="MI250(1)")),
        schedule_forest(ForestRequest(subject="Torus(3,4)", collective=Collective.REDUCE_SCATTER)),
        late(ring_forest(5)),
        late(box_forest()),
        late(schedule_forest(ForestRequest(subject="Q(3)"))),
        late(schedule_forest(ForestRequest(subject="MI250(1)", k=2))),
    ]


SIZES = [Fraction(1, 7), Fraction(3), Fraction(100), Fraction(4321)]


@pytest.mark.parametrize("place", range(9))
@pytest.mark.parametrize("chunks", [1, 2, 5, 30])
def test_times_with_latencies_are_those_of_the_slow_twin(place: int, chunks: int) -> None:
    (phase,) = one_way_forests()[place].phases
    pipeline = Pipeline.from_trees(phase.topology, phase.trees)
    for unit, alpha in ((Fraction(5, 3), Fraction(2)), (Fraction(1000), Fraction(1, 9))):
        assert pipeline.seconds(chunks, unit, alpha) == twin(phase, chunks, unit, alpha)


@pytest.mark.parametrize("place", range(9))
def test_no_number_of_chunks_takes_less_time(place: int) -> None:
    (phase,) = one_way_forests()[place].phases
    pipeline = Pipeline.from_trees(phase.topology, phase.trees)
    for unit in SIZES:
        found = best_chunks(pipeline, unit, Fraction(1))
        assert found is not None
        tried = 2 * max(found[0], pipeline.depth) + 20
        times = [pipeline.seconds(count, unit, Fraction(1)) for count in range(1, tried)]
        assert found == (times.index(min(times)) + 1, min(times))


@pytest.mark.parametrize("seed", range(60))
def test_pipelines_of_any_loads_and_latencies(seed: int) -> None:
    generator = np.random.default_rng(seed)
    links, depth = int(generator.integers(1, 6)), int(generator.integers(1, 6))
    table = generator.integers(0, 5, (links, depth))
    table[0] = np.maximum(table[0], 1)
    sums = np.concatenate([np.zeros((links, 1), np.int64), table.cumsum(axis=1)], axis=1)
    kinds = [(Fraction(int(b), 2), Fraction(int(late), 3), np.array([i])) for i, (b, late) in
             enumerate(generator.integers(1, 9, (links, 2)))]  # fmt: skip
    pipeline = Pipeline(k=int(generator.integers(1, 4)), sums=sums, kinds=kinds)
    for unit in SIZES:
        found = best_chunks(pipeline, unit, Fraction(1))
        assert found is not None
        times = [pipeline.seconds(count, unit, Fraction(1)) for count in range(1, 2 * found[0] + 9)]
        assert found == (times.index(min(times)) + 1, min(times))
        bound = _time_bound(pipeline, unit, Fraction(1))
        assert all(bound(count) <= time for count, time in enumerate(times, 1))


def test_without_any_latency_chunks_have_no_best_number() -> None:
    (phase,) = ring_forest(4).phases
    topology = replace(phase.topology, latency=(Fraction(0),) * phase.topology.arcs)
    chains = Pipeline.from_trees(topology, phase.trees)
    assert best_chunks(chains, Fraction(1), Fraction(1)) == (1, Fraction(3, 2))
    deep = schedule_forest(ForestRequest(subject="MI250(1)"))
    still = replace(deep.topology, latency=(Fraction(0),) * deep.topology.arcs)
    assert (
        best_chunks(Pipeline.from_trees(still, deep.phases[0].trees), Fraction(1), Fraction(1))
        is None
    )


@cache
def allreduces() -> list[Forest]:
    """The same, with both phases."""
    both = Collective.ALLREDUCE
    return [
        ring_forest(5, both),
        schedule_forest(ForestRequest(subject="MI250(1)", collective=both)),
        schedule_forest(ForestRequest(subject="DGXH100(1)", collective=both)),
        schedule_forest(ForestRequest(subject="Mesh(2,3)", collective=both, overlap=True)),
        late(schedule_forest(ForestRequest(subject="Pi(2,5)", collective=both))),
    ]


@pytest.mark.parametrize("place", range(5))
def test_both_phases_at_once_are_as_in_the_slow_twin(place: int) -> None:
    forest = allreduces()[place]
    gather, spread = (phase.trees for phase in forest.phases)
    pipeline = Pipeline.from_phases(forest.topology, gather, spread)
    assert pipeline.seconds(10**9) - forest.together <= pipeline.depth * Fraction(1, 10**6)
    for chunks in (1, 3, 8):
        for unit, alpha in ((Fraction(5, 3), Fraction(2)), (Fraction(1000), Fraction(1, 9))):
            expected = twin_of_both(forest, chunks, unit, alpha)
            assert pipeline.seconds(chunks, unit, alpha) == expected


TIMES = ("--alpha", "3us", "--size", "10MiB")
TRANSFER = Transfer(size=Fraction(10 * 2**20), alpha=Fraction(3, 10**6))


@pytest.mark.parametrize(
    ("subject", "bandwidth", "rate"),
    [
        ("DGXA100(1)", None, 10**9),
        pytest.param("MI250(1)", None, 10**9, marks=pytest.mark.slow),
        ("Torus(3,4)", "100Gbps", Fraction(25 * 10**9, 8)),
        ("K(4)", "24Gbps", 10**9),
    ],
)
def test_commands_tell_what_the_simulator_finds(
    subject: str, bandwidth: str | None, rate: Fraction, capsys: Capture
) -> None:
    more = () if bandwidth is None else ("--bandwidth", bandwidth)
    words = ("--method", "forest", "-o", "a.npz", *TIMES, *more)
    made = json.loads(ran(capsys, "schedule", subject, *words, "--json").out)["pipelined"]
    (phase,) = read_forest("a.npz").phases
    unit = TRANSFER.size / sum(read_forest("a.npz").weight) / rate
    (count,) = made["chunks"]
    assert TRANSFER.alpha is not None
    assert Fraction(made["exact"]) == twin(phase, count, unit, TRANSFER.alpha)
    assert made["seconds"] == float(Fraction(made["exact"]))
    found = forest_time(
        read_forest("a.npz"),
        replace(TRANSFER, bandwidth=rate * read_forest("a.npz").topology.degree if more else None),
    )
    told = f", in {count} chunk" + "s" * (count > 1)
    told = f"{told}; " if found.best == found.seconds else f" in rounds{told}\n"
    for command in ("verify", "show"):
        found = json.loads(ran(capsys, command, "a.npz", *TIMES, *more, "--json").out)
        assert found["pipelined"] == made
        assert told in ran(capsys, command, "a.npz", *TIMES, *more).out
    assert told in ran(capsys, "schedule", subject, *words).out
    if bandwidth is None:
        assert told in ran(capsys, "show", subject, *TIMES).out


def test_an_allreduce_has_a_time_for_both_phases_at_once(capsys: Capture) -> None:
    words = ("--method", "forest", "--collective", "allreduce", "-o", "a.npz", *TIMES)
    made = json.loads(ran(capsys, "schedule", "DGXA100(1)", *words, "--json").out)["pipelined"]
    found = forest_time(read_forest("a.npz"), TRANSFER)
    assert found.seconds is not None
    assert found.both is not None
    assert Fraction(made["exact"]) == found.seconds == sum(time for _, time in found.phases)
    assert (made["together"]["chunks"], Fraction(made["together"]["exact"])) == found.both
    told = ran(capsys, "verify", "a.npz", *TIMES).out
    assert ", both phases at once, in " in told
    assert " in rounds, one phase after the other, in " in told


@pytest.mark.parametrize("model", TimeModel)
def test_the_best_is_the_least_in_the_model_and_the_first_that_is_told(
    model: TimeModel, capsys: Capture
) -> None:
    words = ("schedule", "DGXH100(1)", "--method", "forest", "--collective", "allreduce", *TIMES)
    made = json.loads(ran(capsys, *words, "-o", "a.npz", "--model", model.value, "--json").out)
    rounds = made["pipelined"]
    each = [rounds, rounds["together"], rounds["bytes_alone"]]
    least = min(Fraction(one["exact"]) for one in (each if model == "pipelined" else each[:2]))
    assert made["best"] == {"seconds": float(least), "exact": str(least), "model": model.value}
    found = forest_time(read_forest("a.npz"), replace(TRANSFER, model=model))
    assert found.best == least
    assert time_lines(found)[0].startswith(f"{time_text(least)} for 10 MiB, ")
    assert sorted(line.split(",")[0].split()[2] for line in time_lines(found)[1:]) == (
        ["in", "in"] if model == "pipelined" else ["in", "pipelined"]
    )


def test_a_size_alone_gives_the_time_without_latencies(capsys: Capture) -> None:
    words = ("schedule", "DGXA100(1)", "--method", "forest", "-o", "a.npz", "--size", "8MiB")
    assert "  24.5 us without latencies for 8 MiB\n" in ran(capsys, *words).out
    found = json.loads(ran(capsys, *words, "--json").out)
    assert found["runtime"] == pytest.approx(7 / 300 * 2**20 / 10**9)
    assert "pipelined" not in found


def test_latencies_of_the_links_themselves_are_taken(capsys: Capture) -> None:
    links = [{"from": "a", "to": "b", "bandwidth": "1GB/s", "latency": "1us"},
             {"from": "b", "to": "c", "bandwidth": "1GB/s", "latency": "5us"}]  # fmt: skip
    text = {"format": "topofinder-fabric", "version": 1, "nodes": ["a", "b", "c"], "links": links}
    Path("f.json").write_text(json.dumps(text))
    words = ("schedule", "f.json", "--method", "forest", "-o", "a.npz", "--size", "3MB")
    made = json.loads(ran(capsys, *words, "--json").out)["pipelined"]
    (phase,) = read_forest("a.npz").phases
    (count,) = made["chunks"]
    exact = twin(phase, count, Fraction(1, 1000), Fraction(1, 10**6))
    assert Fraction(made["exact"]) == exact
    told = "topofinder: --alpha: the topology tells the latencies of its links itself\n"
    assert ran(capsys, *words, "--alpha", "1us") == (2, "", told)


NEEDED = "--size needs --bandwidth: the topology tells no rates of links"
TOLD = "--bandwidth: the topology tells the rates of its links itself"


@pytest.mark.parametrize(
    ("subject", "options", "line"),
    [
        ("DGXA100(1)", ("--size", "1MiB", "--bandwidth", "1Gbps"), TOLD),
        ("K(4)", ("--size", "1MiB"), NEEDED),
        ("K(4)", ("--size", "1MiB", "--alpha", "1us"), NEEDED),
        ("K(4)", ("--alpha", "1us"), "--alpha is for the time that a --size takes"),
        ("K(4)", ("--bandwidth", "1Gbps"), "--bandwidth is for the time that a --size takes"),
    ],
)
def test_options_without_effect_are_refused(
    subject: str, options: tuple[str, ...], line: str, capsys: Capture
) -> None:
    words = (subject, "--method", "forest", "-o", "a.npz")
    assert ran(capsys, "schedule", *words, *options) == (2, "", f"topofinder: {line}\n")
    assert not Path("a.npz").exists()
    assert ran(capsys, "show", subject, "--forest", *options) == (2, "", f"topofinder: {line}\n")
    assert ran(capsys, "schedule", *words).code == 0
    assert ran(capsys, "verify", "a.npz", *options) == (2, "", f"topofinder: {line}\n")


def test_ports_of_switches_do_not_slow_down_hosts() -> None:
    star = Topology.from_arcs(
        5, [(u, 4) for u in range(4)] + [(4, u) for u in range(4)], switches=(4,)
    )
    found = forest_time(
        make_forest(star, ForestOptions()), Transfer(size=Fraction(400), bandwidth=Fraction(100))
    )
    assert found.bare == 3


def test_transfers_must_fit_before_anything_is_packed() -> None:
    request = ForestRequest(subject="K(4)", transfer=Transfer(size=Fraction(1)))
    with pytest.raises(InvalidInput, match=NEEDED):
        schedule_forest(request)
