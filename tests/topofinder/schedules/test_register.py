"""The register of schedule methods: every name answers or refuses, and its lists are complete."""

import pytest

import topofinder.api.registers  # noqa: F401 - enters forests
from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from topofinder.schedules.baselines.register import BASELINES
from topofinder.schedules.register import (
    AUTO,
    SCHEDULE_METHODS,
    ScheduleTask,
    answer_task,
    register_schedule_method,
    schedule_method_named,
    schedule_method_names,
)

RING = parse("BiRing(2,5)")


def test_all_names_stand_in_order() -> None:
    names = schedule_method_names()
    assert names[:7] == [AUTO, "bfb", "expansion", "synthesis", "composed", "deferred", "forest"]
    assert set(names) == set(SCHEDULE_METHODS) > set(BASELINES)
    assert all(SCHEDULE_METHODS[name].description for name in names)


@pytest.mark.parametrize("name", schedule_method_names())
def test_every_method_answers_or_refuses(name: str) -> None:
    task = ScheduleTask(topology=build(RING), recipe=RING, subject="BiRing(2,5)", method=name)
    if name in (AUTO, "bfb", "deferred", "ring"):
        made = answer_task(task)
        assert made.saved.recipe == "BiRing(2,5)"
        assert made.saved.cost.steps >= 2
    else:
        with pytest.raises((InvalidInput, Unsupported)):
            answer_task(task)


def test_a_name_is_taken_once_and_an_unknown_one_refused() -> None:
    with pytest.raises(InvalidInput, match="schedule method 'bfb' is registered already"):
        register_schedule_method(SCHEDULE_METHODS["bfb"])
    with pytest.raises(InvalidInput, match="method: 'gossip' is none of auto, bfb, expansion"):
        schedule_method_named("gossip")


def test_what_a_method_cannot_take_is_refused() -> None:
    ring = build(RING)
    for task, words in (
        (ScheduleTask(topology=ring, method="synthesis"), "synthesis needs a recipe"),
        (ScheduleTask(topology=ring, method="forest"), "forest makes no schedule of rows"),
        (ScheduleTask(topology=ring, method="ring"), "ring runs on a base graph"),
        (ScheduleTask(topology=ring, recipe=RING, method="ring", chunks=2), "has its own pieces"),
        (ScheduleTask(topology=ring, root=1), "root: allgather has none"),
    ):
        with pytest.raises(InvalidInput, match=words):
            answer_task(task)
    switched = Topology.from_arcs(3, [(0, 2), (2, 1), (1, 2), (2, 0)], switches=(2,))
    with pytest.raises(InvalidInput, match="scheduled by --method forest"):
        answer_task(ScheduleTask(topology=switched))
    with pytest.raises(InvalidInput, match="method: 'nccl-rings' is none of auto, bfb"):
        answer_task(ScheduleTask(topology=switched, method="nccl-rings"))
