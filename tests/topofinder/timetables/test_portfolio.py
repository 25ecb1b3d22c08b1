"""The quickest of all makers: valid in its model, never below a bound, the same for a seed."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest

from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from generators.errors import InvalidInput, Unsupported
from generators.fabrics.names import fabric_of
from generators.topology import Topology
from topofinder import interrupts
from topofinder.forests.clock import Clock
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.model.timetable_files import TIMETABLE_FILES
from topofinder.timetables import spreading
from topofinder.timetables.portfolio import Synthesis, synthesize, task_bounds
from topofinder.timetables.spreading import (
    Attempt,
    chunk_counts,
    one_set_attempts,
    soon_attempts,
    spreading_attempts,
)
from topofinder.timetables.task import Matching, TimedTask
from topofinder.verification.timetables import verify_timetable

UNITS = LinkUnits(latency=Fraction(1, 2), rate=Fraction(3))
COLLECTIVES = [c for c in Collective if c is not Collective.ALLTOALL]


def random_digraph(seed: int) -> Topology:
    """Random, strongly connected, with unlike links."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(3, 8))
    arcs = [(v, (v + 1) % n) for v in range(n)] + [((v + 1) % n, v) for v in range(n)]
    arcs += [tuple(draw.choice(n, 2, replace=False).tolist()) for _ in range(n)]
    values = draw.integers(1, 4, (2, len(arcs)))
    return Topology.from_arcs(
        n, arcs, capacity=tuple(map(int, values[0])), latency=tuple(map(int, values[1]))
    )


def found_for(topology: Topology, collective: Collective, model: TimeModel) -> Synthesis:
    task = TimedTask(
        topology=topology,
        collective=collective,
        size=Fraction(24),
        units=UNITS,
        model=model,
        root=topology.n // 3 if collective.is_rooted else None,
        tries=1,
        chunks=2,
    )
    found = synthesize(task)
    verdict = verify_timetable(found.timetable)
    assert verdict.violation is None
    assert found.timetable.collective is collective
    assert found.timetable.topology.same_wiring(topology)
    assert found.timetable.seconds >= found.bounds.any_chunks == task_bounds(task).any_chunks
    best = min(trial.seconds for trial in found.trials if trial.seconds is not None)
    assert found.timetable.seconds == best
    return found


@pytest.mark.parametrize("model", list(TimeModel))
@pytest.mark.parametrize("collective", COLLECTIVES)
@pytest.mark.parametrize("recipe", ["Torus(3,3)", "Kautz(2,2)", "Mesh(2,3)"])
def test_equal_links(recipe: str, collective: Collective, model: TimeModel) -> None:
    found_for(build(parse(recipe)), collective, model)


@pytest.mark.parametrize("collective", COLLECTIVES)
@pytest.mark.parametrize("fabric", ["DGX1", "RFS(2,2,2)"])
def test_fabrics_with_switches(fabric: str, collective: Collective) -> None:
    found_for(fabric_of(fabric)[1], collective, TimeModel.PIPELINED)


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_unlike_links(collective: Collective) -> None:
    for seed in range(3):
        found_for(random_digraph(seed), collective, TimeModel.PIPELINED)


def test_the_same_seed_gives_the_same_sends() -> None:
    task = TimedTask(
        topology=build(parse("Pi(2,9)")),
        collective=Collective.ALLREDUCE,
        size=Fraction(9),
        units=UNITS,
        seed=5,
    )
    one, other = synthesize(task).timetable, synthesize(task).timetable
    assert (one.begin == other.begin).all()
    assert (one.channel == other.channel).all()
    assert (one.method, one.seed) == (other.method, 5)


@pytest.mark.parametrize("matching", ["best", "random"])
@pytest.mark.parametrize("collective", [Collective.ALLGATHER, Collective.BROADCAST])
@pytest.mark.parametrize("fabric", ["Mesh(2,3)", "Torus(3,3)", "RFS(2,2,2)", ""])
def test_the_same_seed_gives_the_same_bytes_by_every_maker(
    fabric: str, collective: Collective, matching: Matching
) -> None:
    topology = random_digraph(4)
    if fabric:
        topology = fabric_of(fabric)[1] if fabric.startswith("RFS") else build(parse(fabric))
    task = TimedTask(
        topology=topology,
        collective=collective,
        size=Fraction(24),
        units=UNITS,
        root=1 if collective.is_rooted else None,
        matching=matching,
        seed=3,
    )
    twice = [
        {
            attempt.method: TIMETABLE_FILES.archive(attempt.make())
            for attempts in (*spreading_attempts(task), one_set_attempts_of(task))
            for attempt in islice(attempts, 2)
        }
        for _ in range(2)
    ]
    assert twice[0]
    assert twice[0] == twice[1]


def one_set_attempts_of(task: TimedTask) -> Iterator[Attempt]:
    """Those of an allreduce on the same topology."""
    whole = replace(task, collective=Collective.ALLREDUCE, root=None)
    return next(one_set_attempts(whole), iter(()))


def test_the_dgx1_is_exact_in_six_chunks() -> None:
    """Published by nobody: the smallest count that fills all links (6 * 7 is a multiple of 6)."""
    task = TimedTask(
        topology=fabric_of("DGX1")[1],
        collective=Collective.ALLGATHER,
        size=Fraction(10**9),
        units=LinkUnits(latency=Fraction(7, 10**7), rate=Fraction(25 * 10**9)),
    )
    assert 6 in chunk_counts(task, 1)
    found = synthesize(task)
    assert found.gap == 0
    assert found.timetable.method == "rounds, 6 chunks"


