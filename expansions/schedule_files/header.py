"""Header and arrays of a schedule: its rows, and generators and a tree of products if compact.

The header says how long every array is, and repeats what follows from the arrays (steps,
bandwidth, hashes), see `generators.formats.container`.
"""

from typing import Any

from numpy.typing import NDArray

from expansions.automorphisms import Automorphisms
from expansions.compact_schedule import CompactSchedule
from expansions.schedule import COLUMNS, MAX_DENOMINATOR, Schedule
from expansions.schedule_files.digest import (
    COMPACT_VERSION,
    ORDER,
    VERSION,
    canonical_rows,
    is_sorted,
)
from expansions.schedule_files.graph import (
    GRAPH_FIELDS,
    graph_fields,
    graph_lengths,
    graph_ranges,
    graph_values,
    require_ordinary_graph,
    restore_graph,
)
from expansions.schedule_files.saved import SavedSchedule
from generators.distinct import share_values
from generators.errors import InvalidInput
from generators.formats.archive import ArrayRange
from generators.formats.container import LIFTS, Arrays, Header, Lengths, require_integer
from generators.formats.quantities import number_text
from generators.limits import MAX_ARCS, MAX_NODES

FIELDS = (
    "recipe", "method", "collective", "root", "turn", "denominator", "rows",
    "steps", "bandwidth", "content", *GRAPH_FIELDS,
)  # fmt: skip
COMPACT_FIELDS = ("stored_rows", "generators")
MAX_FILE_ROWS = 1 << 26
"""Rows a file holds at most: 2 GB once in memory."""
MAX_IMAGES = 1 << 26
"""Images of nodes or of arcs under all generators together: 256 MB once in memory."""
MOST_VALUES = 3 << 22
"""Entries of the arrays of an ordinary file: 2^21 rows on a graph of half a million arcs."""
MOST_UNSORTED = 1 << 18
"""Rows of an ordinary file that are not in order: to sort many takes long."""
MOST_LOADS = 1 << 16
"""Steps times different capacities of an ordinary file: each has a busiest arc."""
MOST_SUMMED = 1 << 24
"""Images of rows that are added up for the cost of an ordinary file."""
MOST_LEVELS = 1 << 16
"""Translations one after the other, in an ordinary file, that carry node 0 to some node."""


