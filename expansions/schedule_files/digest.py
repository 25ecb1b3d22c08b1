"""Hashes of what a schedule file says, whatever its container, its labels and the order of rows.

Rows have one order and one denominator before they are hashed, so that equal ones look equal.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np

from expansions.compact_schedule import CompactSchedule
from expansions.schedule import Schedule
from generators.distinct import share_values
from generators.formats.container import content_hash
from generators.topology import AnyIntArray, Int64Array, Topology

VERSION = 1
"""Version of the hashed content and of the files; it grows when their meaning changes."""
COMPACT_VERSION = 2
"""Version of those with the rows of node 0 alone and translations."""
ORDER = ("step", "arc", "source", "begin", "end")
"""Rows are sorted by these columns, the first one above all."""
_PIECE = 1 << 16


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
    return content_hash(described, [topology.tail, topology.head])


def content_digest(topology: Topology, schedule: Schedule | CompactSchedule) -> str:
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
    words = schedule.translations if isinstance(schedule, CompactSchedule) else None
    rows = canonical_rows(schedule.origin if isinstance(schedule, CompactSchedule) else schedule)
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
    return content_hash(described, arrays)


def _texts(values: tuple[Fraction, ...] | None) -> list[str] | None:
    if values is None:
        return None
    shared = share_values(values)
    texts = np.array([str(value) for value in shared.values], dtype=object)
    found: list[str] = texts[shared.which].tolist()
    return found


def canonical_rows(schedule: Schedule) -> Schedule:
    """The same rows, sorted by ORDER, with the least denominator.

    >>> rows = Schedule(source=[1, 0], arc=[1, 0], step=[1, 1], begin=[0, 2], end=[2, 4],
    ...                 denominator=4)
    >>> found = canonical_rows(rows)
    >>> found.arc.tolist(), found.end.tolist(), found.denominator
    ([0, 1], [2, 1], 2)
    """
    found = _reduce_fractions(schedule)
    order = sorting_permutation([getattr(found, name) for name in ORDER])
    if order is None:
        return found
    return replace(found, **{name: getattr(found, name)[order] for name in ORDER})


def _reduce_fractions(schedule: Schedule) -> Schedule:
    """Divide begin, end and the denominator by their greatest common divisor."""
    common = schedule.denominator
    for column in (schedule.begin, schedule.end):
        if common > 1:
            common = gcd(common, int(np.gcd.reduce(column, initial=0)))
    if common == 1:
        return schedule
    return replace(
        schedule,
        begin=schedule.begin // common,
        end=schedule.end // common,
        denominator=schedule.denominator // common,
    )


def sorting_permutation(columns: Sequence[AnyIntArray]) -> Int64Array | None:
    """The permutation that sorts rows by columns of integers of 0 or more, the first above all.

    None when they are sorted already.

    >>> sorting_permutation([np.array([1, 0, 1]), np.array([2, 5, 1])])
    array([1, 2, 0])
    """
    if is_sorted(columns):
        return None
    packed = _pack_columns(columns)
    return np.lexsort(columns[::-1]) if packed is None else np.argsort(packed)


def is_sorted(columns: Sequence[AnyIntArray]) -> bool:
    """Whether rows are sorted by these columns, the first above all.

    >>> is_sorted([np.array([0, 0, 1]), np.array([2, 5, 1])])
    True
    """
    for at in range(0, len(columns[0]), _PIECE):
        pieces = [column[at : at + _PIECE + 1] for column in columns]
        equal = np.ones(len(pieces[0]) - 1, dtype=np.bool_)
        for piece in pieces:
            if (equal & (piece[1:] < piece[:-1])).any():
                return False
            equal &= piece[1:] == piece[:-1]
    return True


def _pack_columns(columns: Sequence[AnyIntArray]) -> Int64Array | None:
    """All columns of a row in one integer that sorts as they do, if 63 bits are enough."""
    widths = [int(column.max(initial=0)).bit_length() for column in columns]
    if sum(widths) > 63:
        return None
    packed = np.zeros(len(columns[0]), dtype=np.int64)
    for column, width in zip(columns, widths, strict=True):
        packed <<= width
        packed |= column
    return packed
