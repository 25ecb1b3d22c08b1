"""The file of what deferred schedules cost, as text.

generators/data/deferred_costs.txt has a line each for sizes that were gone through
(`generators.searched_sizes`): degree, nodes, link mode; steps and bandwidth time of an allgather,
then on the transpose; and the recipe. `#` with eight digits is the graph of that digest among the
size's `generators.searched_graphs`, in T(...) too. `expansions.deferred_costs` reads the recipes.
"""

from functools import cache
from importlib.resources import files

FILE = "deferred_costs.txt"


def deferred_lines(n: int, d: int, links: str) -> list[str]:
    """The lines of a size and link mode.

    >>> deferred_lines(4, 2, "simplex")
    []
    """
    return deferred_lines_by_size().get((d, n, links), [])


def all_deferred_lines() -> list[str]:
    """All lines, in the order of the file."""
    return [line for lines in deferred_lines_by_size().values() for line in lines]


@cache
def deferred_lines_by_size() -> dict[tuple[int, int, str], list[str]]:
    """All lines, by degree, nodes and link mode."""
    found: dict[tuple[int, int, str], list[str]] = {}
    text = (files("generators") / "data" / FILE).read_text(encoding="ascii")
    for line in text.splitlines():
        d, n, links, _ = line.split(" ", 3)
        found.setdefault((int(d), int(n), links), []).append(line)
    return found
