"""A schedule of rows run in parts as a pipeline, as `topofinder schedule --pipeline` asks for."""

from dataclasses import replace
from typing import Any

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.model.workload import Workload
from topofinder.schedules.pipelined_steps import (
    MOST_PARTS,
    pipeline_schedule,
    step_phases,
)
from topofinder.schedules.register import MadeSchedule
from topofinder.simulation.step_pipeline import best_parts, pipeline_seconds

PipelineParts = int | str
"""A number of parts, or "auto": as many as take the least time."""


def read_parts(text: int | str | None) -> PipelineParts | None:
    """A number of parts or "auto". Raises InvalidInput for anything else.

    >>> read_parts("auto"), read_parts("4"), read_parts(None)
    ('auto', 4, None)
    """
    if text is None or text == "auto":
        return text
    number = str(text)
    if number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= MOST_PARTS:
        return int(number)
    raise InvalidInput(f"--pipeline: auto, or 1 to {MOST_PARTS} parts, not {excerpt(number)}")


def pipeline_made(
    made: MadeSchedule,
    pipeline: PipelineParts,
    workload: Workload | None,
    most_rows: int | None = None,
) -> MadeSchedule:
    """What was made, in parts as a pipeline; "auto" leaves it as it is where no parts are quicker.

    Times are those with a barrier after every round. Raises InvalidInput where "auto" has no
    workload to choose for, and where rows or pieces would be too many or too small.
    """
    saved = made.saved
    if pipeline == "auto" and workload is None:
        raise InvalidInput("--pipeline: auto needs --alpha, --size and --bandwidth")
    given: dict[str, Any] = {}
    if workload is not None:
        given = {
            "alpha": workload.alpha,
            "size": workload.sizes[0][0],
            "node_bandwidth": workload.bandwidth,
        }
    if isinstance(pipeline, int):
        parts = (pipeline,) * len(step_phases(saved.schedule))
        seconds, without = None, None
        if given:
            one = (1,) * len(parts)
            seconds = pipeline_seconds(saved.topology, saved.schedule, parts, **given)
            without = pipeline_seconds(saved.topology, saved.schedule, one, **given)
    else:
        found = best_parts(saved.topology, saved.schedule, **given, most_rows=most_rows)
        parts, seconds, without = found.parts, found.seconds, found.without
    if set(parts) == {1}:
        return replace(made, parts=parts, without_pipeline=without)
    label = f"{saved.method or 'rows'}, pipeline of {' and '.join(map(str, dict.fromkeys(parts)))}"
    return replace(
        made,
        saved=replace(saved, schedule=pipeline_schedule(saved.schedule, parts), method=label),
        candidate=None,
        runtime=seconds,
        parts=parts,
        without_pipeline=without,
    )
