"""What both formats share: a header of named values, and flat arrays of integers.

The header says how long every array is, so that a reader knows before it allocates any. It also
repeats what follows from the arrays (steps, bandwidth, hashes): a reader works them out anew and
refuses a file that contradicts itself.
"""

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from expansions.schedule import COLUMNS, MAX_DENOMINATOR, Schedule
from expansions.schedule_files.canonical_rows import canonical_rows
from expansions.schedule_files.digest import VERSION, content_digest
from expansions.schedule_files.graph import (
    Arrays,
    graph_fields,
    graph_lengths,
    integer,
    restored_graph,
)
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from generators.formats.quantities import shown

FORMAT = "topofinder-schedule"
MAX_FILE_ROWS = 1 << 26
"""Rows a file holds at most: 2 GB once in memory."""


def header_and_arrays(saved: SavedSchedule) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Everything a file says, rows in canonical order."""
    topology, schedule = saved.topology, canonical_rows(saved.schedule)
    if schedule.rows > MAX_FILE_ROWS:
        raise InvalidInput(f"rows: a file holds at most {MAX_FILE_ROWS}, not {schedule.rows}")
    fields, graph = graph_fields(topology)
    columns = {name: getattr(schedule, name) for name in COLUMNS}
    arrays = {"tail": topology.tail, "head": topology.head} | columns | graph
    cost = schedule.cost(topology)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "recipe": saved.recipe,
        "method": saved.method,
        "collective": str(schedule.collective),
        "root": schedule.root,
        "turn": schedule.turn,
        "denominator": schedule.denominator,
        "n": topology.n,
        "arcs": topology.arcs,
        "rows": schedule.rows,
        "steps": cost.steps,
        "bandwidth": str(cost.bandwidth),
        "topology": fields["topology"],
        "content": content_digest(topology, schedule),
        **fields,
    }
    return header, arrays


def lengths(header: Mapping[str, Any]) -> dict[str, int]:
    """The arrays that must be there, and their lengths, from a header that is checked first."""
    if header.get("format") != FORMAT:
        raise InvalidInput(f"format: {FORMAT} is needed, not {shown(header.get('format'))}")
    if header.get("version") != VERSION:
        raise InvalidInput(f"version: {VERSION} can be read, not {shown(header.get('version'))}")
    wanted = graph_lengths(header)
    return wanted | dict.fromkeys(COLUMNS, integer(header, "rows", 0, MAX_FILE_ROWS))


def restored(header: Mapping[str, Any], arrays: Arrays) -> SavedSchedule:
    """The contents of a file; `arrays` are as `lengths` asks.

    Raises InvalidInput for values out of range, and when header and arrays disagree.
    """
    topology = restored_graph(header, arrays)
    schedule = Schedule(
        **{name: arrays[name] for name in COLUMNS},
        denominator=integer(header, "denominator", 1, MAX_DENOMINATOR),
        collective=header.get("collective"),  # type: ignore[arg-type]
        root=_optional(header, "root"),
        turn=_optional(header, "turn"),
    )
    saved = SavedSchedule(
        topology=topology,
        schedule=schedule,
        recipe=header.get("recipe"),
        method=header.get("method"),
    )
    _require_agreement(header, saved)
    return saved


def _require_agreement(header: Mapping[str, Any], saved: SavedSchedule) -> None:
    cost = saved.cost
    found = {
        "steps": cost.steps,
        "bandwidth": str(cost.bandwidth),
        "topology": saved.topology_digest,
        "content": saved.digest,
    }
    for name, value in found.items():
        if header.get(name) != value:
            raise InvalidInput(
                f"{name}: the file says {shown(header.get(name))}, but what it holds gives {value}"
            )


def _optional(header: Mapping[str, Any], name: str) -> int | None:
    return None if header.get(name) is None else integer(header, name, 0, MAX_FILE_ROWS)
