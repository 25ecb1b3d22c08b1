"""Sizes that searches have gone through: what an effort of one finds there ships.

generators/data/searched_sizes.txt has a line for each link mode and degree, such as
`simplex 4 6-2000`, with all sizes n. Graphs stand in `generators.searched_graphs`, deferred
schedules in `generators.deferred_costs`. A search with an effort of one need not look for more.
"""

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache

from generators.sized_lines import data_text

FILE = "searched_sizes.txt"


def are_finds_shipped(n: int, d: int, links: str) -> bool:
    """Whether a search with an effort of one has gone through a size, and its finds ship.

    >>> are_finds_shipped(10**6, 4, "simplex")
    False
    """
    firsts, lasts = searched_ranges().get((d, links), ((), ()))
    place = bisect_right(firsts, n) - 1
    return place >= 0 and n <= lasts[place]


@cache
def searched_ranges() -> dict[tuple[int, str], tuple[tuple[int, ...], tuple[int, ...]]]:
    """First and last sizes of the ranges of each degree and link mode, in order."""
    found: dict[tuple[int, str], tuple[tuple[int, ...], tuple[int, ...]]] = {}
    for line in data_text(FILE).splitlines():
        links, d, *ranges = line.split(" ")
        ends = [tuple(map(int, one.split("-"))) for one in ranges]
        found[int(d), links] = (
            tuple(one[0] for one in ends),
            tuple(one[-1] for one in ends),
        )
    return found


def all_sizes() -> Iterator[tuple[int, int, str]]:
    """All of them, as (n, d, links)."""
    for (d, links), (firsts, lasts) in searched_ranges().items():
        for first, last in zip(firsts, lasts, strict=True):
            yield from ((n, d, links) for n in range(first, last + 1))


def join_ranges(sizes: list[int]) -> str:
    """Increasing sizes as they stand in the file.

    >>> join_ranges([2, 3, 4, 7, 9, 10])
    '2-4 7 9-10'
    """
    known = set(sizes)
    starts = [n for n in sizes if n - 1 not in known]
    ends = [n for n in sizes if n + 1 not in known]
    both = zip(starts, ends, strict=True)
    return " ".join(f"{one}-{other}" if one < other else str(one) for one, other in both)