def pack(
    saved: SavedSchedule, *, most_rows: int = MAX_FILE_ROWS, most_images: int = MAX_IMAGES
) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays, rows in canonical order."""
    topology, schedule = saved.topology, saved.schedule
    kept = canonical_rows(schedule.origin if isinstance(schedule, CompactSchedule) else schedule)
    if kept.rows > most_rows:
        raise InvalidInput(f"rows: a file holds at most {most_rows}, not {kept.rows}")
    graph_header, graph = graph_fields(topology)
    columns = {name: getattr(kept, name) for name in COLUMNS}
    arrays = {"tail": topology.tail, "head": topology.head} | columns | graph
    version, compact = VERSION, dict[str, Any]()
    if isinstance(schedule, CompactSchedule):
        version = COMPACT_VERSION
        compact, tree = translation_fields(schedule.translations, topology.arcs, most_images)
        compact = {"stored_rows": kept.rows, **compact}
        arrays |= tree
    agreed = agreed_fields(saved)
    header = {
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


def lengths(header: Header, *, most_rows: int = MAX_FILE_ROWS) -> dict[str, int]:
    """The arrays that a header announces, and their lengths."""
    compact = header["version"] == COMPACT_VERSION
    wanted = graph_lengths(header) | (translation_lengths(header) if compact else {})
    kept = require_integer(header, "stored_rows" if compact else "rows", 0, most_rows)
    return wanted | dict.fromkeys(COLUMNS, kept)


def ranges(header: Header) -> dict[str, ArrayRange]:
    """The entries that the arrays may have; `lengths` has checked the header."""
    most = require_integer(header, "denominator", 1, MAX_DENOMINATOR)
    steps = require_integer(header, "steps", 0, MAX_DENOMINATOR)
    return graph_ranges(header) | {
        "step": ArrayRange(least=1, most=steps, reached=True),
        "end": ArrayRange(least=1, most=most),
        "begin": ArrayRange(most=most - 1),
        "source": ArrayRange(most=header["n"] - 1),
        "arc": ArrayRange(most=header["arcs"] - 1),
    }


def values(header: Header, lengths: Lengths) -> int:
    """Entries of all arrays; those of generators count as often as there are arcs or nodes."""
    carried = header["generators"] * max(header["arcs"], header["n"]) if "by" in lengths else 0
    return sum(lengths.values()) + carried + graph_values(header)


def require_ordinary(
    saved: SavedSchedule,
    *,
    most_unsorted: int = MOST_UNSORTED,
    most_loads: int = MOST_LOADS,
    most_summed: int = MOST_SUMMED,
    most_levels: int = MOST_LEVELS,
) -> None:
    """Refuse what is within `values`, and takes long all the same. Raises InvalidInput."""
    schedule, graph = saved.schedule, saved.topology
    require_ordinary_graph(graph)
    rows = schedule.origin if isinstance(schedule, CompactSchedule) else schedule
    if rows.rows > most_unsorted and not is_sorted([getattr(rows, name) for name in ORDER]):
        raise InvalidInput(f"rows: more than {most_unsorted} that are not in order; {LIFTS}")
    kinds = max(1, len(share_values(graph.capacity or ()).values))
    if schedule.steps * kinds > most_loads:
        told = f"{schedule.steps} times {kinds} different capacities"
        raise InvalidInput(f"steps: {told}, more than {most_loads}; {LIFTS}")
    if isinstance(schedule, CompactSchedule):
        if len(schedule.translations.levels) > most_levels:
            raise InvalidInput(f"parent: paths of more than {most_levels} nodes; {LIFTS}")
        if (count := schedule.summed_images(graph)) > most_summed:
            raise InvalidInput(f"rows: {count} to be added up, more than {most_summed}; {LIFTS}")


def known_fields(header: Header) -> tuple[str, ...]:
    """The fields that a header of its version may have."""
    return FIELDS + COMPACT_FIELDS if header["version"] == COMPACT_VERSION else FIELDS


def restore(header: Header, arrays: Arrays) -> SavedSchedule:
    """The contents of a file; `arrays` are as `lengths` asks.

    Raises InvalidInput for values out of range.
    """
    topology = restore_graph(header, arrays)
    rows = Schedule(
        **{name: arrays[name] for name in COLUMNS},
        denominator=require_integer(header, "denominator", 1, MAX_DENOMINATOR),
        collective=header.get("collective"),  # type: ignore[arg-type]
        root=_optional_integer(header, "root"),
        turn=_optional_integer(header, "turn"),
    )
    compact = header["version"] == COMPACT_VERSION
    return SavedSchedule(
        topology=topology,
        schedule=CompactSchedule(rows, restore_translations(header, arrays)) if compact else rows,
        recipe=header.get("recipe"),
        method=header.get("method"),
    )


def agreed_fields(saved: SavedSchedule) -> dict[str, Any]:
    """What follows from the contents, and is said in the header all the same."""
    cost = saved.cost
    return {
        "rows": saved.schedule.rows,
        "steps": cost.steps,
        "bandwidth": number_text("bandwidth", cost.bandwidth),
        "topology": saved.topology_digest,
        "content": saved.digest,
    }


def translation_fields(
    words: Automorphisms, arcs: int, most_images: int = MAX_IMAGES
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header fields and arrays; generators are one flat array, one after the other."""
    if (images := len(words.images) * max(words.n, arcs)) > most_images:
        raise InvalidInput(f"images: a file holds at most {most_images}, not {images}")
    header = {"generators": len(words.images)}
    return header, {"images": words.images.ravel(), "parent": words.parent, "by": words.by}


def translation_lengths(header: Header) -> dict[str, int]:
    """The arrays that a header announces, and their lengths."""
    n, arcs = (
        require_integer(header, "n", 1, MAX_NODES),
        require_integer(header, "arcs", 0, MAX_ARCS),
    )
    generators = require_integer(header, "generators", 0, MAX_IMAGES // max(n, arcs))
    return {"images": n * generators, "parent": n, "by": n}


def restore_translations(header: Header, arrays: Arrays) -> Automorphisms:
    """The translations; `arrays` are as `translation_lengths` asks. Raises InvalidInput."""
    return Automorphisms(
        images=arrays["images"].reshape(header["generators"], header["n"]),
        parent=arrays["parent"],
        by=arrays["by"],
    )


def _optional_integer(header: Header, name: str) -> int | None:
    return None if header.get(name) is None else require_integer(header, name, 0, MAX_FILE_ROWS)
