"""The hash of a timetable, the order of its sends, and what an ordinary file holds at most.

Columns are hashed one by one, so that whoever writes sends as they are made can hash them on the
way.

A wrong file within these limits is refused soon, see `generators.formats.container`.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from expansions.schedule_files.digest import is_sorted, sorting_permutation, topology_digest
from expansions.schedule_files.graph import require_ordinary_graph
from generators.errors import InvalidInput
from generators.formats.container import LIFTS, content_hash
from generators.topology import AnyIntArray
from topofinder.model.timetable import COLUMNS, Timetable

VERSION = 1
"""Version of the hashed content and of the files; it grows when their meaning changes."""

UNITS = ("latency", "rate")
SENDS = ("chunk", "channel", "begin")
ORDER = ("begin", "channel", "chunk")
"""Sends of a phase are sorted by these columns, the first one above all."""
MOST_VALUES = 3 << 22
"""Entries of the arrays of an ordinary file: four million sends of as many units."""
MOST_UNSORTED = 1 << 18
"""Sends of an ordinary file that are not in order: to sort many takes long."""


def timetable_digest(saved: Timetable, sends: Mapping[str, str] | None = None) -> str:
    """SHA-256, in hexadecimal, of topology, units, model, collective, chunks, routes and sends.

    `sends` are the digests of their columns where `saved` is without them. The order of sends
    within a phase does not matter, nor do names of nodes, labels and claims. That of a timetable
    with translations is not that of its expansion.
    """
    kept, words = canonical_timetable(saved), saved.translations
    columns = {name: getattr(kept, name) for name in COLUMNS}
    if words is not None:
        columns |= {"images": words.images, "parent": words.parent, "by": words.by}
    described: dict[str, Any] = {
        "chunk_bytes": str(kept.chunk_bytes),
        "collective": str(kept.collective),
        "columns": {n: column_digest(a) for n, a in columns.items() if a is not None}
        | dict(sends or {}),
        "generators": None if words is None else len(words.images),
        "model": str(kept.model),
        "reducing": kept.reducing,
        "root": kept.root,
        "topology": topology_digest(kept.topology),
        "units": [str(getattr(kept.units, name)) for name in UNITS],
        "version": VERSION,
    }
    return content_hash(described, [])


def column_digest(column: NDArray[Any]) -> str:
    """SHA-256 of a column as little-endian integers of its own width, all of them one by one.

    >>> column_digest(np.arange(3, dtype=np.int32))[:8]
    'ad5dc147'
    """
    little = column.astype(column.dtype.newbyteorder("<"), copy=False)
    return hashlib.sha256(np.ascontiguousarray(little).data).hexdigest()


def canonical_timetable(saved: Timetable) -> Timetable:
    """The same sends, those of each phase sorted by ORDER."""
    columns: list[AnyIntArray] = [getattr(saved, name) for name in ORDER]
    if 0 < saved.reducing < saved.sends:
        columns.insert(0, (np.arange(saved.sends) >= saved.reducing).astype(np.int32))
    order = sorting_permutation(columns)
    if order is None:
        return saved
    return replace(saved, **{name: getattr(saved, name)[order] for name in SENDS})


def require_ordinary(saved: Timetable, *, most_unsorted: int = MOST_UNSORTED) -> None:
    """Refuse what is within the ordinary limit of values, and takes long all the same.

    Raises InvalidInput.
    """
    require_ordinary_graph(saved.topology)
    if saved.sends <= most_unsorted:
        return
    for phase in (slice(0, saved.reducing), slice(saved.reducing, None)):
        if not is_sorted([getattr(saved, name)[phase] for name in ORDER]):
            raise InvalidInput(f"sends: more than {most_unsorted} that are not in order; {LIFTS}")
