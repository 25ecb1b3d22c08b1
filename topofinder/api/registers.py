"""The registers as commands see them: forests and timed schedules entered beside the rest.

A package does not know what others enter in its register; whoever asks for what a command offers
imports this module first, or asks it for the words of an option, plugins included.
"""

from functools import partial
from typing import TYPE_CHECKING, Any

from topofinder.forests.baselines.titles import TITLES
from topofinder.schedules.register import (
    ScheduleMethod,
    register_schedule_method,
    schedule_method_names,
)

if TYPE_CHECKING:
    from topofinder.api.forest_counts import ForestCountsAnswer
    from topofinder.api.forest_records import ForestAnswer
    from topofinder.api.schedule_rounds import RoundAnswer
    from topofinder.api.timetable_records import TimetableAnswer


def _answer_by_forest(**arguments: Any) -> "ForestAnswer | ForestCountsAnswer":
    from topofinder.api.schedule_forest import answer_forest

    return answer_forest(**arguments)


def _answer_by_timetable(**arguments: Any) -> "TimetableAnswer | RoundAnswer":
    from topofinder.api.schedule_timetable import answer_timetable

    return answer_timetable(**arguments)


def _answer_by_baseline(name: str, **arguments: Any) -> "ForestAnswer":
    from topofinder.api.mapped_baselines import answer_baseline

    return answer_baseline(name, **arguments)


MAPPED_PLACE = 60
"""Where customary collectives on any graph stand among the schedule methods."""
_DAMAGE = ("fail_links", "fail_nodes", "degrade")

register_schedule_method(
    ScheduleMethod(
        name="forest",
        description="trees of ForestColl, of any fabric with or without switches",
        answer=_answer_by_forest,
        options=frozenset(
            {
                *("k", "loss", "prefer", "table", "weights", *_DAMAGE, "seed", "multicast"),
                *("overlap", "routing", "time", "tries", "model"),
            }
        ),
        place=10,
    )
)
register_schedule_method(
    ScheduleMethod(
        name="timed",
        description="chunks in continuous time, for a --size of data on any fabric",
        answer=_answer_by_timetable,
        options=frozenset(
            {
                *("weights", *_DAMAGE, "seed", "time", "chunks", "tries", "model", "matching"),
                *("unwind", "pattern", "demand", "large"),
            }
        ),
        place=11,
    )
)
for _name, _title in TITLES.items():
    register_schedule_method(
        ScheduleMethod(
            name=_name,
            description=f"{_title}, on shortest routes of any graph",
            answer=partial(_answer_by_baseline, _name),
            place=MAPPED_PLACE,
        )
    )


def schedule_methods() -> list[str]:
    """How a schedule may be made, `auto` first."""
    return list(schedule_method_names())


def throughput_methods() -> list[str]:
    """How a throughput may be bounded, `auto` first."""
    from topofinder.alltoall.register import method_names

    return list(method_names())


def demand_patterns() -> list[str]:
    """How every pattern of who sends to whom is written."""
    from topofinder.alltoall.demand.patterns import pattern_signatures

    return list(pattern_signatures())


def route_suffixes() -> list[str]:
    """Suffixes of files of routes."""
    from topofinder.exporters.register import exporters_of

    return list(dict.fromkeys(exporter.suffix for exporter in exporters_of("routes")))


def transfer_formats() -> list[str]:
    """Formats of other programs that schedules, forests and timetables are written in."""
    from topofinder.exporters.register import exporters_of

    return [exporter.name for exporter in exporters_of("transfers")]


def reproductions() -> list[str]:
    """The tables and figures that can be worked out anew."""
    from topofinder.api.reproduce.register import REPRODUCTIONS

    return list(REPRODUCTIONS)
