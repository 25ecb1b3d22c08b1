"""What both formats share: a header of named values, and flat arrays of integers.

The header says how long every array is, so that a reader knows before it allocates any. It also
repeats what follows from the arrays (steps, bandwidth, hashes): a reader works them out anew and
refuses a file that contradicts itself, and one with a field that it does not know.
"""

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from expansions.schedule import COLUMNS, MAX_DENOMINATOR, Schedule
from expansions.schedule_files.agreement import GRAPH_FIELDS, require_agreement, require_known
from expansions.schedule_files.canonical_rows import canonical_rows
from expansions.schedule_files.compact import restored_translated, tree_fields, tree_lengths
from expansions.schedule_files.digest import COMPACT_VERSION, VERSION
from expansions.schedule_files.graph import (
    Arrays,
    graph_fields,
    graph_lengths,
    integer,
    require_version,
    restored_graph,
)
from expansions.schedule_files.saved import SavedSchedule
from expansions.translated import Translated
from generators.errors import InvalidInput
from generators.formats.quantities import number_text, shown

FORMAT = "topofinder-schedule"
FIELDS = (
    "format", "version", "recipe", "method", "collective", "root", "turn", "denominator", "rows",
    "steps", "bandwidth", "content", *GRAPH_FIELDS,
)  # fmt: skip
COMPACT_FIELDS = ("stored_rows", "generators")
MAX_FILE_ROWS = 1 << 26
"""Rows a file holds at most: 2 GB once in memory."""


def header_and_arrays(saved: SavedSchedule) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Everything a file says, rows in canonical order."""
    topology, schedule = saved.topology, saved.schedule
    kept = canonical_rows(schedule.origin if isinstance(schedule, Translated) else schedule)
    if kept.rows > MAX_FILE_ROWS:
        raise InvalidInput(f"rows: a file holds at most {MAX_FILE_ROWS}, not {kept.rows}")
    graph_header, graph = graph_fields(topology)
    columns = {name: getattr(kept, name) for name in COLUMNS}
    arrays = {"tail": topology.tail, "head": topology.head} | columns | graph
    version, compact = VERSION, dict[str, Any]()
    if isinstance(schedule, Translated):
        version = COMPACT_VERSION
        compact, tree = tree_fields(schedule, topology.arcs)
        arrays |= tree
    agreed = _agreed(saved)
    header = {
        "format": FORMAT,
        "version": version,
        "recipe": saved.recipe,
        "method": saved.method,
        "collective": str(kept.collective),
        "root": kept.root,
        "turn": kept.turn,
        "denominator": kept.denominator,
        "n": topology.n,
        "arcs": topology.arcs,
        "rows": agreed.pop("rows"),
        **compact,
        **agreed,
        **graph_header,
    }
    return header, arrays


def lengths(header: Mapping[str, Any]) -> dict[str, int]:
    """The arrays that must be there, and their lengths, from a header that is checked first."""
    if header.get("format") != FORMAT:
        raise InvalidInput(f"format: {FORMAT} is needed, not {shown(header.get('format'))}")
    compact = require_version(header, VERSION, COMPACT_VERSION) == COMPACT_VERSION
    wanted = graph_lengths(header) | (tree_lengths(header) if compact else {})
    kept = integer(header, "stored_rows" if compact else "rows", 0, MAX_FILE_ROWS)
    return wanted | dict.fromkeys(COLUMNS, kept)


def restored(header: Mapping[str, Any], arrays: Arrays) -> SavedSchedule:
    """The contents of a file; `arrays` are as `lengths` asks.

    Raises InvalidInput for values out of range, and when header and arrays disagree.
    """
    compact = require_version(header, VERSION, COMPACT_VERSION) == COMPACT_VERSION
    require_known(header, FIELDS + COMPACT_FIELDS if compact else FIELDS)
    topology = restored_graph(header, arrays)
    rows = Schedule(
        **{name: arrays[name] for name in COLUMNS},
        denominator=integer(header, "denominator", 1, MAX_DENOMINATOR),
        collective=header.get("collective"),  # type: ignore[arg-type]
        root=_optional(header, "root"),
        turn=_optional(header, "turn"),
    )
    saved = SavedSchedule(
        topology=topology,
        schedule=restored_translated(header, arrays, rows) if compact else rows,
        recipe=header.get("recipe"),
        method=header.get("method"),
    )
    require_agreement(header, _agreed(saved))
    return saved


def _agreed(saved: SavedSchedule) -> dict[str, Any]:
    """What follows from the contents, and is said in the header all the same."""
    cost = saved.cost
    return {
        "rows": saved.schedule.rows,
        "steps": cost.steps,
        "bandwidth": number_text("bandwidth", cost.bandwidth),
        "topology": saved.topology_digest,
        "content": saved.digest,
    }


def _optional(header: Mapping[str, Any], name: str) -> int | None:
    return None if header.get(name) is None else integer(header, name, 0, MAX_FILE_ROWS)
