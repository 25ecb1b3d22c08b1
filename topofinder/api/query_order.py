"""Rows in the order of a column's values, exactly, and quickly where there are many rows."""

from collections.abc import Sequence
from itertools import groupby

from reports.query_columns import QueryColumn
from reports.query_row import FoundCandidate


def ordered(
    found: Sequence[FoundCandidate], key: QueryColumn, *, descending: bool = False
) -> list[FoundCandidate]:
    """By the values of a column; rows without a value come last. Equals keep their order.

    Floats that come from one correct rounding are never in the wrong order, but may be equal
    where the fractions are not; only those are compared as fractions.

    >>> from reports.query_columns import column
    >>> ordered([], column("bandwidth"), descending=True)
    []
    """
    if key.rounded is None:
        rows = [each for each in found if key.value(each) is not None]
        rest = [each for each in found if key.value(each) is None]
        return sorted(rows, key=key.value, reverse=descending) + rest
    floats = list(map(key.rounded, found))
    places = sorted(range(len(floats)), key=floats.__getitem__, reverse=descending)
    exact: list[FoundCandidate] = []
    for _, run in groupby(places, key=floats.__getitem__):
        exact.extend(_by_fraction([found[place] for place in run], key, descending))
    return exact


def _by_fraction(
    equal: list[FoundCandidate], key: QueryColumn, descending: bool
) -> list[FoundCandidate]:
    """Rows whose rounded values are equal; most often they cost the same in every respect."""
    if not all(_alike(equal[0], each) for each in equal[1:]):
        equal.sort(key=key.value, reverse=descending)
    return equal


def _alike(one: FoundCandidate, other: FoundCandidate) -> bool:
    """Whether rows cost the same, with a look at the objects first: equal ones are often shared."""
    a, b = one.row, other.row
    return (
        one.scaled == other.scaled
        and a.n == b.n
        and (a.bandwidth is b.bandwidth or a.bandwidth == b.bandwidth)
        and (a.rs_bandwidth is b.rs_bandwidth or a.rs_bandwidth == b.rs_bandwidth)
    )
