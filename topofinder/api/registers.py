"""What is entered in the registers of one package by another: forests and timed schedules.

Whoever asks a register for what a command offers imports this module first.
"""

from typing import TYPE_CHECKING, Any

from topofinder.schedules.register import ScheduleMethod, register_schedule_method

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


_DAMAGE = ("fail_links", "fail_nodes", "degrade")

register_schedule_method(
    ScheduleMethod(
        name="forest",
        description="trees of ForestColl, of any fabric with or without switches",
        answer=_answer_by_forest,
        options=frozenset(
            {
                *("k", "loss", "prefer", "table", "weights", *_DAMAGE, "seed", "multicast"),
                *("overlap", "routing", "time", "tries"),
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
