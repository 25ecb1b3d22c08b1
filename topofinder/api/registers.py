"""What is entered in the registers of one package by another: forests, as a schedule method.

Whoever asks a register for what a command offers imports this module first.
"""

from typing import TYPE_CHECKING, Any

from topofinder.schedules.register import ScheduleMethod, register_schedule_method

if TYPE_CHECKING:
    from topofinder.api.forest_records import ForestAnswer


def _answer_by_forest(**arguments: Any) -> "ForestAnswer":
    from topofinder.api.schedule_forest import answer_forest

    return answer_forest(**arguments)


register_schedule_method(
    ScheduleMethod(
        name="forest",
        description="trees of ForestColl, of any fabric with or without switches",
        answer=_answer_by_forest,
        options=frozenset(
            {
                *("k", "weights", "fail_links", "fail_nodes", "degrade"),
                *("seed", "multicast", "overlap", "time"),
            }
        ),
        place=10,
    )
)