@pytest.mark.parametrize("matching", ["best", "random"])
@pytest.mark.parametrize("collective", COLLECTIVES)
@pytest.mark.parametrize("fabric", ["Mesh(3,3)", "Torus(3,3)", "RFS(2,2,2)", ""])
def test_something_is_made_though_the_time_is_over(
    fabric: str, collective: Collective, matching: Matching
) -> None:
    """One seed of few chunks, as soon as that can be: rounds, or chunks matched at events."""
    topology = random_digraph(4)
    if fabric:
        topology = fabric_of(fabric)[1] if fabric.startswith("RFS") else build(parse(fabric))
    task = TimedTask(
        topology=topology,
        collective=collective,
        size=Fraction(24),
        units=UNITS,
        root=1 if collective.is_rooted else None,
        matching=matching,
        clock=Clock(seconds=0, end=0, work=1),
    )
    found = synthesize(task)
    assert verify_timetable(found.timetable).violation is None
    assert any(trial.seconds is not None for trial in found.trials)


def test_what_is_not_made_soon_says_which_time_would_do() -> None:
    task = TimedTask(
        topology=build(parse("Mesh(8,8)")),
        collective=Collective.ALLGATHER,
        size=Fraction(64),
        units=UNITS,
        clock=Clock(seconds=0, end=0, work=1),
    )
    assert [each.method for each in soon_attempts(task)] == ["rounds, 1 chunk"]
    assert not list(soon_attempts(task, most_sends=4095))
    with pytest.raises(Unsupported, match=r"sends done after 0 s; about [\d.e-]+ s would do$"):
        next(next(spreading_attempts(task))).make()


@pytest.mark.parametrize("seeds", [0, 1, 5])
def test_ctrl_c_leaves_the_best_rounds_so_far(seeds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    task = TimedTask(
        topology=build(parse("Mesh(8,8)")),
        collective=Collective.ALLGATHER,
        size=Fraction(64),
        units=UNITS,
        clock=Clock(work=1),
    )
    begun = list[int]()

    def interrupted(problem, *, seed, order, clock):
        begun.append(seed)
        interrupts._ending.asked = len(begun) > seeds
        return schedule_rounds(problem, seed=seed, order=order, clock=clock)

    schedule_rounds = spreading.schedule_rounds
    monkeypatch.setattr(spreading, "schedule_rounds", interrupted)
    try:
        made = synthesize(task)
    finally:
        interrupts._ending.asked = False
    assert verify_timetable(made.timetable).violation is None
    whole = [trial.method for trial in made.trials if trial.seconds is not None]
    assert whole == ["rounds, 1 chunk"]
    if seeds:  # the seed that Ctrl-C met is dropped
        assert (len(begun), len(made.trials)) == (seeds + 1, 1)
    else:  # one is made all the same
        assert made.trials[0].reason == "interrupted"


def test_random_matching_is_used_alone_where_it_is_asked_for() -> None:
    task = TimedTask(
        topology=build(parse("Torus(3,3)")),
        collective=Collective.ALLREDUCE,
        size=Fraction(9),
        units=UNITS,
        matching="random",
        chunks=1,
    )
    found = synthesize(task)
    assert verify_timetable(found.timetable).violation is None
    assert all("random matching" in trial.method for trial in found.trials)
    quicker = synthesize(replace(task, matching="best"))
    assert quicker.timetable.seconds <= found.timetable.seconds


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"tries": 0}, "--tries: 1 to 65536, not 0"),
        ({"seed": -1}, "--seed: at least 0, not -1"),
        ({"matching": "greedy"}, "--matching: best or random, not 'greedy'"),
        ({"root": 1}, "--root: 1 does not fit allgather"),
        ({"collective": Collective.BROADCAST}, "--root: None does not fit broadcast"),
        ({"collective": Collective.ALLTOALL}, "exchange: paths do not fit all-to-all"),
        (
            {"collective": Collective.BROADCAST, "root": 0, "weights": (1, 1, 1)},
            "--weights do not fit broadcast",
        ),
    ],
)
def test_refuses(changes: dict[str, object], line: str) -> None:
    fields = {
        "topology": build(parse("K(3)")),
        "collective": Collective.ALLGATHER,
        "size": Fraction(3),
        "units": UNITS,
    }
    with pytest.raises(InvalidInput, match=line):
        TimedTask(**fields | changes)  # type: ignore[arg-type]


def test_names_hosts_that_cannot_be_reached() -> None:
    line = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 1)])
    with pytest.raises(InvalidInput, match="cannot reach"):
        synthesize(
            TimedTask(topology=line, collective=Collective.ALLGATHER, size=Fraction(3), units=UNITS)
        )


def test_a_broadcast_of_much_data_is_near_its_cut() -> None:
    """Trees of a forest fill the root's links, which rounds by rarity do not."""
    task = TimedTask(
        topology=build(parse("Torus(4,4)")),
        collective=Collective.BROADCAST,
        size=Fraction(10**9),
        units=LinkUnits(latency=Fraction(1, 10**6), rate=Fraction(25 * 10**9)),
        root=3,
    )
    found = synthesize(task)
    assert verify_timetable(found.timetable).violation is None
    assert found.gap is not None
    assert found.gap < Fraction(1, 100)
