"""Hashes of what a schedule file says, whatever its container, its labels and the order of rows."""

import hashlib
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from expansions.schedule import Schedule
from expansions.schedule_files.canonical_rows import ORDER, canonical_rows
from expansions.translated import Translated
from generators.topology import Topology

VERSION = 1
"""Version of the hashed content and of the files; it grows when their meaning changes."""
COMPACT_VERSION = 2
"""Version of those with the rows of node 0 alone and translations."""


def topology_digest(topology: Topology) -> str:
    """SHA-256, in hexadecimal, of the nodes, arcs in their order, switches and link values.

    Names and what is known of the symmetry do not matter.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> topology_digest(pair) == topology_digest(pair.transpose()), len(topology_digest(pair))
    (False, 64)
    """
    described = {
        "arcs": topology.arcs,
        "capacity": _texts(topology.capacity),
        "latency": _texts(topology.latency),
        "n": topology.n,
        "switches": topology.switches,
        "version": VERSION,
    }
    return _hashed(described, topology.tail, topology.head)


def content_digest(topology: Topology, schedule: Schedule | Translated) -> str:
    """SHA-256, in hexadecimal, of the topology's digest and of the canonical rows.

    Those of a compact schedule are the rows of node 0, followed by its translations: it does not
    have the hash of its expansion.

    Two schedules have the same one when they have the same rows, in any order and with any
    denominator, for the same collective on the same topology.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> swap = Schedule(source=[0, 1], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 1])
    >>> same = Schedule(source=[1, 0], arc=[1, 0], step=[1, 1], begin=[0, 0], end=[2, 2],
    ...                 denominator=2)
    >>> content_digest(pair, swap) == content_digest(pair, same)
    True
    """
    words = schedule.translations if isinstance(schedule, Translated) else None
    rows = canonical_rows(schedule.origin if isinstance(schedule, Translated) else schedule)
    described: dict[str, Any] = {
        "collective": str(rows.collective),
        "denominator": rows.denominator,
        "root": rows.root,
        "rows": rows.rows,
        "topology": topology_digest(topology),
        "turn": rows.turn,
        "version": VERSION,
    }
    arrays = [getattr(rows, name) for name in ORDER]
    if words is not None:
        described |= {"generators": len(words.images), "version": COMPACT_VERSION}
        arrays += [words.images, words.parent, words.by]
    return _hashed(described, *arrays)


def _texts(values: tuple[object, ...] | None) -> list[str] | None:
    return None if values is None else [str(value) for value in values]


def _hashed(described: dict[str, Any], *arrays: NDArray[Any]) -> str:
    """Canonical JSON, then the arrays as little-endian integers of their own width."""
    found = hashlib.sha256(json.dumps(described, sort_keys=True).encode("ascii"))
    for array in arrays:
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        found.update(np.ascontiguousarray(little).data)
    return found.hexdigest()
