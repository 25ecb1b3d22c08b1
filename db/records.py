"""Rows as records of columns, and back: a Fraction takes two columns, JSON is text."""

import json
import sqlite3
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from db.rows import CandidateRow, FrontierRow
from db.values import canonical_json
from generators.errors import InvalidInput

Record = dict[str, Any]

_SAME = (
    *("recipe", "links", "method", "n", "d", "steps", "rs_steps", "exact", "diameter"),
    *("bandwidth_optimal", "moore_optimal", "family", "version", "engine", "created"),
)
"""Columns of `candidates` that hold a field as it is."""

_SAME_HEAD = ("n", "d", "links", "engine", "bound_steps", "version", "created")
"""Columns of `frontiers` that hold a field as it is."""


def candidate_record(row: CandidateRow) -> Record:
    """The columns of `candidates` for a row.

    >>> row = CandidateRow(recipe="K(2)", links="duplex", method="bfb", n=2, d=1, steps=1,
    ...     bandwidth=Fraction(1, 2), rs_steps=1, rs_bandwidth=Fraction(1, 2), engine=1)
    >>> candidate_record(row)["bandwidth_den"]
    2
    """
    record: Record = {"id": row.id} | {name: getattr(row, name) for name in _SAME}
    record |= _parts("bandwidth", row.bandwidth) | _parts("rs_bandwidth", row.rs_bandwidth)
    return record | {"facts": canonical_json(row.facts)}


def candidate_row(record: sqlite3.Row) -> CandidateRow:
    """The row that a record of `candidates` holds; InvalidInput if the record is damaged."""
    return CandidateRow(
        bandwidth=_whole("bandwidth", record),
        rs_bandwidth=_whole("rs_bandwidth", record),
        facts=_object("facts", record),
        **{name: record[name] for name in _SAME},
    )


def frontier_record(row: FrontierRow, pool_size: int | None) -> Record:
    """The columns of `frontiers` for a row, whose members are stored apart."""
    record: Record = {name: getattr(row, name) for name in _SAME_HEAD}
    record |= _parts("bound_bandwidth", row.bound_bandwidth)
    record |= {"frontier_size": len(row.members), "pool_size": pool_size}
    return record | {"parameters": canonical_json(row.parameters)}


def frontier_row(record: sqlite3.Row, members: Iterable[sqlite3.Row]) -> FrontierRow:
    """The row that a record of `frontiers` and those of its members hold."""
    return FrontierRow(
        bound_bandwidth=_whole("bound_bandwidth", record),
        parameters=_object("parameters", record),
        members=tuple(map(candidate_row, members)),
        **{name: record[name] for name in _SAME_HEAD},
    )


def _parts(name: str, value: Fraction) -> Record:
    return {f"{name}_num": value.numerator, f"{name}_den": value.denominator}


def _whole(name: str, record: sqlite3.Row) -> Fraction:
    above, below = record[f"{name}_num"], record[f"{name}_den"]
    try:
        return Fraction(above, below)
    except (TypeError, ZeroDivisionError):
        raise InvalidInput(
            f"{name} is stored as {above!r:.60}/{below!r:.60}, no fraction"
        ) from None


def _object(name: str, record: sqlite3.Row) -> Any:
    try:
        return json.loads(record[name])
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput(f"{name} is stored as {record[name]!r:.60}, no JSON object") from None
