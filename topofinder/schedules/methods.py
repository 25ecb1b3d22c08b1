"""The schedule methods that are no baselines: by BFB, deferred or not, by maps, and by the best.

What makes the schedules, in `topofinder.schedules.by_candidate`, loads compiled kernels, which the
names and descriptions here need not wait for.
"""

from collections.abc import Callable
from dataclasses import replace

from expansions.schedule import Schedule
from generators.topology import Topology
from topofinder.model.candidate import Method
from topofinder.schedules.collectives import allgathers_by, collective_schedule
from topofinder.schedules.register import (
    AUTO,
    MadeSchedule,
    ScheduleMethod,
    ScheduleTask,
    refuse_chunks,
    register_schedule_method,
)


def allgather_method(
    name: str, description: str, allgather: Callable[[Topology], Schedule]
) -> ScheduleMethod:
    """The method that makes all collectives from allgathers, made for any topology.

    >>> from topofinder.schedules.bfb.schedule import bfb_schedule
    >>> allgather_method("shortest", "the same as bfb", bfb_schedule).name
    'shortest'
    """

    def make(task: ScheduleTask) -> MadeSchedule:
        from topofinder.schedules.row_limits import takes_compact_form

        takes_compact_form(task, lambda: f"only bfb has that form, not {name}")
        refuse_chunks(task)
        gather = allgathers_by(task.topology, allgather)
        schedule = collective_schedule(task.topology, task.collective, gather, task.root)
        return MadeSchedule(saved=task.label(schedule, name))

    return ScheduleMethod(name=name, description=description, make=make)


def _make_by_candidate(task: ScheduleTask) -> MadeSchedule:
    from topofinder.schedules.by_candidate import schedule_by_candidate, schedule_unequal_links

    return (schedule_unequal_links if task.has_unequal_links else schedule_by_candidate)(task)


def _make_through_switches(task: ScheduleTask) -> MadeSchedule:
    from topofinder.schedules.bfb.through_switches import schedule_through_switches

    return schedule_through_switches(task)


register_schedule_method(
    ScheduleMethod(
        name=AUTO,
        description="the quickest for a --size; else what is predicted to take least bandwidth, or "
        "bfb",
        make=_make_by_candidate,
        takes_unequal_links=True,
        options=frozenset({"model", "tries", "seed", "time", "pattern", "demand"}),
        place=0,
    )
)
register_schedule_method(
    ScheduleMethod(
        name=Method.BFB.value,
        description="the best breadth-first broadcast on the graph itself",
        make=_make_by_candidate,
        takes_unequal_links=True,
        through_switches=_make_through_switches,
        options=frozenset({"loss"}),
        place=1,
    )
)
register_schedule_method(
    ScheduleMethod(
        name=Method.EXPANSION.value,
        description="what expansions map from the schedules of the graphs inside",
        make=_make_by_candidate,
        needs_recipe=True,
        place=2,
    )
)
register_schedule_method(
    ScheduleMethod(
        name=Method.SYNTHESIS.value,
        description="a synthesised schedule, shipped or by relays, or what expansions map from one",
        make=_make_by_candidate,
        needs_recipe=True,
        place=3,
    )
)


def _deferred_allgather(topology: Topology) -> Schedule:
    from topofinder.schedules.deferral.schedule import deferred_schedule

    return deferred_schedule(topology)


register_schedule_method(
    replace(
        allgather_method(
            Method.DEFERRED.value,
            "broadcast on shortest paths, in which shards wait for idle links",
            _deferred_allgather,
        ),
        place=4,
    )
)
