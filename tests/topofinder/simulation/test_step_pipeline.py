"""Step schedules as pipelines: valid, as long as foretold, and never slower than without."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expansions.build import build
from expansions.collective import Collective, total_size
from expansions.compact_schedule import CompactSchedule
from expansions.derived_collectives import join_allreduce, restrict_to_root, reverse_schedule
from expansions.parser import parse
from expansions.schedule import Schedule
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.command import ran
from tests.schedules import breadth_first
from topofinder.api.schedule import schedule
from topofinder.finder.rating import Rating, RatingTask, rate_candidate
from topofinder.model.time_model import TimeModel
from topofinder.schedules.pipelined_steps import most_parts, pipeline_schedule, step_phases
from topofinder.simulation.alpha_beta import simulate
from topofinder.simulation.step_pipeline import best_parts, pipeline_seconds, step_pipelines
from topofinder.verification.schedules import verify_schedule

TIMES = {"alpha": Fraction(1), "size": Fraction(1000), "node_bandwidth": Fraction(3)}


def stepped(graph: Topology, rows: Schedule, times: dict) -> Fraction:
    """What the simulator says, which takes a shard of every host for the size."""
    whole = total_size(rows.collective, times["size"], graph.n)
    return simulate(graph, rows, **{**times, "size": whole}).stepped


def random_graph(seed: int, unequal: bool) -> Topology:
    """A ring both ways and some arcs more, strongly connected."""
    generator = np.random.default_rng(seed)
    n = int(generator.integers(3, 9))
    ring = [(u, (u + 1) % n) for u in range(n)]
    more = [tuple(generator.choice(n, 2, replace=False).tolist()) for _ in range(n)]
    arcs = [*ring, *((v, u) for u, v in ring), *more]
    rates = generator.integers(1, 4, len(arcs)).tolist() if unequal else None
    late = generator.integers(1, 4, len(arcs)).tolist() if unequal else None
    return Topology.from_arcs(
        n,
        arcs,
        capacity=rates and tuple(map(Fraction, rates)),
        latency=late and tuple(map(Fraction, late)),
    )


def random_schedule(topology: Topology, collective: Collective, seed: int) -> Schedule:
    gather = breadth_first(topology, pieces=2, seed=seed)
    back = reverse_schedule(breadth_first(topology.transpose(), pieces=3, seed=seed))
    match collective:
        case Collective.REDUCE_SCATTER:
            return back
        case Collective.ALLREDUCE:
            return join_allreduce(back, gather)
        case Collective.BROADCAST:
            return restrict_to_root(gather, 1)
        case Collective.REDUCE:
            return restrict_to_root(back, 1)
    return gather


ROWS = [each for each in Collective if each is not Collective.ALLTOALL]


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.booleans(), st.sampled_from(ROWS), st.integers(1, 9))
def test_parts_are_valid_and_take_what_is_foretold(
    seed: int, unequal: bool, collective: Collective, parts: int
) -> None:
    graph = random_graph(seed, unequal)
    rows = random_schedule(graph, collective, seed)
    counts = (parts,) if rows.turn is None else (parts, parts % 3 + 1)
    cut = pipeline_schedule(rows, counts)
    assert verify_schedule(graph, cut).violation is None
    assert cut.steps == rows.steps + sum(counts) - len(counts)
    assert stepped(graph, cut, TIMES) == pipeline_seconds(graph, rows, counts, **TIMES)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.booleans(), st.sampled_from(ROWS), st.integers(0, 3))
def test_the_best_is_the_least_of_all_and_never_slower(
    seed: int, unequal: bool, collective: Collective, late: int
) -> None:
    graph = random_graph(seed, unequal)
    rows = random_schedule(graph, collective, seed)
    times = {**TIMES, "alpha": Fraction(late * 5)}
    found = best_parts(graph, rows, **times, most_rows=20 * rows.rows)
    assert found.without == stepped(graph, rows, times)
    assert found.seconds <= found.without
    cut = pipeline_schedule(rows, found.parts)
    assert stepped(graph, cut, times) == found.seconds
    alone = (1,) * len(found.parts)
    for place in range(len(alone)):
        tried = [
            pipeline_seconds(graph, rows, (*alone[:place], p, *alone[place + 1 :]), **times)
            for p in range(1, most_parts(rows, 20 * rows.rows) + 1)
        ]
        own = pipeline_seconds(
            graph, rows, (*alone[:place], found.parts[place], *alone[place + 1 :]), **times
        )
        assert own == min(tried)
        assert tried.index(own) + 1 == found.parts[place]


def test_bytes_come_down_to_the_busiest_link() -> None:
    """Section 1.2: without latencies ever more parts come to max m_e / b_e, from above."""
    graph = build(parse("Mesh(8,8)"))
    rows = breadth_first(graph)
    (pipeline,) = step_pipelines(graph, rows)
    limit = max(np.bincount(rows.arc, minlength=graph.arcs).tolist())
    times = [pipeline.seconds(4**i) for i in range(6)]
    assert times == sorted(times, reverse=True)
    assert limit < times[-1] < limit * Fraction(4**5 + rows.steps, 4**5)


def test_compact_rows_are_cut_alike() -> None:
    made = schedule("Q(4)", collective="allreduce", compact=True).schedule
    graph = build(parse("Q(4)"))
    assert isinstance(made, CompactSchedule)
    cut = pipeline_schedule(made, (2, 3))
    assert cut.cost(graph) == pipeline_schedule(made.expand(graph), (2, 3)).cost(graph)
    assert verify_schedule(graph, cut.expand(graph)).violation is None
    assert step_phases(cut) == ((0, 5), (5, 11))


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ((0,), "parts: 1 to 4096, not 0"),
        ((2, 2), "parts: one number for each of 1 phases, not 2"),
        ((4097,), "parts: 1 to 4096, not 4097"),
    ],
)
def test_refuses_parts(parts: tuple[int, ...], told: str) -> None:
    rows = breadth_first(build(parse("K(3)")))
    with pytest.raises(InvalidInput, match=told):
        pipeline_schedule(rows, parts)


def test_refuses_pieces_that_are_too_small() -> None:
    rows = Schedule(source=[0], arc=[0], step=[1], begin=[0], end=[1], denominator=1 << 60)
    assert most_parts(rows) == 7
    with pytest.raises(InvalidInput, match="are too small"):
        pipeline_schedule(rows, (8,))


def test_a_rating_knows_pipelines() -> None:
    """On Mesh(8,8) different links are the busiest at different steps, and a forest is slower."""
    made = schedule("Mesh(8,8)", method="bfb")
    row = _Row(made.cost)
    task = RatingTask(
        collective=Collective.ALLGATHER, alpha=Fraction(1, 10**5), size=Fraction(2**26),
        bandwidth=Fraction(125 * 10**8), model=TimeModel.OCCUPIED, methods=("bfb", "forest"),
    )  # fmt: skip
    found: Rating = rate_candidate(task, row)
    assert found.method == "bfb, pipeline of 14"
    assert round(found.seconds * 10**9) == 11151223


class _Row:
    recipe, n, d, diameter = "Mesh(8,8)", 64, 4, 14

    def __init__(self, cost) -> None:
        self.allgather = self.reduce_scatter = self.allreduce = cost


def test_the_command_makes_tells_and_verifies_it(tmp_path: Path, capsys) -> None:
    file = str(tmp_path / "p.npz")
    given = ["--alpha", "10us", "--size", "64MiB", "--bandwidth", "100Gbps"]
    told = ran(
        capsys, "schedule", "Torus(4,6)", "--method", "torus-by-dimension", "--pipeline", "auto",
        *given, "-o", file, "--db", str(tmp_path / "t.db"),
    )  # fmt: skip
    assert told.out.splitlines()[:2] == [
        "allgather on Torus(4,6) by torus-by-dimension, pipeline of 17: T_L 24 alpha, "
        "T_B 73/68 M/B, 6.003 ms",
        "run in 17 parts as a pipeline; 7.015 ms without",
    ]
    checked = ran(capsys, "verify", file, *given).out.splitlines()
    assert checked[1] == "simulated: 6.003 ms in steps, 6.003 ms without barriers"


def test_where_no_pipeline_is_quicker_it_says_so() -> None:
    made = schedule(
        "Mesh(4,4)", method="bfb", pipeline="auto", alpha="10us", size="64MiB", bandwidth="100Gbps"
    )
    assert "as it is: no pipeline of parts takes less" in str(made)
    assert made.to_dict()["pipeline"]["parts"] == [1]


def test_the_quickest_method_counts_pipelines() -> None:
    given = {"alpha": "10us", "size": "1MiB", "bandwidth": "100Gbps", "collective": "broadcast"}
    plain = schedule("BiRing(2,6)", root=0, **given)
    piped = schedule("BiRing(2,6)", root=0, pipeline="auto", **given)
    steps = [
        next(time.seconds for time in made.record.methods if time.method == "bfb")
        for made in (plain, piped)
    ]
    assert steps[1] * 3 < steps[0] * 2


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"pipeline": "0"}, "--pipeline: auto, or 1 to 4096 parts, not '0'"),
        ({"pipeline": "auto"}, "--pipeline: auto needs --alpha, --size and --bandwidth"),
        ({"pipeline": 2, "method": "forest"}, "a forest one has chunks of its own"),
    ],
)
def test_refuses_options(options: dict, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        schedule("K(3)", **options)
