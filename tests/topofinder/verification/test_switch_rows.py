"""Switches that cannot copy or combine: refused in rows, against counts cell by cell."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from expansions.collective import Collective
from expansions.hosts import host_topology, parse_host_fabric
from expansions.schedule import Schedule
from expansions.schedule_files.files import write_schedule
from generators.topology import Topology
from tests.collectives import scaled
from tests.command import ran
from topofinder.schedules.register import ScheduleTask, answer_task
from topofinder.verification.schedules import verify_schedule
from topofinder.verification.switch_rows import first_switch_fault

STAR = Topology.from_arcs(
    4, [(0, 3), (1, 3), (2, 3), (3, 0), (3, 1), (3, 2)], switches=(3,), names=("a", "b", "c", "s")
)


def slow_fault(topology: Topology, schedule: Schedule, moves: bool) -> int:
    """The twin: what each switch holds of each cell, step after step."""
    able = topology.reduce if moves else topology.multicast
    unable = set(topology.switches) - set(able)
    rows = range(schedule.rows)
    faults, held = [], Counter[tuple[int, int, int]]()
    for step in sorted(set(schedule.step.tolist())):
        now = [row for row in rows if schedule.step[row] == step]
        for ends, change in ((topology.tail, -1), (topology.head, 1)):
            for row in now:
                node = int(ends[schedule.arc[row]])
                for cell in range(schedule.begin[row], schedule.end[row]):
                    held[node, int(schedule.source[row]), cell] += change
                    count = held[node, int(schedule.source[row]), cell]
                    wrong = change > 0 and count > 1 if moves else change < 0 and count < 0
                    if wrong and node in unable:
                        faults.append((step, row))
    return min(faults, default=(0, -1))[1]


def random_rows(generator: np.random.Generator, topology: Topology) -> Schedule:
    rows, grid = int(generator.integers(1, 40)), int(generator.integers(1, 9))
    begin = generator.integers(grid, size=rows)
    _, step = np.unique(generator.integers(6, size=rows), return_inverse=True)
    return Schedule(
        source=generator.integers(3, size=rows).astype(np.int32),
        arc=generator.integers(topology.arcs, size=rows).astype(np.int32),
        step=(step + 1).astype(np.int32),
        begin=begin,
        end=begin + 1 + generator.integers(grid, size=rows) % (grid - begin),
        denominator=grid,
    )


@pytest.mark.parametrize("moves", [False, True])
def test_random_rows_are_judged_like_the_twin(moves: bool) -> None:
    arcs = [(0, 3), (1, 3), (2, 4), (3, 4), (4, 3), (4, 0), (3, 1), (3, 2), (5, 4), (4, 5)]
    generator, found = np.random.default_rng(5), Counter[bool]()
    for trial in range(300):
        able = ((), (3,), (5,), (3, 4, 5))[trial % 4]
        two = Topology.from_arcs(6, arcs, switches=(3, 4, 5), multicast=able, reduce=able[:1])
        schedule = random_rows(generator, two)
        every = np.arange(schedule.rows)
        wrong = slow_fault(two, schedule, moves)
        assert first_switch_fault(two, schedule, every, moves=moves) == wrong
        fine = scaled(schedule, 10**17)
        assert first_switch_fault(two, fine, every, moves=moves) == wrong
        found[wrong < 0] += 1
    assert min(found.values()) > 20


def star_rows(*listed: tuple[int, int, int], **known: object) -> Schedule:
    source, arc, step = np.array(listed, dtype=np.int32).T
    return Schedule(source=source, arc=arc, step=step, begin=[0] * len(listed),
                    end=[1] * len(listed), **known)  # type: ignore[arg-type]  # fmt: skip


def test_a_switch_copies_or_combines_only_if_it_can() -> None:
    spread = star_rows((0, 0, 1), (0, 4, 2), (0, 5, 2), collective=Collective.BROADCAST, root=0)
    assert verify_schedule(STAR, spread).violation == (
        "step 2, row 2: arc 5 [3, 2] with [0, 1) of the shard of node 0: "
        "switch 3 does not multicast, and has sent that as often as it came"
    )
    assert verify_schedule(replace(STAR, multicast=(3,)), spread).valid
    twice = star_rows((0, 0, 1), (0, 0, 1), (0, 4, 2), (0, 5, 2),
                      collective=Collective.BROADCAST, root=0)  # fmt: skip
    assert verify_schedule(STAR, twice).valid
    summed = star_rows((0, 1, 1), (0, 2, 1), (0, 3, 2), collective=Collective.REDUCE, root=0)
    assert verify_schedule(STAR, summed).violation == (
        "step 1, row 1: arc 2 [2, 3] with [0, 1) of the shard of node 0: "
        "switch 3 does not combine sums, and gets that while it has another"
    )
    assert verify_schedule(replace(STAR, reduce=(3,)), summed).valid
    turns = star_rows((0, 1, 1), (0, 3, 2), (0, 2, 2), (0, 3, 3),
                      collective=Collective.REDUCE, root=0)  # fmt: skip
    assert verify_schedule(STAR, turns).valid


@pytest.mark.parametrize("collective", [Collective.ALLGATHER, Collective.ALLREDUCE])
def test_steps_for_an_able_switch_are_refused_where_it_is_not(collective: Collective) -> None:
    able, plain = (f"Host(3;switch{word}@90GB/s;1@50GB/s)[K(3,3)]" for word in ("+mr", ""))
    task = ScheduleTask(topology=host_topology(parse_host_fabric(able)), subject=able,
                        method="composed", collective=collective)  # fmt: skip
    schedule = answer_task(task).saved.schedule
    assert verify_schedule(task.topology, schedule).valid
    violation = verify_schedule(host_topology(parse_host_fabric(plain)), schedule).violation
    assert violation is not None
    assert ("does not multicast" if schedule.turn is None else "does not combine") in violation


def test_a_file_whose_switch_duplicates_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    able, plain = (f"Host(3;switch{word}@90GB/s;1@50GB/s)[K(3,3)]" for word in ("+m", ""))
    task = ScheduleTask(topology=host_topology(parse_host_fabric(able)), subject=able,
                        method="composed", collective=Collective.ALLGATHER)  # fmt: skip
    saved = answer_task(task).saved
    write_schedule(saved, path := tmp_path / "able.json")
    assert ran(capsys, "verify", path).code == 0
    copied = replace(saved, topology=host_topology(parse_host_fabric(plain)))
    write_schedule(copied, path := tmp_path / "plain.json")
    ended = ran(capsys, "verify", path)
    assert (ended.code, ended.err) == (1, "")
    assert ended.out == (
        "not valid: step 2, row 21: arc 21 [18, 1] with [0, 1) of the shard of node 2: "
        "switch 18 does not multicast, and has sent that as often as it came\n"
    )
