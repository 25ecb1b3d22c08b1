"""The groups of an order that a search goes through, made systematically and told apart.

By turns: metacyclic groups; elementary abelian groups that a cyclic group acts on linearly; types
of small groups that are seldom reached otherwise, and their direct products; extensions of smaller
groups from this same list by cyclic groups, drawn at random, but always the same; direct products
with cyclic groups. Types of the order itself come first, abelian groups last: their layers grow too
slowly to win against others. A group with the fingerprint of an earlier one is left out.
"""

from collections.abc import Iterator
from functools import cache
from itertools import islice

import numpy as np

from generators.cayley.group import Group
from generators.cayley.notation import parse_group
from generators.cayley.products import direct
from topofinder.discovery.affine_groups import affine_groups
from topofinder.discovery.group_extensions import extensions
from topofinder.discovery.group_families import abelian_texts, metacyclic_texts
from topofinder.discovery.group_types import product_groups, types_of
from topofinder.discovery.multiplication_table import group_fingerprint, multiplication_columns

LARGEST_GROUP = 1 << 13
"""Largest order of a group that is searched: its table has 128 MiB."""

INNER = 64
"""Groups of a smaller order that are extended."""

LARGEST_TOP = 16
"""Largest cyclic group by which a smaller group that is not cyclic is extended."""

EXTENSION_ROUNDS = 6
"""How often every smaller group is extended by random maps, DRAWS at a time."""

DRAWS = 4

GROUP_PATIENCE = 400
"""Groups in a row that bring nothing new, after which no more are made."""


def groups_of(n: int, most: int | None = None) -> Iterator[str]:
    """The first `most` groups of order n, no two with one fingerprint; abelian ones last.

    Each is made when it is asked for, and remembered.

    >>> list(groups_of(8))
    ['Z4:Z2[3]', 'Z4.Z2[3|2]', 'Z8', 'Z2xZ4', 'Z2^3']
    """
    return islice(_group_list(n), most)


class _GroupList:
    """The groups of one order, made as far as they were asked for."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.texts: list[str] = []
        self._rest: Iterator[str] = _distinct_groups(n)

    def __iter__(self) -> Iterator[str]:
        place = 0
        while place < len(self.texts) or self._append_next():
            yield self.texts[place]
            place += 1

    def _append_next(self) -> bool:
        try:
            text = next(self._rest, None)
        except BaseException:  # a generator that was interrupted, or refused memory, gives no more
            self._rest = islice(_distinct_groups(self.n), len(self.texts), None)
            raise
        if text is not None:
            self.texts.append(text)
        return text is not None


@cache
def _group_list(n: int) -> _GroupList:
    return _GroupList(n)


def _distinct_groups(n: int) -> Iterator[str]:
    """Texts of groups with new fingerprints."""
    seen: set[bytes] = set()
    idle = 0
    for group in _candidate_groups(n):
        idle += 1
        if idle > GROUP_PATIENCE:
            break
        if (
            not group.is_abelian
            and (mark := group_fingerprint(multiplication_columns(group))) not in seen
        ):
            seen.add(mark)
            idle = 0
            yield str(group)
    yield from abelian_texts(n)


def _candidate_groups(n: int) -> Iterator[Group]:
    """Groups of order n, most of them not abelian, from each way of making them in turn."""
    yield from map(parse_group, types_of(n))
    tops = [k for k in range(2, min(LARGEST_TOP, n // 4) + 1) if n % k == 0]
    yield from _take_turns(
        map(parse_group, metacyclic_texts(n)),
        affine_groups(n),
        product_groups(n, _group_list),
        *(_cyclic_extensions(n // k, k) for k in tops),
        _direct_products(n),
    )


def _take_turns(*ways: Iterator[Group]) -> Iterator[Group]:
    """One group of each way, as long as it has any, and again from the first."""
    open_ways = list(ways)
    while open_ways:
        for way in list(open_ways):
            group = next(way, None)
            if group is None:
                open_ways.remove(way)
            else:
                yield group


def _cyclic_extensions(m: int, k: int) -> Iterator[Group]:
    """Extensions by Z_k of the groups of order m that are not cyclic."""
    for turn in range(EXTENSION_ROUNDS):
        for place, text in enumerate(islice(_group_list(m), INNER)):
            if text != f"Z{m}":
                random = np.random.default_rng([m, k, turn, place])
                yield from extensions(parse_group(text), k, DRAWS, random)


def _direct_products(n: int) -> Iterator[Group]:
    """Direct products of a smaller group that is not abelian and a cyclic group."""
    for m in range(n // 2, 5, -1):
        for text in islice(_group_list(m), INNER) if n % m == 0 else ():
            group = parse_group(text)
            if group.is_abelian:
                break
            yield direct(group, parse_group(f"Z{n // m}"))
