"""Header and arrays of a schedule: its rows, and generators and a tree of products if compact.

The header says how long every array is, and repeats what follows from the arrays (steps,
bandwidth, hashes), see `generators.formats.container`.
"""

from typing import Any

from numpy.typing import NDArray

from expansions.automorphisms import Automorphisms
from expansions.compact_schedule import CompactSchedule
from expansions.schedule import COLUMNS, MAX_DENOMINATOR, Schedule
from expansions.schedule_files.digest import COMPACT_VERSION, VERSION, canonical_rows
from expansions.schedule_files.graph import (
    GRAPH_FIELDS,
    graph_fields,
    graph_lengths,
    graph_ranges,
    restore_graph,
)
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from generators.formats.archive import ArrayRange
from generators.formats.container import Arrays, Header, require_integer
from generators.formats.quantities import number_text
from generators.topology import MAX_ARCS, MAX_NODES

FIELDS = (
    "recipe", "method", "collective", "root", "turn", "denominator", "rows",
    "steps", "bandwidth", "content", *GRAPH_FIELDS,
)  # fmt: skip
COMPACT_FIELDS = ("stored_rows", "generators")
MAX_FILE_ROWS = 1 << 26
"""Rows a file holds at most: 2 GB once in memory."""
MAX_IMAGES = 1 << 26
"""Images of nodes or of arcs under all generators together: 256 MB once in memory."""


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
