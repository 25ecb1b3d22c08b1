"""What a file of a compact schedule has besides its rows: generators, and a tree of products."""

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from expansions.schedule import Schedule
from expansions.schedule_files.graph import Arrays, integer
from expansions.translated import Translated
from expansions.translations import Translations
from generators.errors import InvalidInput
from generators.topology import MAX_ARCS, MAX_NODES

MAX_IMAGES = 1 << 26
"""Images of nodes or of arcs under all generators together: 256 MB once in memory."""


def tree_fields(schedule: Translated, arcs: int) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header fields and arrays; generators are one flat array, one after the other."""
    words = schedule.translations
    if (images := len(words.images) * max(words.n, arcs)) > MAX_IMAGES:
        raise InvalidInput(f"images: a file holds at most {MAX_IMAGES}, not {images}")
    header = {"stored_rows": schedule.origin.rows, "generators": len(words.images)}
    return header, {"images": words.images.ravel(), "parent": words.parent, "by": words.by}


def tree_lengths(header: Mapping[str, Any]) -> dict[str, int]:
    """The arrays that a header announces, and their lengths."""
    n, arcs = integer(header, "n", 1, MAX_NODES), integer(header, "arcs", 0, MAX_ARCS)
    generators = integer(header, "generators", 0, MAX_IMAGES // max(n, arcs))
    return {"images": n * generators, "parent": n, "by": n}


def restored_translated(header: Mapping[str, Any], arrays: Arrays, origin: Schedule) -> Translated:
    """The compact schedule; `arrays` are as `tree_lengths` asks. Raises InvalidInput."""
    words = Translations(
        images=arrays["images"].reshape(header["generators"], header["n"]),
        parent=arrays["parent"],
        by=arrays["by"],
    )
    return Translated(origin, words)
